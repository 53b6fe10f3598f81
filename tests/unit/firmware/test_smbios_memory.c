// SPDX-License-Identifier: MIT
#include "firmware/smbios_memory.h"

#include "damage.h"
#include "q35.h"

#define DDR4 0x1a

struct device {
    uint8_t length;
    uint16_t size;
    uint8_t memory_type;
    uint32_t extended_size_mib;
    uint16_t handle, array;
    const char *strings; /* locator, bank locator; each with its closing NUL; NULL: none */
    size_t strings_length;
    uint8_t locator, bank, maker, serial, part;
    uint8_t form_factor;
    uint16_t rated, configured, configured_mv;
    uint16_t total_bits, data_bits;
    uint32_t extended_rated, extended_configured;
};

/* Its length, its size in the units of the table, its type; and more of its members. */
#define DEVICE(n_bytes, size_, type, ...)                                                          \
    {                                                                                              \
        .length = n_bytes, .size = size_, .memory_type = type, __VA_ARGS__                         \
    }

static struct smbios_memory m;

static void put(uint8_t *at, uint8_t length, size_t offset, const void *value, size_t size)
{
    if (offset + size <= length)
        memcpy(at + offset, value, size);
}

static size_t put_device(uint8_t *at, struct device d)
{
    size_t strings = d.strings ? d.strings_length : 1;

    memset(at, 0, d.length + strings + 1);
    at[0] = 17;
    at[1] = d.length;
    put(at, d.length, 0x02, &d.handle, 2);
    put(at, d.length, 0x04, &d.array, 2);
    put(at, d.length, 0x08, &d.total_bits, 2);
    put(at, d.length, 0x0a, &d.data_bits, 2);
    put(at, d.length, 0x0c, &d.size, 2);
    put(at, d.length, 0x0e, &d.form_factor, 1);
    put(at, d.length, 0x10, &d.locator, 1);
    put(at, d.length, 0x11, &d.bank, 1);
    put(at, d.length, 0x12, &d.memory_type, 1);
    put(at, d.length, 0x15, &d.rated, 2);
    put(at, d.length, 0x17, &d.maker, 1);
    put(at, d.length, 0x18, &d.serial, 1);
    put(at, d.length, 0x1a, &d.part, 1);
    put(at, d.length, 0x1c, &d.extended_size_mib, 4);
    put(at, d.length, 0x20, &d.configured, 2);
    put(at, d.length, 0x26, &d.configured_mv, 2);
    put(at, d.length, 0x54, &d.extended_rated, 4);
    put(at, d.length, 0x58, &d.extended_configured, 4);
    if (d.strings)
        memcpy(at + d.length, d.strings, d.strings_length);
    return d.length + strings + 1;
}

static enum status read_version(const uint8_t *bytes, size_t length, uint8_t major, uint8_t minor)
{
    struct warnings warnings = fresh_warnings();
    uint8_t *copy = malloc(length ? length : 1);
    struct smbios s = { .structures = copy,
                        .length = length,
                        .n_structures = UINT32_MAX,
                        .major = major,
                        .minor = minor };
    enum status status;

    memset(&m, 0xaa, sizeof(m));
    memcpy(copy, bytes, length);
    status = smbios_memory_read(&s, &warnings, &m);
    free(copy);
    return status;
}

static enum status read_bytes(const uint8_t *bytes, size_t length)
{
    return read_version(bytes, length, 3, 3);
}

TEST(reads_widths)
{
    static const struct {
        uint16_t stored, bits;
    } widths[] = { { 0, 0 }, { 64, 64 }, { 72, 72 }, { 0xfffe, 0xfffe }, { 0xffff, 0 } };
    uint8_t bytes[64];

    for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
        struct device d = DEVICE(0x15, 512, DDR4, .total_bits = widths[i].stored, .data_bits = 64);

        assert_int_equal(read_bytes(bytes, put_device(bytes, d)), STATUS_OK);
        assert_int_equal(m.slot[0].total_bits, widths[i].bits);
        assert_int_equal(m.slot[0].data_bits, 64);
        d.total_bits = 64;
        d.data_bits = widths[i].stored;
        assert_int_equal(read_bytes(bytes, put_device(bytes, d)), STATUS_OK);
        assert_int_equal(m.slot[0].total_bits, 64);
        assert_int_equal(m.slot[0].data_bits, widths[i].bits);
    }
}

