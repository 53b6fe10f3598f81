// SPDX-License-Identifier: MIT
#include "acpi/error_block.h"

#include "acpi/error_bytes.h"
#include "firmware/damage.h"

static enum status open_copy(const struct error_bytes *b, size_t n, uint8_t **ret_copy,
                             struct error_block *ret)
{
    *ret_copy = malloc(n ? n : 1);
    memcpy(*ret_copy, b->at, n);
    return error_block_open(*ret_copy, n, ret);
}

static enum status status_of(const struct error_bytes *b, size_t n)
{
    struct error_block block = { .bytes = 7 };
    uint8_t *copy;
    enum status status = open_copy(b, n, &copy, &block);

    free(copy);
    if (status != STATUS_OK)
        assert_int_equal(block.bytes, 7);
    return status;
}

TEST(takes_section_after_section)
{
    struct error_bytes b = block_of(2);
    struct error_block block;
    struct error_section s;
    uint8_t *copy;

    add_section(&b, memory_kind, ERROR_CORRECTED, 0x201, "DIMM_A1  ", "abc", 3);
    add_section(&b, other_kind, ERROR_FATAL, 0x300, NULL, "", 0);
    add_section(&b, memory_2_kind, ERROR_INFORMATION, 0x300, "A\x01", "de", 2);
    assert_int_equal(open_copy(&b, b.n, &copy, &block), STATUS_OK);
    assert_int_equal(block.bytes, b.n);
    assert_true(error_block_next(&block, &s));
    assert_memory_equal(s.kind, memory_kind, 16);
    assert_int_equal(s.severity, ERROR_CORRECTED);
    assert_string_equal(s.fru, "DIMM_A1");
    assert_int_equal(s.bytes, 3);
    assert_memory_equal(s.data, "abc", 3);
    assert_true(error_block_next(&block, &s));
    assert_memory_equal(s.kind, other_kind, 16);
    assert_int_equal(s.severity, ERROR_FATAL);
    assert_string_equal(s.fru, "");
    assert_int_equal(s.bytes, 0);
    assert_true(error_block_next(&block, &s));
    assert_string_equal(s.fru, "A");
    assert_memory_equal(s.data, "de", 2);
    assert_false(error_block_next(&block, &s));
    free(copy);
}

/* All 20 characters, and no NUL. */
TEST(a_name_may_fill_its_field)
{
    struct error_bytes b = block_of(1);
    struct error_block block;
    struct error_section s;
    uint8_t *copy;

    add_section(&b, memory_kind, 0, 0x300, "CPU0_CHANNEL_B_DIMM1", "", 0);
    assert_int_equal(open_copy(&b, b.n, &copy, &block), STATUS_OK);
    assert_true(error_block_next(&block, &s));
    assert_string_equal(s.fru, "CPU0_CHANNEL_B_DIMM1");
    free(copy);
}

TEST(tells_an_empty_block_from_a_broken_one)
{
    struct error_bytes b = block_of(0);

    put(b.at + 12, UINT32_MAX, 4);
    assert_int_equal(status_of(&b, 20), STATUS_NOT_FOUND);
    assert_int_equal(status_of(&b, 19), STATUS_INVALID);
    b = block_of(2); /* an error, and no more is said */
    assert_int_equal(status_of(&b, 20), STATUS_OK);
    memset(b.at, 0xff, sizeof(b.at)); /* nothing answers there */
    assert_int_equal(status_of(&b, sizeof(b.at)), STATUS_INVALID);
}

TEST(lengths_must_fit)
{
    struct error_bytes b = block_of(2);

    add_section(&b, memory_kind, 2, 0x300, NULL, "abcd", 4);
    for (size_t n = 0; n < b.n; n++)
        assert_int_equal(status_of(&b, n), STATUS_INVALID);
    assert_int_equal(status_of(&b, b.n), STATUS_OK);
    put(b.at + 20 + 24, 5, 4); /* the section is one byte longer than the data, */
    assert_int_equal(status_of(&b, b.n), STATUS_INVALID);
    put(b.at + 20 + 24, 3, 4); /* or one shorter */
    assert_int_equal(status_of(&b, b.n), STATUS_INVALID);
    put(b.at + 20 + 24, UINT32_MAX, 4);
    assert_int_equal(status_of(&b, b.n), STATUS_INVALID);
    put(b.at + 12, UINT32_MAX, 4);
    assert_int_equal(status_of(&b, b.n), STATUS_INVALID);
}

