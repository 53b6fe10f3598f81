// SPDX-License-Identifier: MIT
/* Installing the guard, adding to its list and removing it, on firmware in which any write can
 * fail. */
#include "boot/uefi/guard_install/install.h"

#include "guardlist/guard_list.h"
#include "tests/fuzz/fake_uefi.h"
#include "tests/unit/unit.h"

#define IMAGE_SIZE FAKE_IMAGE_BYTES
#define ANY_WAYS   6
#define SBAT       "sbat,1,SBAT Version,sbat,1,u\nshim,4,UEFI shim,shim,1,u\nshim.debian,1,D,shim,16,u\n"

static struct fake_uefi before;
static char said[WARNING_TEXT_MAX];

static struct fake_thing *variable(const char *name)
{
    return fake_find(fake_uefi.variable, name);
}

static struct fake_thing *file(const char *name)
{
    return fake_find(fake_uefi.file, name);
}

static void set(const char *name, UINT32 attributes, const void *bytes, size_t size)
{
    fake_set(fake_uefi.variable, name, attributes, bytes, size);
}

/* In whatever order. */
static void assert_same(struct fake_thing *now, struct fake_thing *then)
{
    for (unsigned i = 0; i < FAKE_THINGS_MAX; i++) {
        const struct fake_thing *other = then[i].is_there ? fake_find(now, then[i].name) : NULL;

        if (now[i].is_there)
            assert_non_null(fake_find(then, now[i].name));
        if (!then[i].is_there)
            continue;
        assert_non_null(other);
        assert_int_equal(other->attributes, then[i].attributes);
        assert_int_equal(other->size, then[i].size);
        assert_memory_equal(other->bytes, then[i].bytes, then[i].size);
    }
}

static void assert_as_before(void)
{
    assert_same(fake_uefi.file, before.file);
    assert_same(fake_uefi.variable, before.variable);
}

static const struct guard_run found[] = { { 0x3000, 1 }, { 0x3100, 2 } };

/* A computer whose last run has found three pages, and a driver of somebody else's. */
static int begin(void **state)
{
    fake_begin();
    fake_set_list("OkramGuardNew", found, 2);
    set("Driver0000", 7, "x", 1);
    set("DriverOrder", 7, "\0\0\1\0", 4);
    set("BootOrder", 7, "\0\0", 2);
    fake_set_shim(SBAT);
    before = fake_uefi;
    return 0;
}

static int end(void **state)
{
    assert_int_equal(fake_uefi.open_handles, 0);
    assert_int_equal(fake_uefi.pools, 0);
    return 0;
}

static struct install_plan plan; /* the last one */

static bool act(enum deed deed, const char *way)
{
    static const HARDDRIVE_DEVICE_PATH node;
    const struct partition partition = {
        .handle = FAKE_DISK, .name = "ESP", .guid = FAKE_PARTITION, .node = &node
    };
    struct fmt_buffer message = fmt_buffer_make(said, sizeof(said));
    struct install_state state;
    unsigned writes = fake_uefi.writes;
    bool done;

    install_state_read(&state);
    if (deed == DEED_INSTALL)
        done = install_plan_make(FAKE_STICK, &state, guard_way_named(way), &partition, &plan,
                                 &message);
    else if (deed == DEED_ADD)
        done = install_can_add(&state) && install_plan_add(&state, &plan, &message);
    else
        done = state.has_backup && install_plan_remove(&state, &plan, &message);
    assert_int_equal(fake_uefi.writes, writes);
    if (done) {
        done = install_do(&plan, &message);
        install_plan_free(&plan);
    }
    install_state_free(&state);
    return done;
}

static bool install(const char *way)
{
    return act(DEED_INSTALL, way);
}

static bool remove_it(void)
{
    return act(DEED_REMOVE, NULL);
}

static bool add_found(void)
{
    return act(DEED_ADD, NULL);
}

static void assert_variable(const char *name, UINT32 attributes, const void *bytes, UINTN size)
{
    const struct fake_thing *v = variable(name);

    assert_non_null(v);
    assert_int_equal(v->attributes, attributes);
    assert_int_equal(v->size, size);
    assert_memory_equal(v->bytes, bytes, size);
}

static void assert_file(const char *name, const void *bytes, size_t size)
{
    assert_non_null(file(name));
    assert_int_equal(file(name)->size, size);
    assert_memory_equal(file(name)->bytes, bytes, size);
}

TEST(all_is_written_and_removed_again, begin, end)
{
    const struct fake_thing *list;

    assert_true(install("driver"));
    list = fake_find(before.variable, "OkramGuardNew");
    assert_variable("OkramGuard", 3, list->bytes, list->size);
    assert_variable("DriverOrder", 7, "\2\0\0\0\1\0", 6); /* 1 is in the order, if nowhere else */
    assert_non_null(variable("Driver0002"));
    assert_file("\\EFI\\okram\\okram-guardx64.efi", fake_image, IMAGE_SIZE);
    assert_true(remove_it());
    assert_as_before();
}

static void assert_order(const char *const *name, unsigned n)
{
    assert_int_equal(plan.changes.n, n);
    for (unsigned i = 0; i < n; i++)
        assert_string_equal(plan.changes.change[i].name, name[i]);
}

/* The one that ways.inc says, and that tests/tools/test_guard_install.py has, too. */
TEST(the_order_is_that_of_the_table, begin, end)
{
    static const char *const installed[] = {
        BACKUP_NAME,  "\\EFI",      "\\EFI\\okram", "\\EFI\\okram\\okram-guardx64.efi",
        "OkramGuard", "Driver0002", "DriverOrder",
    };
    static const char *const removed[] = {
        "DriverOrder",
        "Driver0002",
        "OkramGuard",
        "OkramPatrol",
        "\\EFI\\okram\\okram-guardx64.efi",
        "\\EFI\\okram",
        "\\EFI",
        BACKUP_NAME,
    };

    assert_true(install("driver"));
    assert_order(installed, 7);
    assert_true(remove_it());
    assert_order(removed, 8);
}

static bool found_is_signed(void)
{
    struct install_state state;
    bool is_signed;

    install_state_read(&state);
    is_signed = state.found.is_signed;
    install_state_free(&state);
    return is_signed;
}

/* By this machine's key, which may not be there. */
TEST(it_is_known_who_made_the_list, begin, end)
{
    static const uint8_t key[HMAC_BYTES] = { 2, 7, 1, 8 }, other[HMAC_BYTES] = { 2, 7, 1, 9 };

    fake_uefi.key = key;
    assert_false(found_is_signed());
    guard_list_sign(variable("OkramGuardNew")->bytes, key);
    assert_true(found_is_signed());
    fake_uefi.key = NULL;
    assert_false(found_is_signed());
    fake_uefi.key = key;
    guard_list_sign(variable("OkramGuardNew")->bytes, other);
    assert_false(found_is_signed());
    variable("OkramGuardNew")->is_there = false;
    assert_false(found_is_signed());
}

TEST(a_second_time_it_is_not_installed, begin, end)
{
    assert_true(install("driver"));
    before = fake_uefi;
    assert_false(install("wrapper"));
    assert_string_equal(said, "The guard is installed already.");
    variable(BACKUP_NAME)->is_there = false;
    assert_false(install("wrapper"));
    assert_non_null(strstr(said, "but not by okram"));
}

/* EDK2 starts no driver from BootOrder. */
TEST(a_boot_entry_is_an_application, begin, end)
{
    fake_uefi.is_secure = true;
    assert_false(install("wrapper"));
    assert_non_null(strstr(said, "Under Secure Boot the guard can be a boot entry only by shim"));
    fake_uefi.is_secure = false;
    assert_true(install("wrapper"));
    assert_variable("BootOrder", 7, "\1\0\0\0", 4);
    assert_variable("DriverOrder", 7, "\0\0\1\0", 4);
    fake_image[FAKE_PE_AT + 92] = 10;
    assert_file("\\EFI\\okram\\okram-guard-start.efi", fake_image, IMAGE_SIZE);
    assert_true(remove_it());
    assert_as_before();
}

/* Of the menu's ways, with the list in a variable and in a file. */
static const struct {
    const char *way;
    uint64_t largest_variable;
} installations[] = {
    { "driver", 0x8000 }, { "driver", 100 },  { "wrapper", 0x8000 },
    { "wrapper", 100 },   { "shim", 0x8000 }, { "shim", 100 },
};