TEST(reads_each_way_to_emit_a_size)
{
    static const struct {
        struct device device;
        uint64_t bytes;
        uint32_t slots, populated, unknown;
    } cases[] = {
        { DEVICE(0x28, 0, DDR4), 0, 1, 0, 0 }, /* an empty slot */
        { DEVICE(0x15, 512, DDR4), 512 * MIB, 1, 1, 0 },
        { DEVICE(0x28, 0x7ffe, DDR4, .extended_size_mib = 99), 0x7ffe * MIB, 1, 1, 0 },
        { DEVICE(0x28, 0x8000 | 640, DDR4), 640 * 1024, 1, 1, 0 }, /* in KiB */
        { DEVICE(0x28, 0xfffe, DDR4), 0x7ffe * 1024, 1, 1, 0 },
        { DEVICE(0x28, 0xffff, DDR4, .extended_size_mib = 99), 0, 1, 1, 1 },
        { DEVICE(0x20, 0x7fff, DDR4, .extended_size_mib = 65536), 65536 * MIB, 1, 1, 0 },
        { DEVICE(0x5c, 0x7fff, DDR4, .extended_size_mib = 0x80000000 | 32768), 32768 * MIB, 1, 1,
          0 },
        { DEVICE(0x1f, 0x7fff, DDR4), 0, 1, 1, 1 },  /* too old to hold the extended size */
        { DEVICE(0x28, 16, 7), 16 * MIB, 1, 1, 0 },  /* "RAM", as QEMU says */
        { DEVICE(0x28, 16, 13), 16 * MIB, 1, 1, 0 }, /* the first after the ROMs */
        { DEVICE(0x28, 512, 0x20), 512 * MIB, 1, 1, 0 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint8_t bytes[128];
        size_t n = put_device(bytes, cases[i].device);

        assert_int_equal(read_bytes(bytes, n), STATUS_OK);
        assert_int_equal(m.installed_bytes, cases[i].bytes);
        assert_int_equal(m.slots, cases[i].slots);
        assert_int_equal(m.populated, cases[i].populated);
        assert_int_equal(m.unknown, cases[i].unknown);
        assert_int_equal(m.n_slot, 1);
        assert_int_equal(m.slot[0].size_bytes, cases[i].bytes);
        assert_int_equal(m.slot[0].is_populated, cases[i].populated);
        assert_int_equal(m.slot[0].memory_type, cases[i].device.memory_type);
        assert_int_equal(log_.n, 0);
    }
}

TEST(adds_up)
{
    static const uint8_t other[] = { 1, 4, 0, 0, 'P', 'C', 0, 0 };
    uint8_t bytes[1024];
    size_t n = 0;

    n += put_device(bytes + n, (struct device)DEVICE(0x28, 8192, DDR4));
    memcpy(bytes + n, other, sizeof(other));
    n += sizeof(other);
    n += put_device(bytes + n, (struct device)DEVICE(0x28, 0, DDR4));
    n += put_device(bytes + n,
                    (struct device)DEVICE(0x28, 0x7fff, DDR4, .extended_size_mib = 32768));
    n += put_device(bytes + n, (struct device)DEVICE(0x28, 16384, DDR4));
    n += put_device(bytes + n, (struct device)DEVICE(0x28, 0x8000 | 1024, DDR4));
    n += put_device(bytes + n, (struct device)DEVICE(0x28, 0xffff, DDR4));
    n += put_device(bytes + n, (struct device)DEVICE(0x28, 0x8000 | 4096, 8)); /* a ROM */
    n += put_device(bytes + n, (struct device)DEVICE(0x28, 16, 9));            /* flash */
    n += put_device(bytes + n, (struct device)DEVICE(0x28, 16, 12));           /* an EPROM */
    n += put_device(bytes + n, (struct device)DEVICE(0x5c, 0x7fff, 0x1f,
                                                     .extended_size_mib = 131072)); /* no DRAM */
    assert_int_equal(read_bytes(bytes, n), STATUS_OK);
    assert_int_equal(m.installed_bytes, 57345 * MIB);
    assert_int_equal(m.slots, 6);
    assert_int_equal(m.n_slot, 6);
    assert_int_equal(m.populated, 5);
    assert_int_equal(m.unknown, 1);
    assert_int_equal(log_.n, 0);
}

TEST(reads_speeds)
{
    static const struct {
        struct device device;
        uint32_t rated, configured;
    } cases[] = {
        { DEVICE(0x5c, 512, DDR4, .rated = 3200, .configured = 2133), 3200, 2133 },
        { DEVICE(0x5c, 512, DDR4, .rated = 0xfffe, .configured = 0xfffe, .extended_rated = 1),
          0xfffe, 0xfffe },
        { DEVICE(0x5c, 512, DDR4, .rated = 0xffff, .configured = 0xffff, .extended_rated = 70000,
                 .extended_configured = 0x80000000 | 68000),
          70000, 68000 },
        { DEVICE(0x54, 512, DDR4, .rated = 0xffff, .configured = 0xffff), 0, 0 }, /* before 3.3 */
        { DEVICE(0x58, 512, DDR4, .rated = 0xffff, .configured = 0xffff, .extended_rated = 70000),
          70000, 0 },
        { DEVICE(0x22, 512, DDR4, .rated = 3200, .configured = 2133), 3200, 2133 },
        { DEVICE(0x21, 512, DDR4, .rated = 3200, .configured = 2133), 3200, 0 },
        { DEVICE(0x17, 512, DDR4, .rated = 3200, .configured = 2133), 3200, 0 },
        { DEVICE(0x16, 512, DDR4, .rated = 3200, .configured = 2133), 0, 0 },
        { DEVICE(0x15, 512, DDR4, .rated = 3200, .configured = 2133), 0, 0 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint8_t bytes[128];
        size_t n = put_device(bytes, cases[i].device);

        assert_int_equal(read_bytes(bytes, n), STATUS_OK);
        assert_int_equal(m.slot[0].rated_mt_s, cases[i].rated);
        assert_int_equal(m.slot[0].configured_mt_s, cases[i].configured);
    }
}

TEST(voltages)
{
    static const struct {
        uint16_t mv;
        uint8_t length;
        uint32_t expected;
    } cases[] = { { 1200, 0x28, 1200 }, { 1200, 0x27, 0 }, { 0, 0x28, 0 },
                  { 1, 0x28, 0 },       { 399, 0x28, 0 },  { 400, 0x28, 400 },
                  { 3500, 0x28, 3500 }, { 3501, 0x28, 0 }, { 0xffff, 0x28, 0 } };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint8_t bytes[128];
        size_t n = put_device(bytes, (struct device){ .length = cases[i].length,
                                                      .size = 512,
                                                      .memory_type = DDR4,
                                                      .configured_mv = cases[i].mv });

        assert_int_equal(read_bytes(bytes, n), STATUS_OK);
        assert_int_equal(m.slot[0].configured_mv, cases[i].expected);
    }
}

TEST(knows_which_versions_count_clocks)
{
    static const struct {
        uint8_t major, minor;
        bool in_mhz;
    } cases[] = {
        { 2, 8, true }, { 3, 0, true }, { 3, 1, false }, { 3, 7, false }, { 4, 0, false }
    };
    struct warnings warnings = warnings_to(&log_);

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct smbios s = { .major = cases[i].major, .minor = cases[i].minor };

        smbios_memory_read(&s, &warnings, &m);
        assert_int_equal(m.speeds_in_mhz, cases[i].in_mhz);
    }
}

