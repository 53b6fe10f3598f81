; The kernel's ELF file, stripped: KERNEL_BLOB is its path, given by boot/uefi.mk.

global kernel_blob:data hidden
global kernel_blob_size:data hidden

section .rodata align=16
kernel_blob:
    incbin KERNEL_BLOB
.end:
align 8
kernel_blob_size:
    dq kernel_blob.end - kernel_blob