TEST(raw_data_are_behind_the_sections)
{
    static const struct {
        uint32_t offset, bytes;
        enum status status;
        size_t all;
    } cases[] = {
        { 0, 0, STATUS_OK, 92 },
        { 92, 8, STATUS_OK, 100 },
        { 96, 4, STATUS_OK, 100 },
        { 91, 8, STATUS_INVALID, 0 },
        { 92, 9, STATUS_INVALID, 0 },
        { 92, UINT32_MAX, STATUS_INVALID, 0 },
        { UINT32_MAX, 1, STATUS_INVALID, 0 },
        { 5, 0, STATUS_OK, 92 }, /* there are none */
    };
    struct error_bytes b = block_of(2);

    add_section(&b, memory_kind, 2, 0x300, NULL, "", 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct error_block block;
        uint8_t *copy;

        put(b.at + 4, cases[i].offset, 4);
        put(b.at + 8, cases[i].bytes, 4);
        assert_int_equal(open_copy(&b, 100, &copy, &block), cases[i].status);
        if (cases[i].status == STATUS_OK)
            assert_int_equal(block.bytes, cases[i].all);
        free(copy);
    }
}

static void read_all(void *ctx)
{
    struct error_bytes *b = ctx;
    struct error_block block;
    struct error_section s;
    uint8_t *copy;

    if (open_copy(b, b->n, &copy, &block) == STATUS_OK) {
        while (error_block_next(&block, &s))
            assert_true(s.data + s.bytes <= copy + b->n);
        assert_ptr_equal(block.pos, block.end);
    }
    free(copy);
}

TEST(survives_damage)
{
    struct error_bytes b = block_of(2);

    add_section(&b, memory_kind, 2, 0x201, "DIMM", "abc", 3);
    add_section(&b, memory_kind, 2, 0x300, "DIMM", "abc", 3);
    damage_bytes(b.at, b.n, read_all, &b);
}

/* cmocka wants those before. */

#include "acpi/error_bytes.h"

#define FIRST_BYTES  80
#define SECOND_BYTES 96

/* Offsets of UEFI 2.10, N.2.5 and N.2.6. */
enum { AT_ADDR = 16, AT_MASK = 24, AT_NODE = 32, AT_CARD = 34, AT_MODULE = 36, AT_BANK = 38 };
enum {
    FIRST_DEVICE = 40,
    FIRST_ROW = 42,
    FIRST_COLUMN = 44,
    FIRST_WHAT = 72,
    FIRST_EXTENDED = 73,
    FIRST_RANK = 74
};
enum {
    SECOND_DEVICE = 40,
    SECOND_ROW = 44,
    SECOND_COLUMN = 48,
    SECOND_RANK = 52,
    SECOND_WHAT = 61
};

static enum status read_bytes(const uint8_t *kind, uint32_t severity, const char *fru,
                              const uint8_t *bytes, size_t n, struct cper_memory *ret)
{
    struct error_section s = { .severity = severity, .bytes = n };
    uint8_t *copy = malloc(n ? n : 1);
    enum status status;

    memcpy(copy, bytes, n);
    memcpy(s.kind, kind, 16);
    strcpy(s.fru, fru);
    s.data = copy;
    status = cper_memory_read(&s, ret);
    free(copy);
    return status;
}

static struct cper_memory first(uint64_t valid, uint64_t addr, uint64_t mask)
{
    uint8_t bytes[FIRST_BYTES] = { 0 };
    struct cper_memory m;

    put(bytes, valid, 8);
    put(bytes + AT_ADDR, addr, 8);
    put(bytes + AT_MASK, mask, 8);
    assert_int_equal(read_bytes(memory_kind, ERROR_CORRECTED, "", bytes, FIRST_BYTES, &m),
                     STATUS_OK);
    return m;
}

