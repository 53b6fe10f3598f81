// SPDX-License-Identifier: MIT
/* Aliases of large parts of memory, as an address test of all CPUs finds them. */
#include "alias/aliases.h"

#include <pthread.h>

#include "alias_machine.h"
#include "badram/cover.h"

static const struct span ram[] = { { LOW, 64 * MIB }, { 4 * GIB, 64 * MIB }, { 0 } };

static int start(void **state)
{
    aliases_start(ram);
    return 0;
}

/* Above 4 GiB every address with bit 21 reaches the cells of the one without. */
TEST(an_address_line_becomes_one_pattern, start, end)
{
    static struct cover_work work;
    static struct cover cover;
    const struct cover_limits limits = { 8, COVER_RANGES_MAX, NULL };
    const uint64_t bit = UINT64_C(1) << 21;
    struct alias alias;

    for (uint64_t at = 4 * GIB; at < 4 * GIB + 64 * MIB; at += PAGE_SIZE)
        aliases_add(&aliases, at, at ^ bit);
    assert_int_equal(aliases_finish(&aliases), 32 * MIB / PAGE_SIZE);
    assert_true(aliases_drain(&aliases, &alias));
    assert_int_equal(alias.pages, 32 * MIB / PAGE_SIZE);
    assert_int_equal(alias.address_bits, bit);
    assert_int_equal(alias.upper.base, 4 * GIB + bit);
    assert_int_equal(span_end(alias.upper), 4 * GIB + 64 * MIB);
    assert_int_equal(alias.lower.base, 4 * GIB);
    assert_int_equal(span_end(alias.lower), 4 * GIB + 64 * MIB - bit);
    assert_int_equal(cover_derive(&m->log, &limits, &work, &cover), STATUS_OK);
    assert_int_equal(cover.n_patterns, 1);
    assert_int_equal(cover.sacrificed_pages, 32 * MIB / PAGE_SIZE);
}

/* Which address wrote last: any, for CPUs work side by side. */
static uint64_t random_one(const uint64_t *addr, size_t n, uint64_t *seed)
{
    return addr[machine_random(seed) % n];
}

/*
 * Every four addresses that differ in bits 22 and 24 share cells. Each round of the test sees who
 * wrote last only. However that falls, in the end the lowest address of each four is left alone.
 */
TEST(four_addresses_share_cells, start, end)
{
    const uint64_t bits[] = { 0, UINT64_C(1) << 22, UINT64_C(1) << 24, UINT64_C(5) << 22 };
    uint64_t seed = 1, given_up, rounds = 0;

    do {
        for (uint64_t at = 4 * GIB; at < 4 * GIB + 64 * MIB; at += PAGE_SIZE) {
            uint64_t addr[4], writer;
            size_t n = 0;

            if (at & bits[3])
                continue;
            for (size_t i = 0; i < 4; i++) {
                if (!aliases_has_page(&aliases, at | bits[i]))
                    addr[n++] = at | bits[i];
            }
            assert_true(n > 0);
            writer = random_one(addr, n, &seed);
            for (size_t i = 0; i < n; i++) {
                if (addr[i] != writer)
                    aliases_add(&aliases, addr[i], writer);
            }
        }
        given_up = aliases_finish(&aliases);
        rounds++;
    } while (given_up);
    assert_in_range(rounds, 3, 4); /* each takes at least one; the last sees nothing */
    for (uint64_t at = 4 * GIB; at < 4 * GIB + 64 * MIB; at += PAGE_SIZE)
        assert_int_equal(aliases_has_page(&aliases, at), (at & bits[3]) != 0);
}

#define ADDERS      4
#define ADDER_PAGES 4096 /* of each copy */

struct adder {
    uint32_t number;
    size_t n_faults;
};

/* The upper half of memory is the lower half: half of the CPUs work on each. */
static void *add_half(void *arg)
{
    struct adder *adder = arg;
    uint64_t base = adder->number % 2 ? HIGH : LOW, other = LOW ^ HIGH ^ base;

    for (uint64_t at = 0; at < ADDER_PAGES * PAGE_SIZE; at += 512)
        adder->n_faults += aliases_add(&aliases, base + at, other + at);
    return NULL;
}

TEST(all_cpus_add_at_once, start, end)
{
    struct adder adder[ADDERS];
    pthread_t thread[ADDERS];
    uint64_t pages = 0;
    size_t n_faults = 0, n_aliases = 0;
    struct alias alias;

    for (uint32_t i = 0; i < ADDERS; i++) {
        adder[i] = (struct adder){ i, 0 };
        assert_int_equal(pthread_create(&thread[i], NULL, add_half, &adder[i]), 0);
    }
    for (uint32_t i = 0; i < ADDERS; i++) {
        pthread_join(thread[i], NULL);
        n_faults += adder[i].n_faults;
    }
    assert_int_equal(aliases_finish(&aliases), ADDER_PAGES);
    for (; aliases_drain(&aliases, &alias); n_aliases++)
        pages += alias.pages;
    assert_int_equal(pages, ADDER_PAGES);
    assert_int_equal(n_faults, n_aliases); /* one of each */
    assert_int_equal(fault_log_bad_pages(&m->log), ADDER_PAGES);
    for (uint64_t at = 0; at < ADDER_PAGES * PAGE_SIZE; at += PAGE_SIZE) {
        assert_true(aliases_has_page(&aliases, HIGH + at));
        assert_false(aliases_has_page(&aliases, LOW + at));
    }
}
