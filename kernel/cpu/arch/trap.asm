; SPDX-License-Identifier: MIT
; One entry for each of the 256 vectors. Exceptions go to trap_fault(), which returns only from the two
; instructions below that are allowed to fail. Events that may return go to trap_event(): NMI, machine
; check, the deadline's interrupt, and all vectors that okram does not use, those of 0-31 that no
; exception has among them. The timer's and the wake-up interrupt are acknowledged here: they touch no
; state but three registers.

bits 64

extern trap_fault
extern trap_event
extern lapic_eoi

global trap_entries
global msr_try_read
global msr_try_write
global msr_reads
global msr_writes
global msr_is_missing

VECTOR_NMI      equ 2
VECTOR_MACHINE  equ 18
VECTOR_TIMER    equ 0xf0
VECTOR_WAKE     equ 0xf1
MSR_MCG_STATUS  equ 0x17a
X2APIC_EOI      equ 0x80b
ENTRY_BYTES     equ 16
FXSAVE_BYTES    equ 512
RED_ZONE_BYTES  equ 128                 ; x86-64 psABI, 3.2.2

; What the CPU has pushed.
FRAME_RIP       equ 0
FRAME_RFLAGS    equ 16
FRAME_RSP       equ 24

; The exceptions for which the CPU pushes an error code (SDM vol. 3A, 6.3.1).
%define HAS_ERROR (1 << 8 | 1 << 10 | 1 << 11 | 1 << 12 | 1 << 13 | 1 << 14 | 1 << 17 | 1 << 21 | 1 << 29 | 1 << 30)

; Of 0-31, those that no CPU in 64-bit mode raises (the same, table 6-1; AMD APM vol. 2, 8.2).
%define NO_EXCEPTION (1 << 9 | 1 << 15 | 1 << 22 | 1 << 23 | 1 << 24 | 1 << 25 | 1 << 26 | 1 << 27 | 1 << 31)

section .text

align ENTRY_BYTES
trap_entries:
%assign vector 0
%rep 256
    align ENTRY_BYTES
    %if vector == VECTOR_TIMER || vector == VECTOR_WAKE
        jmp interrupt
    %else
        %if vector >= 32 || !(HAS_ERROR >> vector & 1)
            push 0
        %endif
        push vector
        %if vector >= 32 || vector == VECTOR_NMI || vector == VECTOR_MACHINE
            jmp event
        %elif NO_EXCEPTION >> vector & 1
            jmp event
        %else
            jmp exception
        %endif
    %endif
    %assign vector vector + 1
%endrep

%macro PUSH_ALL 0
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
%endmacro

%macro POP_ALL 0
    pop r15
    pop r14
    pop r13
    pop r12
    pop r11
    pop r10
    pop r9
    pop r8
    pop rbp
    pop rdi
    pop rsi
    pop rdx
    pop rcx
    pop rbx
    pop rax
%endmacro

exception:
    cld
    PUSH_ALL
    mov rdi, rsp
    mov rbx, rsp
    and rsp, -16
    call trap_fault
    mov rsp, rbx
    POP_ALL
    add rsp, 16                         ; vector, error code
    iretq

; NMI and machine check on stacks of their own. The C code uses SSE registers, but not AVX: their upper halves stay.
event:
    cld
    PUSH_ALL
    mov rdi, rsp
    mov rbx, rsp
    sub rsp, FXSAVE_BYTES
    and rsp, -16
    fxsave [rsp]
    call trap_event
    fxrstor [rsp]
    mov rsp, rbx
    POP_ALL
    cmp qword [rsp], VECTOR_MACHINE
    lea rsp, [rsp + 16]                 ; vector, error code
    je machine_check_end
    iretq

; Back to the interrupted stack before the machine check ends, for the next one may occur at once and
; take this stack; and not by IRET, which would let in an NMI while one is being handled. Below the
; interrupted RSP a red zone stays as it is: libqrcodegen's code may use one.
machine_check_end:
    push rax
    push rbx
    mov rax, rsp                        ; two words below the frame
    mov rsp, [rax + 16 + FRAME_RSP]
    sub rsp, RED_ZONE_BYTES
    push qword [rax + 16 + FRAME_RIP]
    push qword [rax + 16 + FRAME_RFLAGS]
    push qword [rax + 8]                ; RAX
    push qword [rax]                    ; RBX
    push rcx
    push rdx
    mov ecx, MSR_MCG_STATUS
    xor eax, eax
    xor edx, edx
    wrmsr
    pop rdx
    pop rcx
    pop rbx
    pop rax
    popfq
    ret RED_ZONE_BYTES

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

; bool msr_try_read(uint32_t msr, uint64_t *ret_value)
msr_try_read:
    mov ecx, edi
msr_reads:
    rdmsr
    shl rdx, 32
    or rax, rdx
    mov [rsi], rax
    mov eax, 1
    ret

; bool msr_try_write(uint32_t msr, uint64_t value)
msr_try_write:
    mov ecx, edi
    mov eax, esi
    mov rdx, rsi
    shr rdx, 32
msr_writes:
    wrmsr
    mov eax, 1
    ret

msr_is_missing:
    xor eax, eax
    ret
