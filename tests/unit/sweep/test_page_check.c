// SPDX-License-Identifier: MIT
#include "sweep/page_check.h"

#include "memory.h"

#define PAGE_LINES (PAGE_SIZE / sizeof(struct line))
#define ELEMENTS   24 /* of all marches */
#define BEFORE_USE 18

/* Memory with a stuck cell in each of its bad pages, and how often it was gone over. */
static struct {
    struct line *page; /* PAGE_CHECK_MAX pages */
    uint32_t bad;
    bool stuck_at_1;
    uint64_t lines;
} stuck;

static void apply(void)
{
    line_ops_fence();
    for (unsigned i = 0; i < PAGE_CHECK_MAX; i++) {
        uint64_t *word = &stuck.page[i * PAGE_LINES + 5 * i % PAGE_LINES].word[i % 8];

        if (!(stuck.bad >> i & 1))
            continue;
        if (stuck.stuck_at_1)
            *word |= UINT64_C(1) << 20;
        else
            *word &= ~(UINT64_C(1) << 20);
    }
}

static void fill(const struct line_run *run, const struct data *data, bool complement)
{
    line_ops_scalar.fill(run, data, complement);
    apply();
    stuck.lines += run->n_lines;
}

static void verify(const struct line_run *run, const struct data *data, bool complement,
                   const struct line_faults *faults)
{
    line_ops_scalar.verify(run, data, complement, faults);
    stuck.lines += run->n_lines;
}

static void verify_write(const struct line_run *run, const struct data *data, bool read_complement,
                         bool write_complement, const struct line_faults *faults)
{
    line_ops_scalar.verify_write(run, data, read_complement, write_complement, faults);
    apply();
    stuck.lines += run->n_lines;
}

static void sequence(const struct line_run *run, const struct data *data,
                     const struct line_sequence *ops, const struct line_faults *faults)
{
    line_ops_scalar.sequence(run, data, ops, faults);
    apply();
    stuck.lines += run->n_lines;
}

static const struct line_ops stuck_ops = {
    .name = "stuck",
    .fill = fill,
    .verify = verify,
    .verify_write = verify_write,
    .sequence = sequence,
};

static const struct check {
    uint32_t n_pages, bad;
    bool stuck_at_1;
    uint32_t elements; /* gone over each page so often */
} checks[] = {
    { 1, 0, false, ELEMENTS },
    { 32, 0, false, ELEMENTS },

    { 32, 1, true, ELEMENTS },
    { 32, UINT32_C(1) << 31, false, ELEMENTS },
    { 32, 0x0ff0a5a5, true, ELEMENTS },
    { 32, 0x7fffffff, true, ELEMENTS }, /* the one good page gets the whole check */
    { 32, 0xfffffffe, false, ELEMENTS },
    { 31, 0x3fffffff, true, ELEMENTS },

    { 1, 1, true, 2 }, /* w0; r0 finds it */
    { 31, 0x7fffffff, true, 2 },
    { 32, UINT32_MAX, true, 2 },
    { 1, 1, false, 3 }, /* w1 is the second element's */
    { 32, UINT32_MAX, false, 3 },
};

static uint32_t n_between;

static void count(void *ctx)
{
    ++*(uint32_t *)ctx;
}

TEST(ends_where_all_is_bad)
{
    const struct page_check_between between = { count, &n_between };

    stuck.page = aligned_alloc(PAGE_SIZE, PAGE_CHECK_MAX * PAGE_SIZE);
    assert_non_null(stuck.page);
    for (size_t i = 0; i < COUNT(checks); i++) {
        const struct check *c = &checks[i];
        struct slice pages = { stuck.page, MEMORY_PHYS, c->n_pages * PAGE_LINES };

        stuck.bad = c->bad;
        stuck.stuck_at_1 = c->stuck_at_1;
        stuck.lines = 0;
        n_between = 0;
        assert_int_equal(page_check(&stuck_ops, false, pages, PAGE_CHECK_AGAIN, &between), c->bad);
        assert_int_equal(stuck.lines, c->elements * pages.n_lines);
        assert_int_equal(n_between, c->elements);
    }
    free(stuck.page);
}

/* The same bad pages, in less. */
TEST(before_use)
{
    stuck.page = aligned_alloc(PAGE_SIZE, PAGE_CHECK_MAX * PAGE_SIZE);
    assert_non_null(stuck.page);
    for (size_t i = 0; i < COUNT(checks); i++) {
        const struct check *c = &checks[i];
        struct slice pages = { stuck.page, MEMORY_PHYS, c->n_pages * PAGE_LINES };

        stuck.bad = c->bad;
        stuck.stuck_at_1 = c->stuck_at_1;
        stuck.lines = 0;
        assert_int_equal(page_check(&stuck_ops, false, pages, PAGE_CHECK_BEFORE_USE, NULL), c->bad);
        if (c->elements == ELEMENTS)
            assert_int_equal(stuck.lines, BEFORE_USE * pages.n_lines);
    }
    free(stuck.page);
}

/* A cell that is stuck at 1 holds ones, not zeros. */
TEST(knows_what_pages_hold)
{
    const struct data solid = data_background(0), random = data_random(5);
    const struct slice pages = { aligned_alloc(PAGE_SIZE, 2 * PAGE_SIZE), MEMORY_PHYS,
                                 2 * PAGE_LINES };

    assert_non_null(pages.virt);
    stuck.page = pages.virt;
    stuck.bad = 2;
    stuck.stuck_at_1 = true;
    page_fill(&stuck_ops, false, pages, &solid, true);
    assert_true(page_holds(&stuck_ops, false, pages, &solid, true));
    assert_false(page_holds(&stuck_ops, false, pages, &solid, false));
    page_fill(&stuck_ops, false, pages, &solid, false);
    assert_false(page_holds(&stuck_ops, false, pages, &solid, false));
    stuck.bad = 0;
    page_fill(&stuck_ops, false, pages, &random, true);
    assert_true(page_holds(&stuck_ops, false, pages, &random, true));
    assert_false(page_holds(&stuck_ops, false, pages, &random, false));
    assert_false(page_holds(&stuck_ops, false, pages, &solid, true));
    page_fill(&stuck_ops, false, pages, &solid, false);
    assert_true(page_holds(&stuck_ops, false, pages, &solid, false));
    free(pages.virt);
}
