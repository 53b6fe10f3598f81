// SPDX-License-Identifier: MIT
/* The page on the guard, by the variables of a firmware that the test plays. */
#include "boot/uefi/guard_install/guard_menu.h"

#include "boot/uefi/guard_install/install.h"
#include "tests/fuzz/fake_uefi.h"
#include "tests/unit/unit.h"

#define BACKUP                                                                                     \
    "{\"type\":\"guard-backup\",\"version\":1,\"way\":\"driver\",\"driver\":\"Driver0000\"}"

/* The menu, and what it has read, is never freed. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "detect_leaks=0";
}

static void set(const char *name, const void *bytes, size_t size)
{
    fake_set(fake_uefi.variable, name, VARIABLE_SHARED, bytes, size);
}

static void set_backup(void)
{
    set(BACKUP_NAME, BACKUP, strlen(BACKUP));
}

static void set_found(void)
{
    static const struct guard_run three[] = { { 0x3000, 1 }, { 0x3100, 2 } };

    fake_set_list("OkramGuardNew", three, 2);
}

static struct guard_menu *menu;

static void act(enum menu_action action)
{
    char text[200];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    guard_menu_act(menu, action, 0, &b);
}

static void begin(bool last_report_has_bad_pages)
{
    free(menu);
    menu = guard_menu_begin(FAKE_STICK, NULL, last_report_has_bad_pages);
}

static const char *headline(void)
{
    return guard_menu_shown(menu)->headline;
}

static bool says(const char *text)
{
    return strstr(guard_menu_shown(menu)->page, text) != NULL;
}

static int start(void **state)
{
    fake_begin();
    fake_image[FAKE_PE_AT + 132] = 16; /* data directories */
    return 0;
}

static int end(void **state)
{
    free(menu);
    menu = NULL;
    return 0;
}

TEST(what_is_masked, start, end)
{
    static const struct {
        const char *status, *headline, *page;
    } cases[] = {
        { "{\"state\":\"masked\",\"pages\":2,\"masked\":2,\"held\":0,\"reserved\":0,\"outside\":0}",
          "2 bad pages masked", "\n2 bad pages masked.\n" },
        { "{\"state\":\"masked\",\"pages\":2,\"masked\":1,\"held\":1,\"kept\":1,\"reserved\":0}",
          "1 of 2 bad pages masked",
          "\n1 of 2 bad pages masked; firmware still uses the other: replace the module.\n" },
        { "{\"state\":\"masked\",\"pages\":9,\"masked\":1,\"held\":2,\"reserved\":2,\"outside\":3}",
          "1 of 6 bad pages masked",
          "\n1 of 6 bad pages masked; Windows and Linux still use the other 5: replace the "
          "module.\n" },
        { "{\"state\":\"masked\",\"pages\":1,\"masked\":0,\"held\":1,\"reserved\":1,\"outside\":0}",
          "masks nothing",
          "\n0 of 1 bad page masked; Windows still uses it: replace the module.\n" },
        { "{\"state\":\"stopped\",\"pages\":900,\"masked\":0,\"held\":0,\"reserved\":0,"
          "\"outside\":0,\"why\":\"more than half of the free memory is listed\"}",
          "masks nothing",
          "\n0 of 900 bad pages masked (more than half of the free memory is listed); Windows and "
          "Linux still use them: replace the module.\n" },
        /* Not this machine's pages, or none. */
        { "{\"state\":\"stale\",\"pages\":7,\"masked\":0,\"held\":0,\"reserved\":0,\"outside\":0,"
          "\"why\":\"the memory modules changed since it was made\"}",
          "masks nothing",
          "\n0 bad pages masked (the memory modules changed since it was made).\n" },
    };

    set_backup();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        set("OkramGuardStatus", cases[i].status, strlen(cases[i].status));
        begin(false);
        act(MENU_OPENS_GUARD);
        assert_string_equal(headline(), cases[i].headline);
        assert_true(says(cases[i].page));
        assert_false(says("No bad memory is known"));
    }
}

