// SPDX-License-Identifier: MIT
#include "boot/uefi/diagnosis/diagnosis_menu.h"

#include "guided.h"

#include <stdlib.h>

#include <efilib.h>

#include "boot/uefi/diagnosis/kept_state.h"
#include "boot/uefi/firmware_tables.h"
#include "boot/uefi/variables.h"
#include "firmware/smbios_memory.h"

#define OWN ((EFI_HANDLE)1)

/* Firmware: what is kept, and what it does. */
static struct {
    bool cannot_keep;
    char state[DIAGNOSIS_KEPT_MAX];
    unsigned written;
    UINT64 supported, indications; /* 0: there is no such variable */
    uint16_t current, next;        /* BootCurrent and BootNext */
    bool refuses;
    int reset; /* the type, or -1 */
} firmware;

EFI_GUID variable_boot;

static struct diagnosis_menu *menu;
static const struct menu_diagnosis *shown;
static char said[WARNING_TEXT_MAX];

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
        s->configured_mt_s = fitted.slot[i].configured_mt_s;
        strcpy(s->locator, fitted.slot[i].name);
        strcpy(s->serial, fitted.slot[i].serial);
    }
    return STATUS_OK;
}

void kept_state_read(EFI_HANDLE own, struct kept_state *ret_kept)
{
    assert_ptr_equal(own, OWN);
    *ret_kept = (struct kept_state){ 0 };
    strcpy(ret_kept->variable.text, firmware.state);
}

bool kept_state_write(EFI_HANDLE own, const struct diagnosis *d, struct fmt_buffer *message)
{
    if (firmware.cannot_keep) {
        fmt_append(message, "It cannot be kept.");
        return false;
    }
    strcpy(firmware.state, code_of(d, true));
    firmware.written++;
    return true;
}

bool kept_state_delete(EFI_HANDLE own, struct fmt_buffer *message)
{
    if (firmware.cannot_keep) {
        fmt_append(message, "It cannot be deleted.");
        return false;
    }
    firmware.state[0] = 0;
    return true;
}

struct variable variable_read(const char *name, const EFI_GUID *vendor)
{
    UINT64 *number =
        strcmp(name, "OsIndicationsSupported") == 0 ? &firmware.supported : &firmware.indications;

    assert_ptr_equal(vendor, &variable_boot);
    if (strcmp(name, "BootCurrent") == 0)
        return (struct variable){ firmware.current ? (uint8_t *)&firmware.current : NULL, 2, 7, 0 };
    return (struct variable){ *number ? (uint8_t *)number : NULL, sizeof(*number), 7, 0 };
}

void variable_free(struct variable *variable)
{
}