TEST(an_exact_address_gives_the_page)
{
    static const struct {
        uint64_t valid, mask;
        bool has_addr, has_page;
    } cases[] = {
        { 0, 0, false, false },
        { 2, 0, true, true }, /* no mask is given */
        { 6, UINT64_MAX, true, true },
        { 6, 0x000ffffffffff000, true, true },
        { 6, 0x000fffffffffe000, true, false }, /* one of two pages */
        { 6, 0x0007fffffffff000, true, false },
        { 6, 0x000fffffffffefff, true, false },
        { 6, 0, true, false },
        { 4, UINT64_MAX, false, false }, /* a mask of nothing */
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct cper_memory m = first(cases[i].valid, 0x123456789abc0, cases[i].mask);

        assert_int_equal(m.has_addr, cases[i].has_addr);
        assert_int_equal(m.has_page, cases[i].has_page);
        assert_int_equal(m.addr, cases[i].has_addr ? 0x123456789abc0 : 0);
    }
}

TEST(fields_of_both_sections)
{
    uint8_t a[FIRST_BYTES] = { 0 }, b[SECOND_BYTES] = { 0 };
    static const uint32_t expected[CPER_FIELDS] = { 1, 2, 3, 8, 5, 4, 6, 7 };
    struct cper_memory m[2];

    put(a, 0x3f8 | 1 << 14 | 1 << 15, 8);
    put(b, 0x3f8 | 1 << 10 | 1 << 13, 8);
    for (unsigned i = 0; i < 4; i++) {
        put(a + AT_NODE + 2 * i, i + 1, 2);
        put(b + AT_NODE + 2 * i, i + 1, 2);
    }
    put(a + FIRST_DEVICE, 5, 2);
    put(a + FIRST_ROW, 6, 2);
    put(a + FIRST_COLUMN, 7, 2);
    put(a + FIRST_RANK, 8, 2);
    a[FIRST_WHAT] = 2;
    put(b + SECOND_DEVICE, 5, 4);
    put(b + SECOND_ROW, 6, 4);
    put(b + SECOND_COLUMN, 7, 4);
    put(b + SECOND_RANK, 8, 4);
    b[SECOND_WHAT] = 2;
    assert_int_equal(read_bytes(memory_kind, 1, "DIMM_A1", a, FIRST_BYTES, &m[0]), STATUS_OK);
    assert_int_equal(read_bytes(memory_2_kind, 1, "DIMM_A1", b, SECOND_BYTES, &m[1]), STATUS_OK);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(m[i].given, (1u << CPER_FIELDS) - 1);
        assert_memory_equal(m[i].field, expected, sizeof(expected));
        assert_string_equal(m[i].what, "single-bit ECC");
        assert_string_equal(m[i].fru, "DIMM_A1");
        assert_int_equal(m[i].severity, ERROR_FATAL);
        assert_false(m[i].has_addr);
    }
    assert_true(cper_memory_is_same(&m[0], &m[1]));
    m[1].field[CPER_ROW]++;
    assert_false(cper_memory_is_same(&m[0], &m[1]));
}

/* UEFI 2.10, N.2.5: 0 is unknown, 1 no error. */
TEST(what_an_error_is)
{
    static const char *const what[] = { NULL,
                                        NULL,
                                        "single-bit ECC",
                                        "multi-bit ECC",
                                        "single-symbol chipkill",
                                        "multi-symbol chipkill",
                                        "master abort",
                                        "target abort",
                                        "parity",
                                        "watchdog timeout",
                                        "invalid address",
                                        "mirror broken",
                                        "memory sparing",
                                        "scrub, corrected",
                                        "scrub, uncorrected",
                                        "memory map event" };
    uint8_t bytes[FIRST_BYTES] = { 0 };
    struct cper_memory m;

    put(bytes, 1 << 14, 8);
    for (unsigned i = 0; i < 256; i++) {
        bytes[FIRST_WHAT] = (uint8_t)i;
        assert_int_equal(read_bytes(memory_kind, 2, "", bytes, FIRST_BYTES, &m), STATUS_OK);
        if (i < COUNT(what) && what[i])
            assert_string_equal(m.what, what[i]);
        else
            assert_null(m.what);
    }
}

