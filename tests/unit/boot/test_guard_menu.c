// SPDX-License-Identifier: MIT
/* The page on the guard, by the variables of a firmware that the test plays. */
#include "boot/uefi/guard_install/guard_menu.h"

#include "../guardlist/samples.h"

#include <efi.h>
#include <efilib.h>

#include "boot/uefi/guard_install/change.h"
#include "boot/uefi/guard_install/install.h"
#include "boot/uefi/guard_install/this_machine.h"
#include "boot/uefi/secure_boot.h"
#include "boot/uefi/sign_key.h"

#define BACKUP "a backup"

static struct {
    const char *status;         /* OkramGuardStatus, or NULL */
    bool has_backup, has_found; /* OkramGuardBackup, OkramGuardNew */
    bool is_signed, is_secure;  /* the guard's file; Secure Boot is on */
    unsigned n_partitions;
} computer;

EFI_GUID variable_okram;

struct variable variable_read(const char *name, const EFI_GUID *vendor)
{
    static uint8_t list[200];
    static const struct guard_run runs[] = { { 0x3000, 1 }, { 0x3100, 2 } };

    if (strcmp(name, "OkramGuardStatus") == 0 && computer.status)
        return (struct variable){ .bytes = (uint8_t *)computer.status };
    if (strcmp(name, BACKUP_NAME) == 0 && computer.has_backup)
        return (struct variable){ .bytes = (uint8_t *)BACKUP };
    if (strcmp(name, "OkramGuardNew") == 0 && computer.has_found)
        return (struct variable){ .bytes = list, .size = make_list(runs, 2, list, sizeof(list)) };
    return (struct variable){ .status = EFI_NOT_FOUND };
}

void variable_free(struct variable *variable)
{
}

bool backup_read(const char *text, struct backup *ret_backup, const char **ret_why)
{
    assert_string_equal(text, BACKUP);
    *ret_backup = (struct backup){ .way = GUARD_BY_DRIVER };
    return true;
}

EFI_STATUS this_machine_fingerprint(struct guard_fingerprint *ret_machine)
{
    *ret_machine = sample_machine;
    return EFI_SUCCESS;
}

bool sign_key_read(uint8_t ret_key[SIGN_KEY_BYTES])
{
    return false;
}

void partitions_find(EFI_HANDLE own, struct partitions *ret_partitions)
{
    *ret_partitions = (struct partitions){ .n = computer.n_partitions };
    for (unsigned i = 0; i < computer.n_partitions; i++)
        strcpy(ret_partitions->partition[i].name, i ? "OTHER" : "ESP");
}

bool secure_boot_is_on(void)
{
    return computer.is_secure;
}

bool install_is_signed(EFI_HANDLE own)
{
    return computer.is_signed;
}

bool install_plan_make(EFI_HANDLE own, const struct install_state *state, enum guard_way way,
                       const struct partition *partition, struct install_plan *ret_plan,
                       struct fmt_buffer *message)
{
    return true;
}

void install_plan_free(struct install_plan *plan)
{
}

void install_plan_show(const struct install_plan *plan, struct fmt_buffer *out)
{
}

bool install_do(const struct install_plan *plan, struct fmt_buffer *message)
{
    computer.has_backup = true;
    return true;
}

bool change_can_add(const struct install_state *state)
{
    return false;
}

void change_show_add(const struct install_state *state, struct fmt_buffer *out)
{
}

void change_show_remove(const struct install_state *state, struct fmt_buffer *out)
{
}

bool change_add(const struct install_state *state, struct fmt_buffer *message)
{
    return true;
}

bool change_remove(const struct install_state *state, struct fmt_buffer *message)
{
    computer.has_backup = false;
    return true;
}

VOID *AllocateZeroPool(UINTN size)
{
    return calloc(1, size);
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
    menu = guard_menu_begin(NULL, NULL, last_report_has_bad_pages);
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
    memset(&computer, 0, sizeof(computer));
    computer.n_partitions = 1;
    return 0;
}

static int end(void **state)
{
    free(menu);
    menu = NULL;
    return 0;
}

