// SPDX-License-Identifier: MIT
#include "boot/uefi/guard_install/backup.h"

#include "tests/unit/unit.h"

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

TEST(reads_what_it_writes)
{
    char line[BACKUP_MAX];

    assert_true(backup_read(LINE, &backup, &why));
    assert_string_equal(backup.way->name, "driver");
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
    assert_string_equal(backup.way->name, "refind");
    assert_false(backup.has_order || backup.option[0] || backup.n_files || backup.n_folders);
    backup_write(&backup, line, sizeof(line));
    assert_string_equal(line, LINE_OF_NOTHING);
}

/* As Python's json writes it. */
TEST(reads_blanks)
{
    assert_true(backup_read(
        "{\"type\": \"guard-backup\", \"version\": 1, \"way\": \"systemd\", "
        "\"order\": null, \"files\": [\"\\\\EFI\\\\systemd\\\\drivers\\\\okram-guardx64.efi\", "
        "\"\\\\EFI\\\\systemd\\\\drivers\\\\okram\\\\guard.list\"], "
        "\"folders\": [ ]}",
        &backup, &why));
    assert_int_equal(backup.n_files, 2);
    assert_string_equal(backup.file[1], "\\EFI\\systemd\\drivers\\okram\\guard.list");
    assert_int_equal(backup.n_folders, 0);
}

TEST(the_largest_order_fits)
{
    char line[BACKUP_MAX];
    struct backup read;

    backup =
        (struct backup){ .way = guard_ways, .has_order = true, .order_bytes = BACKUP_ORDER_BYTES };
    memset(backup.order, 0x5a, sizeof(backup.order));
    assert_int_not_equal(backup_write(&backup, line, sizeof(line)), 0);
    assert_true(backup_read(line, &read, &why));
    assert_memory_equal(&read, &backup, sizeof(read));
}

TEST(what_is_wrong_is_said)
{
#define BEGIN       "{\"type\":\"guard-backup\",\"version\":1,\"way\":\"driver\""
#define DRIVER_FILE "\"\\\\EFI\\\\okram\\\\okram-guardx64.efi\""
#define DRIVER      "its driver is not a Driver#### or Boot####"
#define ORDER       "its order is not a list of numbers"
#define FILES       "its files are not those of the guard"
#define FOLDERS     "its folders are not those of the guard"
    static const struct {
        const char *line, *why;
    } cases[] = {
        { "", "it is not one line of JSON" },
        { "7", "it is not one line of JSON" },
        { BEGIN "} {", "it is not one line of JSON" },
        { BEGIN ",\"files\":[\"a\"", "it is not one line of JSON" },
        { BEGIN ",\"files\":[\"a]}", "it is not one line of JSON" },
        { BEGIN ",\"files\":[\"\\", "it is not one line of JSON" },
        { BEGIN ",\"files\":}", "it is not one line of JSON" },
        { "{\"type\":\"guard\"}", "its type is not guard-backup" },
        { "{\"a\":\"\\\"type\\\":\\\"guard-backup\\\"\"}", "its type is not guard-backup" },
        { "{\"type\":\"guard-backup\",\"version\":2}", "it is of another version" },
        { "{\"type\":\"guard-backup\",\"version\":1}", "its way is unknown" },
        { "{\"type\":\"guard-backup\",\"version\":1,\"way\":\"x\"}", "its way is unknown" },
        { BEGIN ",\"driver\":\"Driver000000\"}", DRIVER },
        { BEGIN ",\"driver\":\"Driver 000\"}", DRIVER },
        { BEGIN ",\"driver\":\"Driver000a\"}", DRIVER },
        { BEGIN ",\"driver\":\"Boot0001\"}", DRIVER },
        { BEGIN ",\"driver\":7}", DRIVER },
        { BEGIN ",\"driver\":[]}", DRIVER },
        { BEGIN ",\"partition\":\"\\\"\"}", "its partition is not a GUID" },
        { BEGIN ",\"partition\":\"../..\"}", "its partition is not a GUID" },
        { BEGIN ",\"order\":\"010\"}", ORDER },
        { BEGIN ",\"order\":\"01\"}", ORDER },
        { BEGIN ",\"order\":\"010G\"}", ORDER },
        { BEGIN ",\"order\":{}}", ORDER },
        { BEGIN ",\"files\":[" DRIVER_FILE " " DRIVER_FILE "]}", FILES },
        { BEGIN ",\"files\":[" DRIVER_FILE ",]}", FILES },
        { BEGIN ",\"files\":[,]}", FILES },
        { BEGIN ",\"files\":[7]}", FILES },
        { BEGIN ",\"files\":\"all\"}", FILES },
        { BEGIN ",\"files\":{}}", FILES },
        { BEGIN ",\"files\":[\"\\\\EFI\\\\Boot\\\\bootx64.efi\"]}", FILES },
        { BEGIN ",\"files\":[\"\\\\EFI\\\\other\\\\guard.list\"]}", FILES },
        { BEGIN ",\"files\":[\"\\\\EFI\\\\okram\\\\okram-guard-start.efi\"]}", FILES },
        { BEGIN ",\"files\":[\"\\\\EFI\\\\okram\\\\..\\\\x\"]}", FILES },
        { BEGIN ",\"files\":[\"\\\\EFI\\\\okram\"]}", FILES },
        { BEGIN ",\"files\":[\"\"]}", FILES },
        { BEGIN ",\"files\":[" DRIVER_FILE "," DRIVER_FILE "," DRIVER_FILE "," DRIVER_FILE
                "," DRIVER_FILE "]}",
          FILES },
        { BEGIN ",\"folders\":[\"\\\\\"]}", FOLDERS },
        { BEGIN ",\"folders\":[\"\\\\EFI\\\\\"]}", FOLDERS },
        { BEGIN ",\"folders\":[\"\\\\EF\"]}", FOLDERS },
        { BEGIN ",\"folders\":[\"\\\\EFI\\\\Microsoft\"]}", FOLDERS },
        { BEGIN ",\"folders\":[\"\\\\EFI\\\\okram\\\\okram\\\\okram\"]}", FOLDERS },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_false(backup_read(cases[i].line, &backup, &why));
        assert_string_equal(why, cases[i].why);
    }
    assert_true(backup_read(BEGIN "}", &backup, &why));
}