/* 18 bits of row; a bank of group and address. */
TEST(extended_fields)
{
    uint8_t a[FIRST_BYTES] = { 0 };
    struct cper_memory m;

    put(a, 1 << 18 | 1 << 19 | 1 << 20, 8);
    put(a + FIRST_ROW, 0xffff, 2);
    a[FIRST_EXTENDED] = 0xe2; /* the upper bits are a chip's */
    put(a + AT_BANK, 0x0302, 2);
    assert_int_equal(read_bytes(memory_kind, 2, "", a, FIRST_BYTES, &m), STATUS_OK);
    assert_int_equal(m.given, 1 << CPER_ROW | 1 << CPER_BANK);
    assert_int_equal(m.field[CPER_ROW], 0x2ffff);
    assert_int_equal(m.field[CPER_BANK], 0x0302);
}

TEST(sections_may_be_of_an_old_form_but_not_shorter)
{
    uint8_t bytes[SECOND_BYTES] = { 0 };
    struct cper_memory m = { .addr = 9 };

    put(bytes, 1 << 14 | 1 << 15 | 1 << 18, 8);
    bytes[FIRST_WHAT] = 8;
    bytes[FIRST_EXTENDED] = 3;
    bytes[FIRST_RANK] = 1;
    assert_int_equal(read_bytes(memory_kind, 2, "", bytes, 72, &m), STATUS_INVALID);
    assert_int_equal(read_bytes(memory_2_kind, 2, "", bytes, 95, &m), STATUS_INVALID);
    assert_int_equal(read_bytes(other_kind, 2, "", bytes, 96, &m), STATUS_NOT_FOUND);
    assert_int_equal(m.addr, 9);
    assert_int_equal(read_bytes(memory_kind, 2, "", bytes, 73, &m), STATUS_OK);
    assert_string_equal(m.what, "parity");
    assert_int_equal(m.given, 1 << CPER_ROW);
    assert_int_equal(m.field[CPER_ROW], 0);
    bytes[FIRST_WHAT] = 16; /* of a later standard */
    assert_int_equal(read_bytes(memory_kind, 2, "", bytes, 73, &m), STATUS_OK);
    assert_null(m.what);
}

TEST(severities)
{
    assert_string_equal(cper_severity_name(0), "uncorrected");
    assert_string_equal(cper_severity_name(1), "fatal");
    assert_string_equal(cper_severity_name(2), "corrected");
    assert_string_equal(cper_severity_name(3), "information");
    assert_string_equal(cper_severity_name(4), "fatal");
}

static void assert_module(const struct cper_memory *m, const char *expected)
{
    char text[40];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    cper_append_module(&b, m);
    assert_string_equal(text, expected);
    assert_false(b.cut);
}

TEST(the_module_is_named)
{
    struct cper_memory m = { .given = 1 << CPER_CARD | 1 << CPER_MODULE | 1 << CPER_ROW,
                             .field = { 9, 0, 3 },
                             .fru = "DIMM_A1" };

    assert_module(&m, "card 0, module 3");
    m.given = 7;
    m.field[0] = m.field[1] = m.field[2] = 65535;
    assert_module(&m, "node 65535, card 65535, module 65535");
    m.given = 1 << CPER_ROW;
    assert_module(&m, "DIMM_A1");
    m.fru[0] = 0;
    assert_module(&m, "");
}

#define BERT_BYTES 48
#define REGION     UINT64_C(0x7f000000)

static enum status read_one(size_t length, uint64_t region, uint32_t region_bytes,
                            const struct error_bytes *b, struct bert *ret)
{
    struct warnings warnings = fresh_warnings();
    struct fake_memory memory = { 0 };
    struct phys_reader reader = fake_reader(&memory);
    uint8_t bytes[BERT_BYTES] = { 0 };
    uint8_t *table = malloc(length);
    enum status status;

    make_header((void *)bytes, "BERT", 1);
    put(bytes + 36, region_bytes, 4);
    put(bytes + 40, region, 8);
    memcpy(table, bytes, length);
    seal_table(table, length);
    if (b)
        fake_add(&memory, REGION, b->at,
                 region_bytes < sizeof(b->at) ? region_bytes : sizeof(b->at));
    status = bert_read(&reader, (void *)table, &warnings, ret);
    free(table);
    fake_free(&memory);
    return status;
}

