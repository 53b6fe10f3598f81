// SPDX-License-Identifier: MIT
#include "acpi/wdat.h"

#include "firmware/damage.h"

#define MAX_BYTES   1024
#define HEAD_BYTES  68
#define ENTRY_BYTES 24

/* Field offsets and numbers of the WDAT specification. */
enum {
    AT_SEGMENT = 40,
    AT_BUS = 42,
    AT_PERIOD = 48,
    AT_MAX_COUNT = 52,
    AT_MIN_COUNT = 56,
    AT_FLAGS = 60,
    AT_ENTRIES = 64,
    RESET = 1,
    COUNTDOWN = 4,
    RUNNING = 8,
    STOP = 11,
    READ_VALUE = 0,
    READ_COUNTDOWN = 1,
    WRITE_VALUE = 2,
    PRESERVE = 0x80,
};

static struct wdat wdat;
static uint8_t bytes[MAX_BYTES];
static size_t n_bytes;

static void put(size_t at, uint64_t value, size_t n)
{
    memcpy(bytes + at, &value, n);
}

static size_t add(uint8_t action, uint8_t instruction, uint64_t port, uint32_t value, uint32_t mask)
{
    size_t at = n_bytes;

    put(at, action, 1);
    put(at + 1, instruction, 1);
    put(at + 4, ACPI_SPACE_IO, 1);
    put(at + 5, 16, 1);
    put(at + 7, 2, 1);
    put(at + 8, port, 8);
    put(at + 16, value, 4);
    put(at + 20, mask, 4);
    n_bytes += ENTRY_BYTES;
    bytes[AT_ENTRIES]++;
    return at;
}

/* As boards with Intel's chipset have it: the TCO timer. */
static int tco(void **state)
{
    memset(bytes, 0, sizeof(bytes));
    memset(&wdat, 0, sizeof(wdat));
    make_header((void *)bytes, "WDAT", 1);
    n_bytes = HEAD_BYTES;
    put(36, 32, 4);
    put(AT_SEGMENT, 0xff, 2);
    put(AT_BUS, 0xffffff, 3);
    put(AT_PERIOD, 600, 4);
    put(AT_MAX_COUNT, 1023, 4);
    put(AT_MIN_COUNT, 2, 4);
    put(AT_FLAGS, 0x81, 1);
    add(RESET, WRITE_VALUE, 0x460, 1, 1);
    add(COUNTDOWN, READ_COUNTDOWN, 0x460, 0, 0x3ff);
    bytes[add(RUNNING, READ_VALUE, 0x468, 0, 1) + 6] = 11;
    bytes[add(STOP, WRITE_VALUE | PRESERVE, 0x468, 1, 1) + 6] = 11;
    return 0;
}

static enum status read(void)
{
    return READ_TABLE(wdat_read, sealed(bytes, n_bytes), &wdat);
}

TEST(keeps_three_actions, tco)
{
    const struct wdat_step *step = wdat.action[WDAT_STOP].step;

    assert_int_equal(read(), STATUS_OK);
    assert_int_equal(log_.n, 0);
    assert_int_equal(wdat.period_ms, 600);
    for (unsigned a = 0; a < WDAT_ACTIONS; a++)
        assert_int_equal(wdat.action[a].n, 1);
    assert_int_equal(step->instruction, WDAT_WRITE_VALUE);
    assert_true(step->preserve);
    assert_int_equal(step->reg.address, 0x468);
    assert_int_equal(step->bytes, 2);
}

TEST(several_steps_keep_their_order, tco)
{
    add(STOP, WRITE_VALUE, 0x470, 7, 0xff);
    assert_int_equal(read(), STATUS_OK);
    assert_int_equal(wdat.action[WDAT_STOP].n, 2);
    assert_int_equal(wdat.action[WDAT_STOP].step[0].reg.address, 0x468);
    assert_int_equal(wdat.action[WDAT_STOP].step[1].reg.address, 0x470);
}

TEST(values_are_shifted_and_masked)
{
    const struct wdat_step kept = {
        .preserve = true, .reg = { .bit_offset = 11 }, .value = 3, .mask = 1
    };
    struct wdat_step all = kept;

    all.preserve = false;
    assert_int_equal(wdat_value(&kept, 0x0800), 1);
    assert_int_equal(wdat_value(&kept, 0xf7ff), 0);
    assert_int_equal(wdat_written(&kept, 0x1001), 0x1801);
    assert_int_equal(wdat_written(&all, 0x1001), 0x0800);
}

