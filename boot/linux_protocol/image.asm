; SPDX-License-Identifier: MIT
; okram.lkrn: okram as a kernel of the Linux/x86 boot protocol (Documentation/arch/x86/boot.rst, Linux
; 6.12), for loaders that know no Multiboot2: iPXE, PXELINUX, SYSLINUX, QEMU's -kernel; by UEFI GRUB's
; linux, kexec, OVMF's -kernel, which enter `start`.
;
;   setup   real-mode code, its first page being the zero page of the 32-bit protocol, too: the loader
;           fills in the header, this code the memory map (INT 15h, E820h)
;   start   where both protocols meet: makes Multiboot2 information (information.c) and enters the
;           kernel's Multiboot2 entry, which copies the image to fault-free memory. A second copy of
;           the image is before the first, for after that one is its bss.
;
; Defined on the command line: IMAGE (a file in quotes), and of the linked kernel, as addresses without
; their upper half, MULTIBOOT2_ENTRY, IMAGE_DATA_END and IMAGE_END.

KERNEL_VIRT     equ 0x80000000
MB2_LOADED      equ 0x36d76289

COMMAND_LINE_MAX equ 2047               ; BOOT_CMDLINE_MAX of boot/boot_info.h, less the NUL

; The header's fields, and those of the zero page: zero_page.h.
LOADED_HIGH     equ 1 << 0
SCRATCH         equ 0x1e4
N_ENTRIES       equ 0x1e8
CODE32_START    equ 0x214
ENTRIES         equ 0x2d0
ENTRY_BYTES     equ 20
ENTRIES_MAX     equ 128

SECTOR          equ 512
SETUP_SECTORS   equ 12                  ; after the first one; the stack is at their end
SETUP_BYTES     equ (1 + SETUP_SECTORS) * SECTOR

INFORMATION     equ 0x1000              ; in `start`: LINUX_INFORMATION_MAX of information.h
STACK_END       equ 0x5000
START_BYTES     equ 0x5000

SMAP            equ 0x534d4150
CR0_PE          equ 1 << 0
CODE            equ 0x10                ; boot.rst: __BOOT_CS and __BOOT_DS
DATA            equ 0x18

section setup start=0 vstart=0
bits 16
    int 0x18                            ; run as a boot sector: the next device's turn
    jmp $
    times 0x1f1 - ($ - $$) db 0
    db SETUP_SECTORS
    dw 0
    dd (MAIN_BYTES + 15) / 16           ; syssize
    dw 0, 0, 0                          ; ram_size, vid_mode, root_dev
    dw 0xaa55
    jmp short entry                     ; 0x200: where a loader enters
    db "HdrS"
    dw 0x020a                           ; version
    dd 0                                ; realmode_swtch
    dw 0x1000                           ; start_sys_seg
    dw version - 0x200
    db 0                                ; type_of_loader: the loader's
    db LOADED_HIGH
    dw 0
    dd 0x100000                         ; code32_start
    dd 0, 0, 0                          ; ramdisk_image, ramdisk_size, bootsect_kludge
    dw 0, 0                             ; heap_end_ptr: no heap is used
    dd 0                                ; cmd_line_ptr: the loader's
    dd 0x7fffffff                       ; initrd_addr_max: of an okram.conf
    dd 4096                             ; kernel_alignment
    db 1, 12                            ; relocatable_kernel, min_alignment
    dw 0
    dd COMMAND_LINE_MAX
    dd 0                                ; hardware_subarch
    dq 0
    dd 0, 0                             ; payload_offset, payload_length
    dq 0                                ; setup_data
    dq 0x100000                         ; pref_address
    dd MAIN_BYTES + IMAGE_END - IMAGE_DATA_END ; init_size
    times 0x268 - ($ - $$) db 0         ; asserts that the fields are where they belong
entry:
    jmp real_mode
    times 0x1000 - ($ - $$) db 0

