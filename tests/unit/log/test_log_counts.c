// SPDX-License-Identifier: MIT
/* Bad pages outside of what a fault log has bits for. */
#include "log/log_counts.h"

#include "badram/cover.h"
#include "badram/machine.h"

#define ROUNDS 200

/* RAM, and what of it has bits: a part of an extent, its end, a whole one, and parts of a page. */
static const struct span ram[] = {
    { 0, 0x9f000 }, { 1 * MIB, 64 * MIB }, { 4 * GIB, 64 * MIB }, { 1024 * GIB, 8 * MIB }, { 0, 0 },
};
static const struct span tested[] = {
    { 2 * MIB, 1 * MIB },
    { 4 * MIB + 0x40, 0x1f80 },
    { 64 * MIB, 1 * MIB },
    { 4 * GIB, 64 * MIB },
};

struct copies {
    struct machine *m;
    struct page_extent extent[4];
    struct page_index marked;
    void *copy[LOG_COPIES];
};

static struct copies *copies_make(void)
{
    struct copies *p = calloc(1, sizeof(*p));

    assert_non_null(p);
    p->m = machine_make(ram);
    assert_int_equal(page_index_init(&p->marked, p->extent, 4, tested, 4), STATUS_OK);
    for (size_t i = 0; i < LOG_COPIES; i++) {
        p->copy[i] = aligned_alloc(4096, fault_log_copy_bytes(&p->marked));
        assert_non_null(p->copy[i]);
    }
    fault_log_init(&p->m->log, &p->marked,
                   &(struct fault_log_memory){ .copy = { p->copy[0], p->copy[1], p->copy[2] } });
    fault_log_set_ram(&p->m->log, &p->m->space);
    return p;
}

static void copies_free(struct copies *p)
{
    for (size_t i = 0; i < LOG_COPIES; i++)
        free(p->copy[i]);
    machine_free(p->m);
    free(p);
}

static bool has_bit(const struct copies *p, uint64_t page)
{
    uint64_t index;

    return page_index_index(&p->marked, page, &index) == STATUS_OK;
}

/* Near the borders between what has bits and what has none; else anywhere. */
static uint64_t any_page(struct copies *p, uint64_t *random)
{
    const struct span *s = &tested[machine_random(random) % 4];
    uint64_t at = machine_random(random) % 2 ? s->base : span_end(*s);
    uint64_t page = (at >> PAGE_SHIFT) + machine_random(random) % 8 - 4;

    if (machine_random(random) % 2 || !machine_is_ram(p->m, page))
        page = page_index_page(&p->m->space, machine_random(random) % p->m->space.n_pages);
    return page;
}

/* As it would be with a bit for each page. */
static void check_runs(struct copies *p, const struct fault_log *plain)
{
    uint64_t index = 0, plain_index = 0;
    struct page_run run, wanted;

    while (fault_log_next_run(plain, &plain_index, &wanted)) {
        assert_true(fault_log_next_run(&p->m->log, &index, &run));
        assert_int_equal(run.first, wanted.first);
        assert_int_equal(run.count, wanted.count);
        assert_int_equal(index, plain_index);
        for (uint64_t page = run.first; page < page_run_end(run); page++)
            assert_true(fault_log_is_bad(&p->m->log, page << PAGE_SHIFT));
    }
    assert_false(fault_log_next_run(&p->m->log, &index, &run));
    assert_int_equal(fault_log_bad_pages(&p->m->log), fault_log_bad_pages(plain));
}

TEST(runs_are_those_of_a_log_of_all_ram)
{
    uint64_t random = 7;

    for (size_t round = 0; round < ROUNDS; round++) {
        struct copies *p = copies_make();
        struct machine *plain = machine_make(ram);
        size_t n_others = 0;

        for (size_t i = 0; i < 1 + round; i++) {
            uint64_t page = any_page(p, &random);

            n_others += !has_bit(p, page);
            machine_mark(p->m, page);
            machine_mark(p->m, page); /* counts once */
            machine_mark(plain, page);
        }
        assert_true(n_others <= LOG_COUNT_PAGES);
        check_runs(p, &plain->log);
        fault_log_reconcile(&p->m->log);
        check_runs(p, &plain->log);
        machine_free(plain);
        copies_free(p);
    }
}

