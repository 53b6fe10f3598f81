; SPDX-License-Identifier: MIT
; Where CPUs that are not used any more wait: see arch/park.h. park_begin() copies this into a page below
; 1 MiB, after as many NOPs as PARK_OFFSET says. All addresses are offsets in that page, which is the base
; of both segments.

global park_start
global park_end
global park_from_long_mode
global park_gdt_base
global park_idt_base
global park_code
global park_data

PARK_OFFSET     equ 256                 ; arch/park.c
PARKED_BITS     equ 2048                ; the same
PAGE_BYTES      equ 4096

CR0_PE          equ 1 << 0
CR0_NOT_PG      equ 0x7fffffff
CR4_MCE         equ 1 << 6
MSR_MCG_STATUS  equ 0x17a
CODE            equ 8
DATA            equ 16
INTERRUPT_GATE  equ 0x8e00
NO_NUMBER       equ -1

%define AT(label) (label - park_start + PARK_OFFSET)

section .rodata
align 16
bits 16
park_start:
    ; By a STARTUP, or out of the trampoline, where paging may be on already.
    cli
    mov eax, cr0
    and eax, CR0_NOT_PG
    mov cr0, eax
    o32 lgdt [cs:AT(gdt_pointer)]
    or al, CR0_PE
    mov cr0, eax
    mov edi, NO_NUMBER
    o32 jmp far [cs:AT(protected_address)]

; EDI: the CPU's number, or NO_NUMBER. Nothing is written before paging is off: the page is read-only.
bits 64
park_from_long_mode:
    cli
    lgdt [rel gdt_pointer]
    jmp far dword [rel protected_address]

bits 32
protected:
    mov eax, cr0
    and eax, CR0_NOT_PG
    mov cr0, eax
    jmp short .without_paging
.without_paging:
    mov eax, DATA
    mov ds, eax
    mov es, eax
    mov fs, eax
    mov gs, eax
    mov ss, eax
    mov esp, PAGE_BYTES
    lidt [AT(idt_pointer)]
    mov eax, CR4_MCE
    mov cr4, eax
    test edi, edi
    js wait_for_ever
    lock bts [PARKED_BITS], edi
wait_for_ever:
    hlt
    jmp wait_for_ever

nmi:
    iretd

; What the error was, the CPUs that test read in the banks. This one can go on in any case.
machine_check:
    mov ecx, MSR_MCG_STATUS
    xor eax, eax
    xor edx, edx
    wrmsr
    mov esp, PAGE_BYTES
    jmp wait_for_ever

align 8
gdt:
    dq 0
park_code:                              ; the page's address is added to the base of these two
    dq 0x00cf9b000000ffff               ; already accessed: nothing is written
park_data:
    dq 0x00cf93000000ffff
gdt_pointer:
    dw gdt_pointer - gdt - 1
park_gdt_base:                          ; and to these two
    dq AT(gdt)

%macro GATE 1
    dw AT(%1), CODE, INTERRUPT_GATE, 0
%endmacro

align 8
idt:
    times 2 dq 0
    GATE nmi
    times 15 dq 0
    GATE machine_check
idt_pointer:
    dw idt_pointer - idt - 1
park_idt_base:
    dd AT(idt)

protected_address:
    dd AT(protected)
    dw CODE
park_end:
