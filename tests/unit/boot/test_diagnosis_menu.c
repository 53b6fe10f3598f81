// SPDX-License-Identifier: MIT
#include "boot/uefi/diagnosis/diagnosis_menu.h"

#include "guided.h"

#include <efi.h>
#include <efilib.h>

#include "boot/uefi/firmware_tables.h"
#include "boot/uefi/variables.h"
#include "firmware/smbios_memory.h"

/* Firmware: what is kept, and what it does. */
static struct {
    bool cannot_keep, cannot_read, is_shared; /* of its variable */
    char state[DIAGNOSIS_KEPT_MAX + 1];
    UINTN size; /* of that; 0: there is none */
    unsigned written;
    UINT64 supported, indications; /* 0: there is no such variable */
    uint16_t current, next;        /* BootCurrent and BootNext */
    bool refuses;
    int reset; /* the type, or -1 */
} firmware;

EFI_GUID variable_okram, variable_boot;

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

static struct variable read_state(void)
{
    UINT32 attributes = firmware.is_shared ? VARIABLE_SHARED : VARIABLE_KEPT;

    if (firmware.cannot_read)
        return (struct variable){ .status = EFI_DEVICE_ERROR };
    if (!firmware.size)
        return (struct variable){ .status = EFI_NOT_FOUND };
    return (struct variable){ (uint8_t *)firmware.state, firmware.size, attributes, 0 };
}

struct variable variable_read(const char *name, const EFI_GUID *vendor)
{
    UINT64 *number =
        strcmp(name, "OsIndicationsSupported") == 0 ? &firmware.supported : &firmware.indications;

    if (strcmp(name, "OkramDiagnosis") == 0 && vendor == &variable_okram)
        return read_state();
    assert_ptr_equal(vendor, &variable_boot);
    return (struct variable){ *number ? (uint8_t *)number : NULL, sizeof(*number), 7, 0 };
}

void variable_free(struct variable *variable)
{
}

static EFI_STATUS write_state(UINT32 attributes, const void *bytes, UINTN size)
{
    assert_int_equal(attributes, VARIABLE_KEPT);
    if (firmware.cannot_keep)
        return EFI_OUT_OF_RESOURCES;
    memset(firmware.state, 0, sizeof(firmware.state));
    memcpy(firmware.state, bytes, size);
    firmware.size = size;
    firmware.written++;
    return EFI_SUCCESS;
}

EFI_STATUS variable_write(const char *name, const EFI_GUID *vendor, UINT32 attributes,
                          const void *bytes, UINTN size)
{
    if (strcmp(name, "OkramDiagnosis") == 0)
        return write_state(attributes, bytes, size);
    assert_int_equal(attributes, VARIABLE_SHARED);
    assert_int_equal(size, sizeof(firmware.indications));
    if (firmware.refuses)
        return EFI_OUT_OF_RESOURCES;
    memcpy(&firmware.indications, bytes, size);
    return EFI_SUCCESS;
}

void variable_boot_again(void)
{
    if (!firmware.refuses)
        firmware.next = firmware.current;
}

