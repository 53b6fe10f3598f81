// SPDX-License-Identifier: MIT
#include "boot/uefi/diagnosis/reset.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <efi.h>
#include <efilib.h>

/* Firmware with four variables. */
static struct {
    uint16_t current, next; /* BootCurrent and BootNext; 0: there is none */
    UINT64 supported, indications;
    bool has_supported, has_indications, refuses;
    UINT32 attributes;
    int reset; /* the type, or -1 */
} firmware;

VOID *AllocateZeroPool(IN UINTN size)
{
    return calloc(1, size);
}

VOID FreePool(IN VOID *block)
{
    free(block);
}

static bool is_supported(const CHAR16 *name)
{
    return name[strlen("OsIndications")] == 'S';
}

static EFI_STATUS get_number(uint16_t number, UINT32 *attributes, UINTN *size, VOID *data)
{
    bool fits = *size >= sizeof(number);

    if (!number)
        return EFI_NOT_FOUND;
    *size = sizeof(number);
    *attributes = 7;
    if (!fits)
        return EFI_BUFFER_TOO_SMALL;
    memcpy(data, &number, sizeof(number));
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI get_variable(CHAR16 *name, EFI_GUID *vendor, UINT32 *attributes,
                                      UINTN *size, VOID *data)
{
    bool fits = *size >= sizeof(UINT64), supported = is_supported(name);

    if (name[0] == 'B')
        return get_number(name[4] == 'C' ? firmware.current : firmware.next, attributes, size,
                          data);
    assert_int_equal(name[0], 'O');
    if (!(supported ? firmware.has_supported : firmware.has_indications))
        return EFI_NOT_FOUND;
    *size = sizeof(UINT64);
    *attributes = firmware.attributes;
    if (!fits)
        return EFI_BUFFER_TOO_SMALL;
    memcpy(data, supported ? &firmware.supported : &firmware.indications, sizeof(UINT64));
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_variable(CHAR16 *name, EFI_GUID *vendor, UINT32 attributes, UINTN size,
                                      VOID *data)
{
    if (firmware.refuses)
        return EFI_OUT_OF_RESOURCES;
    if (name[0] == 'B') {
        assert_int_equal(name[4], 'N');
        assert_int_equal(attributes, 7);
        assert_int_equal(size, sizeof(firmware.next));
        memcpy(&firmware.next, data, size);
        return EFI_SUCCESS;
    }
    assert_false(is_supported(name));
    assert_int_equal(size, sizeof(UINT64));
    memcpy(&firmware.indications, data, sizeof(UINT64));
    firmware.has_indications = true;
    firmware.attributes = attributes;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI reset_system(EFI_RESET_TYPE type, EFI_STATUS status, UINTN size,
                                      CHAR16 *data)
{
    assert_int_equal(status, EFI_SUCCESS);
    firmware.reset = (int)type;
    return EFI_SUCCESS;
}

static EFI_RUNTIME_SERVICES runtime = { .GetVariable = get_variable,
                                        .SetVariable = set_variable,
                                        .ResetSystem = reset_system };
static EFI_SYSTEM_TABLE table;
EFI_RUNTIME_SERVICES *RT = &runtime;
EFI_SYSTEM_TABLE *ST = &table;

static void make(UINT64 supported)
{
    memset(&firmware, 0, sizeof(firmware));
    firmware.has_supported = true;
    firmware.supported = supported;
    firmware.attributes = 7;
    firmware.reset = -1;
}

static void setup_where_firmware_says_so(void **state)
{
    make(1);
    assert_true(reset_has_setup());
    make(0x3e);
    assert_false(reset_has_setup());
    firmware.has_supported = false;
    assert_false(reset_has_setup());
}

static void into_setup(void **state)
{
    make(1);
    firmware.has_indications = true;
    firmware.indications = 4; /* others stay */
    reset_into_setup();
    assert_int_equal(firmware.indications, 5);
    assert_int_equal(firmware.attributes, 7);
    assert_int_equal(firmware.reset, EfiResetCold);
    make(1);
    firmware.refuses = true;
    reset_into_setup();
    assert_int_equal(firmware.reset, -1);
}

static void off(void **state)
{
    make(0);
    reset_power_off();
    assert_int_equal(firmware.reset, EfiResetShutdown);
    assert_false(firmware.has_indications);
}

/* What okram was booted from is booted next, unless firmware does not say or refuses. */
static void okram_comes_again(void **state)
{
    make(1);
    firmware.current = 0x102;
    reset_into_setup();
    assert_int_equal(firmware.next, 0x102);
    make(0);
    firmware.current = 3;
    reset_power_off();
    assert_int_equal(firmware.next, 3);
    make(0);
    firmware.current = 3;
    firmware.refuses = true;
    reset_power_off();
    assert_int_equal(firmware.next, 0);
    assert_int_equal(firmware.reset, EfiResetShutdown);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(setup_where_firmware_says_so),
        cmocka_unit_test(into_setup),
        cmocka_unit_test(off),
        cmocka_unit_test(okram_comes_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
