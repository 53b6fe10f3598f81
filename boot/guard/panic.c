// SPDX-License-Identifier: MIT
/* A broken invariant in the guard: the boot goes on without it. */
#include "lib/panic.h"

#include <efi.h>
#include <efilib.h>

#include "attempt.h"
#include "lib/fmt.h"
#include "own_image.h"

void panic(const char *format, ...)
{
    char text[200];
    va_list args;

    va_start(args, format);
    fmt_vprint(text, sizeof(text), format, args);
    va_end(args);
    Print(L"okram-guard: internal error: %a.\r\n", text);
    guard_attempt_end();
    BS->Exit(guard_own_image, EFI_ABORTED, 0, NULL);
    for (;;)
        ;
}
