// SPDX-License-Identifier: MIT
/* Which instructions reach DRAM: each row is a program on two lines, and the operations it causes.
 */

#include "tests/coverage/cache.h"
#include "tests/unit/unit.h"

/*
 * Programs are words: l load, p prefetch, s store 8 bytes, n the whole line non-temporally (N:
 * other data), h half of it, f flush, each with a line's number; and L, S, M the fences.
 */
static void execute(struct cache *c, const char *program)
{
    static const struct line zeros, ones = { { 1, 1, 1, 1, 1, 1, 1, 1 } };

    for (const char *at = program; *at; at++) {
        uint32_t line;

        if (*at == ' ')
            continue;
        if (strchr("LSM", *at)) {
            cache_fence(c, *at == 'L' ? FENCE_LOADS : *at == 'S' ? FENCE_STORES : FENCE_ALL);
            continue;
        }
        line = (uint32_t)(at[1] - '0');
        switch (*at++) {
        case 'l': cache_load(c, line); break;
        case 'p': cache_prefetch(c, line); break;
        case 's': cache_store(c, line, 8, 8, &ones); break;
        case 'h': cache_stream(c, line, 32, 32, &ones); break;
        case 'f': cache_flush(c, line); break;
        case 'n':
        case 'N':
            for (uint32_t offset = 0; offset < 64; offset += 16)
                cache_stream(c, line, offset, 16, at[-1] == 'N' ? &ones : &zeros);
            break;
        default: fail();
        }
    }
}

/*
 * Cells that count: each inverts with every read, or write, of its line. So they tell whether the
 * number of them is odd, and programs are chosen for which that tells enough.
 */
enum {
    READS,
    WRITES,
};

static void add_counter(struct dram *d, uint32_t line, uint32_t which)
{
    struct fault fault = {
        .aggressor = { line, 8 * 63 },
        .victim = { 2, line * 2 + which },
    };

    assert_true(primitive_parse("<0w1;x/!x/->", &fault.primitive));
    fault.primitive.aggressor = which == READS ? EVENT_READ_0 : EVENT_WRITE_0_0;
    dram_add(d, fault);
}

static const struct row {
    const char *program;
    bool odd[2][2]; /* reads and writes of line 0, and of line 1: whether their number is odd */
    bool forgetful, broken;
} rows[] = {
    { "l0", { { 1, 0 } }, 0, 0 },
    { "l0 l0", { { 1, 0 } }, 0, 0 },
    { "p0 l0", { { 1, 0 } }, 0, 0 },
    { "p0 l1 l0", { { 1, 0 }, { 1, 0 } }, 0, 0 },
    /* Flushes. */
    { "l0 L f0 M l0", { { 0, 0 } }, 0, 0 },
    { "l0 L f0 M l0 L f0 M l0", { { 1, 0 } }, 0, 0 },
    { "l0 M f0 M l0", { { 0, 0 } }, 0, 0 },
    { "l0 f0 M l0", { { 1, 0 } }, 0, 0 },      /* the load may come after the flush */
    { "l0 L f0 l0 M l0", { { 1, 0 } }, 0, 0 }, /* the second one, too */
    { "l0 L f0 l0", { { 1, 0 } }, 0, 0 },
    { "l0 L f0 S l0", { { 1, 0 } }, 0, 0 },
    { "l0 L f0 L l0", { { 1, 0 } }, 0, 0 },
    { "l0 S f0 M l0", { { 1, 0 } }, 0, 0 },
    { "l0 L f1 M l0", { { 1, 0 } }, 0, 0 },
    { "l0 L f0 S M l0", { { 0, 0 } }, 0, 0 },
    /* Plain stores. */
    { "s0 M", { { 1, 0 } }, 0, 0 },
    { "s0 M f0 M", { { 1, 1 } }, 0, 0 },
    { "s0 s0 M f0 M l0", { { 0, 1 } }, 0, 0 },
    /* Non-temporal stores. */
    { "n0 M", { { 0, 1 } }, 0, 0 },
    { "n0 S", { { 0, 1 } }, 0, 0 },
    { "n0 l1", { { 0, 1 }, { 1, 0 } }, 0, 0 },
    { "n0", { { 0, 0 } }, 0, 0 },
    { "n0 L", { { 0, 0 } }, 0, 0 },
    { "n0 n0 M", { { 0, 1 } }, 0, 0 },
    { "n0 N0 M", { { 0, 1 } }, 0, 0 }, /* only the last is seen */
    { "n0 M n0 M n0 M", { { 0, 1 } }, 0, 0 },
    { "n0 S n0 S n0 S", { { 0, 1 } }, 0, 0 },
    { "n0 n1 n0 M", { { 0, 1 }, { 0, 1 } }, 0, 0 },
    { "n0 L n0 M", { { 0, 1 } }, 0, 0 },
    { "n0 n1 N0 M", { { 0, 0 }, { 0, 1 } }, 0, 0 },
    { "n0 l0 M", { { 0, 1 } }, 0, 0 },
    { "n0 M l0", { { 1, 1 } }, 0, 0 },
    { "n0 S l0", { { 1, 1 } }, 0, 0 },
    { "n0 n1 l0 M", { { 0, 1 }, { 0, 1 } }, 0, 0 },
    { "l0 n0 M l0", { { 0, 1 } }, 0, 0 }, /* the store drops the line */
    { "s0 n0 M", { { 1, 0 } }, 0, 0 },    /* but first what is dirty goes back */
    { "h0 M", { { 0, 0 } }, 0, 1 },
    { "h0 S", { { 0, 0 } }, 0, 1 },
    { "h0 l0", { { 0, 0 } }, 0, 1 },
    /* A cache of one line. */
    { "l0 l1 l0", { { 0, 0 }, { 1, 0 } }, 1, 0 },
    { "l0 l0 s0 s0 l1", { { 1, 1 }, { 1, 0 } }, 1, 0 },
};

