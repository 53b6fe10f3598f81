// SPDX-License-Identifier: MIT
#include "alias/aliases.h"

#include "alias_machine.h"

/* A gap below 1 MiB, and one below 4 GiB. */
static const struct span ram[] = {
    { 0, 0x9f000 }, { 0x100000, 64 * MIB }, { 4 * GIB, 64 * MIB }, { 0 }
};

static int start(void **state)
{
    aliases_start(ram);
    return 0;
}

/* As the address test sees two lines: the lower address first. */
static void add_both_ways(uint64_t a, uint64_t b)
{
    aliases_add(&aliases, a < b ? a : b, a < b ? b : a);
    aliases_add(&aliases, a < b ? b : a, a < b ? a : b);
}

/* n pairs of adjoining pages. */
static void add_pages(uint64_t low, uint64_t high, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        add_both_ways(low + i * PAGE_SIZE, high + i * PAGE_SIZE);
}

TEST(there_are_none, start, end)
{
    struct alias alias;

    assert_false(aliases_any(&aliases));
    assert_false(aliases_has_page(&aliases, LOW));
    assert_int_equal(aliases_finish(&aliases), 0);
    assert_false(aliases_any(&aliases));
    assert_false(aliases_drain(&aliases, &alias));
    assert_false(aliases_largest(&aliases, &alias));
    assert_int_equal(fault_log_bad_pages(&m->log), 0);
}

TEST(only_other_lines_of_ram_are_aliases)
{
    static const struct {
        uint64_t phys, partner;
        bool is_alias;
    } cases[] = {
        { LOW, 0, true },
        { LOW, 0x9efc0, true },
        { LOW, 0x9f000, false },
        { LOW, 0xfffc0, false },
        { LOW, LOW, false },      /* the line itself */
        { LOW + 56, LOW, false }, /* its last word */
        { LOW + 56, LOW + 64, true },
        { LOW + 64, LOW, true },
        { LOW, LOW + 65, false }, /* no line */
        { LOW, LOW + 72, false },
        { LOW, 65 * MIB - 64, true },
        { LOW, 65 * MIB, false },
        { LOW, 4 * GIB - 64, false },
        { LOW, 4 * GIB, true },
        { LOW, 4 * GIB + 64 * MIB - 64, true },
        { LOW, 4 * GIB + 64 * MIB, false },
        { LOW, UINT64_MAX - 63, false },
        { 0xa0000, LOW, false },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct alias alias;

        start(NULL);
        /* What is not an alias is a fault each time, a known alias is not. */
        aliases_add(&aliases, cases[i].phys, cases[i].partner);
        assert_int_equal(aliases_add(&aliases, cases[i].phys, cases[i].partner),
                         !cases[i].is_alias);
        assert_int_equal(aliases_drain(&aliases, &alias), cases[i].is_alias);
        assert_int_equal(aliases_finish(&aliases) > 0, cases[i].is_alias);
        end(NULL);
    }
}

TEST(one_pair_of_pages, start, end)
{
    const uint64_t a = LOW + 0x5000, b = 4 * GIB + 0x3000;
    struct alias alias;

    for (uint64_t at = 0; at < PAGE_SIZE; at += 8) {
        uint64_t line = align_down(at, LINE_SIZE);

        assert_false(aliases_add(&aliases, a + at, b + line));
        /* The first from above is a fault: the higher page is bad in any case. */
        assert_int_equal(aliases_add(&aliases, b + at, a + line), at == 0);
    }
    assert_false(aliases_any(&aliases));
    assert_false(aliases_has_page(&aliases, b));
    assert_int_equal(aliases_finish(&aliases), 1);
    assert_true(aliases_any(&aliases));
    assert_true(aliases_has_page(&aliases, b + 0xfff) && !aliases_has_page(&aliases, a));
    assert_int_equal(aliases_settle(&aliases), 1);
    assert_true(aliases_has_page(&aliases, a) && aliases_has_page(&aliases, b + 0xfff));
    assert_false(aliases_has_page(&aliases, a - 1) || aliases_has_page(&aliases, b + 0x1000));
    assert_false(aliases_has_page(&aliases, 0xa0000)); /* no RAM */
    assert_true(fault_log_is_bad(&m->log, a) && fault_log_is_bad(&m->log, b));
    assert_int_equal(fault_log_bad_pages(&m->log), 2);
    assert_int_equal(fault_log_faults(&m->log), 0);

    assert_true(aliases_drain(&aliases, &alias));
    assert_int_equal(alias.addr, b);
    assert_int_equal(alias.partner, a);
    assert_int_equal(alias.address_bits, a ^ b);
    assert_false(alias.various);
    assert_int_equal(alias.pages, 1);
    assert_int_equal(alias.upper.base, b);
    assert_int_equal(alias.upper.size, PAGE_SIZE);
    assert_int_equal(alias.lower.base, a);
    assert_int_equal(alias.lower.size, PAGE_SIZE);
    assert_true(alias.both);
    assert_false(aliases_drain(&aliases, &alias));
    assert_true(aliases_largest(&aliases, &alias)); /* drained, and still there */
    assert_int_equal(alias.addr, b);
    assert_int_equal(alias.pages, 1);
    assert_int_equal(aliases_finish(&aliases), 0);
}

