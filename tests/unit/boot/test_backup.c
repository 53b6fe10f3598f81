// SPDX-License-Identifier: MIT
#include "boot/uefi/guard_install/backup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define LINE                                                                                       \
    "{\"type\":\"guard-backup\",\"version\":1,\"way\":\"driver\",\"driver\":\"Driver0003\","       \
    "\"order\":\"01000a00\",\"partition\":\"0f0e0d0c-0b0a-4908-8706-050403020100\","               \
    "\"files\":[\"\\\\EFI\\\\okram\\\\okram-guardx64.efi\"],"                                      \
    "\"folders\":[\"\\\\EFI\",\"\\\\EFI\\\\okram\"]}\n"

#define LINE_OF_NOTHING                                                                            \
    "{\"type\":\"guard-backup\",\"version\":1,\"way\":\"refind\",\"driver\":null,"                 \
    "\"order\":null,\"partition\":null,\"files\":[],\"folders\":[]}\n"

static struct backup backup;
static const char *why;

static void reads_what_it_writes(void **state)
{
    char line[BACKUP_MAX];

    assert_true(backup_read(LINE, &backup, &why));
    assert_int_equal(backup.way, GUARD_BY_DRIVER);
    assert_string_equal(backup.option, "Driver0003");
    assert_true(backup.has_order);
    assert_int_equal(backup.order_bytes, 4);
    assert_memory_equal(backup.order, "\1\0\12\0", 4);
    assert_string_equal(backup.partition, "0f0e0d0c-0b0a-4908-8706-050403020100");
    assert_int_equal(backup.n_files, 1);
    assert_string_equal(backup.file[0], "\\EFI\\okram\\okram-guardx64.efi");
    assert_int_equal(backup.n_folders, 2);
    assert_string_equal(backup.folder[1], "\\EFI\\okram");
    assert_int_equal(backup_write(&backup, line, sizeof(line)), strlen(LINE));
    assert_string_equal(line, LINE);
    assert_int_equal(backup_write(&backup, line, strlen(LINE) + 1), strlen(LINE));
    assert_int_equal(backup_write(&backup, line, strlen(LINE)), 0);

    assert_true(backup_read(LINE_OF_NOTHING, &backup, &why));
    assert_int_equal(backup.way, GUARD_BY_REFIND);
    assert_false(backup.has_order || backup.option[0] || backup.n_files || backup.n_folders);
    backup_write(&backup, line, sizeof(line));
    assert_string_equal(line, LINE_OF_NOTHING);
}

/* As Python's json writes it. */
static void reads_blanks(void **state)
{
    assert_true(backup_read("{\"type\": \"guard-backup\", \"version\": 1, \"way\": \"systemd\", "
                            "\"order\": null, \"files\": [\"a\", \"b\"], \"folders\": [ ]}",
                            &backup, &why));
    assert_int_equal(backup.n_files, 2);
    assert_string_equal(backup.file[1], "b");
    assert_int_equal(backup.n_folders, 0);
}

static void the_largest_order_fits(void **state)
{
    char line[BACKUP_MAX];
    struct backup read;

    backup = (struct backup){ .has_order = true, .order_bytes = BACKUP_ORDER_BYTES };
    memset(backup.order, 0x5a, sizeof(backup.order));
    assert_int_not_equal(backup_write(&backup, line, sizeof(line)), 0);
    assert_true(backup_read(line, &read, &why));
    assert_memory_equal(&read, &backup, sizeof(read));
}

static void what_is_wrong_is_said(void **state)
{
#define BEGIN "{\"type\":\"guard-backup\",\"version\":1,\"way\":\"driver\""
    static const struct {
        const char *line, *why;
    } cases[] = {
        { "", "it is no backup of the guard's" },
        { "{\"type\":\"guard\"}", "it is no backup of the guard's" },
        { "{\"type\":\"guard-backup\",\"version\":2}", "it is of another version" },
        { "{\"type\":\"guard-backup\",\"version\":1}", "a part of it is malformed" },
        { "{\"type\":\"guard-backup\",\"version\":1,\"way\":\"x\"}", "a part of it is malformed" },
        { BEGIN ",\"driver\":\"Driver000000\"}", "a part of it is malformed" },
        { BEGIN ",\"driver\":\"Driver 000\"}", "a part of it is malformed" },
        { BEGIN ",\"partition\":\"\\\"\"}", "a part of it is malformed" },
        { BEGIN ",\"order\":\"010\"}", "a part of it is malformed" },
        { BEGIN ",\"order\":\"01\"}", "a part of it is malformed" },
        { BEGIN ",\"order\":\"010G\"}", "a part of it is malformed" },
        { BEGIN ",\"files\":[\"a\"", "a part of it is malformed" },
        { BEGIN ",\"files\":[\"a\" \"b\"]}", "a part of it is malformed" },
        { BEGIN ",\"files\":[\"a]}", "a part of it is malformed" },
        { BEGIN ",\"files\":[\"\\", "a part of it is malformed" },
        { BEGIN ",\"files\":{}}", "a part of it is malformed" },
        { BEGIN ",\"files\":[\"1\",\"2\",\"3\",\"4\",\"5\"]}", "a part of it is malformed" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_false(backup_read(cases[i].line, &backup, &why));
        assert_string_equal(why, cases[i].why);
    }
    assert_true(backup_read(BEGIN "}", &backup, &why));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_it_writes),
        cmocka_unit_test(reads_blanks),
        cmocka_unit_test(the_largest_order_fits),
        cmocka_unit_test(what_is_wrong_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
