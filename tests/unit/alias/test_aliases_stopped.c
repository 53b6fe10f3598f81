// SPDX-License-Identifier: MIT
/* A CPU that stops while it adds an alias: the others go on, and no page is lost. */
#include "alias/aliases.h"

#include "alias_machine.h"
#include "log/stopped.h"

#define ROUNDS  100
#define MOST_US 100

static const struct span ram[] = { { LOW, 64 * MIB }, { 0 } };

static void add_both_ways(uint64_t page)
{
    aliases_add(&aliases, LOW + page * PAGE_SIZE, HIGH + page * PAGE_SIZE);
    aliases_add(&aliases, HIGH + page * PAGE_SIZE, LOW + page * PAGE_SIZE);
}

static void add_next(void *ctx, uint64_t n)
{
    const uint64_t *pages = ctx;

    add_both_ways(n % *pages);
}

static void check_alias(uint64_t pages)
{
    struct alias alias;

    assert_true(aliases_drain(&aliases, &alias));
    assert_in_range(alias.pages, pages - 1, pages); /* that one it may have left uncounted */
    assert_int_equal(alias.address_bits, LOW ^ HIGH);
    assert_int_equal(alias.addr ^ alias.partner, LOW ^ HIGH);
    assert_int_equal(alias.upper.base, HIGH);
    assert_int_equal(alias.upper.size, pages * PAGE_SIZE);
    assert_int_equal(alias.lower.base, LOW);
    assert_int_equal(alias.lower.size, pages * PAGE_SIZE);
    assert_false(aliases_drain(&aliases, &alias));
}

static void stop_one(uint64_t pages, uint32_t us)
{
    struct stopped cpu = { .work = add_next, .ctx = &pages, .us = us };
    uint64_t given_up;

    aliases_start(ram);
    stopped_begin(&cpu);
    for (uint64_t page = 0; page < pages; page++)
        add_both_ways(page);
    given_up = aliases_settle(&aliases);
    assert_int_equal(fault_log_bad_pages(&m->log), given_up);
    for (uint64_t page = 0; page < pages; page++) {
        assert_true(aliases_has_page(&aliases, HIGH + page * PAGE_SIZE));
        if (pages <= ALIASES_FEW_PAGES)
            assert_true(aliases_has_page(&aliases, LOW + page * PAGE_SIZE));
    }
    assert_int_equal(aliases_finish(&aliases), 0);
    check_alias(pages);
    stopped_end(&cpu);
    end(NULL);
}

TEST(a_cpu_that_stops_costs_no_page)
{
    const uint64_t pages[] = { 1, ALIASES_FEW_PAGES, ALIASES_FEW_PAGES + 1, 2000 };
    uint64_t seed = 1;

    for (int i = 0; i < ROUNDS; i++) {
        for (size_t k = 0; k < sizeof(pages) / sizeof(pages[0]); k++)
            stop_one(pages[k], (uint32_t)(machine_random(&seed) % MOST_US));
    }
}
