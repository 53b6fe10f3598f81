// SPDX-License-Identifier: MIT
#include "acpi/fadt.h"

#include "firmware/damage.h"
#include "firmware/q35.h"

/* Field offsets of ACPI 6.5, table 5.9. */
enum {
    AT_DSDT = 40,
    AT_SMI_COMMAND = 48,
    AT_ACPI_ENABLE = 52,
    AT_PM1A_EVENT = 56,
    AT_PM1B_EVENT = 60,
    AT_PM1A_CONTROL = 64,
    AT_PM1B_CONTROL = 68,
    AT_PM_TIMER = 76,
    AT_PM1_EVENT_BYTES = 88,
    AT_GPE0 = 80,
    AT_GPE0_BYTES = 92,
    AT_BOOT_ARCHITECTURE = 109,
    AT_FLAGS = 112,
    AT_RESET = 116,
    AT_RESET_VALUE = 128,
    AT_X_DSDT = 140,
    AT_X_PM1A_EVENT = 148,
    AT_X_PM1A_CONTROL = 172,
    AT_X_PM1B_CONTROL = 184,
    AT_X_PM_TIMER = 208,
    AT_X_GPE0 = 220,
    AT_SLEEP_CONTROL = 244,
    AT_SLEEP_STATUS = 256,
};

#define FADT_BYTES 276

struct table {
    uint8_t bytes[FADT_BYTES];
};

static void put(struct table *t, size_t at, uint64_t value, size_t bytes)
{
    memcpy(t->bytes + at, &value, bytes);
}

static void put_register(struct table *t, size_t at, uint8_t space, uint8_t width, uint64_t address)
{
    put(t, at, space, 1);
    put(t, at + 1, width, 1);
    put(t, at + 4, address, 8);
}

/* As on a PC of today: both generations of fields, which differ here to tell them apart. */
static struct table make(uint8_t revision)
{
    struct table t = { 0 };

    make_header((void *)t.bytes, "FACP", revision);
    put(&t, AT_DSDT, 0x1000, 4);
    put(&t, AT_SMI_COMMAND, 0xb2, 4);
    put(&t, AT_ACPI_ENABLE, 0xa0, 1);
    put(&t, AT_PM1A_EVENT, 0x600, 4);
    put(&t, AT_PM1B_EVENT, 0x700, 4);
    put(&t, AT_PM1A_CONTROL, 0x604, 4);
    put(&t, AT_PM1B_CONTROL, 0x704, 4);
    put(&t, AT_PM_TIMER, 0x608, 4);
    put(&t, AT_PM1_EVENT_BYTES, 8, 1);
    put(&t, AT_GPE0, 0x620, 4);
    put(&t, AT_GPE0_BYTES, 16, 1);
    put(&t, AT_FLAGS, 1u << 10 | 1u << 8, 4);
    put_register(&t, AT_RESET, 1, 8, 0xcf9);
    put(&t, AT_RESET_VALUE, 6, 1);
    put(&t, AT_X_DSDT, 0x200001000, 8);
    put_register(&t, AT_X_PM1A_EVENT, 1, 64, 0x800);
    put_register(&t, AT_X_PM1A_CONTROL, 0, 16, 0xfed80804);
    put_register(&t, AT_X_PM_TIMER, 1, 32, 0x808);
    put_register(&t, AT_X_GPE0, 1, 128, 0x820);
    put_register(&t, AT_SLEEP_CONTROL, 0, 8, 0xfed80e00);
    put_register(&t, AT_SLEEP_STATUS, 0, 8, 0xfed80e01);
    return t;
}

static enum status read_first(const struct table *t, size_t length, struct fadt *ret_fadt)
{
    return READ_TABLE(fadt_read, sealed(t->bytes, length), ret_fadt);
}

