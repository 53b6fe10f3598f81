// SPDX-License-Identifier: MIT
#include "boot/guard/source.h"

#include "fake_disk.h"

#include "../guardlist/samples.h"
#include "boot/uefi/measure.h"
#include "boot/uefi/own_folder.h"

#include <efilib.h>

#define ROOM  512
#define IN_OS EFI_VARIABLE_RUNTIME_ACCESS
#define KEPT  (EFI_VARIABLE_NON_VOLATILE | EFI_VARIABLE_BOOTSERVICE_ACCESS)

static struct {
    uint8_t bytes[ROOM];
    UINTN size; /* 0: there is none */
    UINT32 attributes;
    unsigned damaged; /* how many readings come out wrong */
    EFI_STATUS status;
} variable;

static void *pool[16];
static unsigned n_pool;
static const EFI_LOADED_IMAGE driver;

static EFI_STATUS EFIAPI get_variable(CHAR16 *name, EFI_GUID *vendor, UINT32 *attributes,
                                      UINTN *size, VOID *data)
{
    if (EFI_ERROR(variable.status))
        return variable.status;
    if (!variable.size)
        return EFI_NOT_FOUND;
    if (*size < variable.size) {
        *size = variable.size;
        return EFI_BUFFER_TOO_SMALL;
    }
    *size = variable.size;
    *attributes = variable.attributes;
    memcpy(data, variable.bytes, variable.size);
    if (variable.damaged) {
        variable.damaged--;
        ((uint8_t *)data)[variable.size - 1] ^= 4;
    }
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI allocate_pool(EFI_MEMORY_TYPE type, UINTN size, VOID **ret_bytes)
{
    assert_true(n_pool < 16);
    *ret_bytes = pool[n_pool++] = malloc(size);
    return EFI_SUCCESS;
}

static EFI_RUNTIME_SERVICES runtime_services = { .GetVariable = get_variable };
static EFI_BOOT_SERVICES boot_services = { .AllocatePool = allocate_pool };
EFI_RUNTIME_SERVICES *RT = &runtime_services;
EFI_BOOT_SERVICES *BS = &boot_services;
static EFI_SYSTEM_TABLE system_table;
EFI_SYSTEM_TABLE *ST = &system_table;

VOID *AllocateZeroPool(UINTN size)
{
    assert_true(n_pool < 16);
    return pool[n_pool++] = calloc(1, size);
}

/* Of what was read in vain: end() frees all. */
VOID FreePool(VOID *block)
{
}

static unsigned open_folders;

static EFI_STATUS EFIAPI close_folder(EFI_FILE *file)
{
    open_folders--;
    return EFI_SUCCESS;
}

CHAR16 *own_folder_path(const EFI_LOADED_IMAGE *loader)
{
    return NULL;
}

EFI_FILE *own_folder_open(const EFI_LOADED_IMAGE *loader, const CHAR16 *own_path, bool is_root)
{
    open_folders++;
    directory.Close = close_folder;
    return &directory;
}

static int begin(void **state)
{
    memset(&variable, 0, sizeof(variable));
    memset(&disk, 0, sizeof(disk));
    disk.room = BYTES_MAX;
    variable.attributes = KEPT;
    return 0;
}

static int end(void **state)
{
    while (n_pool)
        free(pool[--n_pool]);
    return 0;
}

static void put_variable(uint64_t page)
{
    variable.size = make_list(&(struct guard_run){ page, 1 }, 1, variable.bytes, ROOM);
}

static void put_file(uint64_t page)
{
    struct content *c = create(L"okram\\guard.list");

    c->size = make_list(&(struct guard_run){ page, 1 }, 1, (uint8_t *)c->bytes, BYTES_MAX);
}

static UINTN measured; /* bytes of a list */

void measure_bytes(const char *name, const void *bytes, UINTN n)
{
    assert_string_equal(name, "okram_guard_list");
    assert_memory_equal(bytes, GUARD_LIST_MAGIC, 8);
    measured = n;
}

static struct guard_source find_list(const struct guard_fingerprint *machine, bool is_secure_boot)
{
    struct guard_source source;

    measured = 0;
    guard_source_find(&driver, machine, is_secure_boot, &source);
    assert_int_equal(measured, source.state == GUARD_MASKED ? source.list.head.bytes : 0);
    assert_int_equal(open_folders + disk.open, 0);
    return source;
}

static void assert_found(const struct guard_source *source, enum guard_origin origin, uint64_t page)
{
    struct guard_reader reader;
    struct guard_run run;

    assert_int_equal(source->state, GUARD_MASKED);
    assert_int_equal(source->origin, origin);
    assert_string_equal(source->why, "");
    reader = guard_list_read(&source->list);
    assert_true(guard_reader_next(&reader, &run));
    assert_true(run.first == page);
}

static void the_variable_goes_first(void **state)
{
    struct guard_source s = find_list(&sample_machine, false);

    assert_int_equal(s.state, GUARD_NONE);
    assert_int_equal(s.origin, GUARD_NOWHERE);
    put_file(7);
    s = find_list(&sample_machine, false);
    assert_found(&s, GUARD_FILE, 7);
    put_variable(5);
    s = find_list(&sample_machine, false);
    assert_found(&s, GUARD_VARIABLE, 5);
    assert_int_equal(variable.attributes & IN_OS, 0);
}

static void other_hardware(void **state)
{
    struct guard_fingerprint other = sample_machine;
    struct guard_source s;

    other.n_modules++;
    put_variable(5);
    s = find_list(&other, false);
    assert_int_equal(s.state, GUARD_STALE);
    assert_int_equal(s.origin, GUARD_VARIABLE);
    assert_string_equal(s.why, "the memory modules changed since it was made");
    put_file(7);
    s = find_list(&other, false);
    assert_int_equal(s.state, GUARD_STALE);
    assert_int_equal(s.origin, GUARD_VARIABLE);
}

/* Faulty memory may be where it is read to. */
static void is_read_again_to_another_place(void **state)
{
    struct guard_source s;

    put_variable(5);
    variable.damaged = 2;
    s = find_list(&sample_machine, false);
    assert_found(&s, GUARD_VARIABLE, 5);
    assert_int_equal(n_pool, 3);
    variable.damaged = 3;
    s = find_list(&sample_machine, false);
    assert_int_equal(s.state, GUARD_INVALID);
    assert_string_equal(s.why, "its CRC-32C is wrong");
    variable.damaged = 3;
    put_file(7);
    s = find_list(&sample_machine, false);
    assert_found(&s, GUARD_FILE, 7);
}

static void an_unreadable_variable(void **state)
{
    struct guard_source s;

    variable.status = EFI_DEVICE_ERROR;
    s = find_list(&sample_machine, false);
    assert_int_equal(s.state, GUARD_INVALID);
    assert_string_equal(s.why, "it cannot be read");
}

/* No file, and no variable that an operating system could have written. */
static void under_secure_boot(void **state)
{
    struct guard_source s;

    put_file(7);
    s = find_list(&sample_machine, true);
    assert_int_equal(s.state, GUARD_NONE);
    put_variable(5);
    s = find_list(&sample_machine, true);
    assert_found(&s, GUARD_VARIABLE, 5);
    variable.attributes |= IN_OS;
    s = find_list(&sample_machine, true);
    assert_int_equal(s.state, GUARD_INVALID);
    assert_non_null(strstr(s.why, "Secure Boot"));
    s = find_list(&sample_machine, false);
    assert_found(&s, GUARD_VARIABLE, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_variable_goes_first, begin, end),
        cmocka_unit_test_setup_teardown(other_hardware, begin, end),
        cmocka_unit_test_setup_teardown(is_read_again_to_another_place, begin, end),
        cmocka_unit_test_setup_teardown(an_unreadable_variable, begin, end),
        cmocka_unit_test_setup_teardown(under_secure_boot, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
