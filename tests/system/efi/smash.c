// SPDX-License-Identifier: MIT
/*
 * Writes beyond an array on the stack, in the guard's environment: once in work that the guard has
 * begun, which ends, and once outside, which ends the program.
 */
#include <efi.h>
#include <efilib.h>

#include "boot/guard/attempt.h"
#include "boot/uefi/stack_guard.h"

/* Not inlined: the compiler does not know how many bytes there are. */
#ifdef __clang__
#define ON_ITS_OWN __attribute__((noinline, optnone))
#else
#define ON_ITS_OWN __attribute__((noipa))
#endif

ON_ITS_OWN static void fill(volatile CHAR8 *to, UINTN bytes)
{
    for (UINTN i = 0; i < bytes; i++)
        to[i] = 'x';
}

ON_ITS_OWN static void smash(void)
{
    CHAR8 text[16];

    fill((volatile CHAR8 *)text, sizeof(text) + 16);
    Print(L"smash: wrote\r\n");
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table);

STACK_GUARD_NONE EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    UINTN first = __stack_chk_guard, second;

    InitializeLib(image, system_table);
    guard_attempt_begin(image);
    stack_guard_seed();
    second = __stack_chk_guard;
    stack_guard_seed();
    Print(L"smash: %d %d %d\r\n", first != second, second != __stack_chk_guard,
          (int)(__stack_chk_guard & 0xff));
    Print(L"smash: attempt %d\r\n", guard_attempt(smash));
    smash();
    Print(L"smash: returned\r\n");
    return EFI_SUCCESS;
}