TEST(prefers_the_64_bit_fields)
{
    struct table t = make(6);
    struct fadt f;

    assert_int_equal(read_first(&t, FADT_BYTES, &f), STATUS_OK);
    assert_int_equal(log_.n, 0);
    assert_int_equal(f.dsdt, 0x200001000);
    assert_int_equal(f.pm1a_control.space, ACPI_SPACE_MEMORY);
    assert_int_equal(f.pm1a_control.address, 0xfed80804);
    assert_int_equal(f.pm1b_control.space, ACPI_SPACE_IO); /* it has only the 32-bit one */
    assert_int_equal(f.pm1b_control.bit_width, 16);
    assert_int_equal(f.pm1b_control.address, 0x704);
    assert_int_equal(f.pm1a_event.address, 0x800);
    assert_int_equal(f.pm1b_event.address, 0x700);
    assert_int_equal(f.pm1_event_bytes, 8);
    assert_true(f.power_button && f.sleep_button);
    assert_int_equal(f.gpe0.address, 0x820);
    assert_int_equal(f.gpe0_bytes, 16);
    assert_int_equal(f.gpe1.address, 0);
    assert_int_equal(f.pm_timer.address, 0x808);
    assert_int_equal(f.reset.space, ACPI_SPACE_IO);
    assert_int_equal(f.reset.address, 0xcf9);
    assert_int_equal(f.reset_value, 6);
    assert_int_equal(f.smi_command_port, 0xb2);
    assert_int_equal(f.acpi_enable, 0xa0);
    assert_false(f.hardware_reduced);
    assert_int_equal(f.sleep_control.address, 0); /* it does not count here */
}

TEST(reads_older_and_shorter_tables)
{
    static const struct {
        size_t length;
        uint64_t dsdt, pm1a, pm_timer, reset;
    } cases[] = {
        { 116, 0x1000, 0x604, 0x608, 0 }, /* ACPI 1.0 */
        { 129, 0x1000, 0x604, 0x608, 0xcf9 },
        { 148, 0x200001000, 0x604, 0x608, 0xcf9 },
        { 184, 0x200001000, 0xfed80804, 0x608, 0xcf9 },
        { 220, 0x200001000, 0xfed80804, 0x808, 0xcf9 },
        { 276, 0x200001000, 0xfed80804, 0x808, 0xcf9 },
    };
    struct table t = make(1);
    struct fadt f;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(read_first(&t, cases[i].length, &f), STATUS_OK);
        assert_int_equal(f.dsdt, cases[i].dsdt);
        assert_int_equal(f.pm1a_control.address, cases[i].pm1a);
        assert_int_equal(f.pm_timer.address, cases[i].pm_timer);
        assert_int_equal(f.reset.address, cases[i].reset);
    }
    f.dsdt = 1;
    assert_int_equal(read_first(&t, 115, &f), STATUS_INVALID);
    assert_int_equal(f.dsdt, 1);
    assert_warned(&log_, 1, "115 bytes are too short");
}

/* Before revision 3 nobody had to say that there is one. */
TEST(minds_the_keyboard_controller_and_the_century)
{
    struct table t = make(3), old = make(1);
    struct fadt f;

    assert_int_equal(read_first(&t, FADT_BYTES, &f), STATUS_OK);
    assert_true(f.no_8042);
    assert_int_equal(f.century, 0);
    put(&t, AT_BOOT_ARCHITECTURE, 2, 2);
    put(&t, AT_BOOT_ARCHITECTURE - 1, 0x32, 1);
    assert_int_equal(read_first(&t, FADT_BYTES, &f), STATUS_OK);
    assert_int_equal(f.century, 0x32);
    assert_false(f.no_8042);
    assert_int_equal(read_first(&old, FADT_BYTES, &f), STATUS_OK);
    assert_false(f.no_8042);
}

TEST(minds_the_flags)
{
    struct table t = make(6);
    struct fadt f;

    put(&t, AT_FLAGS, 0, 4);
    assert_int_equal(read_first(&t, FADT_BYTES, &f), STATUS_OK);
    assert_int_equal(f.reset.address, 0);

    put(&t, AT_FLAGS, 1u << 4, 4);
    assert_int_equal(read_first(&t, FADT_BYTES, &f), STATUS_OK);
    assert_false(f.power_button);
    assert_true(f.sleep_button);
    put(&t, AT_FLAGS, 1u << 5, 4);
    assert_int_equal(read_first(&t, FADT_BYTES, &f), STATUS_OK);
    assert_true(f.power_button);
    assert_false(f.sleep_button);
    put(&t, AT_PM1_EVENT_BYTES, 3, 1); /* no room for two registers */
    assert_int_equal(read_first(&t, FADT_BYTES, &f), STATUS_OK);
    assert_int_equal(f.pm1a_event.address, 0);
    assert_false(f.power_button);
    put(&t, AT_PM1_EVENT_BYTES, 4, 1);

    put(&t, AT_FLAGS, 1u << 20 | 1u << 10 | 1u << 8, 4); /* hardware reduced */
    assert_int_equal(read_first(&t, FADT_BYTES, &f), STATUS_OK);
    assert_true(f.hardware_reduced);
    assert_int_equal(f.pm1a_control.address, 0);
    assert_int_equal(f.pm1b_control.address, 0);
    assert_int_equal(f.pm1a_event.address, 0);
    assert_false(f.power_button || f.sleep_button);
    assert_int_equal(f.pm_timer.address, 0);
    assert_int_equal(f.smi_command_port, 0);
    assert_int_equal(f.reset.address, 0xcf9);
    assert_int_equal(f.sleep_control.space, ACPI_SPACE_MEMORY);
    assert_int_equal(f.sleep_control.address, 0xfed80e00);
    assert_int_equal(f.sleep_status.address, 0xfed80e01);
    assert_int_equal(read_first(&t, 255, &f), STATUS_OK);
    assert_int_equal(f.sleep_control.address, 0xfed80e00); /* its last byte, 0, is not there */
}

