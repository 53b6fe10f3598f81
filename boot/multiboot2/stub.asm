; The Multiboot2 entry, and with the C code behind it (stub/) the only part of okram that runs where
; GRUB put it, before anything is known of that memory: it is kept in the image's pages 1 and up to
; STUB_MAX. It finds a sound page to work in, lets stub_main() check the image and place the kernel
; in sound memory, and goes on there, in entry.asm. No page tables yet: addresses are physical.

KERNEL_VIRT     equ 0xffffffff80000000
STUB_MAX        equ 2 * 4096

MB2_MAGIC       equ 0xe85250d6
MB2_LOADED      equ 0x36d76289

WORK_BYTES      equ 8192                ; stack, and struct bad_pages at its lower end
ENTRY_PLACED_AT equ 24                  ; struct image_check

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

; Writes each word of the work area at ESI, and goes on at .unsound unless all are read back right
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
    jne .unsound
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

    ; The work area: the first sound one in what GRUB keeps free for the image's bss.
    lea esi, [ebp + OFFSET(image_data_end)]
.work:
    xor edx, edx
.both:
    try_work 0, 0
    try_work 0, 0x55555555
    try_work 0xffffffff, 0
    not edx
    test edx, edx
    jnz .both
    jmp .found
.unsound:
    add esi, 4096
    lea eax, [ebp + OFFSET(image_end) - WORK_BYTES]
    cmp esi, eax
    jbe .work
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
    call stub_main
    mov ecx, [eax + ENTRY_PLACED_AT]
    add ecx, eax
    jmp ecx

align 16
stub_main:
    incbin "stub.bin"
stub_end:
    times -((stub_end - header) > STUB_MAX) db 0 ; asserts