/* Without a size, the width counts; memory is as good as a port. */
TEST(forms_of_registers, tco)
{
    static const struct {
        uint8_t space, width, size;
        uint64_t address;
        unsigned bytes; /* 0: refused */
    } cases[] = {
        { ACPI_SPACE_IO, 8, 1, 0x80, 1 },
        { ACPI_SPACE_IO, 1, 1, 0xffff, 1 },
        { ACPI_SPACE_IO, 32, 0, 0xfffc, 4 },
        { ACPI_SPACE_MEMORY, 32, 3, 0xfed00000, 4 },
        { ACPI_SPACE_MEMORY, 8, 0, UINT64_MAX - 1, 1 },
        { ACPI_SPACE_IO, 32, 0, 0xfffd, 0 },
        { ACPI_SPACE_IO, 8, 1, 0x10000, 0 },
        { ACPI_SPACE_IO, 8, 1, 0, 0 },
        { ACPI_SPACE_IO, 64, 4, 0x80, 0 },
        { ACPI_SPACE_IO, 1, 0, 0x80, 0 },
        { ACPI_SPACE_IO, 8, 0x81, 0x80, 0 },
        { ACPI_SPACE_MEMORY, 32, 3, UINT64_MAX - 2, 0 },
        { 2 /* PCI configuration space */, 8, 1, 0x80, 0 },
    };
    size_t at = HEAD_BYTES + 3 * ENTRY_BYTES;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tco(state);
        put(at + 4, cases[i].space, 1);
        put(at + 5, cases[i].width, 1);
        put(at + 6, 0, 1);
        put(at + 7, cases[i].size, 1);
        put(at + 8, cases[i].address, 8);
        assert_int_equal(read(), cases[i].bytes ? STATUS_OK : STATUS_INVALID);
        assert_int_equal(log_.n, !cases[i].bytes);
        assert_int_equal(wdat.action[WDAT_STOP].step[0].bytes, cases[i].bytes);
    }
    tco(state);
    put(at + 6, 16, 1); /* beyond the register */
    assert_int_equal(read(), STATUS_INVALID);
}

TEST(off_or_elsewhere, tco)
{
    bytes[AT_FLAGS] = 0x80;
    assert_int_equal(read(), STATUS_NOT_FOUND);
    tco(state);
    bytes[AT_BUS] = 3;
    assert_int_equal(read(), STATUS_NOT_FOUND);
    assert_int_equal(log_.n, 0);
}

/* Each lie is named once. */
TEST(lies, tco)
{
    static const struct {
        size_t at;
        uint8_t value;
        const char *says;
    } cases[] = {
        { AT_ENTRIES, 5, "more instructions than it has room for" },
        { AT_ENTRIES, 3, "no instruction that stops it" },
        { AT_ENTRIES, 2, "no instruction that reads whether it is running" },
        { AT_MIN_COUNT + 3, 1, "an impossible period or count" },
        { HEAD_BYTES + 1 * ENTRY_BYTES + 1, WRITE_VALUE,
          "no instruction that reads the countdown" },
        { HEAD_BYTES + 2 * ENTRY_BYTES + 1, WRITE_VALUE, "reads whether it is running" },
        { HEAD_BYTES + 3 * ENTRY_BYTES + 1, READ_VALUE, "no instruction that stops it" },
        { HEAD_BYTES + 3 * ENTRY_BYTES + 1, 3, "an unknown instruction" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tco(state);
        bytes[cases[i].at] = cases[i].value;
        assert_int_equal(read(), STATUS_INVALID);
        assert_warned(&log_, 1, cases[i].says);
        assert_int_equal(wdat.period_ms, 0);
    }
    tco(state);
    put(AT_PERIOD, 0, 4);
    assert_int_equal(read(), STATUS_INVALID);
    tco(state);
    for (unsigned i = 0; i < WDAT_STEPS_MAX; i++)
        add(STOP, WRITE_VALUE, 0x468, 1, 1);
    assert_int_equal(read(), STATUS_INVALID);
    assert_warned(&log_, 1, "too many instructions");
    n_bytes = HEAD_BYTES - 1;
    assert_int_equal(read(), STATUS_INVALID);
    assert_warned(&log_, 1, "67 bytes are too short");
}

static void read_any(const struct acpi_header *table, const struct warnings *warnings)
{
    const struct warning_log *log = warnings->ctx;
    size_t before = log->n;
    struct wdat any;
    enum status status = wdat_read(table, warnings, &any);

    assert_int_equal(log->n - before, status == STATUS_INVALID);
}

TEST(survives_damage, tco)
{
    seal_table((void *)bytes, n_bytes);
    damage_table(bytes, n_bytes, "WDAT", read_any);
}
