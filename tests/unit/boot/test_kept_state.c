// SPDX-License-Identifier: MIT
#include "boot/uefi/diagnosis/kept_state.h"

#include "fake_disk.h"

#include <efilib.h>

#include "boot/uefi/variables.h"
#include "boot/uefi/volumes.h"
#include "guided.h"

#define OWN ((EFI_HANDLE)1)

/* Firmware with room for one variable of okram's, and a volume. */
static struct {
    bool has_variable, refuses, cannot_read, has_no_volume;
    UINT32 attributes;
    UINTN size;
    uint8_t bytes[2 * DIAGNOSIS_KEPT_MAX];
} firmware;

static struct kept_state found;
static struct diagnosis state_kept;
static char text[600];

VOID *AllocateZeroPool(IN UINTN size)
{
    return calloc(1, size);
}

VOID FreePool(IN VOID *block)
{
    free(block);
}

static EFI_STATUS EFIAPI close_root(EFI_FILE *file)
{
    return EFI_SUCCESS;
}

EFI_FILE *volumes_open_root(EFI_HANDLE handle)
{
    static EFI_FILE root;

    assert_ptr_equal(handle, OWN);
    root = directory;
    root.Close = close_root;
    return firmware.has_no_volume ? NULL : &root;
}

static void check_name(const CHAR16 *name)
{
    for (const char *c = KEPT_VARIABLE; *c; c++)
        assert_int_equal(*name++, *c);
}

static EFI_STATUS EFIAPI get_variable(CHAR16 *name, EFI_GUID *vendor, UINT32 *attributes,
                                      UINTN *size, VOID *data)
{
    bool fits = *size >= firmware.size;

    check_name(name);
    if (!firmware.has_variable)
        return EFI_NOT_FOUND;
    if (firmware.cannot_read)
        return EFI_DEVICE_ERROR;
    *size = firmware.size;
    *attributes = firmware.attributes;
    if (!fits)
        return EFI_BUFFER_TOO_SMALL;
    memcpy(data, firmware.bytes, firmware.size);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_variable(CHAR16 *name, EFI_GUID *vendor, UINT32 attributes, UINTN size,
                                      VOID *data)
{
    check_name(name);
    if (firmware.refuses)
        return EFI_OUT_OF_RESOURCES;
    firmware.has_variable = size > 0;
    firmware.attributes = attributes;
    firmware.size = size;
    if (size)
        memcpy(firmware.bytes, data, size);
    return EFI_SUCCESS;
}

static EFI_RUNTIME_SERVICES runtime = { .GetVariable = get_variable, .SetVariable = set_variable };
static EFI_SYSTEM_TABLE table;
EFI_RUNTIME_SERVICES *RT = &runtime;
EFI_SYSTEM_TABLE *ST = &table;

static void make(void)
{
    struct diagnosis_machine m = machine_of(4);

    memset(&disk, 0, sizeof(disk));
    memset(&firmware, 0, sizeof(firmware));
    disk.room = BYTES_MAX;
    disk.free_space = 1 << 20;
    put(L"okram", ""); /* its folder; as all files here are in one, it stays empty */
    state_kept = begun(&m, 3, 3);
}

static bool write(void)
{
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));
    bool is = kept_state_write(OWN, &state_kept, &b);

    assert_int_equal(disk.open, 0);
    assert_int_equal(!is, b.length != 0);
    return is;
}

static bool remove_all(void)
{
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));
    bool is = kept_state_delete(OWN, &b);

    assert_int_equal(disk.open, 0);
    assert_int_equal(!is, b.length != 0);
    return is;
}

/* What there is: the state, if it was kept there. */
static void check_both(bool variable, bool file)
{
    const char *code = code_of(&state_kept, true);

    kept_state_read(OWN, &found);
    assert_int_equal(disk.open, 0);
    assert_string_equal(found.variable.text, variable ? code : "");
    assert_string_equal(found.file.text, file ? code : "");
}

