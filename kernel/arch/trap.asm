; One entry for each of the 256 vectors. 0-31, the exceptions, go to trap_exception() and do not
; return. The others acknowledge the interrupt and return: they touch no state but three registers.

bits 64

extern trap_exception
extern lapic_eoi

global trap_entries

VECTOR_SPURIOUS equ 0xff
X2APIC_EOI      equ 0x80b
ENTRY_BYTES     equ 16

; The exceptions for which the CPU pushes an error code (SDM vol. 3A, 6.3.1).
%define HAS_ERROR (1 << 8 | 1 << 10 | 1 << 11 | 1 << 12 | 1 << 13 | 1 << 14 | 1 << 17 | 1 << 21 | 1 << 29 | 1 << 30)

section .text

align ENTRY_BYTES
trap_entries:
%assign vector 0
%rep 256
    align ENTRY_BYTES
    %if vector < 32
        %if !(HAS_ERROR >> vector & 1)
            push 0
        %endif
        push vector
        jmp exception
    %elif vector == VECTOR_SPURIOUS
        iretq
    %else
        jmp interrupt
    %endif
    %assign vector vector + 1
%endrep

exception:
    cld
    push rax
    push rbx
    push rcx
    push rdx
    push rsi
    push rdi
    push rbp
    push r8
    push r9
    push r10
    push r11
    push r12
    push r13
    push r14
    push r15
    mov rdi, rsp
    and rsp, -16
    call trap_exception
    ud2

interrupt:
    push rax
    push rcx
    push rdx
    mov rax, [lapic_eoi]
    test rax, rax
    jz .x2apic
    mov dword [rax], 0
    jmp .done
.x2apic:
    mov ecx, X2APIC_EOI
    xor eax, eax
    xor edx, edx
    wrmsr
.done:
    pop rdx
    pop rcx
    pop rax
    iretq