/* After the restart firmware has had its chance. */
TEST(right_after_installing, start, end)
{
    set_found();
    begin(true);
    act(MENU_OPENS_GUARD);
    assert_string_equal(headline(), "install it for 3 bad pages");
    assert_true(says("The guard keeps Windows and Linux away from the bad memory.\n"));
    act(MENU_ASKS_GUARD);
    act(MENU_CHANGES_GUARD);
    assert_null(
        fake_find(fake_uefi.variable, BACKUP_NAME)); /* an unsigned list is asked about once more */
    act(MENU_CHANGES_GUARD);
    assert_string_equal(headline(), "installed, starts when you restart");
    assert_true(says("It is installed. Restart: then this page says how many pages it masks.\n"));
    assert_false(says("has not started") || says("another way"));
    begin(true);
    act(MENU_OPENS_GUARD);
    assert_string_equal(headline(), "installed, not started by firmware");
    assert_true(says("If you have restarted since you installed it: remove it, and install it "
                     "another way."));
    act(MENU_ASKS_GUARD);
    act(MENU_CHANGES_GUARD);
    assert_string_equal(headline(), "install it for 3 bad pages");
}

/* By Linux, or by an older okram: it is not firmware that has to start it. */
TEST(installed_for_a_boot_manager, start, end)
{
    static const char backup[] = "{\"type\":\"guard-backup\",\"version\":1,\"way\":\"systemd\"}";

    set(BACKUP_NAME, backup, strlen(backup));
    set_found();
    begin(true);
    act(MENU_OPENS_GUARD);
    assert_string_equal(headline(), "installed, for systemd-boot; the last run found more");
    assert_true(says("It is installed for systemd-boot, which has not started okram.\n"));
    assert_false(says("another way"));
    assert_int_equal(guard_menu_shown(menu)->n_choices, 2);
    assert_string_equal(guard_menu_shown(menu)->choice[1], "Remove the guard");
}

TEST(where_there_is_no_list, start, end)
{
    begin(false);
    act(MENU_OPENS_GUARD);
    assert_string_equal(headline(), "not installed");
    assert_true(says("No bad memory is known. Run a test first.\n"));
    assert_false(says("BitLocker") || says("signed"));
    begin(true);
    act(MENU_OPENS_GUARD);
    assert_true(says("The last run found bad memory, but its list could not be kept"));
    assert_false(says("No bad memory"));
}

TEST(signatures, start, end)
{
    static const struct {
        bool is_signed, is_secure;
        const char *says;
    } cases[] = {
        { false, false, "\nThe guard is not signed: once Secure Boot is on, it does not start.\n" },
        { true, false, NULL },
        { false, true,
          "only if it is signed by a key that firmware trusts, and this one is not signed.\n" },
        { true, true, "only if it is signed by a key that firmware trusts.\n" },
    };

    for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
        start(NULL);
        if (i % 2)
            set_found();
        else
            set_backup();
        fake_image[FAKE_PE_AT + 168] = fake_image[FAKE_PE_AT + 172] = cases[i / 2].is_signed;
        fake_uefi.is_secure = cases[i / 2].is_secure;
        begin(false);
        act(MENU_OPENS_GUARD);
        if (cases[i / 2].says)
            assert_true(says(cases[i / 2].says));
        else
            assert_false(says("signed: ") || says("Secure Boot"));
        assert_true(says("suspend BitLocker") && says("shutdown /s /f /t 0"));
    }
}

static bool asks(const char *text)
{
    return strstr(guard_menu_shown(menu)->question, text) != NULL;
}