/* Two blocks, one after the other, then one that is empty. */
TEST(counts_all_blocks)
{
    struct error_bytes b = block_of(1), second = block_of(2);
    uint8_t memory[80] = { 0 };
    struct bert bert;

    put(memory, 2, 8);
    put(memory + 16, 0x5000040, 8);
    add_section(&b, other_kind, ERROR_FATAL, 0x300, NULL, "", 0);
    add_section(&b, memory_kind, ERROR_RECOVERABLE, 0x300, "DIMM_A1", memory, sizeof(memory));
    add_section(&second, memory_kind, ERROR_CORRECTED, 0x201, NULL, memory, sizeof(memory));
    add_section(&second, memory_kind, ERROR_INFORMATION, 0x201, NULL, memory, sizeof(memory));
    memcpy(b.at + b.n, second.at, second.n);
    b.n += second.n;
    assert_int_equal(read_one(BERT_BYTES, REGION, (uint32_t)b.n, &b, &bert), STATUS_OK);
    assert_int_equal(log_.n, 0);
    assert_int_equal(bert.uncorrected, 2);
    assert_int_equal(bert.corrected, 1);
    assert_int_equal(bert.of_memory, 2);
    assert_int_equal(bert.memory.addr, 0x5000040);
    assert_string_equal(bert.memory.fru, "DIMM_A1");
    assert_int_equal(read_one(BERT_BYTES, REGION, (uint32_t)b.n + 400, &b, &bert), STATUS_OK);
    assert_int_equal(bert.uncorrected, 2);
}

TEST(mostly_nothing_is_recorded)
{
    struct error_bytes b = block_of(0);
    struct bert bert = { .corrected = 7 };

    assert_int_equal(read_one(BERT_BYTES, REGION, 64, &b, &bert), STATUS_NOT_FOUND);
    assert_int_equal(read_one(BERT_BYTES, REGION, 19, &b, &bert), STATUS_NOT_FOUND);
    assert_int_equal(read_one(BERT_BYTES, 0, 0, NULL, &bert), STATUS_NOT_FOUND);
    assert_int_equal(log_.n, 0);
    assert_int_equal(bert.corrected, 7);
}

TEST(says_what_is_wrong)
{
    struct error_bytes b = block_of(0);
    struct bert bert = { .corrected = 7 };

    assert_int_equal(read_one(BERT_BYTES - 1, REGION, 64, &b, &bert), STATUS_INVALID);
    assert_warned(&log_, 1, "47 bytes are too short");
    assert_int_equal(read_one(BERT_BYTES, REGION + 4096, 64, &b, &bert), STATUS_INVALID);
    assert_warned(&log_, 1, "at 0x7f001000, which is not memory that firmware keeps");
    assert_int_equal(read_one(BERT_BYTES, UINT64_MAX - 8, 64, &b, &bert), STATUS_INVALID);
    assert_warned(&log_, 1, "not memory that firmware keeps");
    memset(b.at, 0xff, sizeof(b.at));
    assert_int_equal(read_one(BERT_BYTES, REGION, 64, &b, &bert), STATUS_INVALID);
    assert_warned(&log_, 1, "are not an error report");
    assert_int_equal(bert.corrected, 7);
}

/* What can be read counts, though something after it is broken. */
TEST(a_broken_block_ends_the_list)
{
    struct error_bytes b = block_of(1);
    struct bert bert;

    add_section(&b, other_kind, ERROR_FATAL, 0x300, NULL, "", 0);
    memset(b.at + b.n, 0xff, 100);
    assert_int_equal(read_one(BERT_BYTES, REGION, (uint32_t)b.n + 100, &b, &bert), STATUS_OK);
    assert_int_equal(bert.uncorrected, 1);
    assert_int_equal(log_.n, 0);
}
