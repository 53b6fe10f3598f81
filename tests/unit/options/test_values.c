// SPDX-License-Identifier: MIT
#include "options/values.h"

#include "bootcfg/lines.h"
#include "tests/unit/unit.h"

TEST(parses_ids)
{
    static const struct {
        const char *text;
        uint64_t low; /* IDs 0 to 63 */
        bool last;    /* ID 1023 */
    } good[] = {
        { "0", 1, false },
        { "0,2-5", 0x3d, false },
        { "5,0,5", 0x21, false },
        { "0-63", ~UINT64_C(0), false },
        { "63", UINT64_C(1) << 63, false },
        { "1023", 0, true },
        { "0x1f", UINT64_C(1) << 31, false },
        { "0-1023", ~UINT64_C(0), true },
        { "3-3", 8, false },
    };
    static const char *const bad[] = {
        "",
        ",",
        "1,",
        ",1",
        "1-",
        "-1",
        "2-1",
        "1024",
        "0-1024",
        "1,,2",
        "a",
        "1 2",
        "1-2-3",
        "all,1",
        "ALL",
        "1.5",
        "18446744073709551616",
        "0-18446744073709551615",
    };
    struct id_set set;

    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        set.all = true;
        assert_true(value_parse_ids(good[i].text, &set));
        assert_false(set.all);
        for (uint32_t id = 0; id < 64; id++)
            assert_int_equal(id_set_contains(&set, id), good[i].low >> id & 1);
        assert_int_equal(id_set_contains(&set, 1023), good[i].last);
        assert_false(id_set_contains(&set, 1024));
        assert_false(id_set_contains(&set, UINT32_MAX));
    }
    assert_true(value_parse_ids("all", &set));
    assert_true(id_set_contains(&set, 0));
    assert_true(id_set_contains(&set, UINT32_MAX));
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_false(value_parse_ids(bad[i], &set));
        assert_true(set.all); /* untouched */
    }
}

TEST(parses_spans)
{
    static const struct {
        const char *text;
        size_t n;
        struct span span[3];
    } good[] = {
        { "all", 0, { { 0 } } },
        { "0-1", 1, { { 0, 1 } } },
        { "1M-2M", 1, { { MIB, MIB } } },
        { "0x1000-8k,4g-0x180000000", 2, { { 0x1000, 0x1000 }, { 4 * GIB, 2 * GIB } } },
        { "0-18446744073709551615", 1, { { 0, UINT64_MAX } } },
        { "8K-9K,1K-2K,4K-5K", 3, { { KIB, KIB }, { 4 * KIB, KIB }, { 8 * KIB, KIB } } },
        { "4K-8K,0-4K", 1, { { 0, 8 * KIB } } }, /* they touch */
        { "0-6K,4K-8K", 1, { { 0, 8 * KIB } } }, /* they meet */
        { "0-8K,2K-4K,4K-5K", 1, { { 0, 8 * KIB } } },
        { "4K-5K,4K-8K,9K-10K", 2, { { 4 * KIB, 4 * KIB }, { 9 * KIB, KIB } } },
    };
    static const char *const bad[] = {
        "",       "1M",          "1M-",      "-1M", "2M-1M", "1M-1M",     "1M-2M,",
        ",1M-2M", "1M-2M 3M-4M", "1M-2M-3M", "a-b", "1M-2X", "all,1M-2M", "0-16777216T",
    };
    struct span span[VALUE_SPANS_MAX];
    size_t n;

    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_true(value_parse_spans(good[i].text, span, &n));
        assert_int_equal(n, good[i].n);
        for (size_t j = 0; j < n; j++) {
            assert_int_equal(span[j].base, good[i].span[j].base);
            assert_int_equal(span[j].size, good[i].span[j].size);
        }
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        n = 77;
        span[0].base = 77;
        assert_false(value_parse_spans(bad[i], span, &n));
        assert_int_equal(n, 77);
        assert_int_equal(span[0].base, 77);
    }
}

