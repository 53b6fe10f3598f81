// SPDX-License-Identifier: MIT
/* A broken invariant in the loader, which cannot go on. */
#include "lib/panic.h"

#include <efi.h>
#include <efilib.h>

#include "boot/stop/stop.h"
#include "lib/fmt.h"

void panic(const char *format, ...)
{
    char text[200];
    va_list args;

    va_start(args, format);
    fmt_vprint(text, sizeof(text), format, args);
    va_end(args);
    Print(L"okram: internal error: %a. Nothing was tested; reset the machine.\r\n", text);
    stop("", "");
}
