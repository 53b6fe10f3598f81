; SPDX-License-Identifier: MIT
; Where another CPU starts: real mode, in the page below 1 MiB that hw/cpus/smp.c copied this to (SDM
; vol. 3A, 9.4). It goes straight to long mode on okram's page tables, in which this one page is
; mapped at its own address, finds its struct percpu by its APIC ID, claims it, and calls
; smp_cpu_main(). A CPU that arrives too late finds its state changed, and goes to where such CPUs wait
; (arch/park.h).

global trampoline_start
global trampoline_end
global trampoline_cr3
global trampoline_gdt_base
global trampoline_long_address
extern smp_percpu
extern smp_n_percpu
extern smp_cpu_main
extern park_entry
extern lapic_base
extern lapic_registers

CR0_PE          equ 1 << 0
CR0_MP          equ 1 << 1
CR0_ET          equ 1 << 4
CR0_NE          equ 1 << 5
CR0_WP          equ 1 << 16
CR0_PG          equ 1 << 31
CR4_PAE         equ 1 << 5
CR4_OSFXSR      equ 1 << 9
CR4_OSXMMEXCPT  equ 1 << 10
MSR_EFER        equ 0xc0000080
EFER_LME        equ 1 << 8

; arch/lapic.c
MSR_APIC_BASE   equ 0x1b
APIC_BASE_BOOT_CPU equ 1 << 8
APIC_BASE_X2APIC equ 1 << 10
APIC_BASE_ENABLE equ 1 << 11
XAPIC_ID        equ 0x20
XAPIC_ID_SHIFT  equ 24
MSR_X2APIC_ID   equ 0x802

; struct percpu (arch/percpu.h)
PERCPU_APIC_ID  equ 12
PERCPU_STATE    equ 16
PERCPU_STACK    equ 24
CPU_WAITING     equ 0
CPU_ARRIVED     equ 1

NO_NUMBER       equ -1                  ; arch/park.asm

%define AT(label) (label - trampoline_start)

section .rodata
align 16
bits 16
trampoline_start:
    cli
    cld
    mov ax, cs
    mov ds, ax
    o32 lgdt [AT(gdt_pointer)]
    mov eax, CR4_PAE | CR4_OSFXSR | CR4_OSXMMEXCPT
    mov cr4, eax
    mov eax, [AT(trampoline_cr3)]
    mov cr3, eax
    mov ecx, MSR_EFER
    xor edx, edx
    mov eax, [AT(efer)]
    wrmsr
    mov eax, CR0_PE | CR0_MP | CR0_ET | CR0_NE | CR0_WP | CR0_PG
    mov cr0, eax
    o32 jmp far [AT(trampoline_long_address)]

bits 64
long_mode:
    mov rax, find_self
    jmp rax

align 8
gdt:
    dq 0
    dq 0x00af9b000000ffff               ; 8: 64-bit code, already accessed: the page is read-only
    dq 0x00cf93000000ffff               ; 16: data, the same
gdt_pointer:
    dw gdt_pointer - gdt - 1
trampoline_gdt_base:                    ; the page's address is added when it is copied
    dd AT(gdt)
trampoline_long_address:                ; and here
    dd AT(long_mode)
    dw 8
align 4
trampoline_cr3:
    dd 0
global trampoline_efer
trampoline_efer:
efer:
    dd EFER_LME
trampoline_end:

section .text
bits 64
find_self:
    mov eax, 16
    mov ds, ax
    mov es, ax
    mov ss, ax
    xor eax, eax
    mov fs, ax
    mov gs, ax

    ; Its APIC gets the boot CPU's address and mode. From x2APIC the only way back is through off (SDM
    ; vol. 3A, 11.12.5).
    mov ecx, MSR_APIC_BASE
    rdmsr
    mov r8d, eax
    and r8d, APIC_BASE_BOOT_CPU
    mov r9, [lapic_base]
    test eax, APIC_BASE_X2APIC
    jz .set_base
    test r9d, APIC_BASE_X2APIC
    jnz .set_base
    and eax, ~(APIC_BASE_ENABLE | APIC_BASE_X2APIC)
    wrmsr
.set_base:
    mov eax, r9d
    or eax, r8d
    mov rdx, r9
    shr rdx, 32
    wrmsr

    ; Its APIC ID into R8D, as lapic_id() reads it.
    mov rsi, [lapic_registers]
    test rsi, rsi
    jz .x2apic_id
    mov r8d, [rsi + XAPIC_ID]
    shr r8d, XAPIC_ID_SHIFT
    jmp .search
.x2apic_id:
    mov ecx, MSR_X2APIC_ID
    rdmsr
    mov r8d, eax
.search:
    mov rsi, [smp_percpu]               ; array of pointers
    mov ecx, [smp_n_percpu]
.next:
    test ecx, ecx
    jz .stop
    mov rdi, [rsi]
    add rsi, 8
    dec ecx
    cmp [rdi + PERCPU_APIC_ID], r8d
    jne .next
    mov eax, CPU_WAITING
    mov edx, CPU_ARRIVED
    lock cmpxchg [rdi + PERCPU_STATE], edx
    jne .stop
    mov rsp, [rdi + PERCPU_STACK]
    xor ebp, ebp
    call smp_cpu_main
    ud2
.stop:
    pause
    mov rax, [park_entry]
    test rax, rax
    jz .stop
    mov edi, NO_NUMBER
    jmp rax
