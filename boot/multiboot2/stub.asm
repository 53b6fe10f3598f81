; SPDX-License-Identifier: MIT
; The Multiboot2 entry, and with the C code after it (stub/) the only part of okram that runs where
; GRUB loaded it, in untested memory: it is in the image's pages 1 and up to STUB_MAX. It finds a
; fault-free page to work in, lets stub_main() check the image and copy each page of it to fault-free
; memory, turns on the page tables that map them as one image, and continues there, in entry.asm.
; Until then addresses are physical.

KERNEL_VIRT     equ 0xffffffff80000000
STUB_MAX        equ 3 * 4096

MB2_MAGIC       equ 0xe85250d6
MB2_LOADED      equ 0x36d76289

WORK_BYTES      equ 4096                ; stack, and struct stub_work at its lower end
WORK_ROOT       equ 516                 ; of struct stub_work: stub/main.c
WORK_ENTRY      equ 520
WORK_REACH      equ 32 << 20            ; it is looked for so far from the image's first byte

TAG_END         equ 0                   ; Multiboot2 2.0, 3.6
TAG_MODULE      equ 3
TAG_MEMORY      equ 4
TAG_HEADER      equ 8                   ; type and size, at +0 and +4
MODULE_END      equ 12
MEMORY_UPPER    equ 12                  ; KiB from 1 MiB to the first hole

VGA_TEXT        equ 0xb8000
VGA_WHITE_ON_RED equ 0x4f
COM1_DATA       equ 0x3f8
COM1_LINE       equ 0x3fb
COM1_STATUS     equ 0x3fd
LINE_DLAB       equ 0x80
LINE_8N1        equ 0x03
COM1_READY      equ 0x20
COM1_WAITS      equ 100000

FROM_GRUB       equ 1                   ; boot/multiboot2/start.c

%include "boot/long_mode/enter.inc"

extern multiboot2_entry_phys            ; as linked: boot/kernel.ld
extern image_phys
extern image_data_end
extern image_end

global multiboot2_entry

; Where a symbol lies in the image.
%define OFFSET(symbol) (symbol - KERNEL_VIRT)

section .multiboot2 progbits alloc exec nowrite align=4096
header:
    dd MB2_MAGIC, 0, header.end - header
    dd 0x100000000 - (MB2_MAGIC + (header.end - header))
    align 8
    dw 1, 0                             ; information request, required: memory map
    dd 12, 6
    align 8
    dw 3, 0                             ; entry address
    dd 12, multiboot2_entry_phys
    align 8
    dw 6, 0                             ; modules page-aligned
    dd 8
    align 8
    dw 10, 0                            ; relocatable: anywhere below 4 GiB, low preferred
    dd 24, image_phys, 0xffffffff, 4096, 1
    align 8
    dw 0, 0
    dd 8
.end:

; Writes each word of the work area at ESI, and goes on at .faulty unless all are read back right
; from DRAM. A word is ((its address & %1) ^ %2) ^ EDX.
%macro try_work 2
    mov edi, esi
%%write:
    mov eax, edi
    and eax, %1
    xor eax, %2
    xor eax, edx
    mov [edi], eax
    add edi, 4
    lea ecx, [esi + WORK_BYTES]
    cmp edi, ecx
    jb %%write
    wbinvd
    mov edi, esi
%%read:
    mov eax, edi
    and eax, %1
    xor eax, %2
    xor eax, edx
    cmp [edi], eax
    jne .faulty
    add edi, 4
    lea ecx, [esi + WORK_BYTES]
    cmp edi, ecx
    jb %%read
%endmacro

bits 32
multiboot2_entry:
    cli
    cld
    cmp eax, MB2_LOADED
    jne .halt
    ; Where are we? A call needs a stack and there is none yet: the information's reserved word
    ; (at +4) serves as one.
    lea esp, [ebx + 8]
    call .here
.here:
    pop ebp
    sub ebp, OFFSET(.here)

    ; The work area: the first fault-free page of the image's bss, else of what is after all that
    ; GRUB has loaded.
    lea esi, [ebp + OFFSET(image_data_end)]
.work:
    xor edx, edx
    mov esp, 3                          ; each bit is 0, 1 and 0 again
.both:
    try_work 0, 0
    try_work 0, 0x55555555
    try_work 0xffffffff, 0
    not edx
    dec esp
    jnz .both
    jmp .found
.faulty:
    add esi, 4096
    lea eax, [ebp + OFFSET(image_end) - WORK_BYTES]
    cmp esi, eax
    jbe .work

    ; ESI: after all that GRUB has loaded. ECX: where the work area can begin at most.
    mov edx, ebx
    add edx, [ebx]                      ; the information's end
    cmp esi, edx
    jae .tags
    mov esi, edx
.tags:
    lea edi, [ebx + 8]
    xor ecx, ecx
.tag:
    mov eax, [edi]
    cmp eax, TAG_MEMORY
    jne .no_memory
    mov ecx, [edi + MEMORY_UPPER]
    shl ecx, 10
    add ecx, (1 << 20) - WORK_BYTES
.no_memory:
    cmp eax, TAG_MODULE
    jne .no_module
    cmp esi, [edi + MODULE_END]
    jae .no_module
    mov esi, [edi + MODULE_END]
.no_module:
    cmp eax, TAG_END
    je .tags_end
    mov eax, [edi + 4]
    cmp eax, TAG_HEADER
    jb .tags_end
    lea edi, [edi + eax + 7]            ; tags are aligned to 8 bytes
    and edi, ~7
    cmp edi, edx
    jb .tag
.tags_end:
    add esi, 4095
    and esi, ~4095
    lea eax, [ebp + WORK_REACH]
    cmp esi, eax
    ja .no_work
    cmp esi, ecx
    jbe .work

    ; Printed without any memory.
.no_work:
    lea esi, [ebp + OFFSET(no_work_area)]
    mov edi, VGA_TEXT
    mov dx, COM1_LINE                   ; 115200 8N1: not every BIOS sets the port up
    mov al, LINE_DLAB
    out dx, al
    mov dx, COM1_DATA
    mov al, 1
    out dx, al
    inc dx
    xor al, al
    out dx, al
    mov dx, COM1_LINE
    mov al, LINE_8N1
    out dx, al
.print:
    mov ecx, COM1_WAITS
    mov dx, COM1_STATUS
.wait:
    in al, dx
    test al, COM1_READY
    loopz .wait
    lodsb
    mov dx, COM1_DATA
    out dx, al
    mov ah, VGA_WHITE_ON_RED
    stosw
    cmp al, 10
    jne .print
.halt:
    cli
    hlt
    jmp .halt

.found:
    lea esp, [esi + WORK_BYTES]
    push dword 0                        ; the stack is aligned to 16 bytes at the call
    push dword 0
    push dword 0
    lea eax, [ebp + OFFSET(image_end)]
    push eax
    lea eax, [ebp + OFFSET(image_data_end)]
    push eax
    push ebp
    push ebx
    push esi
    call stub_main                      ; keeps EBX, ESI and EBP

    mov eax, [esi + WORK_ROOT]
    enter_long_mode
    mov edx, esi                        ; clears the upper halves, too
    mov eax, [rsi + WORK_ENTRY]
    mov rcx, KERNEL_VIRT
    add rax, rcx
    mov esi, ebx
    mov edi, FROM_GRUB
    jmp rax

no_work_area:
    db "No fault-free page for a stack where GRUB loaded okram. Nothing was tested.", 10

align 16
stub_main:
    incbin "stub.bin"
stub_end:
    times -((stub_end - header) > STUB_MAX) db 0 ; asserts