EFI_STATUS variable_write(const char *name, const EFI_GUID *vendor, UINT32 attributes,
                          const void *bytes, UINTN size)
{
    bool is_next = strcmp(name, "BootNext") == 0;

    assert_int_equal(attributes, VARIABLE_SHARED);
    assert_int_equal(size, is_next ? sizeof(firmware.next) : sizeof(firmware.indications));
    if (firmware.refuses)
        return EFI_OUT_OF_RESOURCES;
    memcpy(is_next ? (void *)&firmware.next : &firmware.indications, bytes, size);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI reset_system(EFI_RESET_TYPE type, EFI_STATUS status, UINTN size,
                                      CHAR16 *data)
{
    firmware.reset = (int)type;
    return EFI_SUCCESS;
}

static EFI_RUNTIME_SERVICES runtime = { .ResetSystem = reset_system };
EFI_RUNTIME_SERVICES *RT = &runtime;

/* A report of 4 modules in as many slots, and these fitted. */
static void make(void)
{
    struct diagnosis d;

    memset(&firmware, 0, sizeof(firmware));
    firmware.reset = -1;
    fitted = machine_of(4);
    for (unsigned i = 0; i < 4; i++) /* SMBIOS gives no speed here */
        fitted.slot[i].part[0] = 0, fitted.slot[i].configured_mt_s = 0;
    d = begun(&fitted, 3, 3);
    report(&d, false);
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

/* At the next start. */
static void again(const char *records)
{
    free(menu);
    assert_true(begin(records));
}

/* The state that was kept. */
static struct diagnosis state_kept(void)
{
    char why[100];
    struct fmt_buffer b = fmt_buffer_make(why, sizeof(why));
    struct diagnosis d;

    assert_int_equal(diagnosis_read_code(firmware.state, false, &d, &b), STATUS_OK);
    return d;
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
    assert_true(state_kept().is_offered);
    again(NULL); /* the report is deleted */
    assert_int_equal(shown->first, MENU_FIRST_WAITS);
    assert_string_equal(shown->headline, "Find the bad module, step by step");
    assert_int_equal(firmware.written, 1);
    act(MENU_OPENS_DIAGNOSIS, 0);
    assert_int_equal(firmware.written, 2);
    assert_false(state_kept().is_offered);
    assert_non_null(strstr(shown->page, "take out the module in DIMM_"));
    assert_string_equal(said, "");
    act(MENU_OPENS_DIAGNOSIS, 0);
    assert_int_equal(firmware.written, 2);
    act(MENU_DIAGNOSES, choice_of("Switch the machine off"));
    assert_int_equal(firmware.reset, EfiResetShutdown);
    assert_string_equal(said, "Firmware did not switch the machine off: use its button.");
    end();
}

static void it_goes_on_at_the_next_start(void **state)
{
    make();
    begin(jsonl);
    act(MENU_OPENS_DIAGNOSIS, 0);
    again(NULL);
    assert_int_equal(shown->first, MENU_FIRST_OPENS);
    act(MENU_DIAGNOSES, choice_of("does not start"));
    assert_int_equal(state_kept().n_runs, 2);
    act(MENU_DIAGNOSES, choice_of("Test it as it is now"));
    assert_int_equal(strncmp(shown->words, "tests=march-c- 'march=' passes=", 31), 0);
    assert_non_null(strstr(shown->words, " save=on diagnosis="));
    assert_true(state_kept().is_running);
    again(NULL);
    assert_int_equal(shown->first, MENU_FIRST_OPENS);
    assert_non_null(strstr(shown->page, "left no result"));
    end();
}

static void what_is_right_starts(void **state)
{
    struct diagnosis_step step;
    struct diagnosis_end kind;
    struct diagnosis d;

    make();
    begin(jsonl);
    act(MENU_OPENS_DIAGNOSIS, 0);
    end();
    d = state_kept();
    diagnosis_next(&d, &step, &kind);
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
    assert_string_equal(firmware.state, "");
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

/* What cannot be read is not left out in silence. */
static void damage_is_shown(void **state)
{
    static const char records[] =
        "{\"type\":\"diagnosis\",\"begun\":true,\"tests\":\"march-c-\",\"code\":\"zzzz\"}\n";

    make();
    assert_true(begin(records));
    assert_int_equal(shown->first, MENU_FIRST_WAITS);
    assert_non_null(strstr(shown->page, "could not be read: its word is damaged, or of another "
                                        "version.\nSo the search starts again"));
    strcpy(firmware.state, "zzzz");
    again(NULL);
    assert_int_equal(shown->first, MENU_FIRST_WAITS);
    assert_non_null(strstr(shown->page, "it is of another version of okram"));
    again(jsonl);
    act(MENU_OPENS_DIAGNOSIS, 0);
    assert_int_equal(state_kept().n_runs, 1);
    again(records);
    assert_non_null(strstr(shown->page, "could not be read"));
    act(MENU_DIAGNOSES, choice_of("Forget"));
    assert_string_equal(shown->headline, "");
    end();
}

/* A state in which memory is to run slower, and its page. */
static void ask_for_settings(UINT64 supported)
{
    struct diagnosis d;

    make();
    set_speed(&fitted, FAST, SLOW);
    d = begun(&fitted, 3, 3);
    d.kind = DIAGNOSIS_KIND_EVERYWHERE;
    report(&d, false);
    firmware.supported = supported;
    firmware.indications = 4; /* others stay */
    firmware.current = 0x102;
    begin(jsonl);
    act(MENU_OPENS_DIAGNOSIS, 0);
}

/* What okram was booted from is booted next, unless firmware does not say or refuses. */
static void into_setup_where_firmware_can(void **state)
{
    ask_for_settings(1);
    act(MENU_DIAGNOSES, choice_of("Restart into BIOS setup"));
    assert_int_equal(firmware.indications, 5);
    assert_int_equal(firmware.next, 0x102);
    assert_int_equal(firmware.reset, EfiResetCold);
    assert_non_null(strstr(said, "Firmware did not restart"));
    end();
    ask_for_settings(1);
    firmware.refuses = true;
    act(MENU_DIAGNOSES, choice_of("Restart into BIOS setup"));
    assert_int_equal(firmware.reset, -1);
    act(MENU_DIAGNOSES, choice_of("Switch the machine off"));
    assert_int_equal(firmware.reset, EfiResetShutdown);
    assert_int_equal(firmware.next, 0);
    end();
    ask_for_settings(0x3e);
    for (unsigned i = 0; i < shown->n_choices; i++)
        assert_null(strstr(shown->choice[i], "BIOS setup"));
    firmware.current = 0;
    act(MENU_DIAGNOSES, choice_of("Switch the machine off"));
    assert_int_equal(firmware.indications, 4);
    assert_int_equal(firmware.next, 0);
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
        cmocka_unit_test(into_setup_where_firmware_can),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