/* Whatever fails, all is as it was. */
TEST(what_fails_is_taken_back, begin, end)
{
    for (unsigned i = 0; i < ANY_WAYS; i++) {
        bool done = false;
        unsigned n = 1;

        for (; !done; n++) {
            begin(NULL);
            fake_uefi.largest_variable = installations[i].largest_variable;
            fake_uefi.fails_at = n;
            done = install(installations[i].way);
            if (!done) {
                assert_as_before();
                assert_non_null(strstr(said, "The guard was not installed: "));
            }
        }
        assert_true(n > 6);
        fake_uefi.fails_at = 0;
        assert_true(remove_it());
        assert_as_before();
    }
}

/* Those of others, first of all the orders: firmware starts what it has started before. */
static void assert_boots(void)
{
    const struct fake_thing *order = variable("DriverOrder"), *boot = variable("BootOrder");

    assert_variable("Driver0000", 7, "x", 1);
    assert_memory_equal(order->bytes + order->size - 4, "\0\0\1\0", 4);
    assert_memory_equal(boot->bytes + boot->size - 2, "\0\0", 2);
    if (order->size > 4) {
        assert_non_null(variable("Driver0002"));
        assert_file("\\EFI\\okram\\okram-guardx64.efi", fake_image, IMAGE_SIZE);
    }
}

/* The power is cut at any write, of the installation and of the removal after that. */
TEST(a_power_cut_leaves_a_machine_that_boots, begin, end)
{
    for (unsigned i = 0; i < ANY_WAYS; i++) {
        bool done = false;

        for (unsigned n = 1; !done; n++) {
            begin(NULL);
            fake_uefi.largest_variable = installations[i].largest_variable;
            fake_uefi.fails_at = n;
            fake_uefi.is_cut = true;
            done = install(installations[i].way);
            assert_boots();
            fake_uefi.fails_at = fake_uefi.is_cut = 0;
            if (variable(BACKUP_NAME))
                assert_true(remove_it());
            assert_as_before();
        }
        done = false;
        for (unsigned n = 1; !done; n++) {
            begin(NULL);
            fake_uefi.largest_variable = installations[i].largest_variable;
            assert_true(install(installations[i].way));
            fake_uefi.fails_at = fake_uefi.writes + n;
            fake_uefi.is_cut = true;
            done = remove_it();
            assert_boots();
            fake_uefi.fails_at = fake_uefi.is_cut = 0;
            assert_true(done || remove_it());
            assert_as_before();
        }
    }
}

TEST(what_is_wrong_is_said_before_anything_is_written, begin, end)
{
    fake_image[FAKE_PE_AT + 92] = 10;
    assert_false(install("driver"));
    assert_string_equal(said, "okram-guardx64.efi is not a UEFI driver for x86-64.");
    fake_image[FAKE_PE_AT + 92] = 11;
    fake_uefi.disk_room = 8 * 512 + IMAGE_SIZE - 1;
    assert_false(install("driver"));
    assert_string_equal(said, "Nothing can be written to ESP: the volume is full.");
    fake_uefi.disk_room = 1 << 20;
    fake_uefi.ram_pages *= 2;
    assert_false(install("driver"));
    assert_non_null(strstr(said, "the size of RAM changed since it was made. Test again."));
    fake_uefi.ram_pages /= 2;
    fake_uefi.store_room = 5 * 1024;
    assert_false(install("driver"));
    assert_string_equal(said, "UEFI's store of variables has 5120 bytes left, too few.");
    fake_uefi.store_room = 1 << 18;
    fake_uefi.largest_variable = 100;
    fake_uefi.is_secure = true;
    assert_false(install("driver"));
    assert_non_null(strstr(said, "under Secure Boot the guard takes no file."));
    fake_uefi.is_secure = false;
    fake_uefi.largest_variable = 0x8000;
    set("DriverOrder", 7, "\0\0\1\0\1", 5);
    assert_false(install("driver"));
    assert_non_null(strstr(said, "DriverOrder has 5 bytes: it is malformed"));
    variable("BootOrder")->is_there = false;
    assert_false(install("wrapper"));
    assert_string_equal(said, "BootOrder is empty: firmware would start nothing after the guard.");
}