READ_ANY(read_any, fadt_read, &(struct fadt){ 0 })

TEST(reads_a_real_machine)
{
    struct q35 q;
    struct fadt f;

    q35_open(&q, "FACP");
    assert_int_equal(fadt_read(q.table, &q.warnings, &f), STATUS_OK);
    assert_int_equal(q.log.n, 0);
    assert_int_equal(f.dsdt, 0x1ffe0040);
    assert_int_equal(f.reset.space, ACPI_SPACE_IO);
    assert_int_equal(f.reset.address, 0xcf9);
    assert_int_equal(f.reset_value, 0xf);
    assert_int_equal(f.pm1a_event.address, 0x600);
    assert_int_equal(f.pm1_event_bytes, 4);
    assert_true(f.power_button);
    assert_int_equal(f.pm1a_control.address, 0x604);
    assert_int_equal(f.pm1b_control.address, 0);
    assert_int_equal(f.pm_timer.address, 0x608);
    assert_int_equal(f.smi_command_port, 0xb2);
    assert_int_equal(f.acpi_enable, 2);
    damage_table(q.table, q.table->length, "FACP", read_any);
    fake_free(&q.memory);
}

#define HPET_BYTES 56

/* Field offsets of the HPET specification 1.0a, 3.2.4. */
enum { AT_SPACE = 40, AT_ADDRESS = 44 };

static enum status read_one(size_t length, uint8_t space, uint64_t address, struct hpet *ret_hpet)
{
    struct warnings warnings = fresh_warnings();
    uint8_t bytes[HPET_BYTES] = { 0 };
    struct acpi_header *table = malloc(length);
    enum status status;

    make_header((void *)bytes, "HPET", 1);
    bytes[AT_SPACE] = space;
    memcpy(bytes + AT_ADDRESS, &address, 8);
    memcpy(table, bytes, length);
    seal_table(table, length);
    status = hpet_read(table, &warnings, ret_hpet);
    free(table);
    return status;
}

TEST(takes_an_address_in_memory)
{
    static const uint64_t addresses[] = { 0xfed00000, 1, 0x100000000, UINT64_MAX - 1024 };
    struct hpet h;

    for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
        assert_int_equal(read_one(HPET_BYTES, 0, addresses[i], &h), STATUS_OK);
        assert_int_equal(h.address, addresses[i]);
        assert_int_equal(log_.n, 0);
    }
}

TEST(refuses_others)
{
    static const struct {
        size_t length;
        uint8_t space;
        uint64_t address;
        const char *says;
    } cases[] = {
        { HPET_BYTES - 1, 0, 0xfed00000, "55 bytes are too short" },
        { sizeof(struct acpi_header), 0, 0, "36 bytes are too short" },
        { HPET_BYTES, 0, 0, "an invalid address" },
        { HPET_BYTES, 1, 0x608, "address space 1" },
        { HPET_BYTES, 0, UINT64_MAX - 1023, "an invalid address" },
    };
    struct hpet h = { 7 };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(read_one(cases[i].length, cases[i].space, cases[i].address, &h),
                         STATUS_INVALID);
        assert_warned(&log_, 1, cases[i].says);
        assert_int_equal(h.address, 7);
    }
}

READ_ANY(hpet_read_any, hpet_read, &(struct hpet){ 0 })

TEST(hpet_reads_a_real_machine)
{
    struct q35 q;
    struct hpet h;

    q35_open(&q, "HPET");
    assert_int_equal(hpet_read(q.table, &q.warnings, &h), STATUS_OK);
    assert_int_equal(q.log.n, 0);
    assert_int_equal(h.address, 0xfed00000);
    damage_table(q.table, q.table->length, "HPET", hpet_read_any);
    fake_free(&q.memory);
}
