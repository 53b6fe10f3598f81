// SPDX-License-Identifier: MIT
#include "boot/guard/keep_list.h"

#include "fake_disk.h"

#include <efilib.h>

#include "boot/uefi/own_folder.h"

#define OLD      "the former list"
#define NEW      "the list that is to be kept"
#define NV_BS    3u
#define NV_BS_RT 7u

/* Firmware with one variable. */
static struct {
    char bytes[64];
    UINTN size; /* 0: there is none */
    UINT32 attributes;
    UINT64 room; /* that QueryVariableInfo says, and what a variable may have at most */
    UINT64 most;
    EFI_STATUS write_status, query_status;
    bool damages; /* what is written first is not what is read */
    unsigned writes;
} store;

static bool has_folder;

static EFI_STATUS EFIAPI get_variable(CHAR16 *name, EFI_GUID *vendor, UINT32 *attributes,
                                      UINTN *size, void *data)
{
    UINTN given = *size;

    if (!store.size)
        return EFI_NOT_FOUND;
    *size = store.size;
    if (given < store.size)
        return EFI_BUFFER_TOO_SMALL;
    *attributes = store.attributes;
    memcpy(data, store.bytes, store.size);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_variable(CHAR16 *name, EFI_GUID *vendor, UINT32 attributes, UINTN size,
                                      void *data)
{
    assert_true(size <= sizeof(store.bytes));
    if (!size && !store.size)
        return EFI_NOT_FOUND;
    if (EFI_ERROR(store.write_status))
        return store.write_status;
    assert_true(!size || !store.size || attributes == store.attributes);
    store.size = size;
    store.attributes = attributes;
    if (size)
        memcpy(store.bytes, data, size);
    if (size && store.damages && !store.writes++)
        store.bytes[0] ^= 1;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI query(UINT32 attributes, UINT64 *all, UINT64 *left, UINT64 *most)
{
    *all = 65536;
    *left = store.room;
    *most = store.most;
    return store.query_status;
}

static EFI_RUNTIME_SERVICES runtime_services = {
    .GetVariable = get_variable,
    .SetVariable = set_variable,
    .QueryVariableInfo = query,
};
EFI_RUNTIME_SERVICES *RT = &runtime_services;
static EFI_SYSTEM_TABLE system_table = { .Hdr.Revision = 2u << 16 };
EFI_SYSTEM_TABLE *ST = &system_table;

VOID *AllocateZeroPool(UINTN size)
{
    return calloc(1, size);
}

VOID FreePool(VOID *p)
{
    free(p);
}

CHAR16 *own_folder_path(const EFI_LOADED_IMAGE *loader)
{
    return NULL;
}

EFI_FILE *own_folder_open(const EFI_LOADED_IMAGE *loader, const CHAR16 *own_path, bool is_root)
{
    EFI_FILE *folder = NULL;

    if (has_folder)
        assert_int_equal(directory.Open(&directory, &folder, L"folder", EFI_FILE_MODE_CREATE, 0),
                         EFI_SUCCESS);
    return folder;
}

static void make(const char *in_variable, const char *in_file)
{
    memset(&disk, 0, sizeof(disk));
    disk.room = BYTES_MAX;
    memset(&store, 0, sizeof(store));
    store.room = 20000;
    store.most = 10000;
    has_folder = true;
    if (in_variable) {
        store.size = strlen(in_variable);
        memcpy(store.bytes, in_variable, store.size);
        store.attributes = NV_BS_RT;
    }
    if (in_file)
        put(L"guard.list", in_file);
}

static bool variable_is(const char *text)
{
    return text ? store.size == strlen(text) && memcmp(store.bytes, text, store.size) == 0
                : !store.size;
}

static bool file_is(const char *text)
{
    const struct content *c = find(L"guard.list");

    return text ? c && c->size == strlen(text) && memcmp(c->bytes, text, c->size) == 0 : !c;
}

static EFI_STATUS keep(enum guard_origin *origin, bool is_secure_boot)
{
    EFI_STATUS status = guard_list_keep(NULL, is_secure_boot, NEW, strlen(NEW), origin);

    assert_int_equal(disk.open, 0);
    assert_null(find(L"guard.new"));
    assert_null(find(L"guard.old"));
    return status;
}

static void in_the_variable(void **state)
{
    enum guard_origin origin = GUARD_NOWHERE;

    make(NULL, NULL);
    assert_int_equal(keep(&origin, true), EFI_SUCCESS);
    assert_int_equal(origin, GUARD_VARIABLE);
    assert_true(variable_is(NEW));
    assert_int_equal(store.attributes, NV_BS);

    make(OLD, "another's");
    assert_int_equal(keep(&origin, false), EFI_SUCCESS);
    assert_int_equal(origin, GUARD_VARIABLE);
    assert_true(variable_is(NEW) && file_is("another's"));
    assert_int_equal(store.attributes, NV_BS_RT);
}

static void in_the_file(void **state)
{
    enum guard_origin origin = GUARD_FILE;

    make(NULL, OLD);
    assert_int_equal(keep(&origin, false), EFI_SUCCESS);
    assert_int_equal(origin, GUARD_FILE);
    assert_true(variable_is(NULL) && file_is(NEW));
}

/* Each way in which a variable cannot be written: the file then, and the variable goes. */
static void from_the_variable_to_the_file(void **state)
{
    for (int how = 0; how < 4; how++) {
        enum guard_origin origin = GUARD_VARIABLE;

        make(OLD, NULL);
        if (how == 0)
            store.room = 5120 + strlen(NEW) - 1;
        if (how == 1)
            store.most = strlen(NEW) - 1;
        if (how == 2)
            store.query_status = EFI_UNSUPPORTED;
        if (how == 3)
            store.damages = true;
        assert_int_equal(keep(&origin, false), EFI_SUCCESS);
        assert_int_equal(origin, GUARD_FILE);
        assert_true(variable_is(NULL) && file_is(NEW));
    }
}

static void up_to_the_limits(void **state)
{
    enum guard_origin origin = GUARD_VARIABLE;

    make(OLD, NULL);
    store.room = 5120 + strlen(NEW);
    store.most = strlen(NEW);
    assert_int_equal(keep(&origin, false), EFI_SUCCESS);
    assert_true(variable_is(NEW) && file_is(NULL));
}

static void from_the_file_to_the_variable(void **state)
{
    enum guard_origin origin = GUARD_FILE;

    make(NULL, OLD);
    disk.read_only = true;
    has_folder = false;
    assert_int_equal(keep(&origin, false), EFI_SUCCESS);
    assert_int_equal(origin, GUARD_VARIABLE);
    assert_true(variable_is(NEW) && file_is(OLD));
}

/* Nowhere: what was there stays. */
static void nowhere(void **state)
{
    enum guard_origin origin = GUARD_VARIABLE;

    make(OLD, NULL);
    store.room = 0;
    has_folder = false;
    assert_int_equal(keep(&origin, false), EFI_NOT_FOUND);
    assert_int_equal(origin, GUARD_VARIABLE);
    assert_true(variable_is(OLD));

    make(OLD, NULL);
    store.room = 0;
    assert_int_equal(keep(&origin, true), EFI_OUT_OF_RESOURCES); /* Secure Boot: no file */
    assert_true(variable_is(OLD) && file_is(NULL));

    make(OLD, NULL);
    store.damages = true;
    assert_int_equal(keep(&origin, true), EFI_DEVICE_ERROR);
    assert_true(variable_is(OLD));
    assert_int_equal(store.attributes, NV_BS_RT);

    make(NULL, NULL);
    store.damages = true;
    origin = GUARD_NOWHERE;
    assert_int_equal(keep(&origin, true), EFI_DEVICE_ERROR);
    assert_true(variable_is(NULL));
    assert_int_equal(origin, GUARD_NOWHERE);

    make(OLD, NULL);
    store.write_status = EFI_WRITE_PROTECTED;
    has_folder = false;
    origin = GUARD_VARIABLE;
    assert_int_equal(keep(&origin, false), EFI_NOT_FOUND);
    assert_true(variable_is(OLD));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_the_variable),
        cmocka_unit_test(in_the_file),
        cmocka_unit_test(from_the_variable_to_the_file),
        cmocka_unit_test(up_to_the_limits),
        cmocka_unit_test(from_the_file_to_the_variable),
        cmocka_unit_test(nowhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
