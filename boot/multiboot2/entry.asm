; SPDX-License-Identifier: MIT
; From a loader that has put each page of the image into fault-free memory to C: boot_entry, in 64-bit
; mode, with the page tables of boot/load/early_tables.h on, by which the image is at KERNEL_VIRT.
;   EDI = FROM_LOADER   okram.efi: boot_info is filled
;         FROM_GRUB     the stub (stub.asm): RSI = Multiboot2 information, RDX = struct bad_pages;
;                       of boot_info kernel_page is filled

KERNEL_VIRT     equ 0xffffffff80000000

IMAGE_CHECK_MAGIC equ 0x026d696d61726b6f
EARLY_TABLES    equ 11                  ; boot/load/early_tables.h

CR0_PE          equ 1 << 0
CR0_MP          equ 1 << 1
CR0_ET          equ 1 << 4
CR0_NE          equ 1 << 5
CR0_WP          equ 1 << 16
CR0_PG          equ 1 << 31
CR4_PAE         equ 1 << 5
CR4_OSFXSR      equ 1 << 9
CR4_OSXMMEXCPT  equ 1 << 10
CR4_LA57        equ 1 << 12

extern boot_start
extern boot_info_page                   ; boot/kernel.ld
extern early_tables_page
extern image_file_pages
extern image_fixed_pages
extern image_memory_pages

global boot_entry
global early_tables

; Where a symbol lies in the image.
%define OFFSET(symbol) (symbol - KERNEL_VIRT)

; The image's first page: struct image_check. The checksums come when it has been linked.
section .image_check progbits alloc noexec nowrite align=4096
    dq IMAGE_CHECK_MAGIC
    dd image_file_pages, image_fixed_pages, image_memory_pages
    dd OFFSET(boot_entry), boot_info_page, early_tables_page, 0
    times 4096 - ($ - $$) db 0

section .text

bits 64
boot_entry:
    mov rsp, boot_stack.end
    lgdt [early_gdt_pointer]
    mov ax, 16
    mov ds, ax
    mov es, ax
    mov ss, ax
    xor eax, eax
    mov fs, ax
    mov gs, ax
    push 8
    mov rax, .reloaded
    push rax
    retfq
.reloaded:
    mov eax, CR0_PE | CR0_MP | CR0_ET | CR0_NE | CR0_WP | CR0_PG
    mov cr0, rax
    mov rax, cr4                        ; of firmware's settings only the paging mode stays
    and eax, CR4_PAE | CR4_LA57
    or eax, CR4_OSFXSR | CR4_OSXMMEXCPT
    mov cr4, rax
    xor ebp, ebp
    call boot_start
    ud2

section .rodata
align 8
early_gdt:
    dq 0
    dq 0x00af9b000000ffff               ; 8: 64-bit code, already accessed: no CPU writes to rodata
    dq 0x00cf93000000ffff               ; 16: data, the same
.end:
early_gdt_pointer:
    dw early_gdt.end - early_gdt - 1
    dq early_gdt

section .bss nobits alloc write align=4096
early_tables:       resb EARLY_TABLES * 4096
boot_stack:         resb 32768
.end:
