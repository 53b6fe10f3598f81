#include "firmware/smbios_memory.h"

#include "fake.h"

#define MIB  (UINT64_C(1) << 20)
#define DDR4 0x1a

struct device {
    uint8_t length;
    uint16_t size;
    uint8_t memory_type;
    uint32_t extended_size_mib;
};

static struct warning_log log_;

static size_t put_device(uint8_t *at, struct device d)
{
    memset(at, 0, d.length + 2u);
    at[0] = 17;
    at[1] = d.length;
    if (d.length >= 0x0e)
        memcpy(at + 0x0c, &d.size, 2);
    if (d.length > 0x12)
        at[0x12] = d.memory_type;
    if (d.length >= 0x20)
        memcpy(at + 0x1c, &d.extended_size_mib, 4);
    return d.length + 2u;
}

static enum status read_bytes(const uint8_t *bytes, size_t length, struct smbios_memory *ret_memory)
{
    struct warnings warnings = warnings_to(&log_);
    uint8_t *copy = malloc(length ? length : 1);
    struct smbios s = { .structures = copy, .length = length, .n_structures = UINT32_MAX };
    enum status status;

    memset(&log_, 0, sizeof(log_));
    memcpy(copy, bytes, length);
    status = smbios_memory_read(&s, &warnings, ret_memory);
    free(copy);
    return status;
}

