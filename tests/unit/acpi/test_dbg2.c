// SPDX-License-Identifier: MIT
#include "acpi/dbg2.h"

#include "firmware/damage.h"

#define HEAD         44
#define DEVICE_BYTES 38 /* with one address and its size */

/* Field offsets of a device: DBG2 1.3, table 2. */
enum {
    AT_LENGTH = 1,
    AT_N = 3,
    AT_TYPE = 12,
    AT_SUBTYPE = 14,
    AT_REGISTERS = 18,
    AT_SIZES = 20,
    REGISTER = 22,
};

static struct warning_log log_;
static uint8_t bytes[HEAD + 8 * DEVICE_BYTES];

static void put(unsigned at, uint64_t value, size_t n)
{
    memcpy(bytes + at, &value, n);
}

static unsigned device(unsigned i)
{
    return HEAD + i * DEVICE_BYTES;
}

/* n ports: COM1, and those after it. */
static void begin(uint32_t n)
{
    memset(bytes, 0, sizeof(bytes));
    make_header((void *)bytes, "DBG2", 0);
    put(36, HEAD, 4);
    put(40, n, 4);
    for (unsigned i = 0; i < n && i < 8; i++) {
        put(device(i) + AT_LENGTH, DEVICE_BYTES, 2);
        put(device(i) + AT_N, 1, 1);
        put(device(i) + AT_TYPE, 0x8000, 2);
        put(device(i) + AT_REGISTERS, REGISTER, 2);
        put(device(i) + AT_SIZES, REGISTER + 12, 2);
        put(device(i) + REGISTER, 0x0801, 2); /* I/O, 8 bits */
        put(device(i) + REGISTER + 4, 0x3f8 + 8 * i, 8);
    }
}

static enum status read_one(size_t length, struct dbg2 *ret_dbg2)
{
    struct warnings warnings = warnings_to(&log_);
    struct acpi_header *table = malloc(length);
    enum status status;

    memset(&log_, 0, sizeof(log_));
    memcpy(table, bytes, length);
    seal_table(table, length);
    status = dbg2_read(table, &warnings, ret_dbg2);
    free(table);
    return status;
}

static void reads_serial_ports(void **state)
{
    struct dbg2 d;

    for (unsigned n = 0; n <= DBG2_PORTS_MAX + 1; n++) {
        unsigned kept = n < DBG2_PORTS_MAX ? n : DBG2_PORTS_MAX;

        begin(n);
        assert_int_equal(read_one(device(n), &d), STATUS_OK);
        assert_int_equal(log_.n, 0);
        assert_int_equal(d.n_ports, kept);
        for (unsigned i = 0; i < kept; i++)
            assert_int_equal(d.port[i].address, 0x3f8 + 8 * i);
    }
}

static void leaves_out_what_is_no_16550(void **state)
{
    struct dbg2 d;

    begin(3);
    put(device(0) + AT_TYPE, 0x8003, 2);   /* network */
    put(device(0) + AT_REGISTERS, 999, 2); /* nothing of it is read */
    put(device(1) + AT_SUBTYPE, 0x03, 2);  /* PL011 */
    put(device(2) + AT_SUBTYPE, 0x12, 2);
    assert_int_equal(read_one(device(3), &d), STATUS_OK);
    assert_int_equal(log_.n, 0);
    assert_int_equal(d.n_ports, 1);
    assert_int_equal(d.port[0].address, 0x408);

    begin(1);
    put(device(0) + REGISTER + 4, 0, 8);
    assert_int_equal(read_one(device(1), &d), STATUS_OK);
    assert_int_equal(log_.n, 0);
    assert_int_equal(d.n_ports, 0);
}

