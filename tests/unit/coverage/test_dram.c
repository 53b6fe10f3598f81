// SPDX-License-Identifier: MIT
/*
 * Cells and what is not a fault primitive: decoders, stuck-open cells, retention. The primitives
 * themselves are compared with a simulator: tests/coverage/test_march_sim.py.
 */

#include "tests/coverage/dram.h"
#include "tests/unit/unit.h"

#define N_LINES 3

static struct line filled(uint64_t word)
{
    struct line line;

    for (size_t i = 0; i < 8; i++)
        line.word[i] = word;
    return line;
}

static void write_word(struct dram *d, uint32_t line, uint64_t word)
{
    struct line data = filled(word);

    dram_write(d, line, &data);
}

static void reads(struct dram *d, uint32_t line, uint64_t word)
{
    struct line expected = filled(word), found = dram_read(d, line);

    assert_memory_equal(&found, &expected, sizeof(found));
}

TEST(healthy_lines_keep_what_they_are_given)
{
    FREED_BY(dram_free) struct dram d;

    dram_make(&d, N_LINES, 0);
    for (uint32_t i = 0; i < N_LINES; i++)
        reads(&d, i, 0);
    for (uint32_t i = 0; i < N_LINES; i++)
        write_word(&d, i, i * UINT64_C(0x123456789abcdef));
    dram_pause(&d, UINT32_MAX);
    for (uint32_t i = 0; i < N_LINES; i++)
        reads(&d, i, i * UINT64_C(0x123456789abcdef));
}

TEST(addresses_reach_what_the_decoder_says)
{
    static const struct {
        struct reach reach;   /* of line 0 */
        uint64_t own, others; /* what 0x3 to line 0, then 0x5 to line 1 leave to be read */
    } rows[] = {
        { { .n_cells = 1, .cell = { 0 } }, 0x3, 0x5 },
        { { .n_cells = 1, .cell = { 1 } }, 0x5, 0x5 },
        { { .n_cells = 2, .cell = { 0, 1 } }, 0x3 & 0x5, 0x5 },
        { { .n_cells = 2, .cell = { 0, 1 }, .joined_by_or = true }, 0x3 | 0x5, 0x5 },
        { { .n_cells = 0 }, 0, 0x5 },
        { { .n_cells = 0, .floats_to_one = true }, UINT64_MAX, 0x5 },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        FREED_BY(dram_free) struct dram d;

        dram_make(&d, N_LINES, 0);
        d.reach[0] = rows[i].reach;
        write_word(&d, 0, 0x3);
        reads(&d, 1,
              rows[i].reach.n_cells && rows[i].reach.cell[rows[i].reach.n_cells - 1] ? 3 : 0);
        write_word(&d, 1, 0x5);
        reads(&d, 0, rows[i].own);
        reads(&d, 1, rows[i].others);
        reads(&d, 2, 0);
    }
}

TEST(a_stuck_open_cell_gives_what_was_read_before)
{
    FREED_BY(dram_free) struct dram d;

    dram_make(&d, N_LINES, 1);
    dram_add(&d, (struct fault){ .kind = FAULT_STUCK_OPEN, .victim = { 1, 70 } });
    write_word(&d, 0, UINT64_MAX);
    write_word(&d, 1, UINT64_MAX);
    for (uint32_t before = 0; before < N_LINES; before += 2) { /* ones, then zeros */
        struct line expected = filled(UINT64_MAX), found;

        dram_read(&d, before);
        line_set_bit(&expected, 70, before == 0);
        found = dram_read(&d, 1);
        assert_memory_equal(&found, &expected, sizeof(found));
        found = dram_read(&d, 1);
        assert_memory_equal(&found, &expected, sizeof(found));
    }
}

/* Each of the eight states of a cell and its neighbours, in another line and in the same. */
TEST(a_cell_leaks_when_its_neighbours_hold_certain_values)
{
    for (uint32_t pattern = 0; pattern < 8; pattern++) {
        struct fault leak = {
            .kind = FAULT_LEAK,
            .victim = { 1, 65 },
            .loses = pattern & 2,
            .fade_ms = 100,
            .neighbour = { { 0, 65 }, { 1, 129 } },
            .neighbour_holds = { pattern & 4, pattern & 1 },
        };
        FREED_BY(dram_free) struct dram d;

        dram_make(&d, N_LINES, 1);
        dram_add(&d, leak);
        for (uint32_t held = 0; held < 8; held++) {
            struct line before = { 0 }, after, expected = { 0 }, found;

            line_set_bit(&before, 65, held & 4);
            line_set_bit(&expected, 65, held & 2);
            line_set_bit(&expected, 129, held & 1);
            after = expected;
            dram_write(&d, 0, &before);
            dram_write(&d, 1, &after);
            dram_pause(&d, 99);
            found = dram_read(&d, 1);
            assert_memory_equal(&found, &expected, sizeof(found));
            dram_pause(&d, 100);
            line_set_bit(&expected, 65, !(held & 2) == (held == pattern));
            found = dram_read(&d, 1);
            assert_memory_equal(&found, &expected, sizeof(found));
            found = dram_read(&d, 0);
            assert_memory_equal(&found, &before, sizeof(found));
        }
    }
}

