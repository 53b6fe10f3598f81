// SPDX-License-Identifier: MIT
#include "boot/uefi/diagnosis/diagnosis_menu.h"

#include "guided.h"

#include <stdlib.h>

#include <efilib.h>

#include "boot/uefi/diagnosis/kept_state.h"
#include "boot/uefi/diagnosis/reset.h"
#include "boot/uefi/firmware_tables.h"
#include "firmware/smbios_memory.h"

#define OWN ((EFI_HANDLE)1)

/* Firmware: what is kept, and what it does. */
static struct {
    bool has_state, cannot_keep, has_setup;
    const char *why;
    struct diagnosis state;
    unsigned written, off, setup;
} firmware;

static struct diagnosis_menu *menu;
static const struct menu_diagnosis *shown;
static char jsonl[1024], said[WARNING_TEXT_MAX];

UINTN Print(IN CONST CHAR16 *format, ...)
{
    return 0;
}

VOID *AllocateZeroPool(IN UINTN size)
{
    return calloc(1, size);
}

VOID FreePool(IN VOID *block)
{
    free(block);
}

bool firmware_tables_open_smbios(struct smbios *ret_smbios)
{
    return true;
}

enum status smbios_memory_read(const struct smbios *smbios, const struct warnings *warnings,
                               struct smbios_memory *ret_memory)
{
    *ret_memory = (struct smbios_memory){ .n_slot = fitted.n_slots };
    for (unsigned i = 0; i < fitted.n_slots; i++) {
        struct smbios_slot *s = &ret_memory->slot[i];

        s->is_ordinary = true;
        s->is_populated = fitted.slot[i].is_present;
        s->size_bytes = fitted.slot[i].size_bytes;
        strcpy(s->locator, fitted.slot[i].name);
        strcpy(s->serial, fitted.slot[i].serial);
    }
    return STATUS_OK;
}

void kept_state_read(EFI_HANDLE own, struct kept_state *ret_kept)
{
    assert_ptr_equal(own, OWN);
    *ret_kept = (struct kept_state){ .variable = { firmware.has_state && !firmware.why,
                                                   firmware.state, firmware.why } };
}

bool kept_state_write(EFI_HANDLE own, const struct diagnosis *d, struct fmt_buffer *message)
{
    if (firmware.cannot_keep) {
        fmt_append(message, "It cannot be kept.");
        return false;
    }
    firmware.has_state = true;
    firmware.why = NULL;
    firmware.state = *d;
    firmware.written++;
    return true;
}

bool kept_state_delete(EFI_HANDLE own, struct fmt_buffer *message)
{
    if (firmware.cannot_keep) {
        fmt_append(message, "It cannot be deleted.");
        return false;
    }
    firmware.has_state = false;
    return true;
}

bool reset_has_setup(void)
{
    return firmware.has_setup;
}

void reset_power_off(void)
{
    firmware.off++;
}

void reset_into_setup(void)
{
    firmware.setup++;
}

/* A report of 4 modules in as many slots, and these fitted. */
static void make(void)
{
    char code[DIAGNOSIS_CODE_MAX];
    struct fmt_buffer b = fmt_buffer_make(code, sizeof(code));
    struct diagnosis d;

    memset(&firmware, 0, sizeof(firmware));
    fitted = machine_of(4);
    for (unsigned i = 0; i < 4; i++) /* SMBIOS gives no speed here */
        fitted.slot[i].part[0] = 0, fitted.slot[i].configured_mt_s = 0;
    d = begun(&fitted, 3, 3);
    diagnosis_append_code(&d, &b);
    snprintf(jsonl, sizeof(jsonl),
             "{\"type\":\"diagnosis\",\"begun\":false,\"tests\":\"march-c-\",\"code\":\"%s\"}\n",
             code);
}

static bool begin(const char *records)
{
    menu = diagnosis_menu_begin(OWN, records);
    shown = menu ? diagnosis_menu_shown(menu) : NULL;
    return menu;
}

static void end(void)
{
    free(menu);
}

static void act(enum menu_action action, unsigned choice)
{
    struct fmt_buffer b = fmt_buffer_make(said, sizeof(said));

    diagnosis_menu_act(menu, action, choice, &b);
}

static unsigned choice_of(const char *label)
{
    for (unsigned i = 0; i < shown->n_choices; i++) {
        if (strstr(shown->choice[i], label))
            return i;
    }
    fail_msg("%s cannot be chosen", label);
    return 0;
}

static void nothing_to_show(void **state)
{
    make();
    assert_false(begin(NULL));
    assert_false(begin("{\"type\":\"result\"}\n"));
    assert_int_equal(firmware.written, 0);
}