/* What stands inside of a value is not a field: "files" was found there. */
TEST(values_are_not_fields)
{
    assert_true(backup_read(BEGIN ",\"x\":\"\\\"files\\\":[\\\"a\\\"]\",\"y\":{\"order\":\"0\"}}",
                            &backup, &why));
    assert_int_equal(backup.n_files, 0);
    assert_false(backup.has_order);
    assert_true(backup_read(BEGIN ",\"x\":{\"files\":[\"a\"]},\"files\":[" DRIVER_FILE "]}",
                            &backup, &why));
    assert_int_equal(backup.n_files, 1);
}

TEST(all_that_an_installation_makes_is_its_own)
{
    static const char *const in_folder[] = { GUARD_LIST_FILE, GUARD_OPTIONS_FILE };

    for (const struct guard_way *way = guard_ways; way->name; way++) {
        struct backup made = { .way = way, .n_files = 3, .n_folders = 4 };
        const char *folder = way->folder, *third = strchr(folder + strlen("\\EFI\\"), '\\');
        int second = (int)(third ? third - folder : (long)strlen(folder));
        char line[BACKUP_MAX];

        snprintf(made.file[0], BACKUP_PATH_MAX, "%s\\%s", folder, way->file);
        for (unsigned i = 0; i < 2; i++)
            snprintf(made.file[1 + i], BACKUP_PATH_MAX, "%s\\okram\\%s", folder, in_folder[i]);
        strcpy(made.folder[0], "\\EFI");
        snprintf(made.folder[1], BACKUP_PATH_MAX, "%.*s", second, folder);
        strcpy(made.folder[2], folder);
        snprintf(made.folder[3], BACKUP_PATH_MAX, "%s\\okram", folder);
        assert_int_not_equal(backup_write(&made, line, sizeof(line)), 0);
        assert_true(backup_read(line, &backup, &why));
        assert_memory_equal(&backup, &made, sizeof(made));
    }
}

/* By shim there are shim and its MokManager, too; by no other way are these its own. */
TEST(the_files_of_shim)
{
    static const char *const names[] = { "okram-guardx64.efi", "shimx64.efi", "mmx64.efi",
                                         "okram\\guard.list" };

    for (const struct guard_way *way = guard_ways; way->name; way++) {
        struct backup made = { .way = way, .n_files = 4 };
        char line[BACKUP_MAX];

        for (unsigned i = 0; i < 4; i++)
            snprintf(made.file[i], BACKUP_PATH_MAX, "%s\\%s", way->folder, names[i]);
        assert_int_not_equal(backup_write(&made, line, sizeof(line)), 0);
        assert_int_equal(backup_read(line, &backup, &why), strcmp(way->name, "shim") == 0);
    }
}

TEST(reads_numbers_of_names)
{
    static const char *const bad[] = { "",           "Driver",     "Driver000", "Driver00000",
                                       "Driver00aB", "Driver000G", "Boot0001",  "driver0001" };
    uint16_t number = 7;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(guard_way_number(guard_way_named("driver"), bad[i], &number));
    assert_false(guard_way_number(guard_way_named("refind"), "0001", &number)); /* it has none */
    assert_int_equal(number, 7);
    assert_true(guard_way_number(guard_way_named("driver"), "Driver00AF", &number));
    assert_int_equal(number, 0xaf);
    assert_true(guard_way_number(guard_way_named("wrapper"), "BootFFFF", &number));
    assert_int_equal(number, 0xffff);
}

/* A person at the machine installs by these; what others have installed is read, too. */
TEST(the_menu_has_three_ways)
{
    static const char *const names[] = { "driver", "systemd", "refind", "wrapper", "shim" };
    unsigned n = 0, n_menu = 0;

    for (const struct guard_way *way = guard_ways; way->name; way++) {
        assert_string_equal(way->name, names[n++]);
        n_menu += way->row[0] != 0;
        assert_int_equal(way->row[0] != 0, way->row_on[0] != 0);
        assert_int_equal(way->shim[0] != 0, strcmp(way->name, "shim") == 0);
    }
    assert_int_equal(n, 5);
    assert_int_equal(n_menu, 3);
    assert_true(guard_way_named("driver")->row[0] && guard_way_named("wrapper")->row[0]);
    assert_string_equal(guard_way_named("wrapper")->order, "BootOrder");
    assert_null(guard_way_named("shell"));
}
