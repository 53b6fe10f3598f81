; SPDX-License-Identifier: MIT
; The kernel's image, twice: where faulty memory damages a page of one, the other's is taken.
; KERNEL_BLOB is the path of okram.copy, given by boot/uefi.mk.

global kernel_blob:data hidden
global kernel_blob_second:data hidden
global kernel_blob_size:data hidden

section .rodata align=4096
kernel_blob:
    incbin KERNEL_BLOB
.end:
kernel_blob_second:
    incbin KERNEL_BLOB
kernel_blob_size:
    dq kernel_blob.end - kernel_blob
