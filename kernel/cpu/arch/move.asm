; SPDX-License-Identifier: MIT
; okram's memory copied and switched to: see arch/move.h. Nothing here writes to the stack once
; copying has begun: the return address is in the copy as it is in the original.

bits 64

global move_park
global move_copy

; struct move_run
RUN_TO          equ 0
RUN_FROM        equ 8
RUN_BYTES       equ 16
RUN_UNSTEADY    equ 24
RUN_SIZE        equ 32

LINE_BYTES      equ 64

section .text

; RDI: parked, RSI: go. The locked add is done, and the pushed return address with it, before this
; CPU is seen to wait.
move_park:
    lock add dword [rdi], 1
.wait:
    pause
    mov rax, [rsi]
    test rax, rax
    jz .wait
    mov cr3, rax
    ret

; RDI: runs, RSI: how many, RDX: boot_root, RCX: other_root, R8: old_go. Returns RAX and RDX: struct
; move_difference.
move_copy:
    mov r9, rdi
    mov r10, rsi
    mov r11, rcx
    cld

    mov rax, r9
.copy:
    mov rdi, [rax + RUN_TO]
    mov rsi, [rax + RUN_FROM]
    mov rcx, [rax + RUN_BYTES]
    shr rcx, 3
    rep movsq
    add rax, RUN_SIZE
    dec r10
    jnz .copy
    mov rsi, rax                        ; where the runs end

    mov rax, r9
    mfence
.flush_run:
    mov rdi, [rax + RUN_TO]
    mov rcx, [rax + RUN_BYTES]
.flush:
    clflush [rdi]
    add rdi, LINE_BYTES
    sub rcx, LINE_BYTES
    jnz .flush
    add rax, RUN_SIZE
    cmp rax, rsi
    jne .flush_run
    mfence

    mov r10, rsi
    mov rax, r9
.compare:
    cmp qword [rax + RUN_UNSTEADY], 0
    jne .compared
    mov rdi, [rax + RUN_TO]
    mov rsi, [rax + RUN_FROM]
    mov rcx, [rax + RUN_BYTES]
    shr rcx, 3
.word:
    mov r9, [rsi]                       ; once: another read may find something else
    cmp r9, [rdi]
    jne .differs
    add rsi, 8
    add rdi, 8
    dec rcx
    jnz .word
.compared:
    add rax, RUN_SIZE
    cmp rax, r10
    jne .compare

.equal:
    mov cr3, rdx
    mov [r8], r11
    xor eax, eax
    ret
.differs:
    mov rax, rdi
    mov rdx, r9
    ret