/* As on Surface, and in coreboot. */
static void a_place_for_an_address_is_none(void **state)
{
    static const struct {
        uint64_t address;
        bool is_named;
    } cases[] = {
        { 0, false },
        { UINT64_C(0xfffffffffffff000), false },
        { UINT64_MAX, false },
        { 0xffffffff, false },
        { 0xfffff000, false },
        { 0xffffe000, true },
        { UINT64_C(0x1fffff000), true },
        { 0xfe03e000, true },
    };
    struct dbg2 d;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        begin(2);
        put(device(0) + REGISTER, 0x03000000, 4); /* memory, no width, access by 32 bits */
        put(device(0) + REGISTER + 4, cases[i].address, 8);
        assert_int_equal(read_one(device(2), &d), STATUS_OK);
        assert_int_equal(log_.n, 0);
        assert_int_equal(d.n_ports, cases[i].is_named ? 2 : 1);
        if (cases[i].is_named) {
            assert_int_equal(d.port[0].address, cases[i].address);
            assert_int_equal(d.port[0].stride, 4);
            assert_int_equal(d.port[0].width, 4);
        }
    }
}

static void keeps_what_comes_before_a_malformed_port(void **state)
{
    static const struct {
        unsigned at;
        uint64_t value;
        size_t n;
        const char *says; /* NULL: it is right */
    } cases[] = {
        { AT_LENGTH, 0, 2, "port 2 of 3" },
        { AT_LENGTH, 21, 2, "port 2 of 3" },
        { AT_LENGTH, 22, 2, "a port without an address" },
        { AT_LENGTH, REGISTER + 11, 2, "a port without an address" },
        { AT_LENGTH, 2 * DEVICE_BYTES + 1, 2, "port 2 of 3" },
        { AT_LENGTH, 0xffff, 2, "port 2 of 3" },
        { AT_N, 0, 1, "a port without an address" },
        { AT_REGISTERS, 21, 2, "a port without an address" },
        { AT_REGISTERS, DEVICE_BYTES - 11, 2, "a port without an address" },
        { AT_REGISTERS, 0xffff, 2, "a port without an address" },
        { REGISTER, 9, 1, "address space 9" },
    };
    struct dbg2 d;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        begin(3);
        put(device(1) + cases[i].at, cases[i].value, cases[i].n);
        assert_int_equal(read_one(device(3), &d), STATUS_OK);
        assert_warned(&log_, 1, cases[i].says);
        assert_int_equal(d.n_ports, 1);
    }
}

static void survives_wrong_counts_and_offsets(void **state)
{
    struct dbg2 d = { .n_ports = 7 };

    begin(0);
    assert_int_equal(read_one(HEAD - 1, &d), STATUS_INVALID);
    assert_warned(&log_, 1, "43 bytes are too short");
    assert_int_equal(d.n_ports, 7);

    begin(1);
    put(40, UINT32_MAX, 4);
    assert_int_equal(read_one(device(1), &d), STATUS_OK);
    assert_warned(&log_, 1, "port 2 of 4294967295");
    assert_int_equal(d.n_ports, 1);

    for (unsigned i = 0; i < 4; i++) {
        static const uint64_t first[] = { 0, HEAD - 1, HEAD + 17, UINT32_MAX };

        begin(1);
        put(36, first[i], 4);
        assert_int_equal(read_one(device(1), &d), STATUS_OK);
        assert_warned(&log_, 1, "port 1 of 1");
        assert_int_equal(d.n_ports, 0);
    }
}

static void read_any(const struct acpi_header *table, const struct warnings *warnings)
{
    struct dbg2 d;

    dbg2_read(table, warnings, &d);
}

static void survives_damage(void **state)
{
    begin(2);
    seal_table(bytes, device(2));
    damage_table(bytes, device(2), "DBG2", read_any);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_serial_ports),
        cmocka_unit_test(leaves_out_what_is_no_16550),
        cmocka_unit_test(a_place_for_an_address_is_none),
        cmocka_unit_test(keeps_what_comes_before_a_malformed_port),
        cmocka_unit_test(survives_wrong_counts_and_offsets),
        cmocka_unit_test(survives_damage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