/* Since SMBIOS 2.3; what is missing gives no warning. */
TEST(names_modules)
{
    static const char strings[] = "Maker\0 1A2B \0Part-1";
    static const struct {
        uint8_t length, maker, serial, part;
        const char *maker_text, *serial_text, *part_text;
    } cases[] = {
        { 0x28, 1, 2, 3, "Maker", "1A2B", "Part-1" },
        { 0x1b, 1, 2, 3, "Maker", "1A2B", "Part-1" },
        { 0x1a, 1, 2, 3, "", "", "" },
        { 0x28, 0, 0, 0, "", "", "" },
        { 0x28, 9, 4, 1, "", "", "Maker" },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint8_t bytes[256];
        size_t n = put_device(bytes, (struct device){ .length = cases[i].length,
                                                      .size = 512,
                                                      .memory_type = DDR4,
                                                      .strings = strings,
                                                      .strings_length = sizeof(strings),
                                                      .maker = cases[i].maker,
                                                      .serial = cases[i].serial,
                                                      .part = cases[i].part });

        assert_int_equal(read_bytes(bytes, n), STATUS_OK);
        assert_string_equal(m.slot[0].maker, cases[i].maker_text);
        assert_string_equal(m.slot[0].serial, cases[i].serial_text);
        assert_string_equal(m.slot[0].part, cases[i].part_text);
        assert_int_equal(log_.n, 0);
    }
}