; DS = the segment that this is loaded to.
real_mode:
    cld
    mov ax, ds
    mov es, ax
    mov ss, ax
    mov sp, SETUP_BYTES
    sti
    mov ax, 0x0003                      ; the screen: text, 80x25
    int 0x10
    call read_map
    call enable_a20
    cli

    xor ebx, ebx                        ; to flat 32-bit segments
    mov bx, ds
    shl ebx, 4
    mov ecx, [CODE32_START]
    lea eax, [ebx + gdt]
    mov [gdt_pointer + 2], eax
    lgdt [gdt_pointer]
    mov eax, cr0
    or al, CR0_PE
    mov cr0, eax
    mov esi, ebx
    lea eax, [ebx + flat]
    push dword CODE
    push eax
    o32 retf

; INT 15h, E820h (ACPI 6.5, 15.1). Without an answer there are no entries.
read_map:
    mov byte [N_ENTRIES], 0
    mov di, ENTRIES
    xor ebx, ebx
.next:
    mov eax, 0xe820
    mov ecx, ENTRY_BYTES
    mov edx, SMAP
    int 0x15
    jc .end                             ; an error, or the end
    cmp eax, SMAP
    jne .end
    cmp ecx, ENTRY_BYTES
    jb .end
    add di, ENTRY_BYTES
    inc byte [N_ENTRIES]
    test ebx, ebx
    jz .end
    cmp di, ENTRIES + ENTRIES_MAX * ENTRY_BYTES
    jb .next
.end:
    ret

; By the BIOS, and where that has not done it by port 92h.
enable_a20:
    call is_a20_on
    jne .done
    mov ax, 0x2401
    int 0x15
    call is_a20_on
    jne .done
    in al, 0x92
    or al, 2
    and al, ~1                          ; not a reset
    out 0x92, al
.wait:
    call is_a20_on
    je .wait
.done:
    ret

; Not equal: what is at 1 MiB + 200h is not what is at 200h, which is changed, and put back.
is_a20_on:
    push fs
    push gs
    xor ax, ax
    mov fs, ax
    dec ax
    mov gs, ax                          ; FFFF0h
    pushf
    cli
    mov ax, [fs:0x200]
    push ax
    inc ax
    mov [fs:0x200], ax
    cmp ax, [gs:0x210]
    setne cl
    pop ax
    mov [fs:0x200], ax
    popf
    pop gs
    pop fs
    test cl, cl
    setz cl
    cmp cl, 1
    ret

bits 32
flat:
    mov ax, DATA
    mov ds, ax
    mov es, ax
    mov fs, ax
    mov gs, ax
    mov ss, ax
    jmp ecx

align 8
gdt:
    dq 0, 0
    dq 0x00cf9b000000ffff
    dq 0x00cf93000000ffff
.end:
gdt_pointer:
    dw gdt.end - gdt - 1
    dd 0

version:
    db VERSION, 0
    times SETUP_BYTES - 512 - ($ - $$) db 0 ; asserts: 512 bytes for the stack
    times 512 db 0

section main follows=setup vstart=0 align=SECTOR
; 32-bit protected mode, flat segments, no paging. ESI = the zero page.
start:
    cli
    cld
    lea esp, [esi + SCRATCH + 4]
    call .here
.here:
    pop ebp
    sub ebp, .here
    lea esp, [ebp + STACK_END]
    lea eax, [ebp + INFORMATION]
    push eax
    lea eax, [ebp + image]
    push eax
    lea eax, [ebp + copy]
    push eax
    push esi
    call linux_start
    mov eax, MB2_LOADED
    lea ebx, [ebp + INFORMATION]
    lea ecx, [ebp + image + MULTIBOOT2_ENTRY - KERNEL_VIRT]
    jmp ecx

align 16
linux_start:
    incbin START
    times INFORMATION - ($ - $$) db 0
    times START_BYTES - ($ - $$) db 0

copy:
    incbin IMAGE
image:
    incbin IMAGE
main_end:
    times -((main_end - image) != IMAGE_DATA_END - KERNEL_VIRT) db 0 ; asserts
MAIN_BYTES      equ main_end - start