static void an_offer_is_kept(void **state)
{
    make();
    assert_true(begin(jsonl));
    assert_int_equal(shown->first, MENU_FIRST_WAITS);
    assert_string_equal(shown->headline, "Find the bad module, step by step");
    assert_int_equal(firmware.written, 1);
    assert_true(firmware.state.is_offered);
    end();
    assert_true(begin(NULL)); /* the report is deleted */
    assert_int_equal(shown->first, MENU_FIRST_WAITS);
    assert_string_equal(shown->headline, "Find the bad module, step by step");
    assert_int_equal(firmware.written, 1);
    act(MENU_OPENS_DIAGNOSIS, 0);
    assert_int_equal(firmware.written, 2);
    assert_false(firmware.state.is_offered);
    assert_non_null(strstr(shown->page, "take out the module in DIMM_"));
    assert_string_equal(said, "");
    act(MENU_OPENS_DIAGNOSIS, 0);
    assert_int_equal(firmware.written, 2);
    act(MENU_DIAGNOSES, choice_of("Switch the machine off"));
    assert_int_equal(firmware.off, 1);
    assert_string_equal(said, "Firmware did not switch the machine off: use its button.");
    end();
}

static void it_goes_on_at_the_next_start(void **state)
{
    make();
    begin(jsonl);
    act(MENU_OPENS_DIAGNOSIS, 0);
    end();
    begin(NULL);
    assert_int_equal(shown->first, MENU_FIRST_OPENS);
    act(MENU_DIAGNOSES, choice_of("does not start"));
    assert_int_equal(firmware.state.n_runs, 2);
    act(MENU_DIAGNOSES, choice_of("Test it as it is now"));
    assert_int_equal(strncmp(shown->words, "tests=march-c- 'march=' passes=", 31), 0);
    assert_non_null(strstr(shown->words, " save=on diagnosis="));
    assert_true(firmware.state.is_running);
    end();
    begin(NULL);
    assert_int_equal(shown->first, MENU_FIRST_OPENS);
    assert_non_null(strstr(shown->page, "left no result"));
    end();
}

static void what_is_right_starts(void **state)
{
    struct diagnosis_step step;
    struct diagnosis_end kind;

    make();
    begin(jsonl);
    act(MENU_OPENS_DIAGNOSIS, 0);
    end();
    diagnosis_next(&firmware.state, &step, &kind);
    for (unsigned i = 0; i < 4; i++) {
        if (step.at.slot_of[i] == DIAGNOSIS_ABSENT)
            fit(&fitted, i, NULL);
    }
    begin(NULL);
    assert_int_equal(shown->first, MENU_FIRST_STARTS);
    act(MENU_DIAGNOSES, 0);
    assert_true(shown->words[0]);
    end();
}

static void it_is_forgotten(void **state)
{
    make();
    begin(jsonl);
    act(MENU_OPENS_DIAGNOSIS, 0);
    firmware.cannot_keep = true;
    act(MENU_DIAGNOSES, choice_of("Forget"));
    assert_string_equal(said, "It cannot be deleted.");
    assert_true(shown->headline[0]);
    firmware.cannot_keep = false;
    act(MENU_DIAGNOSES, choice_of("Forget"));
    assert_string_equal(said, "The search for the bad module is forgotten.");
    assert_string_equal(shown->headline, "");
    assert_false(firmware.has_state);
    assert_int_equal(firmware.written, 2);
    end();
}

static void what_cannot_be_kept_is_said(void **state)
{
    make();
    firmware.cannot_keep = true;
    begin(jsonl);
    act(MENU_OPENS_DIAGNOSIS, 0);
    assert_string_equal(said, "It cannot be kept.");
    end();
}

static void damage_is_shown(void **state)
{
    make();
    firmware.why = "its checksum is wrong";
    assert_true(begin(NULL));
    assert_int_equal(shown->first, MENU_FIRST_WAITS);
    assert_non_null(strstr(shown->page, "its checksum is wrong"));
    end();
    begin(jsonl);
    act(MENU_OPENS_DIAGNOSIS, 0);
    assert_true(firmware.has_state);
    end();
}

/* A result that cannot be read is not left out in silence. */
static void a_damaged_result_is_shown(void **state)
{
    static const char records[] =
        "{\"type\":\"diagnosis\",\"begun\":true,\"tests\":\"march-c-\",\"code\":\"zzzz\"}\n";

    make();
    assert_true(begin(records));
    assert_int_equal(shown->first, MENU_FIRST_WAITS);
    assert_non_null(strstr(shown->page, "could not be read: its word is damaged, or of another "
                                        "version.\nSo the search starts again"));
    end();
    begin(jsonl);
    act(MENU_OPENS_DIAGNOSIS, 0);
    end();
    begin(records);
    assert_non_null(strstr(shown->page, "could not be read"));
    act(MENU_DIAGNOSES, choice_of("Forget"));
    assert_string_equal(shown->headline, "");
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_to_show),
        cmocka_unit_test(an_offer_is_kept),
        cmocka_unit_test(it_goes_on_at_the_next_start),
        cmocka_unit_test(what_is_right_starts),
        cmocka_unit_test(it_is_forgotten),
        cmocka_unit_test(what_cannot_be_kept_is_said),
        cmocka_unit_test(damage_is_shown),
        cmocka_unit_test(a_damaged_result_is_shown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
