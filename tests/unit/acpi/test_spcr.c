// SPDX-License-Identifier: MIT
#include "acpi/spcr.h"

#include "firmware/damage.h"

/* Field offsets of SPCR 1.10, table 1. */
enum {
    AT_TYPE = 36,
    AT_SPACE = 40,
    AT_BITS,
    AT_BIT_OFFSET,
    AT_ACCESS,
    AT_ADDRESS,
    AT_BAUD = 58,
    AT_CLOCK = 76,
    AT_PRECISE = 80,
    BYTES_V1 = 80,
    BYTES_V4 = 88,
};

static struct warning_log log_;
static uint8_t bytes[BYTES_V4];

/* COM2 at 115200 baud, as servers have it. */
static void begin(uint8_t revision)
{
    memset(bytes, 0, sizeof(bytes));
    make_header((void *)bytes, "SPCR", revision);
    bytes[AT_SPACE] = 1;
    bytes[AT_BITS] = 8;
    bytes[AT_ADDRESS] = 0xf8;
    bytes[AT_ADDRESS + 1] = 0x02;
    bytes[AT_BAUD] = 7;
}

static void put(unsigned at, uint64_t value, size_t n)
{
    memcpy(bytes + at, &value, n);
}

static enum status read_one(size_t length, struct uart_place *ret_place)
{
    struct warnings warnings = warnings_to(&log_);
    struct acpi_header *table = malloc(length);
    enum status status;

    memset(&log_, 0, sizeof(log_));
    memcpy(table, bytes, length);
    seal_table(table, length);
    status = spcr_read(table, &warnings, ret_place);
    free(table);
    return status;
}

static void reads_com2(void **state)
{
    struct uart_place p;

    begin(2);
    put(AT_CLOCK, 48000000, 4); /* no clock before revision 3 */
    assert_int_equal(read_one(BYTES_V1, &p), STATUS_OK);
    assert_int_equal(log_.n, 0);
    assert_int_equal(p.address, 0x2f8);
    assert_false(p.in_memory);
    assert_int_equal(p.baud, 115200);
    assert_int_equal(p.clock_hz, 0);
    assert_int_equal(uart_place_bytes(&p), 8);
}

static void reads_registers_in_memory(void **state)
{
    static const struct {
        uint8_t bits, access, stride, width;
    } forms[] = {
        { 0, 0, 1, 1 },  { 8, 0, 1, 1 },  { 8, 1, 1, 1 },  { 16, 0, 2, 2 },
        { 16, 1, 2, 1 }, { 32, 0, 4, 4 }, { 32, 1, 4, 1 }, { 32, 3, 4, 4 },
        { 0, 1, 1, 1 },  { 0, 2, 2, 2 },  { 0, 3, 4, 4 }, /* coreboot has the access size alone */
    };
    struct uart_place p;

    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        begin(4);
        bytes[AT_TYPE] = 0x12;
        bytes[AT_SPACE] = 0;
        bytes[AT_BITS] = forms[i].bits;
        bytes[AT_ACCESS] = forms[i].access;
        put(AT_ADDRESS, 0xfe030000, 8);
        assert_int_equal(read_one(BYTES_V4, &p), STATUS_OK);
        assert_int_equal(log_.n, 0);
        assert_true(p.in_memory);
        assert_int_equal(p.stride, forms[i].stride);
        assert_int_equal(p.width, forms[i].width);
        assert_int_equal(uart_place_bytes(&p), 7 * forms[i].stride + forms[i].width);
    }
}

static void reads_speeds(void **state)
{
    static const struct {
        uint8_t revision, code;
        uint32_t clock, precise, is_clock, is_baud;
    } speeds[] = {
        { 2, 0, 5, 7, 0, 0 },
        { 2, 3, 0, 0, 0, 9600 },
        { 2, 4, 0, 0, 0, 19200 },
        { 2, 6, 0, 0, 0, 57600 },
        { 2, 7, 0, 0, 0, 115200 },
        { 3, 7, 24, 9, 24, 115200 },
        { 4, 7, 24, 230400, 24, 230400 },
        { 4, 3, 0, 0, 0, 9600 },
    };
    struct uart_place p;

    for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++) {
        begin(speeds[i].revision);
        bytes[AT_BAUD] = speeds[i].code;
        put(AT_CLOCK, speeds[i].clock, 4);
        put(AT_PRECISE, speeds[i].precise, 4);
        assert_int_equal(read_one(BYTES_V4, &p), STATUS_OK);
        assert_int_equal(log_.n, 0);
        assert_int_equal(p.clock_hz, speeds[i].is_clock);
        assert_int_equal(p.baud, speeds[i].is_baud);
    }
    for (unsigned code = 1; code < 256; code += code == 2 ? 3 : code == 5 ? 3 : 1) {
        begin(2);
        bytes[AT_BAUD] = (uint8_t)code;
        assert_int_equal(read_one(BYTES_V4, &p), STATUS_OK);
        assert_warned(&log_, 1, "the port's is not changed");
        assert_int_equal(p.baud, 0);
    }
}

