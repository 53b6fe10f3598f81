// SPDX-License-Identifier: MIT
#include "lib/panic.h"

#include "attempt.h"

#include <efilib.h>

#include "lib/fmt.h"

static EFI_HANDLE own_image;
static void *way_out[5]; /* as __builtin_setjmp wants it */
static volatile bool is_at_work;

void guard_attempt_begin(EFI_HANDLE image)
{
    own_image = image;
}

bool guard_attempt(void (*work)(void))
{
    volatile bool is_done = false;

    is_at_work = true;
    if (!__builtin_setjmp(way_out)) {
        work();
        is_done = true;
    }
    is_at_work = false;
    return is_done;
}

/* A broken invariant: the boot goes on without the guard. */
void panic(const char *format, ...)
{
    char text[200];
    va_list args;

    va_start(args, format);
    fmt_vprint(text, sizeof(text), format, args);
    va_end(args);
    Print(L"okram-guard: internal error: %a.\r\n", text);
    if (is_at_work)
        __builtin_longjmp(way_out, 1);
    BS->Exit(own_image, EFI_ABORTED, 0, NULL);
    for (;;)
        ;
}