TEST(so_many_and_no_more)
{
    struct copies *p = copies_make();
    uint64_t first = 1024 * GIB >> PAGE_SHIFT, addr = 0;

    for (uint64_t i = 0; i < LOG_COUNT_PAGES; i++)
        machine_mark(p->m, first + 2 * i);
    assert_int_equal(fault_log_outside(&p->m->log, &addr), 0);
    assert_int_equal(fault_log_bad_pages(&p->m->log), LOG_COUNT_PAGES);
    machine_mark(p->m, first + 2 * LOG_COUNT_PAGES);
    machine_mark(p->m, first); /* is known */
    assert_int_equal(fault_log_outside(&p->m->log, &addr), 1);
    assert_int_equal(addr, (first + 2 * LOG_COUNT_PAGES) << PAGE_SHIFT);
    assert_int_equal(fault_log_bad_pages(&p->m->log), LOG_COUNT_PAGES);
    machine_mark(p->m, 4 * GIB >> PAGE_SHIFT); /* has a bit */
    assert_int_equal(fault_log_bad_pages(&p->m->log), LOG_COUNT_PAGES + 1);
    machine_mark(p->m, 0xa0); /* no RAM */
    assert_int_equal(fault_log_outside(&p->m->log, &addr), 2);
    copies_free(p);
}

/* A word of the list is kept three times, as all counts are: any one may change. */
TEST(a_changed_word_loses_no_page)
{
    for (size_t copy = 0; copy < LOG_COPIES; copy++) {
        struct copies *p = copies_make();
        uint64_t *words = p->copy[copy];

        machine_mark(p->m, 0x410);
        machine_mark(p->m, 0x500);
        words[LOG_COUNT_PAGE] = 0;
        words[LOG_COUNT_PAGE + 1] ^= 0x8;
        assert_true(fault_log_is_bad(&p->m->log, 0x410000));
        assert_true(fault_log_is_bad(&p->m->log, 0x500000));
        fault_log_reconcile(&p->m->log);
        assert_int_equal(words[LOG_COUNT_PAGE], 0x821);
        assert_int_equal(words[LOG_COUNT_PAGE + 1], 0xa01);
        copies_free(p);
    }
}

/* Its place is not given to the next page, and the page itself is still known. */
TEST(a_word_that_became_0_is_not_taken)
{
    for (size_t copy = 0; copy < LOG_COPIES; copy++) {
        struct copies *p = copies_make();
        uint64_t *words = p->copy[copy];

        machine_mark(p->m, 0x410);
        words[LOG_COUNT_PAGE] = 0;
        machine_mark(p->m, 0x500);
        assert_true(fault_log_is_bad(&p->m->log, 0x410000));
        assert_true(fault_log_is_bad(&p->m->log, 0x500000));
        machine_mark(p->m, 0x410);
        fault_log_reconcile(&p->m->log);
        assert_int_equal(fault_log_bad_pages(&p->m->log), 2);
        copies_free(p);
    }
}

/* What a pattern gives up is counted in all RAM. */
TEST(a_cover_costs_what_it_covers_of_all_ram)
{
    static struct cover_work work;
    static struct cover cover;
    const struct cover_limits limits = { .max_patterns = 1, .max_ranges = 1000 };
    struct copies *p = copies_make();

    machine_mark(p->m, 0x200);
    machine_mark(p->m, 0x300); /* the last with a bit is 0x2ff */
    assert_int_equal(cover_derive(&p->m->log, &limits, &work, &cover), STATUS_OK);
    assert_int_equal(cover.n_patterns, 1);
    assert_int_equal(cover.sacrificed_pages, 2);
    machine_mark(p->m, 0x3ff);
    assert_int_equal(cover_derive(&p->m->log, &limits, &work, &cover), STATUS_OK);
    assert_int_equal(cover.sacrificed_pages, 512);
    copies_free(p);
}