/* Each write is named before it is done, and each deletion. */
TEST(questions, start, end)
{
    set_found();
    set("DriverOrder", "\7\0", 2);
    begin(false);
    act(MENU_OPENS_GUARD);
    act(MENU_ASKS_GUARD);
    assert_true(asks("This will be written, in this order; the files to ESP:\n"
                     "- UEFI variable OkramGuardBackup, "));
    assert_true(asks(
        " bytes: what removing it needs\n- the file \\EFI\\okram\\okram-guardx64.efi, 600 bytes\n"));
    assert_true(asks("- UEFI variable OkramGuard, 134 bytes: 3 bad pages\n"));
    assert_true(asks(" bytes: starts \\EFI\\okram\\okram-guardx64.efi\n"));
    assert_true(asks("DriverOrder, 4 bytes: 0000 first, then the 1 that are there\n"));
    act(MENU_CHANGES_GUARD);
    act(MENU_CHANGES_GUARD);
    act(MENU_ASKS_GUARD);
    assert_true(asks("This will be deleted or changed, in this order:\n"
                     "- UEFI variable DriverOrder, 2 bytes: Driver0000 is taken out\n"
                     "- UEFI variable Driver0000\n"));
    assert_true(asks("- the folder \\EFI\\okram, if it is empty\n"));
}

TEST(ways, start, end)
{
    const struct menu_guard *shown;

    set_found();
    begin(false);
    act(MENU_OPENS_GUARD);
    shown = guard_menu_shown(menu);
    assert_int_equal(shown->n_choices, 2);
    assert_string_equal(shown->choice[0], "Install it on ESP");
    assert_string_equal(shown->choice[1], "If that does not work: as the first boot entry");
    fake_uefi.n_partitions = 2;
    act(MENU_OPENS_GUARD);
    assert_int_equal(shown->n_choices, 4);
    assert_string_equal(shown->choice[1], "Install it on FSP");
    assert_string_equal(shown->choice[3], "Else as first boot entry on FSP");
}

/* Where the stick has shim; as many as there may be fit. */
TEST(by_shim, start, end)
{
    const struct menu_guard *shown;

    set_found();
    fake_set_shim("shim,4\n");
    begin(false);
    act(MENU_OPENS_GUARD);
    shown = guard_menu_shown(menu);
    assert_int_equal(shown->n_choices, 3);
    assert_string_equal(shown->choice[0], "Install it on ESP");
    assert_string_equal(shown->choice[2], "So that Secure Boot can be on: by shim");
    assert_true(says("The guard is not signed: once Secure Boot is on, it starts only by shim.\n"));
    fake_uefi.n_partitions = 3;
    act(MENU_OPENS_GUARD);
    assert_int_equal(shown->n_choices, 9);
    assert_string_equal(shown->choice[8], "For Secure Boot, by shim on FSP");

    fake_uefi.is_secure = true;
    act(MENU_OPENS_GUARD);
    assert_int_equal(shown->n_choices, 3);
    assert_string_equal(shown->choice[2], "Install it on FSP");
    fake_image[FAKE_PE_AT + 168] = fake_image[FAKE_PE_AT + 172] = 1; /* a signature */
    act(MENU_OPENS_GUARD);
    assert_int_equal(shown->n_choices, 6);
    assert_string_equal(shown->choice[3], "As a driver on ESP");
    fake_uefi.n_partitions = 1;
    act(MENU_OPENS_GUARD);
    assert_string_equal(shown->choice[1], "If firmware has its key: as a driver");
}

TEST(must_be_enrolled, start, end)
{
    set_found();
    fake_set_shim("shim,4\n");
    set("BootOrder", "\7\0", 2);
    fake_uefi.is_secure = fake_uefi.has_shim_lock = true;
    begin(false);
    act(MENU_OPENS_GUARD);
    assert_true(says("Secure Boot is on, and shim starts the guard once you have enrolled it.\n"));
    act(MENU_ASKS_GUARD);
    assert_true(asks("- the file \\EFI\\okram\\shimx64.efi, ") &&
                asks("- the file \\EFI\\okram\\mmx64.efi, "));
    act(MENU_CHANGES_GUARD);
    act(MENU_CHANGES_GUARD);
    assert_true(says("It is installed, but shim does not start it before you enroll it.") &&
                says("Enroll hash from disk, OKRAM, ENROLL-GUARD.efi, Continue, Yes, Reboot."));
    fake_uefi.is_enrolled = true;
    act(MENU_OPENS_GUARD);
    assert_true(says("Secure Boot is on, and shim starts the guard.\n"));
    assert_false(says("enroll"));
}
