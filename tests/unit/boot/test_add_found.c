// SPDX-License-Identifier: MIT
#include "boot/guard/add_found.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <efilib.h>

#include "boot/guard/keep_list.h"

#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

static const struct guard_fingerprint here = { .ram_bytes = 1 << 30 };
static const struct guard_fingerprint listed = { .ram_bytes = (1 << 30) + 4096 };

static EFI_TIME time_now;
static EFI_STATUS time_status, keep_status;
static bool has_memory;
static void *allocated;

static EFI_STATUS EFIAPI get_time(EFI_TIME *ret_time, EFI_TIME_CAPABILITIES *capabilities)
{
    *ret_time = time_now;
    return time_status;
}

static EFI_RUNTIME_SERVICES runtime_services = { .GetTime = get_time };
EFI_RUNTIME_SERVICES *RT = &runtime_services;

VOID *AllocatePool(UINTN size)
{
    return allocated = has_memory ? malloc(size) : NULL;
}

EFI_STATUS guard_list_keep(const EFI_LOADED_IMAGE *driver, bool is_secure_boot, const void *list,
                           UINTN bytes, enum guard_origin *origin)
{
    struct guard_list whole;
    const char *why;

    assert_int_equal(guard_list_open(list, bytes, &whole, &why), STATUS_OK);
    assert_int_equal(whole.head.bytes, bytes);
    if (!EFI_ERROR(keep_status))
        *origin = GUARD_VARIABLE;
    return keep_status;
}

static struct guard_patrol patrol;
static struct guard_source source;
static uint8_t old_bytes[256];

/* With a list of the pages 7 and 8, or without one. */
static void make(bool has_list)
{
    struct guard_writer w = guard_writer_begin(old_bytes, sizeof(old_bytes));
    const char *why;

    memset(&source, 0, sizeof(source));
    if (has_list) {
        guard_writer_add(&w, (struct guard_run){ 7, 2 });
        assert_int_equal(
            guard_list_open(old_bytes, guard_writer_end(&w, &listed, 5), &source.list, &why),
            STATUS_OK);
        source.state = GUARD_MASKED;
        source.origin = GUARD_FILE;
    }
    patrol.n_found = 2;
    patrol.found[0] = 100;
    patrol.found[1] = 9;
    time_now = (EFI_TIME){ .Year = 2026, .Month = 11, .Day = 22 };
    time_status = keep_status = EFI_SUCCESS;
    has_memory = true;
}

static void add(void)
{
    guard_add_found(NULL, false, &here, &patrol, &source);
}

static void to_a_list(void **state)
{
    make(true);
    add();
    assert_int_equal(source.state, GUARD_MASKED);
    assert_int_equal(source.list.head.n_runs, 2);
    assert_int_equal(source.list.head.n_pages, 4);
    assert_int_equal(source.list.head.machine.ram_bytes, listed.ram_bytes);
    assert_string_equal(source.why, "");
    free(allocated);
}

static void to_no_list(void **state)
{
    make(false);
    add();
    assert_int_equal(source.state, GUARD_MASKED);
    assert_int_equal(source.origin, GUARD_VARIABLE);
    assert_int_equal(source.list.head.n_pages, 2);
    assert_int_equal(source.list.head.machine.ram_bytes, here.ram_bytes);
    free(allocated);
}

/* As many single pages as a patrol may find, far apart: there is room for them. */
static void the_most_pages(void **state)
{
    make(true);
    for (uint64_t i = 0; i < GUARD_PATROL_FOUND_MAX; i++)
        patrol.found[i] = GUARD_LIST_PAGES - 1 - i * (GUARD_LIST_PAGES >> 11);
    patrol.n_found = GUARD_PATROL_FOUND_MAX;
    add();
    assert_int_equal(source.list.head.n_pages, GUARD_PATROL_FOUND_MAX + 2);
    free(allocated);
}

/* The pages are masked all the same. */
static void cannot_be_written(void **state)
{
    make(true);
    keep_status = EFI_WRITE_PROTECTED;
    add();
    assert_int_equal(source.list.head.n_pages, 4);
    assert_int_equal(source.origin, GUARD_FILE);
    assert_non_null(strstr(source.why, "at this boot only"));
    assert_true(strlen(source.why) < sizeof(source.why) - 1);
    free(allocated);

    make(true);
    has_memory = false;
    add();
    assert_int_equal(source.list.head.n_pages, 2); /* the former one */
    assert_non_null(strstr(source.why, "at this boot only"));
}

static const struct {
    EFI_TIME time;
    int64_t made;
} times[] = {
    { { .Year = 2000, .Month = 1, .Day = 1 }, 946684800 },
    { { .Year = 2000, .Month = 2, .Day = 29, .Hour = 23, .Minute = 59, .Second = 59 }, 951868799 },
    { { .Year = 2000, .Month = 3, .Day = 1 }, 951868800 },
    { { .Year = 2001, .Month = 1, .Day = 1 }, 978307200 },
    { { .Year = 2024, .Month = 12, .Day = 31 }, 1735603200 },
    { { .Year = 2026, .Month = 11, .Day = 22, .Hour = 12 }, 1795348800 },
    { { .Year = 2099, .Month = 12, .Day = 31 }, 4102358400 },
    { { .Year = 1999, .Month = 12, .Day = 31 }, 946598400 },
    { { .Year = 2100, .Month = 3, .Day = 1 }, 4107542400 },
    { { .Year = 1969, .Month = 12, .Day = 31 }, 0 },
    { { .Year = 2026, .Month = 13, .Day = 1 }, 0 },
    { { .Year = 2026, .Month = 0, .Day = 1 }, 0 },
    { { .Year = 2026, .Month = 1, .Day = 32 }, 0 },
    { { .Year = 2026, .Month = 1, .Day = 0 }, 0 },
};

static void dates(void **state)
{
    for (size_t i = 0; i < LENGTH(times); i++) {
        make(true);
        time_now = times[i].time;
        add();
        assert_int_equal(source.list.head.made, times[i].made);
        free(allocated);
    }
    make(true);
    time_status = EFI_DEVICE_ERROR;
    add();
    assert_int_equal(source.list.head.made, 0);
    free(allocated);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(to_a_list),      cmocka_unit_test(to_no_list),
        cmocka_unit_test(the_most_pages), cmocka_unit_test(cannot_be_written),
        cmocka_unit_test(dates),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
