; SPDX-License-Identifier: MIT
; uint64_t firmware_call_enter(const struct firmware_call *call, uint64_t *ret_value)
; firmware_call_resume(enum external_end end): see arch/firmware_call.h
;
; The code runs on the caller's stack. All that it may change is saved here, but for the control
; registers and the segments, which UEFI's services preserve (UEFI 2.10, 2.3.4).

bits 64

global firmware_call_enter
global firmware_call_resume

CALL_FUNCTION   equ 0
CALL_ARGUMENTS  equ 8
CALL_CR3        equ 48
CALL_INTERRUPTS equ 56

CR4_OSXSAVE     equ 1 << 18
STATE_BYTES     equ 4096                ; x87, SSE, AVX and AVX-512 take 2688 (SDM vol. 1, 13.5)
SHADOW_BYTES    equ 32                  ; that ms_abi has above the return address
RETURNED        equ 0

section .bss
alignb 64
state:          resb STATE_BYTES        ; its header stays 0 but for XSTATE_BV: see XRSTOR
saved_rsp:      resq 1

section .text

firmware_call_enter:
    push rbx
    push rbp
    push r12
    push r13
    push r14
    push r15
    push rsi
    pushfq
    mov rax, cr3
    push rax
    mov [saved_rsp], rsp
    mov rax, cr4
    test eax, CR4_OSXSAVE
    jz .without_avx
    mov eax, -1
    mov edx, -1
    xsave [state]
    jmp .saved
.without_avx:
    fxsave [state]
.saved:
    mov rbx, rdi
    mov rax, [rbx + CALL_CR3]
    mov cr3, rax
    mov rcx, [rbx + CALL_ARGUMENTS]
    mov rdx, [rbx + CALL_ARGUMENTS + 8]
    mov r8, [rbx + CALL_ARGUMENTS + 16]
    mov r9, [rbx + CALL_ARGUMENTS + 24]
    mov rax, [rbx + CALL_ARGUMENTS + 32]
    and rsp, -16
    sub rsp, SHADOW_BYTES + 16
    mov [rsp + SHADOW_BYTES], rax
    cmp qword [rbx + CALL_INTERRUPTS], 0
    je .enter
    sti
.enter:
    call [rbx + CALL_FUNCTION]
    cli
    mov rbx, rax
    mov ebp, RETURNED
    jmp back

firmware_call_resume:
    cli
    mov ebp, edi

; RBX: what the code returned; EBP: enum external_end.
back:
    cld
    mov rsp, [saved_rsp]
    pop rax
    mov cr3, rax
    mov rax, cr4
    test eax, CR4_OSXSAVE
    jz .without_avx
    mov eax, -1
    mov edx, -1
    xrstor [state]
    jmp .restored
.without_avx:
    fxrstor [state]
.restored:
    popfq
    pop rsi
    mov [rsi], rbx
    mov eax, ebp
    pop r15
    pop r14
    pop r13
    pop r12
    pop rbp
    pop rbx
    ret