TEST(a_page_that_is_bad_otherwise_is_not_given_up, start, end)
{
    machine_mark(m, LOW >> PAGE_SHIFT);
    add_both_ways(LOW + PAGE_SIZE, HIGH + PAGE_SIZE);
    aliases_settle(&aliases);
    assert_false(aliases_has_page(&aliases, LOW));
    assert_int_equal(fault_log_bad_pages(&m->log), 3);
}

TEST(a_page_is_given_up_alone, start, end)
{
    uint64_t n = ALIASES_FEW_PAGES + 1;

    add_pages(LOW, HIGH, n); /* many: the lower copy is kept otherwise */
    aliases_give_up(&aliases, LOW + 2 * PAGE_SIZE + 8);
    aliases_give_up(&aliases, LOW + 2 * PAGE_SIZE);
    aliases_give_up(&aliases, 0xa0000); /* no RAM */
    assert_false(aliases_any(&aliases));
    assert_int_equal(aliases_finish(&aliases), n + 1);
    assert_true(aliases_has_page(&aliases, LOW + 2 * PAGE_SIZE));
    assert_false(aliases_has_page(&aliases, LOW + PAGE_SIZE));
    assert_false(aliases_has_page(&aliases, LOW + 3 * PAGE_SIZE));
    assert_int_equal(fault_log_bad_pages(&m->log), n + 1);
}