/* Windows' boot manager is started by the next number. */
TEST(by_shim, begin, end)
{
    const struct fake_thing *shim = fake_find(fake_uefi.stick, FAKE_SHIM),
                            *manager = fake_find(fake_uefi.stick, FAKE_MOKMANAGER), *option;

    for (int is_secure = 0; is_secure < 2; is_secure++) {
        fake_uefi.is_secure = is_secure;
        assert_true(install("shim"));
        assert_variable("BootOrder", 7, "\1\0\0\0", 4);
        assert_file("\\EFI\\okram\\okram-guardx64.efi", fake_image, IMAGE_SIZE); /* a driver */
        assert_file("\\EFI\\okram\\shimx64.efi", shim->bytes, shim->size);
        assert_file("\\EFI\\okram\\mmx64.efi", manager->bytes, manager->size);
        option = variable("Boot0001");
        assert_memory_equal(option->bytes + option->size - 38,
                            "o\0k\0r\0a\0m\0-\0g\0u\0a\0r\0d\0x\0006\0004\0.\0e\0f\0i\0\0", 38);
        assert_int_equal(strstr(said, "once it is enrolled") != NULL, is_secure);
        assert_true(remove_it());
        assert_as_before();
    }
    fake_uefi.has_shim_lock = fake_uefi.is_enrolled = true;
    assert_true(install("shim"));
    assert_null(strstr(said, "enrolled"));
}

