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

static void takes_section_after_section(void **state)
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
static void a_name_may_fill_its_field(void **state)
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

static void tells_an_empty_block_from_a_broken_one(void **state)
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

static void lengths_must_fit(void **state)
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

static void raw_data_are_behind_the_sections(void **state)
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

static void survives_damage(void **state)
{
    struct error_bytes b = block_of(2);

    add_section(&b, memory_kind, 2, 0x201, "DIMM", "abc", 3);
    add_section(&b, memory_kind, 2, 0x300, "DIMM", "abc", 3);
    damage_bytes(b.at, b.n, read_all, &b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_section_after_section),
        cmocka_unit_test(a_name_may_fill_its_field),
        cmocka_unit_test(tells_an_empty_block_from_a_broken_one),
        cmocka_unit_test(lengths_must_fit),
        cmocka_unit_test(raw_data_are_behind_the_sections),
        cmocka_unit_test(survives_damage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