static void what_is_masked(void **state)
{
    static const struct {
        const char *status, *headline, *page;
    } cases[] = {
        { "{\"state\":\"masked\",\"pages\":2,\"masked\":2,\"held\":0,\"reserved\":0,\"outside\":0}",
          "2 bad pages masked", "\n2 bad pages masked.\n" },
        { "{\"state\":\"masked\",\"pages\":2,\"masked\":1,\"held\":1,\"reserved\":1,\"outside\":0}",
          "1 of 2 bad pages masked",
          "\n1 of 2 bad pages masked; Windows still uses the other: replace the module.\n" },
        { "{\"state\":\"masked\",\"pages\":3,\"masked\":1,\"held\":2,\"kept\":1,\"reserved\":1}",
          "1 of 3 bad pages masked",
          "\n1 of 3 bad pages masked; Windows still uses the other 2: replace the module.\n" },
        { "{\"state\":\"masked\",\"pages\":2,\"masked\":1,\"held\":1,\"kept\":1,\"reserved\":0}",
          "1 of 2 bad pages masked",
          "\n1 of 2 bad pages masked; firmware still uses the other: replace the module.\n" },
        { "{\"state\":\"masked\",\"pages\":9,\"masked\":1,\"held\":2,\"reserved\":2,\"outside\":3}",
          "1 of 6 bad pages masked",
          "\n1 of 6 bad pages masked; Windows and Linux still use the other 5: replace the "
          "module.\n" },
        { "{\"state\":\"masked\",\"pages\":5,\"masked\":2,\"held\":0,\"reserved\":0,\"outside\":3}",
          "2 bad pages masked", "\n2 bad pages masked.\n" },
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

    computer.has_backup = true;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        computer.status = cases[i].status;
        begin(false);
        act(MENU_OPENS_GUARD);
        assert_string_equal(headline(), cases[i].headline);
        assert_true(says(cases[i].page));
        assert_false(says("No bad memory is known"));
    }
}

/* After the restart firmware has had its chance. */
static void right_after_installing(void **state)
{
    computer.has_found = true;
    begin(true);
    act(MENU_OPENS_GUARD);
    assert_string_equal(headline(), "install it for 3 bad pages");
    assert_true(says("The guard keeps Windows and Linux away from the bad memory.\n"));
    act(MENU_ASKS_GUARD);
    act(MENU_CHANGES_GUARD);
    assert_false(computer.has_backup); /* an unsigned list is asked about once more */
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

static void where_there_is_no_list(void **state)
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

static void signatures(void **state)
{
    static const struct {
        bool is_signed, is_secure;
        const char *says;
    } cases[] = {
        { false, false, "\nThe guard is not signed: it does not start once Secure Boot is on.\n" },
        { true, false, NULL },
        { false, true,
          "only if it is signed by a key that firmware trusts, and this one is not signed.\n" },
        { true, true, "only if it is signed by a key that firmware trusts.\n" },
    };

    for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
        computer.has_found = i % 2;
        computer.has_backup = !computer.has_found;
        computer.is_signed = cases[i / 2].is_signed;
        computer.is_secure = cases[i / 2].is_secure;
        begin(false);
        act(MENU_OPENS_GUARD);
        if (cases[i / 2].says)
            assert_true(says(cases[i / 2].says));
        else
            assert_false(says("signed: ") || says("Secure Boot"));
        assert_true(says("suspend BitLocker") && says("shutdown /s /f /t 0"));
    }
}

static void ways(void **state)
{
    const struct menu_guard *shown;

    computer.has_found = true;
    begin(false);
    act(MENU_OPENS_GUARD);
    shown = guard_menu_shown(menu);
    assert_int_equal(shown->n_choices, 2);
    assert_string_equal(shown->choice[0], "Install it on ESP");
    assert_string_equal(shown->choice[1], "If that does not work: as the first boot entry");
    computer.n_partitions = 2;
    act(MENU_OPENS_GUARD);
    assert_int_equal(shown->n_choices, 4);
    assert_string_equal(shown->choice[1], "Install it on OTHER");
    assert_string_equal(shown->choice[3], "Else as first boot entry on OTHER");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_masked, start, end),
        cmocka_unit_test_setup_teardown(right_after_installing, start, end),
        cmocka_unit_test_setup_teardown(where_there_is_no_list, start, end),
        cmocka_unit_test_setup_teardown(signatures, start, end),
        cmocka_unit_test_setup_teardown(ways, start, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
