; From a loader that has placed the image in sound memory to C, by either way:
;   entry_placed  32-bit protected mode, from the stub (stub.asm): EAX = the image's base, EBX =
;                 Multiboot2 information, ESI = struct bad_pages
;   boot_entry    64-bit mode, as okram.efi leaves it: RDI = struct boot_info
; Both fill the early page tables, turn them on and call boot_start() at its high address. The code
; runs wherever the image was put below 4 GiB, so every address is made from the base.
;
; Early page tables: the first 4 GiB at 0 and at the direct map's base, the image at KERNEL_VIRT.

KERNEL_VIRT     equ 0xffffffff80000000
IMAGE_MAX       equ 4 << 20

IMAGE_CHECK_MAGIC equ 0x016d696d61726b6f

PTE_PRESENT     equ 1
PTE_WRITE       equ 2
PTE_LARGE       equ 1 << 7

CR0_PE          equ 1 << 0
CR0_MP          equ 1 << 1
CR0_EM          equ 1 << 2
CR0_WP          equ 1 << 16
CR0_PG          equ 1 << 31
CR4_PAE         equ 1 << 5
CR4_OSFXSR      equ 1 << 9
CR4_OSXMMEXCPT  equ 1 << 10
CR4_LA57        equ 1 << 12
MSR_EFER        equ 0xc0000080
EFER_LME        equ 1 << 8

FROM_LOADER     equ 0
FROM_GRUB       equ 1

extern boot_start
extern image_file_pages                 ; boot/kernel.ld
extern image_fixed_pages
extern image_memory_pages

global boot_entry

; Where a symbol lies in the image.
%define OFFSET(symbol) (symbol - KERNEL_VIRT)

; The image's first page: struct image_check. The checksums come when it has been linked.
section .image_check progbits alloc noexec nowrite align=4096
    dq IMAGE_CHECK_MAGIC
    dd image_file_pages, image_fixed_pages, image_memory_pages
    dd OFFSET(boot_entry), OFFSET(entry_placed)
    times 4096 - ($ - $$) db 0

; Fills the early page tables of the image that lies at EBP. The same instructions do in 32-bit and
; in 64-bit mode, because everything is below 4 GiB. Clobbers EAX, ECX, EDI.
%macro fill_early_tables 0
    ; the first 4 GiB, 2 MiB a page: 4 x 512 entries in a row
    lea edi, [ebp + OFFSET(early_pd)]
    mov eax, PTE_PRESENT | PTE_WRITE | PTE_LARGE
    mov ecx, 4 * 512
%%low:
    mov [edi], eax
    mov dword [edi + 4], 0
    add eax, 2 << 20
    add edi, 8
    dec ecx
    jnz %%low

    lea edi, [ebp + OFFSET(early_pdpt)]
    lea eax, [ebp + OFFSET(early_pd) + (PTE_PRESENT | PTE_WRITE)]
    mov ecx, 4
%%pdpt:
    mov [edi], eax
    add eax, 4096
    add edi, 8
    dec ecx
    jnz %%pdpt

    ; the image, 4 KiB a page
    lea edi, [ebp + OFFSET(early_image_pt)]
    lea eax, [ebp + (PTE_PRESENT | PTE_WRITE)]
    mov ecx, IMAGE_MAX / 4096
%%image:
    mov [edi], eax
    add eax, 4096
    add edi, 8
    dec ecx
    jnz %%image

    lea edi, [ebp + OFFSET(early_image_pd)]
    lea eax, [ebp + OFFSET(early_image_pt) + (PTE_PRESENT | PTE_WRITE)]
    mov [edi], eax
    add eax, 4096
    mov [edi + 8], eax
    lea edi, [ebp + OFFSET(early_image_pdpt)]
    lea eax, [ebp + OFFSET(early_image_pd) + (PTE_PRESENT | PTE_WRITE)]
    mov [edi + 510 * 8], eax

    lea edi, [ebp + OFFSET(early_pml4)]
    lea eax, [ebp + OFFSET(early_pdpt) + (PTE_PRESENT | PTE_WRITE)]
    mov [edi], eax
    mov [edi + 256 * 8], eax
    lea eax, [ebp + OFFSET(early_image_pdpt) + (PTE_PRESENT | PTE_WRITE)]
    mov [edi + 511 * 8], eax

    ; a fifth level, for firmware that has it on: 48-bit addresses are either its first or its last
    lea eax, [ebp + OFFSET(early_pml4) + (PTE_PRESENT | PTE_WRITE)]
    lea edi, [ebp + OFFSET(early_pml5)]
    mov [edi], eax
    mov [edi + 511 * 8], eax
%endmacro

section .text

bits 32
entry_placed:
    mov ebp, eax
    lea esp, [ebp + OFFSET(boot_stack.end)]
    fill_early_tables

    lea eax, [ebp + OFFSET(early_pml4)]
    mov cr3, eax
    mov eax, CR4_PAE
    mov cr4, eax
    mov ecx, MSR_EFER
    rdmsr
    or eax, EFER_LME
    wrmsr
    mov eax, CR0_PE | CR0_PG
    mov cr0, eax

    lea eax, [ebp + OFFSET(early_gdt)]
    sub esp, 16
    mov word [esp], early_gdt.end - early_gdt - 1
    mov [esp + 2], eax
    lgdt [esp]
    lea eax, [ebp + OFFSET(.long)]
    push dword 8
    push eax
    retf

bits 64
.long:
    mov ecx, esi                        ; clears the upper halves, too
    mov edi, FROM_GRUB
    mov esi, ebx
    mov edx, ebp
    jmp enter_high

boot_entry:
    cli
    cld
    mov rsi, rdi
    lea rbp, [rel boot_entry]
    sub rbp, OFFSET(boot_entry)
    fill_early_tables
    lea eax, [ebp + OFFSET(early_pml4)]
    lea edx, [ebp + OFFSET(early_pml5)]
    mov rcx, cr4
    test ecx, CR4_LA57
    cmovnz eax, edx
    mov cr3, rax
    mov edi, FROM_LOADER
    mov edx, ebp

; EDI: who started us, RSI: what it handed over, EDX: the image's physical base, RCX: from the stub,
; the bad pages.
enter_high:
    mov rax, high
    jmp rax
high:
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
    mov rax, cr0
    and eax, ~CR0_EM
    or eax, CR0_MP | CR0_WP
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
early_pml5:         resb 4096
early_pml4:         resb 4096
early_pdpt:         resb 4096
early_pd:           resb 4 * 4096
early_image_pdpt:   resb 4096
early_image_pd:     resb 4096
early_image_pt:     resb IMAGE_MAX / 4096 * 8
boot_stack:         resb 32768
.end:
