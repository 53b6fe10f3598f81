// SPDX-License-Identifier: MIT
#include "boot/guard/source.h"

#include "boot/uefi/own_folder.h"
#include "tests/fuzz/fake_uefi.h"
#include "tests/unit/unit.h"

#define FILE      "\\okram\\guard.list"
#define NEW_BYTES 132 /* of the list with all four pages */
#define ROOM      (5120 + NEW_BYTES)

static const struct guard_fingerprint listed = { .ram_bytes = (1 << 30) + 4096 };
static bool has_folder;
static struct guard_patrol patrol;
static struct guard_source source;
static uint8_t old_bytes[256];

CHAR16 *own_folder_path(const EFI_LOADED_IMAGE *loader)
{
    return NULL;
}

EFI_FILE *volumes_open_root(EFI_HANDLE handle);

EFI_FILE *own_folder_open(const EFI_LOADED_IMAGE *loader, const CHAR16 *own_path, bool is_root)
{
    return has_folder ? volumes_open_root(FAKE_DISK) : NULL;
}

/* With a list of the pages 7 and 8 in these places; two more were found. */
static void make(bool in_variable, bool in_file)
{
    struct guard_writer w = guard_writer_begin(old_bytes, sizeof(old_bytes));
    const char *why;
    size_t size;

    fake_begin();
    has_folder = true;
    memset(&source, 0, sizeof(source));
    guard_writer_add(&w, (struct guard_run){ 7, 2 });
    size = guard_writer_end(&w, &listed, 5);
    if (in_variable)
        fake_set(fake_uefi.variable, "OkramGuard", 7, old_bytes, size);
    if (in_file)
        fake_set(fake_uefi.file, FILE, 0, old_bytes, size);
    if (in_variable || in_file) {
        assert_int_equal(guard_list_open(old_bytes, size, &source.list, &why), STATUS_OK);
        source.state = GUARD_MASKED;
        source.origin = in_variable ? GUARD_VARIABLE : GUARD_FILE;
    }
    patrol.n_found = 2;
    patrol.found[0] = 100;
    patrol.found[1] = 9;
    fake_uefi.time = (EFI_TIME){ .Year = 2026, .Month = 11, .Day = 22 };
}

/* The list stays in use, and is never freed. */
static void add(bool is_secure_boot)
{
    struct guard_fingerprint here = fake_machine();

    guard_add_found(NULL, is_secure_boot, &here, &patrol, &source);
    assert_int_equal(fake_uefi.open_handles, 0);
    assert_null(fake_find(fake_uefi.file, "\\okram\\guard.new"));
    assert_null(fake_find(fake_uefi.file, "\\okram\\guard.old"));
    if (fake_uefi.pools)
        free((void *)(source.list.runs - GUARD_LIST_HEAD));
}

/* Pages of a list there; 0: there is none. */
static uint64_t pages_in(struct fake_thing *things, const char *name)
{
    const struct fake_thing *thing = fake_find(things, name);
    struct guard_list list;
    const char *why;

    if (!thing)
        return 0;
    assert_int_equal(guard_list_open(thing->bytes, thing->size, &list, &why), STATUS_OK);
    return list.head.n_pages;
}

TEST(to_a_list)
{
    make(true, false);
    add(false);
    assert_int_equal(source.state, GUARD_MASKED);
    assert_int_equal(source.list.head.n_runs, 2);
    assert_int_equal(source.list.head.n_pages, 4);
    assert_int_equal(source.list.head.bytes, NEW_BYTES);
    assert_int_equal(source.list.head.machine.ram_bytes, listed.ram_bytes);
    assert_string_equal(source.why, "");
}

TEST(to_no_list)
{
    make(false, false);
    add(false);
    assert_int_equal(source.state, GUARD_MASKED);
    assert_int_equal(source.origin, GUARD_VARIABLE);
    assert_int_equal(source.list.head.n_pages, 2);
    assert_int_equal(source.list.head.machine.ram_bytes, fake_machine().ram_bytes);
}

/* As many single pages as a patrol may find, far apart: there is room for them. */
TEST(the_most_pages)
{
    make(true, false);
    for (uint64_t i = 0; i < GUARD_PATROL_FOUND_MAX; i++)
        patrol.found[i] = GUARD_LIST_PAGES - 1 - i * (GUARD_LIST_PAGES >> 11);
    patrol.n_found = GUARD_PATROL_FOUND_MAX;
    add(false);
    assert_int_equal(source.list.head.n_pages, GUARD_PATROL_FOUND_MAX + 2);
}

TEST(without_memory)
{
    make(true, false);
    fake_uefi.no_memory = true;
    add(false);
    assert_int_equal(source.list.head.n_pages, 2); /* the former one */
    assert_non_null(strstr(source.why, "at this boot only"));
}

/* Where the list was, else the variable, else the file; where it cannot be written, it is as
 * before. */
static const struct kept {
    bool in_variable, in_file, is_secure_boot; /* before */
    uint64_t room, largest;
    bool damages, fails, no_query, no_folder;
    uint64_t pages_in_variable, pages_in_file; /* after */
    enum guard_origin origin;
    bool is_kept;
} kept[] = {
    { 0, 0, 1, 20000, 10000, .pages_in_variable = 2, 0, GUARD_VARIABLE, true },
    { 1, 1, 0, 20000, 10000, .pages_in_variable = 4, 2, GUARD_VARIABLE, true },
    { 0, 1, 0, 20000, 10000, .pages_in_variable = 0, 4, GUARD_FILE, true },
    { 1, 0, 0, ROOM, NEW_BYTES, .pages_in_variable = 4, 0, GUARD_VARIABLE, true },
    /* Each way in which a variable cannot be written. */
    { 1, 0, 0, ROOM - 1, 10000, .pages_in_variable = 0, 4, GUARD_FILE, true },
    { 1, 0, 0, 20000, NEW_BYTES - 1, .pages_in_variable = 0, 4, GUARD_FILE, true },
    { 1, 0, 0, 20000, 10000, .no_query = 1, .pages_in_variable = 0, 4, GUARD_FILE, true },
    { 1, 0, 0, 20000, 10000, .damages = 1, .pages_in_variable = 0, 4, GUARD_FILE, true },
    { 0, 1, 0, 20000, 10000, .no_folder = 1, .pages_in_variable = 4, 2, GUARD_VARIABLE, true },
    /* Nowhere. Under Secure Boot there is no file. */
    { 1, 0, 0, 0, 10000, .no_folder = 1, .pages_in_variable = 2, 0, GUARD_VARIABLE, false },
    { 1, 0, 1, 0, 10000, .pages_in_variable = 2, 0, GUARD_VARIABLE, false },
    { 1, 0, 1, 20000, 10000, .damages = 1, .pages_in_variable = 2, 0, GUARD_VARIABLE, false },
    { 0, 0, 1, 20000, 10000, .damages = 1, .pages_in_variable = 0, 0, GUARD_NOWHERE, false },
    { 1, 0, 0, 20000, 10000, .fails = 1, .no_folder = 1, .pages_in_variable = 2, 0, GUARD_VARIABLE,
      false },
};

TEST(where_it_is_kept)
{
    for (size_t i = 0; i < COUNT(kept); i++) {
        const struct kept *k = &kept[i];
        const struct fake_thing *variable;

        make(k->in_variable, k->in_file);
        fake_uefi.store_room = k->room;
        fake_uefi.largest_variable = k->largest;
        fake_uefi.damages_write = k->damages;
        fake_uefi.fails_at = k->fails;
        fake_uefi.query_status = k->no_query ? EFI_UNSUPPORTED : EFI_SUCCESS;
        has_folder = !k->no_folder;
        add(k->is_secure_boot);
        assert_int_equal(pages_in(fake_uefi.variable, "OkramGuard"), k->pages_in_variable);
        assert_int_equal(pages_in(fake_uefi.file, FILE), k->pages_in_file);
        assert_int_equal(source.origin, k->origin);
        assert_int_equal(strstr(source.why, "at this boot only") == NULL, k->is_kept);
        assert_true(strlen(source.why) < sizeof(source.why) - 1);
        variable = fake_find(fake_uefi.variable, "OkramGuard");
        if (variable)
            assert_int_equal(variable->attributes, k->in_variable ? 7 : 3);
    }
}

static const struct {
    EFI_TIME time;
    int64_t made;
} times[] = {
    { { .Year = 2000, .Month = 2, .Day = 29, .Hour = 23, .Minute = 59, .Second = 59 }, 951868799 },
    { { .Year = 2026, .Month = 11, .Day = 22, .Hour = 12 }, 1795348800 },
    { { .Year = 1969, .Month = 12, .Day = 31 }, 0 },
    { { .Year = 2026, .Month = 13, .Day = 1 }, 0 },
    { { .Year = 2026, .Month = 1, .Day = 0 }, 0 },
};

TEST(dates)
{
    for (size_t i = 0; i < COUNT(times); i++) {
        make(true, false);
        fake_uefi.time = times[i].time;
        add(false);
        assert_int_equal(source.list.head.made, times[i].made);
    }
    make(true, false);
    fake_uefi.time_status = EFI_DEVICE_ERROR;
    add(false);
    assert_int_equal(source.list.head.made, 0);
}