static void takes_no_others(void **state)
{
    struct uart_place p = { .address = 7 };

    begin(2);
    put(AT_ADDRESS, 0, 8); /* console redirection is off */
    assert_int_equal(read_one(BYTES_V1, &p), STATUS_NOT_FOUND);
    put(AT_ADDRESS, UINT64_C(0xfffffffffffff000), 8);
    assert_int_equal(read_one(BYTES_V1, &p), STATUS_NOT_FOUND);
    for (unsigned type = 2; type < 256; type++) {
        begin(2);
        bytes[AT_TYPE] = (uint8_t)type;
        assert_int_equal(read_one(BYTES_V1, &p), type == 0x12 ? STATUS_OK : STATUS_UNSUPPORTED);
        assert_int_equal(log_.n, 0);
    }
}

static void refuses_impossible_ports(void **state)
{
    static const struct {
        size_t length;
        uint8_t space, bits, offset, access;
        uint64_t address;
        const char *says; /* NULL: it is right */
    } cases[] = {
        { BYTES_V1 - 1, 1, 8, 0, 0, 0x2f8, "79 bytes are too short" },
        { 36, 1, 8, 0, 0, 0x2f8, "36 bytes are too short" },
        { BYTES_V1, 1, 8, 0, 0, 0xfff8, NULL },
        { BYTES_V1, 1, 8, 0, 0, 0x100, NULL },
        { BYTES_V1, 1, 8, 0, 0, 0xff, "at 0xff of address space 1" },
        { BYTES_V1, 1, 8, 0, 0, 0x60, "at 0x60 of address space 1" },
        { BYTES_V1, 1, 8, 0, 0, 0xcf0, NULL },
        { BYTES_V1, 1, 8, 0, 0, 0xcf1, "is impossible" },
        { BYTES_V1, 1, 8, 0, 0, 0xcf9, "is impossible" },
        { BYTES_V1, 1, 8, 0, 0, 0xd00, NULL },
        { BYTES_V1, 1, 8, 0, 0, 0xfff9, "at 0xfff9 of address space 1" },
        { BYTES_V1, 1, 8, 0, 0, UINT64_MAX - 4096, "is impossible" },
        { BYTES_V1, 2, 8, 0, 0, 0x2f8, "address space 2" },
        { BYTES_V1, 127, 8, 0, 0, 0x2f8, "address space 127" },
        { BYTES_V1, 0, 8, 0, 0, UINT64_MAX - 4096, NULL },
        { BYTES_V1, 0, 32, 0, 3, UINT64_MAX - 4099, NULL },
        { BYTES_V1, 0, 24, 0, 0, 0x1000, "24 bits wide" },
        { BYTES_V1, 0, 64, 0, 0, 0x1000, "64 bits wide" },
        { BYTES_V1, 0, 9, 0, 0, 0x1000, "9 bits wide" },
        { BYTES_V1, 0, 8, 1, 0, 0x1000, "is impossible" },
        { BYTES_V1, 0, 8, 0, 2, 0x1000, "accessed by size 2" },
        { BYTES_V1, 0, 32, 0, 4, 0x1000, "accessed by size 4" },
        { BYTES_V1, 0, 32, 0, 255, 0x1000, "accessed by size 255" },
        { BYTES_V1, 0, 32, 0, 3, 0x1002, "is impossible" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct uart_place p = { .address = 7 };

        begin(2);
        bytes[AT_SPACE] = cases[i].space;
        bytes[AT_BITS] = cases[i].bits;
        bytes[AT_BIT_OFFSET] = cases[i].offset;
        bytes[AT_ACCESS] = cases[i].access;
        put(AT_ADDRESS, cases[i].address, 8);
        assert_int_equal(read_one(cases[i].length, &p), cases[i].says ? STATUS_INVALID : STATUS_OK);
        if (cases[i].says)
            assert_warned(&log_, 1, cases[i].says);
        assert_int_equal(p.address, cases[i].says ? 7 : cases[i].address);
    }
}

static void read_any(const struct acpi_header *table, const struct warnings *warnings)
{
    struct uart_place p;

    spcr_read(table, warnings, &p);
}

static void survives_damage(void **state)
{
    begin(4);
    seal_table(bytes, BYTES_V4);
    damage_table(bytes, BYTES_V4, "SPCR", read_any);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_com2),
        cmocka_unit_test(reads_registers_in_memory),
        cmocka_unit_test(reads_speeds),
        cmocka_unit_test(takes_no_others),
        cmocka_unit_test(refuses_impossible_ports),
        cmocka_unit_test(survives_damage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
