; SPDX-License-Identifier: MIT
; void enter_kernel(uint32_t root, uint32_t entry): from 32-bit firmware's protected mode to the
; kernel's entry in 64-bit mode.

KERNEL_VIRT     equ 0xffffffff80000000

FROM_LOADER     equ 0                   ; boot/multiboot2/start.c

%include "boot/long_mode/enter.inc"

global enter_kernel:function hidden

section .text

bits 32
enter_kernel:
    cld
    mov eax, [esp + 4]
    mov ebx, [esp + 8]
    enter_long_mode
    mov eax, ebx                        ; clears the upper half, too
    mov rcx, KERNEL_VIRT
    add rax, rcx
    mov edi, FROM_LOADER
    jmp rax
