; SPDX-License-Identifier: MIT
; The page of a report before and after its records (last_report/report_page.h), each terminated.
; boot/uefi.mk gives the folder of head.html and end.html.

VIEWER_MAX equ 128 << 10 ; as in report_page.h

global viewer_head:data hidden
global viewer_end:data hidden

section .rodata
viewer_head:
    incbin "head.html"
    db 0
viewer_end:
    incbin "end.html"
    db 0
    times -(($ - viewer_head) > VIEWER_MAX) db 0 ; an error where they are longer
