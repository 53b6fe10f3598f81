// SPDX-License-Identifier: MIT
#include "acpi/uart_place.h"

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
    return READ_TABLE(dbg2_read, sealed(bytes, length), ret_dbg2);
}

TEST(reads_serial_ports)
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

TEST(leaves_out_what_is_no_16550)
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
TEST(a_place_for_an_address_is_none)
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

TEST(keeps_what_comes_before_a_malformed_port)
{
    static const struct {
        unsigned at;
        uint64_t value;
        size_t n;
        const char *says;
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
    begin(1); /* its address ends it */
    put(device(0) + AT_LENGTH, REGISTER + 12, 2);
    assert_int_equal(read_one(device(1), &d), STATUS_OK);
    assert_int_equal(log_.n, 0);
    assert_int_equal(d.port[0].address, 0x3f8);
}

TEST(survives_wrong_counts_and_offsets)
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

READ_ANY(read_any, dbg2_read, &(struct dbg2){ 0 })

TEST(survives_damage)
{
    begin(2);
    seal_table(bytes, device(2));
    damage_table(bytes, device(2), "DBG2", read_any);
}

/* Field offsets of SPCR 1.10, table 1. */
enum {
    AT_INTERFACE = 36,
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

static uint8_t spcr_bytes[BYTES_V4];

/* COM2 at 115200 baud, as servers have it. */
static void spcr_begin(uint8_t revision)
{
    memset(spcr_bytes, 0, sizeof(spcr_bytes));
    make_header((void *)spcr_bytes, "SPCR", revision);
    spcr_bytes[AT_SPACE] = 1;
    spcr_bytes[AT_BITS] = 8;
    spcr_bytes[AT_ADDRESS] = 0xf8;
    spcr_bytes[AT_ADDRESS + 1] = 0x02;
    spcr_bytes[AT_BAUD] = 7;
}

static void spcr_put(unsigned at, uint64_t value, size_t n)
{
    memcpy(spcr_bytes + at, &value, n);
}

static enum status spcr_read_one(size_t length, struct uart_place *ret_place)
{
    return READ_TABLE(spcr_read, sealed(spcr_bytes, length), ret_place);
}

TEST(reads_com2)
{
    struct uart_place p;

    spcr_begin(2);
    spcr_put(AT_CLOCK, 48000000, 4); /* no clock before revision 3 */
    assert_int_equal(spcr_read_one(BYTES_V1, &p), STATUS_OK);
    assert_int_equal(log_.n, 0);
    assert_int_equal(p.address, 0x2f8);
    assert_false(p.in_memory);
    assert_int_equal(p.baud, 115200);
    assert_int_equal(p.clock_hz, 0);
    assert_int_equal(uart_place_bytes(&p), 8);
}

TEST(reads_registers_in_memory)
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
        spcr_begin(4);
        spcr_bytes[AT_INTERFACE] = 0x12;
        spcr_bytes[AT_SPACE] = 0;
        spcr_bytes[AT_BITS] = forms[i].bits;
        spcr_bytes[AT_ACCESS] = forms[i].access;
        spcr_put(AT_ADDRESS, 0xfe030000, 8);
        assert_int_equal(spcr_read_one(BYTES_V4, &p), STATUS_OK);
        assert_int_equal(log_.n, 0);
        assert_true(p.in_memory);
        assert_int_equal(p.stride, forms[i].stride);
        assert_int_equal(p.width, forms[i].width);
        assert_int_equal(uart_place_bytes(&p), 7 * forms[i].stride + forms[i].width);
    }
}

TEST(reads_speeds)
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
        spcr_begin(speeds[i].revision);
        spcr_bytes[AT_BAUD] = speeds[i].code;
        spcr_put(AT_CLOCK, speeds[i].clock, 4);
        spcr_put(AT_PRECISE, speeds[i].precise, 4);
        assert_int_equal(spcr_read_one(BYTES_V4, &p), STATUS_OK);
        assert_int_equal(log_.n, 0);
        assert_int_equal(p.clock_hz, speeds[i].is_clock);
        assert_int_equal(p.baud, speeds[i].is_baud);
    }
    for (unsigned code = 1; code < 256; code += code == 2 ? 3 : code == 5 ? 3 : 1) {
        spcr_begin(2);
        spcr_bytes[AT_BAUD] = (uint8_t)code;
        assert_int_equal(spcr_read_one(BYTES_V4, &p), STATUS_OK);
        assert_warned(&log_, 1, "the port's is not changed");
        assert_int_equal(p.baud, 0);
    }
}

TEST(takes_no_others)
{
    struct uart_place p = { .address = 7 };

    spcr_begin(2);
    spcr_put(AT_ADDRESS, 0, 8); /* console redirection is off */
    assert_int_equal(spcr_read_one(BYTES_V1, &p), STATUS_NOT_FOUND);
    spcr_put(AT_ADDRESS, UINT64_C(0xfffffffffffff000), 8);
    assert_int_equal(spcr_read_one(BYTES_V1, &p), STATUS_NOT_FOUND);
    for (unsigned type = 2; type < 256; type++) {
        spcr_begin(2);
        spcr_bytes[AT_INTERFACE] = (uint8_t)type;
        assert_int_equal(spcr_read_one(BYTES_V1, &p),
                         type == 0x12 ? STATUS_OK : STATUS_UNSUPPORTED);
        assert_int_equal(log_.n, 0);
    }
}

TEST(refuses_impossible_ports)
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

        spcr_begin(2);
        spcr_bytes[AT_SPACE] = cases[i].space;
        spcr_bytes[AT_BITS] = cases[i].bits;
        spcr_bytes[AT_BIT_OFFSET] = cases[i].offset;
        spcr_bytes[AT_ACCESS] = cases[i].access;
        spcr_put(AT_ADDRESS, cases[i].address, 8);
        assert_int_equal(spcr_read_one(cases[i].length, &p),
                         cases[i].says ? STATUS_INVALID : STATUS_OK);
        if (cases[i].says)
            assert_warned(&log_, 1, cases[i].says);
        assert_int_equal(p.address, cases[i].says ? 7 : cases[i].address);
    }
}

READ_ANY(spcr_read_any, spcr_read, &(struct uart_place){ 0 })

TEST(spcr_survives_damage)
{
    spcr_begin(4);
    seal_table(spcr_bytes, BYTES_V4);
    damage_table(spcr_bytes, BYTES_V4, "SPCR", spcr_read_any);
}
