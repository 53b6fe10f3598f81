; SPDX-License-Identifier: MIT
; The letters A to Z of a bold console font in several sizes, as boot/font.mk unpacked them into
; build/font: see screen_result.c. Terminus Font Bold, SIL Open Font License 1.1, from Debian's
; console-setup-linux.

bits 64
default rel

%define PSF1_HEAD 4
%define PSF2_HEAD 32

global big_letters_16, big_letters_20, big_letters_24, big_letters_32

section .rodata

; Bytes of a glyph: rows of pixels, each of as many whole bytes as it needs.
big_letters_16: incbin "font/Bold16.psf", PSF1_HEAD + 'A' * 16, 26 * 16
big_letters_20: incbin "font/Bold20x10.psf", PSF2_HEAD + 'A' * 40, 26 * 40
big_letters_24: incbin "font/Bold24x12.psf", PSF2_HEAD + 'A' * 48, 26 * 48
big_letters_32: incbin "font/Bold32x16.psf", PSF2_HEAD + 'A' * 64, 26 * 64

section .note.GNU-stack noalloc noexec nowrite progbits