static void nothing(void **state)
{
    make();
    check_both(false, false);
    assert_null(found.variable.why);
    assert_null(found.file.why);
    assert_true(remove_all());
    firmware.has_no_volume = true;
    check_both(false, false);
    assert_true(remove_all());
}

static void both_are_written_and_deleted(void **state)
{
    make();
    assert_true(write());
    assert_int_equal(firmware.attributes, VARIABLE_KEPT);
    check_both(true, true);
    diagnosis_not_started(&state_kept, diagnosis_last(&state_kept));
    assert_true(write());
    check_both(true, true);
    assert_true(remove_all());
    check_both(false, false);
    assert_false(firmware.has_variable);
    assert_null(find(L"diagnosis.bin"));
}

static void one_is_enough(void **state)
{
    for (int i = 0; i < 4; i++) {
        make();
        firmware.refuses = i == 0;
        disk.read_only = i == 1;
        firmware.has_no_volume = i == 2;
        disk.free_space = i == 3 ? 0 : disk.free_space;
        assert_true(write());
        check_both(i != 0, i == 0);
    }
}

static void what_cannot_be_kept_is_said(void **state)
{
    make();
    firmware.refuses = disk.read_only = true;
    assert_false(write());
    assert_non_null(strstr(text, "variable OkramDiagnosis (error 0x8000000000000009)"));
    assert_non_null(strstr(text, "read-only."));

    make();
    assert_true(write());
    firmware.refuses = disk.read_only = true;
    assert_false(remove_all());
    assert_non_null(strstr(text, "OkramDiagnosis cannot be deleted"));
    assert_non_null(strstr(text, "diagnosis.bin cannot be deleted"));
}

static void a_power_cut_leaves_the_old_or_the_new(void **state)
{
    for (unsigned i = 1; i < 20; i++) {
        char old[DIAGNOSIS_KEPT_MAX];

        make();
        assert_true(write());
        strcpy(old, code_of(&state_kept, true));
        diagnosis_not_started(&state_kept, diagnosis_last(&state_kept));
        disk.calls = 0;
        disk.fails_from = i;
        write();
        disk.fails_from = 0;
        kept_state_read(OWN, &found);
        assert_string_equal(found.variable.text, code_of(&state_kept, true));
        assert_true(strcmp(found.file.text, old) == 0 ||
                    strcmp(found.file.text, found.variable.text) == 0);
    }
}

static void what_cannot_be_read_is_named(void **state)
{
    make();
    assert_true(write());
    firmware.attributes = VARIABLE_SHARED;
    find(L"diagnosis.bin")->size = 0;
    check_both(false, false);
    assert_non_null(strstr(found.variable.why, "attributes"));
    assert_string_equal(found.file.why, "it is empty");

    make();
    assert_true(write());
    firmware.cannot_read = true;
    check_both(false, true);
    assert_string_equal(found.variable.why, "firmware cannot read it");
    assert_null(found.file.why);

    make();
    assert_true(write());
    firmware.size = DIAGNOSIS_KEPT_MAX; /* leaves no room for the end of the text */
    memset(find(L"diagnosis.bin")->bytes, '0', BYTES_MAX);
    find(L"diagnosis.bin")->size = BYTES_MAX;
    kept_state_read(OWN, &found);
    assert_string_equal(found.variable.why, "it is not a word of okram");
    assert_int_equal(strlen(found.file.text), DIAGNOSIS_KEPT_MAX - 1);
    firmware.size--;
    kept_state_read(OWN, &found);
    assert_null(found.variable.why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing),
        cmocka_unit_test(both_are_written_and_deleted),
        cmocka_unit_test(one_is_enough),
        cmocka_unit_test(what_cannot_be_kept_is_said),
        cmocka_unit_test(a_power_cut_leaves_the_old_or_the_new),
        cmocka_unit_test(what_cannot_be_read_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
