// SPDX-License-Identifier: MIT
#include "acpi/mbft.h"

#include "firmware/fake.h"

#define MIB       (UINT64_C(1) << 20)
#define FREE_KIB  637u
#define BASE_END  0xa0000u
#define LENGTH    70u /* of version 3.71 and later: 36 + 4 + 30 */
#define LENGTH_AT 4u
#define SUM_AT    9u
#define INFO_AT   40u

static struct fake_memory memory;
static uint8_t *base; /* from the end of what is free to the end of base memory */

static int set_up(void **state)
{
    static const uint8_t free_kib[] = { FREE_KIB & 0xff, FREE_KIB >> 8 };
    static uint8_t none[BASE_END - (FREE_KIB << 10)];

    fake_add(&memory, 0x413, free_kib, sizeof(free_kib));
    base = fake_add(&memory, FREE_KIB << 10, none, sizeof(none));
    return 0;
}

static int tear_down(void **state)
{
    fake_free(&memory);
    return 0;
}

static void seal(uint8_t *table, size_t n)
{
    uint8_t sum = 0;

    table[SUM_AT] = 0;
    for (size_t i = 0; i < n; i++)
        sum = (uint8_t)(sum + table[i]);
    table[SUM_AT] = (uint8_t)-sum;
}

/* A table of memdisk 6.04. */
static uint8_t *put(size_t offset, uint32_t address, uint32_t sectors)
{
    uint8_t *t = base + offset;

    memcpy(t, "mBFT", 4);
    t[LENGTH_AT] = LENGTH;
    t[INFO_AT] = LENGTH - INFO_AT;
    t[INFO_AT + 2] = 4;
    t[INFO_AT + 3] = 6;
    memcpy(t + INFO_AT + 4, &address, 4);
    memcpy(t + INFO_AT + 8, &sectors, 4);
    seal(t, LENGTH);
    return t;
}

/* The addresses in MiB, a blank after each. */
static const char *found(void)
{
    static char text[128];
    struct phys_reader reader = fake_reader(&memory);
    uint64_t at = 0, disk;

    text[0] = 0;
    while (mbft_next(&reader, &at, &disk))
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%llu ",
                 (unsigned long long)(disk / MIB));
    assert_false(mbft_next(&reader, &at, &disk));
    return text;
}

static void each_disk_in_its_place(void **state)
{
    size_t last = BASE_END - (FREE_KIB << 10) - LENGTH;

    assert_string_equal(found(), "");
    put(0x120, 206 << 20, 49 << 11);
    assert_string_equal(found(), "206 ");
    put(0, 4095u << 20, UINT32_MAX);
    assert_string_equal(found(), "4095 206 ");
    put((last & ~(size_t)15), 1 << 20, 1 << 11);
    assert_string_equal(found(), "4095 206 1 ");
}

static void what_is_damaged_is_not_a_table(void **state)
{
    uint8_t *t = put(0x120, 206 << 20, 49 << 11);

    for (size_t i = 0; i < LENGTH; i++) {
        t[i] ^= 0x10;
        assert_string_equal(found(), "");
        t[i] ^= 0x10;
    }
    assert_string_equal(found(), "206 ");
    put(0x120 + 8, 1 << 20, 1 << 11); /* not at the start of a paragraph, and over the first */
    assert_string_equal(found(), "");
}

static void lengths(void **state)
{
    static const struct {
        uint8_t length, info;
        bool is_good;
    } cases[] = {
        { 66, 26, true },  { 67, 27, true },  { 65, 25, false },  { 70, 26, false },
        { 66, 30, false }, { 0, 216, false }, { 255, 215, true },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint8_t *t = put(0x120, 206 << 20, 49 << 11);

        t[LENGTH_AT] = cases[i].length;
        t[INFO_AT] = cases[i].info;
        seal(t, cases[i].length > SUM_AT ? cases[i].length : LENGTH);
        assert_string_equal(found(), cases[i].is_good ? "206 " : "");
    }
}

/* One that claims to go on past base memory, or is not readable there. */
static void beyond_base_memory(void **state)
{
    size_t last = (BASE_END - (FREE_KIB << 10) - 66) & ~(size_t)15;
    uint8_t *t = put(last - 16, 206 << 20, 49 << 11);

    assert_string_equal(found(), "206 ");
    t[LENGTH_AT] = 200;
    t[INFO_AT] = 160;
    seal(t, 66);
    assert_string_equal(found(), "");
}

/* What the BIOS says of base memory. */
static void no_base_memory(void **state)
{
    static const uint16_t kib[] = { 0, 63, 640, 0xffff };

    put(0, 206 << 20, 49 << 11);
    for (size_t i = 0; i < sizeof(kib) / sizeof(kib[0]); i++) {
        memcpy(memory.piece[0].bytes, &kib[i], 2);
        assert_string_equal(found(), "");
    }
    fake_free(&memory);
    assert_string_equal(found(), ""); /* nothing is readable */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_disk_in_its_place, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_damaged_is_not_a_table, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lengths, set_up, tear_down),
        cmocka_unit_test_setup_teardown(beyond_base_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_base_memory, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