static void reads_each_way_to_tell_a_size(void **state)
{
    static const struct {
        struct device device;
        uint64_t bytes;
        uint32_t slots, populated, unknown;
    } cases[] = {
        { { 0x28, 0, DDR4, 0 }, 0, 1, 0, 0 }, /* an empty slot */
        { { 0x15, 512, DDR4, 0 }, 512 * MIB, 1, 1, 0 },
        { { 0x28, 0x7ffe, DDR4, 99 }, 0x7ffe * MIB, 1, 1, 0 },
        { { 0x28, 0x8000 | 640, DDR4, 0 }, 640 * 1024, 1, 1, 0 }, /* in KiB */
        { { 0x28, 0xfffe, DDR4, 0 }, 0x7ffe * 1024, 1, 1, 0 },
        { { 0x28, 0xffff, DDR4, 99 }, 0, 1, 1, 1 },
        { { 0x20, 0x7fff, DDR4, 65536 }, 65536 * MIB, 1, 1, 0 },
        { { 0x5c, 0x7fff, DDR4, 0x80000000 | 32768 }, 32768 * MIB, 1, 1, 0 },
        { { 0x1f, 0x7fff, DDR4, 0 }, 0, 1, 1, 1 },  /* too old to hold the extended size */
        { { 0x28, 16, 7, 0 }, 16 * MIB, 1, 1, 0 },  /* "RAM", as QEMU says */
        { { 0x28, 16, 13, 0 }, 16 * MIB, 1, 1, 0 }, /* the first after the ROMs */
        { { 0x28, 512, 0x20, 0 }, 512 * MIB, 1, 1, 0 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct smbios_memory m;
        uint8_t bytes[128];
        size_t n = put_device(bytes, cases[i].device);

        assert_int_equal(read_bytes(bytes, n, &m), STATUS_OK);
        assert_int_equal(m.installed_bytes, cases[i].bytes);
        assert_int_equal(m.slots, cases[i].slots);
        assert_int_equal(m.populated, cases[i].populated);
        assert_int_equal(m.unknown, cases[i].unknown);
        assert_int_equal(log_.n, 0);
    }
}

static void adds_up(void **state)
{
    static const uint8_t other[] = { 1, 4, 0, 0, 'P', 'C', 0, 0 };
    struct smbios_memory m;
    uint8_t bytes[512];
    size_t n = 0;

    n += put_device(bytes + n, (struct device){ 0x28, 8192, DDR4, 0 });
    memcpy(bytes + n, other, sizeof(other));
    n += sizeof(other);
    n += put_device(bytes + n, (struct device){ 0x28, 0, DDR4, 0 });
    n += put_device(bytes + n, (struct device){ 0x28, 0x7fff, DDR4, 32768 });
    n += put_device(bytes + n, (struct device){ 0x28, 16384, DDR4, 0 });
    n += put_device(bytes + n, (struct device){ 0x28, 0x8000 | 1024, DDR4, 0 });
    n += put_device(bytes + n, (struct device){ 0x28, 0xffff, DDR4, 0 });
    n += put_device(bytes + n, (struct device){ 0x28, 0x8000 | 4096, 8, 0 });  /* a ROM */
    n += put_device(bytes + n, (struct device){ 0x28, 16, 9, 0 });             /* flash */
    n += put_device(bytes + n, (struct device){ 0x28, 16, 12, 0 });            /* an EPROM */
    n += put_device(bytes + n, (struct device){ 0x5c, 0x7fff, 0x1f, 131072 }); /* no DRAM */
    assert_int_equal(read_bytes(bytes, n, &m), STATUS_OK);
    assert_int_equal(m.installed_bytes, 57345 * MIB);
    assert_int_equal(m.slots, 6);
    assert_int_equal(m.populated, 5);
    assert_int_equal(m.unknown, 1);
    assert_int_equal(log_.n, 0);
}

static void says_when_the_list_is_broken(void **state)
{
    struct smbios_memory m = { .slots = 77 };
    uint8_t bytes[256] = { 0 };
    size_t n;

    assert_int_equal(read_bytes(bytes, 0, &m), STATUS_NOT_FOUND);
    assert_int_equal(m.slots, 77);
    assert_int_equal(log_.n, 0);

    n = put_device(bytes, (struct device){ 0x14, 512, DDR4, 0 }); /* shorter than ever was */
    assert_int_equal(read_bytes(bytes, n, &m), STATUS_NOT_FOUND);
    assert_int_equal(m.slots, 77);
    assert_warned(&log_, 1, "the list of structures is broken");

    n = put_device(bytes, (struct device){ 0x28, 512, DDR4, 0 });
    put_device(bytes + n, (struct device){ 0x28, 512, DDR4, 0 });
    assert_int_equal(read_bytes(bytes, n + 0x27, &m), STATUS_OK);
    assert_int_equal(m.slots, 1);
    assert_int_equal(m.installed_bytes, 512 * MIB);
    assert_warned(&log_, 1, "the list of structures is broken");
}

static void survives_damage(void **state)
{
    struct smbios_memory m;
    uint8_t bytes[256], damaged[256];
    size_t n = 0;

    n += put_device(bytes + n, (struct device){ 0x28, 8192, DDR4, 0 });
    n += put_device(bytes + n, (struct device){ 0x20, 0x7fff, DDR4, 32768 });
    n += put_device(bytes + n, (struct device){ 0x15, 64, DDR4, 0 });
    for (size_t length = 0; length <= n; length++)
        read_bytes(bytes, length, &m);
    for (size_t at = 0; at < n; at++) {
        for (unsigned value = 0; value < 256; value++) {
            memcpy(damaged, bytes, n);
            damaged[at] = (uint8_t)value;
            if (read_bytes(damaged, n, &m) == STATUS_OK) {
                assert_in_range(m.slots, 1, 3);
                assert_true(m.unknown <= m.populated && m.populated <= m.slots);
            }
        }
    }
}

static void reads_a_real_machine(void **state)
{
    struct fake_memory memory = { 0 };
    struct phys_reader reader = fake_reader(&memory);
    struct warning_log log = { 0 };
    struct warnings warnings = warnings_to(&log);
    struct smbios_memory m;
    struct smbios s;

    fake_add_q35(&memory);
    assert_int_equal(smbios_open(&reader, Q35_SMBIOS, &warnings, &s), STATUS_OK);
    assert_int_equal(smbios_memory_read(&s, &warnings, &m), STATUS_OK);
    assert_int_equal(m.installed_bytes, 512 * MIB);
    assert_int_equal(m.slots, 1);
    assert_int_equal(m.populated, 1);
    assert_int_equal(m.unknown, 0);
    assert_int_equal(log.n, 0);
    fake_free(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_each_way_to_tell_a_size), cmocka_unit_test(adds_up),
        cmocka_unit_test(says_when_the_list_is_broken),  cmocka_unit_test(survives_damage),
        cmocka_unit_test(reads_a_real_machine),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