TEST(many_pairs_keep_the_lower_copy)
{
    static const struct {
        uint64_t pairs, given_up;
    } cases[] = {
        { 1, 2 },
        { ALIASES_FEW_PAGES - 1, 2 * ALIASES_FEW_PAGES - 2 },
        { ALIASES_FEW_PAGES, 2 * ALIASES_FEW_PAGES },
        { ALIASES_FEW_PAGES + 1, ALIASES_FEW_PAGES + 1 },
        { 1000, 1000 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct alias alias;

        start(NULL);
        add_pages(LOW, HIGH, cases[i].pairs);
        add_pages(LOW, HIGH, cases[i].pairs); /* nothing counts twice */
        assert_int_equal(aliases_settle(&aliases), cases[i].given_up);
        assert_int_equal(fault_log_bad_pages(&m->log), cases[i].given_up);
        assert_true(aliases_drain(&aliases, &alias));
        assert_int_equal(alias.pages, cases[i].pairs);
        assert_int_equal(alias.both, cases[i].given_up > cases[i].pairs);
        assert_int_equal(aliases_has_page(&aliases, LOW), alias.both);
        assert_int_equal(alias.upper.base, HIGH);
        assert_int_equal(alias.upper.size, cases[i].pairs * PAGE_SIZE);
        assert_int_equal(alias.lower.base, LOW);
        assert_int_equal(alias.lower.size, cases[i].pairs * PAGE_SIZE);
        assert_false(aliases_drain(&aliases, &alias));
        end(NULL);
    }
}

TEST(an_alias_that_grows_is_told_again, start, end)
{
    struct alias alias;

    add_pages(LOW, HIGH, ALIASES_FEW_PAGES);
    assert_int_equal(aliases_settle(&aliases), 2 * ALIASES_FEW_PAGES);
    assert_true(aliases_drain(&aliases, &alias));
    add_pages(LOW, HIGH, ALIASES_FEW_PAGES);
    assert_false(aliases_drain(&aliases, &alias));
    assert_int_equal(aliases_finish(&aliases), 0);
    add_pages(LOW, HIGH, ALIASES_FEW_PAGES + 1);
    assert_false(aliases_has_page(&aliases, HIGH + ALIASES_FEW_PAGES * PAGE_SIZE)); /* not yet */
    assert_int_equal(aliases_finish(&aliases), 1);
    assert_true(aliases_has_page(&aliases, HIGH + ALIASES_FEW_PAGES * PAGE_SIZE));
    assert_true(aliases_drain(&aliases, &alias));
    assert_int_equal(alias.pages, ALIASES_FEW_PAGES + 1);
    assert_false(alias.both);
    assert_true(aliases_has_page(&aliases, LOW)); /* what is marked stays marked */
}

/* What is found at first may be few. */
TEST(an_alias_that_grows_keeps_its_lower_copy, start, end)
{
    add_pages(LOW, HIGH, 1);
    assert_int_equal(aliases_finish(&aliases), 1);
    add_pages(LOW, HIGH, ALIASES_FEW_PAGES + 1);
    assert_int_equal(aliases_finish(&aliases), ALIASES_FEW_PAGES);
    assert_int_equal(aliases_settle(&aliases), 0);
    assert_false(aliases_has_page(&aliases, LOW));
    assert_int_equal(fault_log_bad_pages(&m->log), ALIASES_FEW_PAGES + 1);
}

static void hold_pages(uint64_t first, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        aliases_hold(&aliases, first + i * PAGE_SIZE + 8);
}

TEST(a_page_is_held_until_it_is_released, start, end)
{
    const uint64_t n = ALIASES_FEW_PAGES + 1;

    add_pages(LOW, HIGH, n);
    hold_pages(LOW, n);
    assert_true(aliases_hold_any(&aliases));
    assert_true(aliases_has_page(&aliases, LOW + 0xfff)); /* at once */
    assert_int_equal(aliases_finish(&aliases), 2 * n);    /* okram looks again */
    assert_int_equal(aliases_finish(&aliases), 0);
    assert_false(aliases_has_page(&aliases, LOW - 1) ||
                 aliases_has_page(&aliases, LOW + n * PAGE_SIZE));
    assert_int_equal(fault_log_bad_pages(&m->log), n);
    machine_mark(m, (LOW >> PAGE_SHIFT) + 1); /* a machine check */
    aliases_release(&aliases);
    assert_false(aliases_hold_any(&aliases) || aliases_has_page(&aliases, LOW));
    assert_true(aliases_has_page(&aliases, HIGH));
    assert_int_equal(aliases_settle(&aliases), 0);
    assert_int_equal(fault_log_bad_pages(&m->log), n + 1); /* that one is bad all the same */
}

TEST(what_is_held_in_the_end_is_given_up, start, end)
{
    const uint64_t n = ALIASES_FEW_PAGES + 1;

    add_pages(LOW, HIGH, n);
    hold_pages(LOW, n);
    assert_int_equal(aliases_settle(&aliases), 3 * n);
    assert_false(aliases_hold_any(&aliases));
    assert_true(aliases_has_page(&aliases, LOW));
    assert_int_equal(fault_log_bad_pages(&m->log), 2 * n);
    assert_int_equal(aliases_settle(&aliases), 0);
}

TEST(where_no_more_can_be_held_pages_are_given_up, start, end)
{
    for (uint64_t i = 0; i < ALIASES_HELD_MAX + 2; i++)
        hold_pages(LOW + 2 * i * PAGE_SIZE, 1);
    assert_int_equal(aliases_finish(&aliases), ALIASES_HELD_MAX + 2);
    assert_int_equal(fault_log_bad_pages(&m->log), 2);
    aliases_release(&aliases);
    assert_true(aliases_has_page(&aliases, LOW + 2 * ALIASES_HELD_MAX * PAGE_SIZE));
    assert_false(aliases_has_page(&aliases, LOW));
}

TEST(an_alias_of_many_pairs_may_go_on, start, end)
{
    add_pages(LOW, HIGH, ALIASES_FEW_PAGES);
    assert_false(aliases_may_be_upper(&aliases, HIGH + MIB));
    add_pages(LOW, HIGH, ALIASES_FEW_PAGES + 1);
    assert_true(aliases_may_be_upper(&aliases, HIGH + MIB));
    assert_false(aliases_may_be_upper(&aliases, LOW + MIB));
    assert_false(aliases_may_be_upper(&aliases, HIGH ^ LOW ^ 0xa0000)); /* no RAM below */
}

TEST(pairs_are_told_apart_whatever_their_order, start, end)
{
    const uint64_t low = LOW + 8 * PAGE_SIZE, high = HIGH + 8 * PAGE_SIZE;
    struct alias alias;

    add_both_ways(low, high);
    add_both_ways(LOW, HIGH);
    assert_true(aliases_drain(&aliases, &alias));
    assert_int_equal(alias.pages, 2);
    assert_int_equal(alias.addr, high);
    assert_int_equal(alias.upper.base, HIGH);
    assert_int_equal(span_end(alias.upper), high + PAGE_SIZE);
    assert_int_equal(alias.lower.base, LOW);
    assert_int_equal(span_end(alias.lower), low + PAGE_SIZE);
}

/* Three pages share cells, and two others that differ in the same bits as two of them. */
TEST(a_page_may_be_of_several_aliases, start, end)
{
    const uint64_t upper = HIGH + PAGE_SIZE, lower = LOW + PAGE_SIZE, middle = 2 * LOW + PAGE_SIZE;
    struct alias alias;

    add_both_ways(LOW, HIGH);
    add_both_ways(middle, upper);
    add_both_ways(lower, upper);
    assert_true(aliases_drain(&aliases, &alias));
    assert_int_equal(alias.address_bits, LOW ^ HIGH);
    assert_int_equal(alias.pages, 2);
    assert_true(aliases_drain(&aliases, &alias));
    assert_int_equal(alias.address_bits, middle ^ upper);
    assert_int_equal(alias.pages, 1);
    assert_int_equal(aliases_finish(&aliases), 2);
    assert_int_equal(aliases_settle(&aliases), 3);
}

TEST(lines_of_one_page, start, end)
{
    struct alias alias;

    assert_false(aliases_add(&aliases, LOW + 0x108, LOW + 0x140));
    assert_true(aliases_add(&aliases, LOW + 0x148, LOW + 0x100));
    assert_false(aliases_add(&aliases, LOW + 0xfc0, LOW));
    assert_int_equal(aliases_finish(&aliases), 1);
    assert_true(aliases_drain(&aliases, &alias));
    assert_int_equal(alias.addr, LOW + 0x140);
    assert_int_equal(alias.partner, LOW + 0x100);
    assert_int_equal(alias.address_bits, 0);
    assert_false(alias.various);
    assert_int_equal(alias.pages, 1);
    assert_int_equal(alias.upper.base, LOW);
    assert_int_equal(alias.lower.base, LOW);
    assert_int_equal(alias.lower.size, PAGE_SIZE);
    assert_false(aliases_drain(&aliases, &alias));
}

TEST(the_table_is_full, start, end)
{
    uint64_t low[ALIASES_MAX + 2], high[ALIASES_MAX + 2];
    struct alias alias;
    size_t n = 0;

    for (uint64_t i = 0; i < ALIASES_MAX + 2; i++) {
        low[i] = (0x1000 + i) << PAGE_SHIFT;
        high[i] = (0x2000 + 0x80 * i) << PAGE_SHIFT;
        add_both_ways(low[i], high[i]);
    }
    assert_int_equal(aliases_settle(&aliases), 2 * (ALIASES_MAX + 2));
    for (; n < ALIASES_MAX; n++) {
        assert_true(aliases_drain(&aliases, &alias));
        assert_false(alias.various);
        assert_int_equal(alias.pages, 1);
        assert_int_equal(alias.address_bits, low[n] ^ high[n]);
    }
    assert_true(aliases_drain(&aliases, &alias)); /* the rest together */
    assert_true(alias.various);
    assert_int_equal(alias.address_bits, 0);
    assert_int_equal(alias.pages, 2);
    assert_int_equal(alias.addr, high[n]);
    assert_int_equal(alias.upper.base, high[n]);
    assert_int_equal(span_end(alias.upper), high[n + 1] + PAGE_SIZE);
    assert_int_equal(alias.lower.base, low[n]);
    assert_int_equal(span_end(alias.lower), low[n + 1] + PAGE_SIZE);
    assert_false(aliases_drain(&aliases, &alias));
    add_both_ways(low[0], high[0]); /* the first is still known */
    assert_false(aliases_drain(&aliases, &alias));
    add_both_ways(LOW, LOW + LINE_SIZE); /* one more of the rest */
    assert_true(aliases_drain(&aliases, &alias));
    assert_true(alias.various);
    assert_int_equal(alias.pages, 3);
}
