// SPDX-License-Identifier: MIT
/* The starts of cycles= over restarts: what the loader keeps, and which options the kernel gets. */
#include "boot/uefi/diagnosis/cycles_kept.h"

#include <efi.h>
#include <efilib.h>

#include "boot/uefi/variables.h"
#include "tests/unit/unit.h"

#define CMDLINE_MAX 400

static struct {
    char kept[800]; /* OkramCycles, or "" */
    UINT32 attributes;
    bool refuses;
    unsigned boots_again;
} firmware;

static char cmdline[CMDLINE_MAX];
static struct options options; /* that the kernel gets */

EFI_GUID variable_okram;

UINTN Print(IN CONST CHAR16 *format, ...)
{
    return 0;
}

static EFI_STATUS EFIAPI get_time(EFI_TIME *ret_time, EFI_TIME_CAPABILITIES *capabilities)
{
    *ret_time = (EFI_TIME){ .Year = 2026, .Month = 11, .Day = 29 };
    return EFI_SUCCESS;
}

static EFI_RUNTIME_SERVICES services = { .GetTime = get_time };
EFI_RUNTIME_SERVICES *RT = &services;

struct variable variable_read(const char *name, const EFI_GUID *vendor)
{
    assert_string_equal(name, "OkramCycles");
    if (!firmware.kept[0])
        return (struct variable){ .status = EFI_NOT_FOUND };
    return (struct variable){ (uint8_t *)firmware.kept, strlen(firmware.kept), firmware.attributes,
                              EFI_SUCCESS };
}

void variable_free(struct variable *variable)
{
}

EFI_STATUS variable_write(const char *name, const EFI_GUID *vendor, UINT32 attributes,
                          const void *bytes, UINTN size)
{
    assert_int_equal(attributes, VARIABLE_KEPT);
    if (firmware.refuses)
        return EFI_OUT_OF_RESOURCES;
    memcpy(firmware.kept, bytes, size);
    firmware.kept[size] = 0;
    firmware.attributes = attributes;
    return EFI_SUCCESS;
}

EFI_STATUS variable_delete(const char *name, const EFI_GUID *vendor)
{
    firmware.kept[0] = 0;
    return EFI_SUCCESS;
}

void variable_boot_again(void)
{
    firmware.boots_again++;
}

static void parse(const char *conf)
{
    options_set_defaults(&options);
    options_parse(&options, conf, &warnings_silent);
    options_parse(&options, cmdline, &warnings_silent);
}

/* A start with these options in okram.conf and of the load options, and a person's in the menu. */
static void start(const char *conf, const char *load, const char *menu, const char *jsonl)
{
    snprintf(cmdline, sizeof(cmdline), "%s", load);
    parse(conf);
    cycles_kept_restore(&options, jsonl, cmdline, sizeof(cmdline));
    if (*menu)
        snprintf(cmdline + strlen(cmdline), sizeof(cmdline) - strlen(cmdline), " %s", menu);
    parse(conf);
    cycles_kept_begin(&options, cmdline, sizeof(cmdline));
    parse(conf);
}

/* What the last report says of that start. */
static const char *result(void)
{
    static char jsonl[300];
    char word[CYCLES_WORD_MAX];
    struct fmt_buffer b = fmt_buffer_make(word, sizeof(word));
    struct cycles c = options.cycles;

    cycles_ran(&c, (struct cycles_result){ 1, 5000000, false }, 7);
    cycles_append(&b, &c);
    snprintf(jsonl, sizeof(jsonl), "{\"t\":1,\"type\":\"cycles\",\"word\":\"%s\"}\n", word);
    return jsonl;
}

static void setup(void)
{
    memset(&firmware, 0, sizeof(firmware));
}

/* Those of the load options, and what was chosen for the first start, hold in all of them. */
TEST(other_options_hold)
{
    setup();
    start("cycles=3 passes=2", "tests=quick beep=on", "range=1M-2M", NULL);
    for (uint32_t i = 0; i < 3; i++) {
        assert_string_equal(options.tests, "quick");
        assert_int_equal(options.beep, OPTION_BEEP_END);
        assert_int_equal(options.n_ranges, 1);
        assert_int_equal(options.passes, 2);
        assert_int_equal(options.cycles.starts, i);
        assert_int_equal(options.cycles.with_errors, i);
        assert_int_not_equal(options.cycles.id, 0);
        assert_int_equal(firmware.boots_again, i < 2 ? i + 1 : 2); /* not after the last */
        start("cycles=3 passes=2", "tests=quick beep=on", "", result());
    }
    assert_int_equal(options.cycles.starts, 0); /* anew, without what was chosen then */
    assert_int_equal(options.n_ranges, 0);
}

TEST(a_start_without_a_result)
{
    setup();
    start("cycles=3", "", "", NULL);
    start("cycles=3", "", "", NULL);
    assert_int_equal(options.cycles.lost, 1);
    start("cycles=3", "", "", "{\"t\":1,\"type\":\"cycles\",\"word\":\"9\"}\n");
    assert_int_equal(options.cycles.lost, 2);
    assert_int_equal(options.cycles.starts, 0);
}

/* Without cycles=, with another number, with save=off, and what is damaged or somebody else's. */
TEST(starts_are_forgotten)
{
    static const char *const other[] = { "", "cycles=0", "cycles=4", "cycles=3 save=off" };

    for (size_t i = 0; i < sizeof(other) / sizeof(other[0]) + 2; i++) {
        setup();
        start("cycles=3", "", "tests=quick", NULL);
        firmware.attributes ^= i == 4;
        firmware.kept[3] ^= i == 5;
        start(i < 4 ? other[i] : "cycles=3", "", "", NULL);
        assert_int_equal(firmware.kept[0] != 0, i == 2 || i >= 4);
        assert_int_equal(options.cycles.lost, i == 3); /* the word alone: the kernel keeps none */
        if (i != 3)
            assert_string_equal(options.tests, "standard");
    }
}

TEST(what_cannot_be_kept_has_no_number)
{
    setup();
    firmware.refuses = true;
    start("cycles=3", "tests=quick", "", NULL);
    assert_int_equal(options.cycles.id, 0);
    assert_int_equal(firmware.boots_again, 0);
    assert_string_equal(options.tests, "quick");
}

TEST(a_command_line_without_room)
{
    char load[CMDLINE_MAX];

    setup();
    for (size_t n = sizeof(load) - 40; n < sizeof(load); n++) {
        snprintf(load, sizeof(load), "tests=quick%*s", (int)(n - 11), "x");
        start("cycles=3", load, "", NULL);
        assert_string_equal(cmdline, load);
        assert_int_equal(options.cycles.id, 0);
        assert_int_equal(options.cycles.wanted, 3);
    }
}