TEST(a_cell_fades_in_a_pause_that_is_long_enough)
{
    FREED_BY(dram_free) struct dram d;

    dram_make(&d, N_LINES, 2);
    dram_add(&d, (struct fault){ .kind = FAULT_FADE, .victim = { 0, 1 }, .fade_ms = 100 });
    dram_add(&d, (struct fault){
                     .kind = FAULT_FADE, .victim = { 0, 2 }, .loses = true, .fade_ms = 100 });
    write_word(&d, 0, 0xc);
    dram_pause(&d, 99);
    reads(&d, 0, 0xc);
    write_word(&d, 0, 0x4);
    dram_pause(&d, 100);
    {
        struct line found = dram_read(&d, 0);

        assert_int_equal(found.word[0], 0x2);
        assert_int_equal(found.word[1], 0x4);
    }
    dram_pause(&d, 100); /* what a cell does not lose it keeps */
    assert_int_equal(dram_read(&d, 0).word[0], 0x2);
}

/* One aggressor, a victim in its own line and one in another: neither disturbs the other. */
TEST(one_aggressor_has_many_victims)
{
    struct fault fault = { .aggressor = { 0, 0 } };
    FREED_BY(dram_free) struct dram d;

    dram_make(&d, N_LINES, 2);
    assert_true(primitive_parse("<0w1;x/!x/->", &fault.primitive));
    fault.victim = (struct bit_place){ 0, 5 };
    dram_add(&d, fault);
    fault.victim = (struct bit_place){ 2, 511 };
    dram_add(&d, fault);
    write_word(&d, 0, 1);
    assert_int_equal(dram_read(&d, 0).word[0], 1 | 1 << 5);
    assert_int_equal(dram_read(&d, 2).word[7], UINT64_C(1) << 63);
    write_word(&d, 0, 1); /* no transition */
    assert_int_equal(dram_read(&d, 0).word[0], 1);
    assert_int_equal(dram_read(&d, 2).word[7], UINT64_C(1) << 63);
}

static unsigned differ(const struct line *a, const struct line *b, size_t first, size_t n)
{
    unsigned bits = 0;

    for (size_t i = first; i < first + n; i++)
        bits += (unsigned)__builtin_popcountll(a->word[i] ^ b->word[i]);
    return bits;
}

/* Of one wrong cell: with a scrambler one bit is wrong, with encryption half of its block. */
TEST(codings_come_between)
{
    for (enum dram_coding coding = DRAM_SCRAMBLED; coding <= DRAM_ENCRYPTED; coding++) {
        struct line ones = filled(UINT64_MAX), zeros = filled(0), found, was;
        FREED_BY(dram_free) struct dram d;

        dram_make(&d, N_LINES, 0);
        d.coding = coding;
        for (uint32_t i = 0; i < N_LINES; i++)
            dram_write(&d, i, &ones);
        for (uint32_t i = 0; i < N_LINES; i++)
            reads(&d, i, UINT64_MAX);
        assert_in_range(differ(&d.cell[0], &ones, 0, 8), 180, 330);
        assert_in_range(differ(&d.cell[0], &d.cell[1], 0, 8), 180, 330);
        was = d.cell[1];
        dram_write(&d, 1, &zeros);
        if (coding == DRAM_SCRAMBLED)
            assert_int_equal(differ(&d.cell[1], &was, 0, 8), LINE_BITS);
        else
            assert_in_range(differ(&d.cell[1], &was, 0, 8), 180, 330);
        dram_preset(&d, (struct bit_place){ 1, 200 }, !line_bit(&d.cell[1], 200));
        found = dram_read(&d, 1);
        assert_int_equal(differ(&found, &zeros, 0, 2) + differ(&found, &zeros, 4, 4), 0);
        if (coding == DRAM_SCRAMBLED)
            assert_int_equal(differ(&found, &zeros, 2, 2), 1);
        else
            assert_in_range(differ(&found, &zeros, 2, 2), 32, 96);
        found = dram_encode(&d, 1, &found);
        assert_memory_equal(&found, &d.cell[1], sizeof(found));
        d.reach[0] = (struct reach){ .n_cells = 1, .cell = { 2 } };
        found = dram_read(&d, 0); /* written to another address */
        assert_in_range(differ(&found, &ones, 0, 8), 180, 330);
    }
}
