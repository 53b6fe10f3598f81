// SPDX-License-Identifier: MIT
#include "boot/guard/source.h"

#include "boot/uefi/measure.h"
#include "boot/uefi/own_folder.h"
#include "boot/uefi/variables.h"
#include "tests/fuzz/fake_uefi.h"
#include "tests/unit/unit.h"

static const EFI_LOADED_IMAGE driver;

/* Nothing that is read is freed, so that another reading gets another place. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

CHAR16 *own_folder_path(const EFI_LOADED_IMAGE *loader)
{
    return NULL;
}

EFI_FILE *volumes_open_root(EFI_HANDLE handle);

EFI_FILE *own_folder_open(const EFI_LOADED_IMAGE *loader, const CHAR16 *own_path, bool is_root)
{
    return volumes_open_root(FAKE_DISK);
}

static int begin(void **state)
{
    fake_begin();
    return 0;
}

static struct fake_thing *put_variable(uint64_t page)
{
    struct fake_thing *variable;

    fake_set_list("OkramGuard", &(struct guard_run){ page, 1 }, 1);
    variable = fake_find(fake_uefi.variable, "OkramGuard");
    variable->attributes = VARIABLE_KEPT;
    return variable;
}

static void put_file(uint64_t page)
{
    struct fake_thing *list;

    fake_set_list("of a file", &(struct guard_run){ page, 1 }, 1);
    list = fake_find(fake_uefi.variable, "of a file");
    fake_set(fake_uefi.file, "\\okram\\guard.list", 0, list->bytes, list->size);
}

static UINTN measured; /* bytes of a list */

void measure_bytes(const char *name, const void *bytes, UINTN n)
{
    assert_string_equal(name, "okram_guard_list");
    assert_memory_equal(bytes, GUARD_LIST_MAGIC, 8);
    measured = n;
}

static struct guard_source find_on(const struct guard_fingerprint *machine, bool is_secure_boot)
{
    struct guard_source source;

    measured = 0;
    guard_source_find(&driver, machine, is_secure_boot, &source);
    assert_int_equal(measured, source.state == GUARD_MASKED ? source.list.head.bytes : 0);
    assert_int_equal(fake_uefi.open_handles, 0);
    return source;
}

static struct guard_source find_list(bool is_secure_boot)
{
    struct guard_fingerprint machine = fake_machine();

    return find_on(&machine, is_secure_boot);
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

TEST(the_variable_goes_first, begin, NULL)
{
    struct guard_source s = find_list(false);

    assert_int_equal(s.state, GUARD_NONE);
    assert_int_equal(s.origin, GUARD_NOWHERE);
    put_file(7);
    s = find_list(false);
    assert_found(&s, GUARD_FILE, 7);
    put_variable(5);
    s = find_list(false);
    assert_found(&s, GUARD_VARIABLE, 5);
}

TEST(other_hardware, begin, NULL)
{
    struct guard_fingerprint other = fake_machine();
    struct guard_source s;

    other.n_modules++;
    put_variable(5);
    s = find_on(&other, false);
    assert_int_equal(s.state, GUARD_STALE);
    assert_int_equal(s.origin, GUARD_VARIABLE);
    assert_string_equal(s.why, "the memory modules changed since it was made");
    put_file(7);
    s = find_on(&other, false);
    assert_int_equal(s.state, GUARD_STALE);
    assert_int_equal(s.origin, GUARD_VARIABLE);
}

/* Faulty memory may be where it is read to. */
TEST(is_read_again_to_another_place, begin, NULL)
{
    struct guard_source s;

    put_variable(5);
    fake_uefi.damaged_reads = 2;
    s = find_list(false);
    assert_found(&s, GUARD_VARIABLE, 5);
    assert_int_equal(fake_uefi.pools, 3);
    fake_uefi.damaged_reads = 3;
    s = find_list(false);
    assert_int_equal(s.state, GUARD_INVALID);
    assert_string_equal(s.why, "its CRC-32C is wrong");
    fake_uefi.damaged_reads = 3;
    put_file(7);
    s = find_list(false);
    assert_found(&s, GUARD_FILE, 7);
}

TEST(an_unreadable_variable, begin, NULL)
{
    struct guard_source s;

    fake_uefi.read_status = EFI_DEVICE_ERROR;
    s = find_list(false);
    assert_int_equal(s.state, GUARD_INVALID);
    assert_string_equal(s.why, "it cannot be read");
}

/* No file, and no variable that an operating system could have written. */
TEST(under_secure_boot, begin, NULL)
{
    struct fake_thing *variable;
    struct guard_source s;

    put_file(7);
    s = find_list(true);
    assert_int_equal(s.state, GUARD_NONE);
    variable = put_variable(5);
    s = find_list(true);
    assert_found(&s, GUARD_VARIABLE, 5);
    variable->attributes = VARIABLE_SHARED;
    s = find_list(true);
    assert_int_equal(s.state, GUARD_INVALID);
    assert_non_null(strstr(s.why, "Secure Boot"));
    s = find_list(false);
    assert_found(&s, GUARD_VARIABLE, 5);
}
