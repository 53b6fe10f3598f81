; SPDX-License-Identifier: MIT
; The console fonts, as boot/font.mk unpacked them into build/font: see font.h.
; Terminus Font, SIL Open Font License 1.1, from Debian's console-setup-linux.

bits 64
default rel

global font_blob, font_files, font_files_count

section .rodata

font_blob:
f16: incbin "font/16.psf"
f20: incbin "font/20x10.psf"
f24: incbin "font/24x12.psf"
f28: incbin "font/28x14.psf"
f32: incbin "font/32x16.psf"
fend:

align 8
font_files:
    dd f16 - font_blob, f20 - f16
    dd f20 - font_blob, f24 - f20
    dd f24 - font_blob, f28 - f24
    dd f28 - font_blob, f32 - f28
    dd f32 - font_blob, fend - f32
font_files_end:
font_files_count: dd (font_files_end - font_files) / 8

section .note.GNU-stack noalloc noexec nowrite progbits