EFI_STATUS variable_delete(const char *name, const EFI_GUID *vendor)
{
    assert_string_equal(name, "OkramDiagnosis");
    if (firmware.cannot_keep)
        return EFI_OUT_OF_RESOURCES;
    firmware.size = 0;
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
static int make(void **state)
{
    struct diagnosis d;

    memset(&firmware, 0, sizeof(firmware));
    firmware.reset = -1;
    fitted = machine_of(4);
    for (unsigned i = 0; i < 4; i++) /* SMBIOS gives no speed here */
        fitted.slot[i].part[0] = 0, fitted.slot[i].configured_mt_s = 0;
    d = begun(&fitted, 3, 3);
    report(&d, false);
    return 0;
}

static bool begin(const char *records)
{
    menu = diagnosis_menu_begin(records);
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
    struct diagnosis d;

    assert_null(diagnosis_read_code(firmware.state, &d));
    return d;
}

TEST(nothing_to_show, make)
{
    assert_false(begin(NULL));
    assert_false(begin("{\"type\":\"result\"}\n"));
    assert_int_equal(firmware.written, 0);
}

TEST(an_offer_is_kept, make)
{
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

TEST(it_goes_on_at_the_next_start, make)
{
    struct diagnosis_step step;
    struct diagnosis_end end_is;
    struct diagnosis d;

    begin(jsonl);
    act(MENU_OPENS_DIAGNOSIS, 0);
    d = state_kept();
    diagnosis_next(&d, &step, &end_is);
    for (unsigned i = 0; i < 4; i++) {
        if (step.at.slot_of[i] == DIAGNOSIS_ABSENT)
            fit(&fitted, i, NULL);
    }
    again(NULL);
    assert_int_equal(shown->first, MENU_FIRST_STARTS);
    act(MENU_DIAGNOSES, 0);
    assert_memory_equal(shown->words, "'march=' save=on tests=march-c- passes=", 39);
    fitted = machine_of(4);
    again(NULL);
    assert_int_equal(shown->first, MENU_FIRST_OPENS);
    act(MENU_DIAGNOSES, choice_of("does not start"));
    assert_int_equal(state_kept().n_runs, 2);
    end();
}

TEST(it_is_forgotten, make)
{
    begin(jsonl);
    act(MENU_OPENS_DIAGNOSIS, 0);
    again(NULL); /* without the report, which offers it again */
    firmware.cannot_keep = true;
    act(MENU_DIAGNOSES, choice_of("Forget"));
    assert_string_equal(said, "The UEFI variable OkramDiagnosis cannot be deleted: error "
                              "0x8000000000000009.");
    assert_true(shown->headline[0]);
    firmware.cannot_keep = false;
    act(MENU_DIAGNOSES, choice_of("Forget"));
    assert_string_equal(said, "The search for the bad module is forgotten.");
    assert_string_equal(shown->headline, "");
    assert_int_equal(firmware.size, 0);
    assert_int_equal(firmware.written, 2);
    end();
}

TEST(what_cannot_be_kept_is_said, make)
{
    firmware.cannot_keep = true;
    begin(jsonl);
    act(MENU_OPENS_DIAGNOSIS, 0);
    assert_string_equal(said, "What was tested cannot be kept for the next start: firmware refuses "
                              "the UEFI variable OkramDiagnosis (error 0x8000000000000009).");
    firmware.cannot_keep = false; /* and tried again */
    act(MENU_OPENS_DIAGNOSIS, 0);
    assert_string_equal(said, "");
    assert_int_equal(firmware.written, 1);
    end();
}

/* What cannot be read is not left out in silence. */
TEST(damage_is_shown)
{
    static const struct {
        const char *text;
        UINTN size;
        bool is_shared, cannot_read;
        const char *why;
    } cases[] = {
        { "zzzz", 4, false, false, "it is of another version of okram" },
        { "zzzz", 4, true, false, "its attributes are not those of okram's variable" },
        { "8", DIAGNOSIS_KEPT_MAX, false, false, "it is not a word of okram" },
        { "", 0, false, true, "firmware cannot read it" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        make(NULL);
        strcpy(firmware.state, cases[i].text);
        firmware.size = cases[i].size;
        firmware.is_shared = cases[i].is_shared;
        firmware.cannot_read = cases[i].cannot_read;
        begin(NULL);
        assert_int_equal(shown->first, MENU_FIRST_WAITS);
        assert_non_null(strstr(shown->page, cases[i].why));
        firmware.cannot_read = firmware.is_shared = false;
        again(jsonl);
        act(MENU_OPENS_DIAGNOSIS, 0);
        assert_int_equal(state_kept().n_runs, 1);
        end();
    }
}

/* A state in which memory is to run slower, and its page. */
static void ask_for_settings(UINT64 supported)
{
    struct diagnosis d;

    make(NULL);
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
TEST(into_setup_where_firmware_can)
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