TEST(names_slots)
{
    static const char strings[] = "BANK 0\0DIMM_A1";
    static const struct {
        uint8_t locator, bank;
        const char *locator_text, *bank_text;
        unsigned warnings;
    } cases[] = {
        { 2, 1, "DIMM_A1", "BANK 0", 0 },
        { 0, 0, "", "", 0 },
        { 3, 1, "", "BANK 0", 1 }, /* no such string: the slot counts all the same */
        { 255, 254, "", "", 1 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint8_t bytes[256];
        size_t n = put_device(
            bytes, (struct device)DEVICE(0x28, 512, DDR4, .handle = 0x1234, .strings = strings,
                                         .strings_length = sizeof(strings),
                                         .locator = cases[i].locator, .bank = cases[i].bank));

        n += put_device(bytes + n, (struct device)DEVICE(0x28, 512, DDR4));
        assert_int_equal(read_bytes(bytes, n), STATUS_OK);
        assert_int_equal(m.installed_bytes, 1024 * MIB);
        assert_string_equal(m.slot[0].locator, cases[i].locator_text);
        assert_string_equal(m.slot[0].bank, cases[i].bank_text);
        assert_int_equal(m.slot[0].handle, 0x1234);
        if (cases[i].warnings)
            assert_warned(&log_, 1, "unreadable names of memory slots");
        else
            assert_int_equal(log_.n, 0);
    }
}

TEST(reads_serial_and_part)
{
    static const char strings[] = "1A2B3C4D\0F5-6000J3038F16G and more";
    static const struct {
        uint8_t length, serial, part;
        uint16_t size;
        const char *wanted_serial, *wanted_part;
    } cases[] = {
        { 0x28, 1, 2, 512, "1A2B3C4D", "F5-6000J3038F16G and more" },
        { 0x28, 0, 0, 512, "", "" },
        { 0x28, 3, 9, 512, "", "" }, /* there is no such string */
        { 0x28, 1, 2, 0, "", "" },   /* an empty slot keeps what was in it */
        { 0x17, 1, 2, 512, "", "" }, /* SMBIOS 2.1: no such fields */
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint8_t bytes[256];
        size_t n = put_device(bytes, (struct device){ .length = cases[i].length,
                                                      .size = cases[i].size,
                                                      .memory_type = DDR4,
                                                      .serial = cases[i].serial,
                                                      .part = cases[i].part,
                                                      .strings = strings,
                                                      .strings_length = sizeof(strings) });

        assert_int_equal(read_bytes(bytes, n), STATUS_OK);
        assert_string_equal(m.slot[0].serial, cases[i].wanted_serial);
        assert_string_equal(m.slot[0].part, cases[i].wanted_part);
    }
}

TEST(knows_what_is_soldered)
{
    for (unsigned form = 0; form < 0x20; form++) {
        bool wanted = form == 0x05 || form == 0x0a || form == 0x0b || form == 0x10;
        uint8_t bytes[256];
        size_t n =
            put_device(bytes, (struct device)DEVICE(0x28, 512, DDR4, .form_factor = (uint8_t)form));

        assert_int_equal(read_bytes(bytes, n), STATUS_OK);
        assert_int_equal(m.slot[0].is_soldered, wanted);
    }
}

static size_t put_array(uint8_t *at, uint8_t length, uint16_t handle, uint8_t use, uint8_t ecc,
                        uint32_t capacity_kib, uint64_t extended)
{
    uint16_t devices = 12;

    memset(at, 0, length + 2u);
    at[0] = 16;
    at[1] = length;
    put(at, length, 0x02, &handle, 2);
    put(at, length, 0x05, &use, 1);
    put(at, length, 0x06, &ecc, 1);
    put(at, length, 0x07, &capacity_kib, 4);
    put(at, length, 0x0d, &devices, 2);
    put(at, length, 0x0f, &extended, 8);
    return length + 2u;
}

TEST(reads_arrays)
{
    static const struct {
        uint8_t length, ecc;
        uint32_t capacity_kib;
        uint64_t extended, capacity_bytes;
        enum smbios_ecc kind;
    } cases[] = {
        { 0x17, 6, 1 << 20, 99, 1024 * MIB, SMBIOS_ECC_MULTI_BIT },
        { 0x17, 3, 0x7fffffff, 99, UINT64_C(0x7fffffff) << 10, SMBIOS_ECC_NONE },
        { 0x17, 5, 0x80000000, 4096 * MIB * 1024, 4096 * MIB * 1024, SMBIOS_ECC_SINGLE_BIT },
        { 0x0f, 4, 0x80000000, 0, 0, SMBIOS_ECC_PARITY }, /* too old to hold more */
        { 0x0f, 7, 64, 0, 65536, SMBIOS_ECC_CRC },
        { 0x0f, 2, 64, 0, 65536, SMBIOS_ECC_UNKNOWN },
        { 0x0f, 1, 64, 0, 65536, SMBIOS_ECC_UNKNOWN },
        { 0x0f, 8, 64, 0, 65536, SMBIOS_ECC_UNKNOWN },
        { 0x0f, 255, 64, 0, 65536, SMBIOS_ECC_UNKNOWN },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint8_t bytes[128];
        size_t n = put_array(bytes, cases[i].length, 0x1000, 3, cases[i].ecc, cases[i].capacity_kib,
                             cases[i].extended);

        assert_int_equal(read_bytes(bytes, n), STATUS_NOT_FOUND);
        assert_int_equal(m.n_array, 1);
        assert_int_equal(m.array[0].handle, 0x1000);
        assert_int_equal(m.array[0].n_devices, 12);
        assert_int_equal(m.array[0].capacity_bytes, cases[i].capacity_bytes);
        assert_int_equal(m.array[0].ecc, cases[i].kind);
        assert_int_equal(log_.n, 0);
    }
}

/* Video memory and flash are listed in the same way, before or after their array. */
TEST(counts_system_memory_only)
{
    uint8_t bytes[512];
    size_t n = 0;

    n += put_device(bytes + n, (struct device)DEVICE(0x28, 256, DDR4, .array = 0x1001));
    n += put_array(bytes + n, 0x17, 0x1000, 3, 3, 1, 0);
    n += put_array(bytes + n, 0x17, 0x1001, 4, 3, 1, 0);
    n += put_device(bytes + n, (struct device)DEVICE(0x28, 512, DDR4, .array = 0x1000));
    n += put_device(bytes + n, (struct device)DEVICE(0x28, 64, DDR4, .array = 0x1001));
    n += put_device(bytes + n, (struct device)DEVICE(0x28, 1024, DDR4, .array = 0x7777));
    assert_int_equal(read_bytes(bytes, n), STATUS_OK);
    assert_int_equal(m.n_array, 1);
    assert_int_equal(m.slots, 2);
    assert_int_equal(m.installed_bytes, 1536 * MIB);
    assert_int_equal(log_.n, 0);
}

/* By type, form factor and technology, and by where the array is (7.17.1, 7.18.1, 7.18.2, 7.18.6).
 */
TEST(knows_what_is_ordinary)
{
    static const struct {
        uint8_t memory_type, form_factor, technology, location;
        bool is_ordinary;
    } cases[] = {
        { DDR4, 9, 0, 3, true },
        { DDR4, 9, 3, 3, true }, /* a DIMM: technology unknown, or DRAM */
        { DDR4, 9, 4, 3, false },
        { DDR4, 9, 7, 3, false }, /* NVDIMM-N, Optane */
        { 0x20, 9, 0, 3, false },
        { 0x24, 9, 0, 3, false }, /* HBM */
        { DDR4, 0x24, 0, 3, false },
        { DDR4, 9, 0, 0xa4, false }, /* CXL: form factor, array */
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct device device = {
            .length = 0x54, .size = 512, .memory_type = cases[i].memory_type, .array = 0x1000
        };
        uint8_t bytes[256];
        size_t n = put_array(bytes, 0x17, 0x1000, 3, 3, 1, 0), size;

        bytes[0x04] = cases[i].location;
        size = put_device(bytes + n, device);
        bytes[n + 0x0e] = cases[i].form_factor;
        bytes[n + 0x28] = cases[i].technology;
        assert_int_equal(read_bytes(bytes, n + size), STATUS_OK);
        assert_int_equal(m.n_slot, 1);
        assert_int_equal(m.slot[0].is_ordinary, cases[i].is_ordinary);
    }
}

static size_t put_range(uint8_t *at, uint8_t length, uint16_t device)
{
    memset(at, 0, length + 2u);
    at[0] = 20;
    at[1] = length;
    put(at, length, 0x0c, &device, 2);
    return length + 2u;
}

TEST(knows_slots_with_addresses)
{
    uint8_t bytes[512];
    size_t n = 0;

    n += put_range(bytes + n, 0x13, 0x11);
    n += put_device(bytes + n, (struct device)DEVICE(0x28, 512, DDR4, .handle = 0x11));
    n += put_device(bytes + n, (struct device)DEVICE(0x28, 512, DDR4, .handle = 0x12));
    n += put_device(bytes + n, (struct device)DEVICE(0x28, 512, DDR4, .handle = 0x13));
    n += put_range(bytes + n, 0x23, 0x13);
    n += put_range(bytes + n, 0x23, 0x99);
    assert_int_equal(read_bytes(bytes, n), STATUS_OK);
    assert_int_equal(log_.n, 0);
    assert_true(m.slot[0].has_range && !m.slot[1].has_range && m.slot[2].has_range);

    n += put_range(bytes + n, 0x23, 0); /* what comes after the last slot is none */
    assert_int_equal(read_bytes(bytes, n), STATUS_OK);
    assert_false(m.slot[3].has_range);
    n += put_range(bytes + n, 0x0e, 0x12); /* as short as can be */
    assert_int_equal(read_bytes(bytes, n), STATUS_OK);
    assert_int_equal(log_.n, 0);
    assert_true(m.slot[1].has_range);

    n -= 0x0e + 2;
    n += put_range(bytes + n, 0x0d, 0x12); /* shorter than ever was */
    assert_int_equal(read_bytes(bytes, n), STATUS_OK);
    assert_false(m.slot[1].has_range);
    assert_warned(&log_, 1, "malformed list of structures");
}

/* Of two slots the first is `length` long, which the walk either believes or stops at. */
TEST(stops_at_what_is_too_long)
{
    static const struct {
        uint8_t length, major, minor;
        uint32_t slots;
    } cases[] = {
        { 0x64, 2, 8, 2 }, { 0x64, 3, 7, 2 }, { 0x65, 3, 7, 0 }, { 0xff, 2, 8, 0 },
        { 0xff, 3, 0, 0 }, { 0x65, 3, 8, 2 }, { 0xff, 4, 0, 2 }, /* newer than what is known */
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint8_t bytes[512];
        size_t n = put_device(
            bytes, (struct device){ .length = cases[i].length, .size = 512, .memory_type = DDR4 });

        n += put_device(bytes + n, (struct device)DEVICE(0x28, 512, DDR4));
        assert_int_equal(read_version(bytes, n, cases[i].major, cases[i].minor),
                         cases[i].slots ? STATUS_OK : STATUS_NOT_FOUND);
        assert_int_equal(m.slots, cases[i].slots);
        if (cases[i].slots)
            assert_int_equal(log_.n, 0);
        else
            assert_warned(&log_, 1, "malformed list of structures");
    }
}

/* Arrays and ranges of addresses, after a slot. */
TEST(stops_at_other_types_that_are_too_long)
{
    for (unsigned i = 0; i < 4; i++) {
        bool is_too_long = i % 2;
        uint8_t bytes[512];
        size_t n = put_device(bytes, (struct device)DEVICE(0x28, 512, DDR4));

        if (i < 2)
            n += put_array(bytes + n, (uint8_t)(0x17 + is_too_long), 0x1000, 3, 3, 1, 0);
        else
            n += put_range(bytes + n, (uint8_t)(0x23 + is_too_long), 0);
        n += put_device(bytes + n, (struct device)DEVICE(0x28, 512, DDR4));
        assert_int_equal(read_bytes(bytes, n), STATUS_OK);
        assert_int_equal(m.slots, is_too_long ? 1 : 2);
        if (is_too_long)
            assert_warned(&log_, 1, "malformed list of structures");
        else
            assert_int_equal(log_.n, 0);
    }
}

TEST(counts_past_the_list_of_slots)
{
    for (uint32_t extra = 0; extra < 2; extra++) {
        static uint8_t bytes[64 * (SMBIOS_SLOTS_MAX + 1)];
        size_t n = 0;

        for (uint32_t i = 0; i < SMBIOS_SLOTS_MAX + extra; i++)
            n += put_device(bytes + n, (struct device)DEVICE(0x28, 1, DDR4, .handle = (uint16_t)i));
        assert_int_equal(read_bytes(bytes, n), STATUS_OK);
        assert_int_equal(m.n_slot, SMBIOS_SLOTS_MAX);
        assert_int_equal(m.slot[SMBIOS_SLOTS_MAX - 1].handle, SMBIOS_SLOTS_MAX - 1);
        assert_int_equal(m.slots, SMBIOS_SLOTS_MAX + extra);
        assert_int_equal(m.installed_bytes, (SMBIOS_SLOTS_MAX + extra) * MIB);
    }
}

TEST(counts_past_the_lists_of_arrays)
{
    static uint8_t bytes[32 * 4 * SMBIOS_ARRAYS_MAX];
    size_t n = 0;

    for (uint16_t i = 0; i < SMBIOS_ARRAYS_MAX + 1; i++) {
        n += put_array(bytes + n, 0x17, i, 3, 3, 1, 0);
        n += put_array(bytes + n, 0x17, 0x100 + i, 4, 3, 1, 0);
    }
    n += put_device(bytes + n, (struct device)DEVICE(0x28, 512, DDR4));
    assert_int_equal(read_bytes(bytes, n), STATUS_OK);
    assert_int_equal(m.n_array, SMBIOS_ARRAYS_MAX);
    assert_int_equal(m.slots, 1);
}

TEST(says_when_the_list_is_broken)
{
    uint8_t bytes[256] = { 0 };
    size_t n;

    assert_int_equal(read_bytes(bytes, 0), STATUS_NOT_FOUND);
    assert_int_equal(m.slots, 0);
    assert_int_equal(log_.n, 0);

    n = put_device(bytes, (struct device)DEVICE(0x14, 512, DDR4)); /* shorter than ever was */
    assert_int_equal(read_bytes(bytes, n), STATUS_NOT_FOUND);
    assert_int_equal(m.slots, 0);
    assert_warned(&log_, 1, "malformed list of structures");

    n += put_device(bytes + n, (struct device)DEVICE(0x28, 512, DDR4)); /* the rest counts */
    n += put_array(bytes + n, 0x0e, 0x1000, 3, 3, 1, 0);
    n += put_device(bytes + n, (struct device)DEVICE(0x28, 512, DDR4));
    assert_int_equal(read_bytes(bytes, n), STATUS_OK);
    assert_int_equal(m.slots, 2);
    assert_int_equal(m.n_array, 0);
    assert_warned(&log_, 1, "malformed list of structures");

    n = put_device(bytes, (struct device)DEVICE(0x28, 512, DDR4));
    put_array(bytes + n, 0x0e, 0x1000, 3, 3, 1, 0); /* alone */
    assert_int_equal(read_bytes(bytes, n + 0x0e + 2), STATUS_OK);
    assert_warned(&log_, 1, "malformed list of structures");

    put_device(bytes + n, (struct device)DEVICE(0x28, 512, DDR4));
    assert_int_equal(read_bytes(bytes, n + 0x27), STATUS_OK);
    assert_int_equal(m.slots, 1);
    assert_int_equal(m.installed_bytes, 512 * MIB);
    assert_warned(&log_, 1, "malformed list of structures");

    assert_int_equal(read_bytes(bytes, n + 0x28), STATUS_OK); /* its strings do not end */
    assert_int_equal(m.slots, 2);
    assert_warned(&log_, 1, "malformed list of structures");
}

struct list {
    uint8_t bytes[512];
    size_t length;
};

static void read_damaged(void *ctx)
{
    const struct list *list = ctx;

    if (read_bytes(list->bytes, list->length) == STATUS_OK) {
        assert_in_range(m.slots, 1, 4);
        assert_int_equal(m.n_slot, m.slots);
        assert_true(m.unknown <= m.populated && m.populated <= m.slots);
    }
    assert_in_range(log_.n, 0, 2);
}

TEST(survives_damage)
{
    static const char strings[] = "A1\0B";
    struct list list;
    uint8_t *bytes = list.bytes;
    size_t n = 0;

    n += put_array(bytes + n, 0x17, 0x1000, 3, 3, 1, 0);
    n += put_device(bytes + n, (struct device)DEVICE(
                                   0x28, 8192, DDR4, .array = 0x1000, .strings = strings,
                                   .strings_length = sizeof(strings), .locator = 1, .bank = 2));
    n += put_device(bytes + n,
                    (struct device)DEVICE(0x20, 0x7fff, DDR4, .extended_size_mib = 32768));
    n += put_device(bytes + n, (struct device)DEVICE(0x15, 64, DDR4));
    n += put_range(bytes + n, 0x13, 0);
    for (size_t length = 0; length <= n; length++)
        read_bytes(bytes, length);
    list.length = n;
    damage_bytes(bytes, n, read_damaged, &list);
}

TEST(reads_a_real_machine)
{
    FREED_BY(fake_free) struct fake_memory memory = { 0 };
    struct phys_reader reader = fake_reader(&memory);
    struct warning_log log = { 0 };
    struct warnings warnings = warnings_to(&log);
    struct smbios s;

    fake_add_q35(&memory);
    assert_int_equal(smbios_open(&reader, Q35_SMBIOS, &warnings, &s), STATUS_OK);
    assert_int_equal(smbios_memory_read(&s, &warnings, &m), STATUS_OK);
    assert_int_equal(m.installed_bytes, 512 * MIB);
    assert_int_equal(m.slots, 1);
    assert_int_equal(m.populated, 1);
    assert_int_equal(m.unknown, 0);
    assert_int_equal(m.n_slot, 1);
    assert_string_equal(m.slot[0].locator, "DIMM 0");
    assert_string_equal(m.slot[0].bank, "");
    assert_int_equal(m.slot[0].memory_type, 7);
    assert_int_equal(m.slot[0].rated_mt_s, 0);
    assert_int_equal(m.n_array, 1);
    assert_int_equal(m.array[0].n_devices, 1);
    assert_int_equal(m.array[0].capacity_bytes, 512 * MIB);
    assert_int_equal(m.array[0].ecc, SMBIOS_ECC_MULTI_BIT);
    assert_int_equal(log.n, 0);
}

/* SMBIOS 3.7, 7.18.2, those that ordinary modules are of. */
TEST(names_the_types)
{
    static const struct {
        uint8_t type;
        const char *name;
    } types[] = { { 0x12, "DDR" },    { 0x13, "DDR2" },   { 0x18, "DDR3" }, { 0x1a, "DDR4" },
                  { 0x1d, "LPDDR3" }, { 0x1e, "LPDDR4" }, { 0x22, "DDR5" }, { 0x23, "LPDDR5" } };

    for (unsigned type = 0, k = 0; type < 256; type++) {
        bool is_named = k < COUNT(types) && types[k].type == type;

        assert_string_equal(smbios_memory_type_name((uint8_t)type),
                            is_named ? types[k++].name : "");
    }
}