/* With a prefetcher: the line before is read, too, unless the CPU has it. */
static const struct row prefetched[] = {
    { "l1", { { 1, 0 }, { 1, 0 } }, 0, 0 },
    { "l0", { { 1, 0 } }, 0, 0 },
    { "l1 l0", { { 1, 0 }, { 1, 0 } }, 0, 0 },
    { "l0 l1", { { 1, 0 }, { 1, 0 } }, 0, 0 },
    { "l1 n0 M l0", { { 0, 1 }, { 1, 0 } }, 0, 0 },
    { "n0 l1", { { 0, 1 }, { 1, 0 } }, 0, 0 },
    { "n0 M l1 l0", { { 1, 1 }, { 1, 0 } }, 0, 0 },
    { "l1 L f0 M l0", { { 0, 0 }, { 1, 0 } }, 0, 0 },
};

static void check_row(const struct row *row, struct cache_model model)
{
    FREED_BY(dram_free) struct dram d;
    struct cache c;
    bool broken;

    dram_make(&d, 3, 4);
    for (uint32_t line = 0; line < 2; line++) {
        add_counter(&d, line, READS);
        add_counter(&d, line, WRITES);
    }
    cache_make(&c, &d, model);
    execute(&c, row->program);
    broken = c.broken;
    for (uint32_t k = 0; k < 4; k++) {
        if (line_bit(&d.cell[2], k) != row->odd[k / 2][k % 2])
            print_error("%s: %s of line %u\n", row->program, k % 2 ? "writes" : "reads", k / 2);
        assert_int_equal(line_bit(&d.cell[2], k), row->odd[k / 2][k % 2]);
    }
    assert_int_equal(broken, row->broken);
    cache_free(&c);
}

TEST(programs_reach_dram_as_often_as_they_must)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        check_row(&rows[i], (struct cache_model){ .forgetful = rows[i].forgetful });
    for (size_t i = 0; i < sizeof(prefetched) / sizeof(prefetched[0]); i++)
        check_row(&prefetched[i], (struct cache_model){ .prefetches = true });
}

/* Of many prefetched lines that were not loaded the oldest is read again when it is. */
TEST(prefetched_lines_are_dropped)
{
    FREED_BY(dram_free) struct dram d;
    struct cache c;

    dram_make(&d, 2 * PREFETCHED_MAX + 4, 0);
    cache_make(&c, &d, (struct cache_model){ .prefetches = true });
    for (uint32_t i = 0; i <= PREFETCHED_MAX; i++)
        cache_load(&c, 2 * i + 1);
    for (uint32_t i = 0; i < d.n_lines; i++)
        d.cell[i].word[0] = 1;
    assert_int_equal(cache_load(&c, 2)->word[0], 0);
    assert_int_equal(cache_load(&c, 0)->word[0], 1);
    assert_int_equal(cache_load(&c, 1)->word[0], 0); /* loaded lines stay */
    cache_free(&c);
}

TEST(loads_see_what_was_stored)
{
    static const char *const programs[] = {
        "N0 l0", "N0 M l0", "N0 l1 l0", "n0 N0 l0", "n0 n1 N0 l0", "l0 N0 l0", "n0 N0 M f0 M l0",
    };
    static const struct line ones = { { 1, 1, 1, 1, 1, 1, 1, 1 } };

    for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
        FREED_BY(dram_free) struct dram d;
        struct cache c;

        dram_make(&d, 3, 0);
        cache_make(&c, &d, (struct cache_model){ 0 });
        execute(&c, programs[i]);
        assert_memory_equal(cache_load(&c, 0), &ones, sizeof(ones));
        execute(&c, "s1");
        assert_int_equal(cache_load(&c, 1)->word[0], 0);
        assert_int_equal(cache_load(&c, 1)->word[1], 1);
        cache_free(&c);
    }
}
