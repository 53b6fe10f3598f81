// SPDX-License-Identifier: MIT
#include "kind/kind_evidence.h"

#include "lib/splitmix.h"
#include "tests/unit/unit.h"

static struct kind_words words;
static struct kind_evidence evidence;
static struct fault many[FAULT_RECORDS + 1];

TEST(faults_of_a_word_are_one)
{
    const struct fault record[] = {
        { .addr = 0x2000, .expected = 0xf, .found = 0xd },
        { .addr = 0x1000, .expected = 0, .found = 1 },
        { .addr = 0x2000, .expected = 0, .found = 0x10 },
    };
    const struct fault sample[] = { { .addr = 0x2000, .found = 0x20 },
                                    { .addr = 0x3000, .found = 4 } };

    const struct kind_input input = {
        .record = record, .n_records = 3, .sample = sample, .n_sample = 2
    };

    kind_evidence_make(&input, &words, &evidence);
    assert_ptr_equal(evidence.words, &words);
    assert_int_equal(words.n, 3);
    assert_int_equal(words.word[0].addr, 0x1000);
    assert_int_equal(words.word[1].count, 2);
    assert_int_equal(words.word[1].falls, 2);
    assert_int_equal(words.word[1].rises, 0x30);
    assert_int_equal(kind_word_bits(&words.word[1]), 0x32);
    assert_int_equal(words.word[2].count, 0);
}

TEST(no_more_than_there_is_room_for)
{
    for (size_t i = 0; i < FAULT_RECORDS + 1; i++)
        many[i] = (struct fault){ .addr = i * 8, .found = 1 };
    kind_evidence_make(&(struct kind_input){ .record = many, .n_records = FAULT_RECORDS + 1 },
                       &words, &evidence);
    assert_int_equal(words.n, FAULT_RECORDS);
}

static struct kind_places places;

static void make_with(const uint64_t *addr, size_t n, const struct row_map *rows)
{
    struct fault fault[64] = { 0 };
    const struct kind_input input = { .record = fault, .n_records = n, .rows = rows };

    for (size_t i = 0; i < n; i++)
        fault[i] = (struct fault){ .addr = addr[i], .found = 1 };
    kind_evidence_make(&input, &words, &evidence);
    places = evidence.places;
}

static void make(const uint64_t *addr, size_t n)
{
    make_with(addr, n, NULL);
}

TEST(nothing_has_no_place)
{
    make(NULL, 0);
    assert_int_equal(places.n_lines, 0);
    assert_int_equal(places.span_bytes, 0);
}

TEST(counts_lines_pages_and_offsets)
{
    make((const uint64_t[]){ 0x1000, 0x1008, 0x1008, 0x1040, 0x3000 }, 5);
    assert_int_equal(words.n, 4);
    assert_int_equal(places.n_lines, 3);
    assert_int_equal(places.n_pages, 2);
    assert_int_equal(places.most_in_page, 2);
    assert_int_equal(places.n_offsets, 2);
    assert_int_equal(places.span_bytes, 0x2040);
    assert_int_equal(places.same_bits, 10); /* not 6 and 13 */
    assert_int_equal(places.rank, 2);
}

/* The coset of a space of dimension 3, with XORed bits. */
TEST(a_coset_has_its_rank)
{
    uint64_t addr[8];

    for (uint64_t i = 0; i < 8; i++)
        addr[i] = 0x40000000 ^ (i & 1 ? 0x44000 : 0) ^ (i & 2 ? 0x88000 : 0) ^ (i & 4 ? 0x4080 : 0);
    make(addr, 8);
    assert_int_equal(places.rank, 3);
    assert_int_equal(places.n_lines, 8);
}

TEST(the_span_is_of_whole_lines)
{
    make((const uint64_t[]){ 0x1238 }, 1);
    assert_int_equal(places.span_bytes, 64);
    assert_int_equal(places.same_bits, 12);
    make((const uint64_t[]){ 0x1238, 0x1240 }, 2);
    assert_int_equal(places.span_bytes, 128);
}

/* Line number i of a column, bank bits XORed with row bits, in one of three channels. */
static uint64_t column_line(uint64_t i, uint64_t turn, uint64_t channel, uint64_t hole)
{
    uint64_t row = splitmix_mix(i) % 64 + 20000;
    uint64_t local = row << 18 | (row & 31) << 7 | 0x15040;

    return (local / turn * 3 + channel) * turn + local % turn + hole;
}

TEST(a_column_in_three_channels)
{
    uint64_t addr[16];

    for (uint64_t k = 0; k < 7 * 3 * 3; k++) {
        uint64_t turn = UINT64_C(64) << k % 7, hole = k / 7 % 3 << 18;

        for (uint64_t i = 0; i < 16; i++)
            addr[i] = column_line(i, turn, k / 21, hole);
        make(addr, 16);
        assert_int_equal(places.same_bits, 7);
        assert_in_range(places.rank, 4, 6);
        assert_in_range(places.n_blocks, 40, 64);
    }
}

TEST(one_line_of_another_channel)
{
    uint64_t addr[16];

    for (uint64_t i = 0; i < 16; i++)
        addr[i] = column_line(i, 256, 1, 0);
    addr[5] ^= 0x40; /* within the turn */
    make(addr, 16);
    assert_int_equal(places.same_bits, 6);
    addr[5] = (addr[5] ^ 0x40) + 256;
    make(addr, 16);
    assert_in_range(places.same_bits, 0, 6);
}

/* Banks by 13 ^ 16 and 14; rows are the bits 16 to 18. */
static const struct row_map map = {
    .n_functions = 2, .function = { 0x12000, 0x4000 }, .row = 0x70000, .column = 0x1fff
};

static const struct {
    size_t n;
    uint64_t addr[3];
    const char *text;
} cases[] = {
    { 0, { 0 }, "" },
    { 1, { 0x74008 }, "; all in row 0x7 of bank 3, by timing" },
    { 3, { 0, 0x1000, 0x1ff8 }, "; all in row 0x0 of bank 0, by timing" },
    { 2, { 0, 0x12000 }, "; in rows 0x0 to 0x1 of bank 0, by timing" },
    { 3, { 0x32000, 0x20000, 0x32000 }, "; in rows 0x2 to 0x3 of bank 0, by timing" },
    { 3, { 0, 0x8, 0x2000 }, "; in several banks, by timing" },
    { 2, { 0, 0x10000 }, "; in several banks, by timing" },
};

TEST(banks_and_rows)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[100] = "";
        struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

        make(cases[i].addr, cases[i].n);
        kind_rows_append(&b, &evidence.rows);
        assert_string_equal(text, "");
        make_with(cases[i].addr, cases[i].n, &map);
        kind_rows_append(&b, &evidence.rows);
        assert_string_equal(text, cases[i].text);
    }
}