TEST(no_shim_that_could_start, begin, end)
{
    static const struct {
        const char *sbat, *level, *says;
    } cases[] = {
        { "sbat,1\nokram,1\n", "", "shim, \\EFI\\BOOT\\BOOTX64.EFI, is not shim for x86-64." },
        { "", "", "is not shim for x86-64." },
        { SBAT, "sbat,1,2024010900\nshim,4\ngrub,3\n", NULL },
        { SBAT, "sbat,1,2099010100\nshim,5\n", "older than this machine accepts" },
        { SBAT, "sbat,1,2099010100\nshim,4\nshim.debian,2\n", "older than this machine accepts" },
        { SBAT, "sbat,1,2099010100\nshim.debian,2", "older than this machine accepts" },
        { SBAT, "sbat,1\nshim.ubuntu,9\nshi,9\nshim.,9\n\n,9\nshim", NULL },
        { "shim,10", "shim,9\n", NULL },
        { "shim,9", "shim,10", "older than this machine accepts" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        begin(NULL);
        fake_set_shim(cases[i].sbat);
        if (cases[i].level[0])
            set("SbatLevel", 3, cases[i].level, strlen(cases[i].level));
        assert_int_equal(install("shim"), !cases[i].says);
        if (cases[i].says)
            assert_non_null(strstr(said, cases[i].says));
    }
    begin(NULL);
    fake_find(fake_uefi.stick, FAKE_MOKMANAGER)->is_there = false;
    assert_false(install("shim"));
    assert_string_equal(said, "MokManager, \\EFI\\BOOT\\mmx64.efi, cannot be read from the volume "
                              "that okram was started from.");
    fake_uefi.disk_room = 8 * 512 + 1024; /* the guard has room, shim has not */
    fake_set_shim(SBAT);
    assert_false(install("shim"));
    assert_string_equal(said, "Nothing can be written to ESP: the volume is full.");
    assert_true(install("driver"));
}

/* A section that lies outside of the file. */
TEST(a_damaged_shim, begin, end)
{
    struct fake_thing *shim = fake_find(fake_uefi.stick, FAKE_SHIM);

    for (size_t at = 0; at < 0x300; at += UNIT_STEP(3)) {
        uint8_t was = shim->bytes[at];

        shim->bytes[at] = 0xff;
        if (install("shim"))
            assert_true(remove_it());
        shim->bytes[at] = was;
        assert_int_equal(fake_uefi.pools, 0);
    }
    for (size_t size = 0; size < shim->size; size += UNIT_STEP(3)) {
        shim->size = size;
        if (install("shim"))
            assert_true(remove_it());
        shim->size = 0x400;
    }
}

TEST(what_others_have_changed_since_then_stays, begin, end)
{
    assert_true(install("driver"));
    set("DriverOrder", 7, "\5\0\2\0\0\0", 6);
    fake_set(fake_uefi.file, "\\EFI\\okram\\notes.txt", 0, "", 0);
    assert_true(remove_it());
    assert_variable("DriverOrder", 7, "\5\0\0\0", 4);
    assert_non_null(file("\\EFI\\okram\\notes.txt"));
    assert_null(file("\\EFI\\okram\\okram-guardx64.efi"));

    begin(NULL);
    assert_true(install("driver"));
    set("Driver0002", 7, "others", 6);
    assert_true(remove_it());
    assert_variable("Driver0002", 7, "others", 6);
}

/* A broken file system: it is not empty as far as can be seen, so it stays. */
TEST(a_folder_without_an_end_stays, begin, end)
{
    assert_true(install("driver"));
    fake_uefi.lists_itself = true;
    assert_true(remove_it());
    assert_non_null(file("\\EFI\\okram"));
    assert_null(file("\\EFI\\okram\\okram-guardx64.efi"));
}

#define BACKUP(way, driver, order, folder)                                                         \
    "{\"type\":\"guard-backup\",\"version\":1,\"way\":\"" way "\",\"driver\":" driver              \
    ",\"order\":" order ",\"partition\":\"" FAKE_PARTITION "\",\"files\":[\"\\\\EFI\\\\" folder    \
    "\\\\okram-guardx64.efi\",\"\\\\EFI\\\\" folder "\\\\okram\\\\guard.list\"],"                  \
    "\"folders\":[\"\\\\EFI\\\\" folder "\\\\okram\"]}\n"

static void make_folder(const char *name)
{
    fake_set(fake_uefi.file, name, 0, NULL, 0);
    file(name)->is_folder = true;
}

/* As an okram installed it that had four ways in its menu, or as Linux does. */
TEST(a_way_that_the_menu_has_no_more_is_removed, begin, end)
{
    static const struct {
        const char *backup, *folder;
    } cases[] = {
        { BACKUP("systemd", "null", "null", "systemd\\\\drivers"), "\\EFI\\systemd\\drivers" },
        { BACKUP("refind", "null", "null", "refind\\\\drivers_x64"), "\\EFI\\refind\\drivers_x64" },
    };

    for (unsigned i = 0; i < 2; i++) {
        char name[FAKE_NAME_MAX];
        const struct fake_thing *list = variable("OkramGuardNew");

        begin(NULL);
        make_folder(cases[i].folder);
        before = fake_uefi;
        snprintf(name, sizeof(name), "%s\\okram-guardx64.efi", cases[i].folder);
        fake_set(fake_uefi.file, name, 0, fake_image, IMAGE_SIZE);
        snprintf(name, sizeof(name), "%s\\okram", cases[i].folder);
        make_folder(name);
        snprintf(name, sizeof(name), "%s\\okram\\guard.list", cases[i].folder);
        fake_set(fake_uefi.file, name, 0, list->bytes, list->size);
        set(BACKUP_NAME, 7, cases[i].backup, strlen(cases[i].backup));
        assert_false(install("driver"));
        assert_string_equal(said, "The guard is installed already.");
        assert_false(add_found()); /* its list has these pages */
        assert_true(remove_it());
        assert_as_before();
    }
}

/* A backup that lists a file which no installation makes is forged: nothing of it is believed. */
TEST(nothing_else_is_deleted, begin, end)
{
    static const char backup[] =
        "{\"type\":\"guard-backup\",\"version\":1,\"way\":\"driver\",\"driver\":\"Driver0000\","
        "\"partition\":\"0f0e0d0c-01\",\"files\":[\"\\\\EFI\\\\BOOT\\\\BOOTX64.EFI\"],"
        "\"folders\":[\"\\\\EFI\"]}";
    struct install_state odd;

    fake_set(fake_uefi.file, "\\EFI\\BOOT\\BOOTX64.EFI", 0, "MZ", 2);
    before = fake_uefi;
    set(BACKUP_NAME, 7, backup, sizeof(backup) - 1);
    assert_false(remove_it());
    install_state_read(&odd);
    assert_string_equal(odd.backup_why, "its files are not those of the guard");
    install_state_free(&odd);
    variable(BACKUP_NAME)->is_there = false;
    assert_as_before();
}

/* What cannot be deleted leaves the backup. */
TEST(a_removal_is_tried_again, begin, end)
{
    static const char missing[] = "{\"type\":\"guard-backup\",\"version\":1,\"way\":\"driver\","
                                  "\"partition\":\"0-0\",\"files\":"
                                  "[\"\\\\EFI\\\\okram\\\\okram-guardx64.efi\"]}";

    assert_true(install("driver"));
    fake_uefi.fails_at = fake_uefi.writes + 4; /* DriverOrder, Driver0002, OkramGuard, the file */
    assert_false(remove_it());
    assert_non_null(strstr(said, "okram-guardx64.efi could not be deleted: "));
    assert_non_null(strstr(said, "It no longer starts. OkramGuardBackup stays"));
    assert_true(remove_it());
    assert_as_before();
    set(BACKUP_NAME, 7, missing, sizeof(missing) - 1);
    assert_false(remove_it());
    assert_non_null(strstr(said, "the partition 0-0, which has its files, is missing."));
    assert_non_null(variable(BACKUP_NAME));
}

TEST(more_pages_join_the_list, begin, end)
{
    static const struct guard_run more[] = { { 0x100, 1 }, { 0x3001, 1 } };
    static const struct guard_run both[] = { { 0x100, 1 }, { 0x3000, 2 }, { 0x3100, 2 } };

    for (int in_file = 0; in_file < 2; in_file++) {
        struct guard_list whole, wanted;
        const struct fake_thing *made;
        const char *why;
        unsigned n = 1;

        begin(NULL);
        fake_uefi.largest_variable = in_file ? 100 : 0x8000;
        assert_true(install("driver"));
        assert_false(add_found()); /* nothing new */
        fake_set_list("OkramGuardNew", more, 2);
        before = fake_uefi;
        for (fake_uefi.fails_at = fake_uefi.writes + 1; !add_found();
             fake_uefi.fails_at = fake_uefi.writes + ++n)
            assert_as_before();
        assert_true(n >= (in_file ? 4 : 2));
        fake_uefi.fails_at = 0;
        made = in_file ? file("\\EFI\\okram\\okram\\guard.list") : variable("OkramGuard");
        assert_int_equal(guard_list_open(made->bytes, made->size, &whole, &why), STATUS_OK);
        assert_int_equal(variable("OkramGuard") != NULL, !in_file);
        fake_set_list("OkramGuardNew", both, 3);
        made = variable("OkramGuardNew");
        assert_int_equal(guard_list_open(made->bytes, made->size, &wanted, &why), STATUS_OK);
        assert_int_equal(whole.head.bytes, wanted.head.bytes);
        assert_memory_equal(whole.runs, wanted.runs, whole.head.bytes - GUARD_LIST_HEAD);
        fake_set_list("OkramGuardNew", more, 2);
        assert_false(add_found()); /* it has them now */
        assert_true(remove_it());
    }
}

/* The power is cut while the list is replaced: the guard finds a whole one at the next boot. */
TEST(a_power_cut_leaves_a_list, begin, end)
{
    static const struct guard_run more[] = { { 0x100, 1 } };
    bool done = false;

    for (unsigned n = 1; !done; n++) {
        const struct fake_thing *left;
        struct guard_list whole;
        const char *why;

        begin(NULL);
        fake_uefi.largest_variable = 100;
        assert_true(install("driver"));
        fake_set_list("OkramGuardNew", more, 1);
        fake_uefi.fails_at = fake_uefi.writes + n;
        fake_uefi.is_cut = true;
        done = add_found();
        left = file("\\EFI\\okram\\okram\\guard.list");
        left = left ? left : file("\\EFI\\okram\\okram\\guard.old"); /* as the guard looks */
        assert_non_null(left);
        assert_int_equal(guard_list_open(left->bytes, left->size, &whole, &why), STATUS_OK);
        fake_uefi.fails_at = fake_uefi.is_cut = 0;
        assert_true(remove_it());
        fake_set_list("OkramGuardNew", found, 2);
        assert_as_before();
    }
}

/* The fifth data directory, of a file that says that it has that many. */
TEST(a_signature, begin, end)
{
    uint8_t *head = fake_image + FAKE_PE_AT;

    assert_false(image_is_signed(FAKE_STICK));
    head[168] = 1;
    head[172] = 8;
    assert_false(image_is_signed(FAKE_STICK)); /* there are 0 */
    head[132] = 16;
    assert_true(image_is_signed(FAKE_STICK));
    head[168] = 0;
    assert_false(image_is_signed(FAKE_STICK));
    head[168] = 1;
    head[172] = 0;
    assert_false(image_is_signed(FAKE_STICK));
    head[172] = 8;
    head[132] = 4;
    assert_false(image_is_signed(FAKE_STICK));
    head[132] = 5;
    assert_true(image_is_signed(FAKE_STICK));
    fake_image[0] = 0;
    assert_false(image_is_signed(FAKE_STICK));
    assert_false(image_is_signed(NULL));
}

TEST(without_memory, begin, end)
{
    fake_uefi.no_memory = true;
    for (enum deed deed = DEED_INSTALL; deed <= DEED_REMOVE; deed++)
        assert_false(act(deed, "driver"));
    assert_as_before();
}
