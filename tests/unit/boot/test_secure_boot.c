// SPDX-License-Identifier: MIT
#include "boot/uefi/secure_boot.h"

#include <efi.h>
#include <efilib.h>

#include "tests/unit/unit.h"

/* What firmware answers. */
static struct {
    EFI_STATUS status;
    uint8_t value;
    UINTN size;
} answer;

static EFI_STATUS EFIAPI get_variable(CHAR16 *name, EFI_GUID *vendor, UINT32 *attributes,
                                      UINTN *size, VOID *data)
{
    static const EFI_GUID global = EFI_GLOBAL_VARIABLE;
    static const CHAR16 expected[] = L"SecureBoot";
    UINTN room = *size;

    assert_memory_equal(name, expected, sizeof(expected));
    assert_memory_equal(vendor, &global, sizeof(global));
    if (answer.status)
        return answer.status;
    *size = answer.size;
    if (answer.size > room)
        return EFI_BUFFER_TOO_SMALL;
    memset(data, answer.value, answer.size);
    return EFI_SUCCESS;
}

static EFI_RUNTIME_SERVICES services = { .GetVariable = get_variable };
EFI_RUNTIME_SERVICES *RT = &services;

TEST(on_only_by_the_value_1)
{
    static const struct {
        EFI_STATUS status;
        uint8_t value;
        UINTN size;
        enum secure_boot state;
    } cases[] = {
        { EFI_SUCCESS, 1, 1, SECURE_BOOT_ON },
        { EFI_SUCCESS, 0, 1, SECURE_BOOT_OFF },
        { EFI_SUCCESS, 2, 1, SECURE_BOOT_UNKNOWN },
        { EFI_SUCCESS, 1, 0, SECURE_BOOT_UNKNOWN },
        { EFI_SUCCESS, 1, 8, SECURE_BOOT_UNKNOWN },
        { EFI_NOT_FOUND, 1, 1, SECURE_BOOT_OFF },
        { EFI_DEVICE_ERROR, 1, 1, SECURE_BOOT_UNKNOWN },
        { EFI_SECURITY_VIOLATION, 0, 1, SECURE_BOOT_UNKNOWN },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        answer.status = cases[i].status;
        answer.value = cases[i].value;
        answer.size = cases[i].size;
        assert_int_equal(secure_boot_state(), cases[i].state);
        assert_int_equal(secure_boot_is_on(), cases[i].state == SECURE_BOOT_ON);
        assert_int_equal(secure_boot_may_be_on(), cases[i].state != SECURE_BOOT_OFF);
    }
}