TEST(limits_the_number_of_spans)
{
    struct span span[VALUE_SPANS_MAX];
    char text[512] = "";
    size_t n;

    for (unsigned i = 0; i < VALUE_SPANS_MAX; i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%uK-%uK", i ? "," : "", 2 * i,
                 2 * i + 1);
    assert_true(value_parse_spans(text, span, &n));
    assert_int_equal(n, VALUE_SPANS_MAX);
    assert_int_equal(span[n - 1].base, 30 * KIB);
    strcat(text, ",100K-101K");
    assert_false(value_parse_spans(text, span, &n));
    *strrchr(text, ',') = 0;
    strcat(text, ",3K-4K"); /* joins two of them */
    assert_true(value_parse_spans(text, span, &n));
    assert_int_equal(n, VALUE_SPANS_MAX - 1);
}

TEST(parses_words)
{
    static const char *const words[] = { "off", "quick", "full" };
    unsigned i = 77;

    assert_true(value_parse_word("off", words, 3, &i));
    assert_int_equal(i, 0);
    assert_true(value_parse_word("full", words, 3, &i));
    assert_int_equal(i, 2);
    assert_false(value_parse_word("quic", words, 3, &i));
    assert_false(value_parse_word("quickly", words, 3, &i));
    assert_false(value_parse_word("Off", words, 3, &i));
    assert_false(value_parse_word("", words, 3, &i));
    assert_int_equal(i, 2);
}

TEST(parses_lines)
{
    static const char *const bad[] = { "",          ",",    "grub,", ",grub", "all,grub",
                                       "grub grub", "GRUB", "gru",   "grub=", "grub,,xen" };
    uint32_t kinds = 77;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(value_parse_lines(bad[i], &kinds));
    assert_int_equal(kinds, 77);
    assert_true(value_parse_lines("grub", &kinds));
    assert_int_equal(kinds, 1u << LINE_GRUB);
    assert_true(value_parse_lines("ranges,grub,ranges", &kinds));
    assert_int_equal(kinds, 1u << LINE_GRUB | 1u << LINE_RANGES);
    assert_true(value_parse_lines("all", &kinds));
    assert_int_equal(kinds, (1u << LINE_KINDS) - 1);
}

TEST(parses_some_of_a_few_words)
{
    static const char *const words[] = { "moves", "cpus", "firmware" };
    static const char *const bad[] = { "",     ",",   "cpus,", ",cpus", "on,cpus",    "cpus cpus",
                                       "CPUS", "cpu", "cpuss", "on,",   "cpus,,moves" };
    uint32_t bits = 77;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(value_parse_words(bad[i], "on", words, 3, &bits));
    assert_int_equal(bits, 77);
    assert_true(value_parse_words("moves", "on", words, 3, &bits));
    assert_int_equal(bits, 1);
    assert_true(value_parse_words("firmware,cpus,firmware", "on", words, 3, &bits));
    assert_int_equal(bits, 6);
    assert_true(value_parse_words("on", "on", words, 3, &bits));
    assert_int_equal(bits, 7);
}

TEST(lists_of_address_bits)
{
    static const char *const bad[] = { "",     "5",    "52",     "6,",  ",6", "6,6", "6/",
                                       "/6",   "6//7", "6 7",    "6-9", "a",  "-6",  "6/7/8/9",
                                       "6,7,", "0x6h", "6,7/6,", "all", "6.5" };
    uint64_t bits[VALUE_BIT_LISTS_MAX] = { 1, 2, 3 };
    size_t n = 7;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(value_parse_bit_lists(bad[i], bits, &n));
    assert_int_equal(n, 7); /* nothing is changed */
    assert_int_equal(bits[0], 1);
    assert_true(value_parse_bit_lists("8,9,12,13,18,19", bits, &n));
    assert_int_equal(n, 1);
    assert_int_equal(bits[0], 0xc3300);
    assert_true(value_parse_bit_lists("6/7,14/51", bits, &n));
    assert_int_equal(n, 3);
    assert_int_equal(bits[1], 0x4080);
    assert_int_equal(bits[2], UINT64_C(1) << 51);
}

TEST(names_of_slots)
{
    static const char *const bad[] = { "",   ",",  "A,",   ",A",  "A,,B",
                                       "A+", "+A", "A+,B", "A B", "A\"B" };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(value_is_names(bad[i]));
    assert_true(value_is_names("DIMM_A1"));
    assert_true(value_is_names("A1+A2,B1+B2"));
    assert_true(value_is_names("P0-DIMM.A#1,x"));
}
