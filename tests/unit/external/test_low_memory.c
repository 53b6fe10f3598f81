// SPDX-License-Identifier: MIT
#include "external/low_memory.h"

#include "tests/host/aborts.h"
#include "tests/unit/unit.h"

static struct low_memory low;

/* What comes after a table in memory is not part of it. */
static struct low_memory neighbours[2];

static void add(uint64_t addr, uint64_t found)
{
    low_memory_add(&low, &(struct low_change){ .addr = addr, .found = found });
}

TEST(keeps_the_first_of_each_page)
{
    struct low_change change;

    assert_false(low_memory_drain(&low, &change));
    add(0xffff8, 1);
    add(0x2000, 2);
    add(0x2ff8, 3);
    add(0, 4);
    assert_true(low_memory_drain(&low, &change));
    assert_int_equal(change.found, 4);
    assert_true(low_memory_drain(&low, &change));
    assert_int_equal(change.addr, 0x2000);
    assert_int_equal(change.found, 2);
    assert_true(low_memory_drain(&low, &change));
    assert_int_equal(change.addr, 0xffff8);
    assert_false(low_memory_drain(&low, &change));
    add(0x2ff8, 5);
    assert_true(low_memory_drain(&low, &change));
    assert_int_equal(change.found, 5);
}

TEST(ends_at_1_mib)
{
    struct low_change change = { .addr = 0, .found = 6 };

    low_memory_add(&neighbours[1], &change);
    change.addr = LOW_MEMORY_END - 8;
    low_memory_add(&neighbours[0], &change);
    assert_true(low_memory_drain(&neighbours[0], &change));
    assert_false(low_memory_drain(&neighbours[0], &change));
    assert_true(low_memory_drain(&neighbours[1], &change));
    assert_int_equal(change.addr, 0);
}

static void add_last(void)
{
    add(LOW_MEMORY_END - 8, 0);
}

static void add_beyond(void)
{
    add(LOW_MEMORY_END, 0);
}

TEST(what_is_above_is_a_mistake)
{
    assert_false(aborts(add_last));
    assert_true(aborts(add_beyond));
}

#define PHYS       UINT64_C(0x30000)
#define PAGES      2
#define PAGE_LINES (PAGE_SIZE / sizeof(struct line))
#define AT_LINE    4
#define AT_WORD    4
#define ADDR       (PHYS + AT_LINE * sizeof(struct line) + AT_WORD * sizeof(uint64_t))
#define TRY_WRITES (2 * 5 * PAGES) /* backgrounds, elements that write */

static struct {
    struct line *page;               /* PAGES; the word that changed is in the first */
    uint64_t stuck_at_0, stuck_at_1; /* bits of the word */
    uint64_t coupled;  /* bits that are 1 while those of the same word of the last page are 0 */
    unsigned writes;   /* of pages, so far */
    uint64_t firmware; /* what firmware writes to the word; 0: nothing */
    unsigned tries;    /* in which it does, from the first on */
} machine;

static void after_writing(void)
{
    uint64_t *word = &machine.page[AT_LINE].word[AT_WORD];
    uint64_t aggressor = machine.page[(PAGES - 1) * PAGE_LINES + AT_LINE].word[AT_WORD];

    *word = (*word & ~machine.stuck_at_0) | machine.stuck_at_1 | (machine.coupled & ~aggressor);
    if (machine.firmware && machine.writes / TRY_WRITES < machine.tries)
        *word = machine.firmware;
    machine.writes++;
}

static void fill(const struct line_run *run, const struct data *data, bool complement)
{
    line_ops_scalar.fill(run, data, complement);
    after_writing();
}

static void sequence(const struct line_run *run, const struct data *data,
                     const struct line_sequence *ops, const struct line_faults *faults)
{
    line_ops_scalar.sequence(run, data, ops, faults);
    after_writing();
}

/* The caller frees machine.page. */
static struct low_retest make_memory(void)
{
    static struct line_ops ops;
    struct low_retest retest = { .ops = &ops, .has_clflushopt = true, .n_slices = PAGES };

    ops = line_ops_scalar;
    ops.fill = fill;
    ops.sequence = sequence;
    machine.page = aligned_alloc(PAGE_SIZE, PAGES * PAGE_SIZE);
    assert_non_null(machine.page);
    for (size_t i = 0; i < PAGES; i++)
        retest.slice[i] =
            (struct slice){ machine.page + i * PAGE_LINES, PHYS + i * PAGE_SIZE, PAGE_LINES };
    machine.writes = 0;
    return retest;
}

/* Of the word, with another one that is sound. */
static bool is_fault(void)
{
    struct low_word word[] = { { ADDR + 8, 1, UINT64_MAX }, { ADDR, 1, UINT64_MAX } };
    struct low_retest retest = make_memory();

    low_retest(&retest, word, 2);
    free(machine.page);
    assert_int_equal(word[0].wrong_bits, 0);
    return word[1].wrong_bits;
}

static int start(void **state)
{
    memset(&machine, 0, sizeof(machine));
    return 0;
}

TEST(faulty_cells, start)
{
    machine.stuck_at_1 = 1;
    assert_true(is_fault());
    assert_true(machine.writes >= LOW_RETEST_TRIES);
    machine.stuck_at_1 = 0;
    machine.stuck_at_0 = UINT64_C(1) << 63;
    assert_true(is_fault());
    machine.stuck_at_0 = 0xff00;
    machine.stuck_at_1 = 0x00ff;
    assert_true(is_fault());
}

TEST(a_cell_that_depends_on_another_page, start)
{
    machine.coupled = 1 << 3;
    assert_true(is_fault());
}

TEST(sound_memory, start)
{
    unsigned once;

    assert_false(is_fault());
    once = machine.writes;
    machine.stuck_at_1 = 1;
    assert_true(is_fault());
    assert_int_equal(machine.writes, once * LOW_RETEST_TRIES); /* one try was enough */
}

/* Even in all but the last one. */
TEST(firmware_in_some_tries, start)
{
    machine.firmware = 0x1234;
    for (machine.tries = 0; machine.tries < LOW_RETEST_TRIES; machine.tries++)
        assert_false(is_fault());
}

TEST(a_scan_finds_what_nobody_has_named, start)
{
    static struct low_memory scanned;
    struct low_retest retest = make_memory();
    struct low_change change;

    assert_true(low_scan(&retest, &scanned, (struct external_place){ .test = 3, .pass = 1 }));
    assert_false(low_memory_drain(&scanned, &change));
    machine.stuck_at_1 = 1;
    assert_true(low_scan(&retest, &scanned, (struct external_place){ .test = 3, .pass = 1 }));
    free(machine.page);
    assert_true(low_memory_drain(&scanned, &change));
    assert_int_equal(change.addr, ADDR);
    assert_int_equal(change.expected ^ change.found, 1);
    assert_int_equal(change.place.test, 3);
    assert_false(low_memory_drain(&scanned, &change));
}

/* What a cell elsewhere does to a word while nobody looks there. */
TEST(a_change_that_comes_again)
{
    static struct low_memory changed;
    struct low_change c = { .addr = ADDR, .expected = 0, .found = 8 };

    assert_false(low_comes_again(&changed, &c));
    assert_false(low_comes_again(&changed, &c)); /* with the same data: it may be a value */
    c.expected = 0xf0, c.found = 0xf8;
    assert_false(low_comes_again(&changed, &c));
    c.expected = 0x1, c.found = 0x9;
    assert_false(low_comes_again(&changed, &c));
    c.expected = 0x7, c.found = 0xf;
    assert_true(low_comes_again(&changed, &c));
    c.found = 0x8; /* other bits */
    assert_false(low_comes_again(&changed, &c));
    c.addr += 8; /* another word of that page */
    for (unsigned i = 0; i < 3; i++, c.expected += 16, c.found += 16)
        assert_false(low_comes_again(&changed, &c));
    c.addr += PAGE_SIZE;
    assert_false(low_comes_again(&changed, &c));
}

/* Now and then somebody sets a flag. */
TEST(a_change_that_comes_again_much_later)
{
    static struct low_memory changed;

    for (unsigned i = 0; i < 100; i++) {
        changed.round += LOW_ROUNDS + 1;
        assert_false(low_comes_again(
            &changed, &(struct low_change){ .addr = ADDR, .expected = 2 * i, .found = 2 * i + 1 }));
    }
    for (unsigned i = 0; i < 4; i++, changed.round += LOW_ROUNDS)
        assert_int_equal(low_comes_again(&changed, &(struct low_change){ .addr = ADDR + 8,
                                                                         .expected = 2 * i,
                                                                         .found = 2 * i + 1 }),
                         i == 3);
}

/* Whoever stores the same value over all data turns other bits over. */
TEST(a_value_that_comes_again)
{
    static struct low_memory changed;

    for (unsigned i = 0; i < 100; i++)
        assert_false(low_comes_again(
            &changed, &(struct low_change){ .addr = ADDR, .expected = i, .found = 0x1234 }));
}

/* Both pages are at the same cells. */
TEST(a_scan_leaves_pages_that_share_cells_to_the_address_test, start)
{
    static struct low_memory scanned;
    struct low_retest retest = make_memory();
    struct low_change change;

    retest.slice[1].virt = retest.slice[0].virt;
    assert_false(low_scan(&retest, &scanned, (struct external_place){ .test = 0 }));
    free(machine.page);
    assert_false(low_memory_drain(&scanned, &change));
}

enum cause {
    NONE,
    INVERTED, /* a bit is stored inverted */
    LOST,     /* the word keeps what was there */
    MISREAD,  /* a bit is read inverted */
    BYTE,     /* another program stores these */
    WORD,
    COUNTER,
    BIT_SET,
    BIT_INVERTED,
};

static struct {
    struct line *page;
    enum cause cause;
    unsigned every, phase; /* of the stores or reads; of another program: of both together */
    unsigned stores, reads;
} rare;

static uint64_t *rare_word(void)
{
    return &rare.page[AT_LINE].word[AT_WORD];
}

static bool is_due(unsigned n)
{
    return n % rare.every == rare.phase;
}

static void another_program(void)
{
    unsigned n = rare.stores + rare.reads;

    if (rare.cause < BYTE || !is_due(n))
        return;
    switch (rare.cause) {
    case BYTE: *(uint8_t *)rare_word() = 0x5a; break;
    case WORD: *rare_word() = UINT64_C(0x123456789abcdef0); break;
    case COUNTER: *(uint16_t *)rare_word() = (uint16_t)n; break;
    case BIT_SET: *rare_word() |= 0x100; break;
    default: *rare_word() ^= 0x100; break;
    }
}

static void rare_fill(const struct line_run *run, const struct data *data, bool complement)
{
    uint64_t before = *rare_word();

    line_ops_scalar.fill(run, data, complement);
    rare.stores++;
    if (rare.cause == INVERTED && is_due(rare.stores))
        *rare_word() ^= 0x100;
    if (rare.cause == LOST && is_due(rare.stores))
        *rare_word() = before;
    another_program();
}

static void rare_read(const struct line_run *run, const struct data *data,
                      const struct line_sequence *ops, const struct line_faults *faults)
{
    bool is_wrong = rare.cause == MISREAD && is_due(++rare.reads);

    *rare_word() ^= is_wrong ? 0x100 : 0;
    line_ops_scalar.sequence(run, data, ops, faults);
    *rare_word() ^= is_wrong ? 0x100 : 0;
    rare.reads += rare.cause != MISREAD;
    another_program();
}

static bool search(enum cause cause, unsigned every, unsigned phase)
{
    static struct line page[PAGE_LINES];
    struct line_ops ops = line_ops_scalar;
    struct low_retest retest = {
        .ops = &ops, .has_clflushopt = true, .slice = { { page, PHYS, PAGE_LINES } }, .n_slices = 1
    };

    ops.fill = rare_fill;
    ops.sequence = rare_read;
    memset(&rare, 0, sizeof(rare));
    rare.page = page;
    rare.cause = cause;
    rare.every = every;
    rare.phase = phase;
    return low_page_fails(&retest, PHYS + PAGE_SIZE - 1);
}

TEST(faults_that_are_rare)
{
    assert_true(search(INVERTED, 100, 0));
    assert_int_equal(rare.stores, LOW_SEARCH_FAULTS * 100); /* no more than needed */
    assert_true(search(INVERTED, LOW_SEARCH_STORES / LOW_SEARCH_FAULTS, 0));
    assert_false(search(INVERTED, LOW_SEARCH_STORES / LOW_SEARCH_FAULTS + 1, 0));
    assert_int_equal(rare.stores, LOW_SEARCH_STORES);
    assert_true(search(LOST, 50, 17));
    assert_true(search(MISREAD, 20, 3));
    assert_true(search(MISREAD, 1000, 999));
}

TEST(a_sound_page)
{
    assert_false(search(NONE, 1, 0));
    assert_int_equal(rare.stores, LOW_SEARCH_STORES);
    assert_int_equal(rare.reads, LOW_SEARCH_STORES * LOW_SEARCH_READS);
}

/* At any time, and always at the same: between a store and its first read or after any read. */
TEST(other_values_are_somebody_elses)
{
    for (enum cause cause = BYTE; cause <= COUNTER; cause++) {
        for (unsigned every = 1; every <= 4 * (1 + LOW_SEARCH_READS); every++) {
            for (unsigned phase = 0; phase < every; phase += UNIT_STEP(3))
                assert_false(search(cause, every, phase));
        }
    }
}

/* Like a faulty cell's, but at any time, and less often than the page is stored or read. */
TEST(a_bit_that_somebody_else_changes)
{
    for (enum cause cause = BIT_SET; cause <= BIT_INVERTED; cause++) {
        for (unsigned every = 2 + LOW_SEARCH_READS; every < 100; every++) {
            for (unsigned phase = 0; phase < every && every % (1 + LOW_SEARCH_READS);
                 phase += UNIT_STEP(3))
                assert_false(search(cause, every, phase));
        }
    }
}

TEST(only_tested_pages_are_searched)
{
    const struct low_retest retest = { .n_slices = 1, .slice = { { NULL, PHYS, PAGE_LINES } } };

    assert_false(low_page_fails(&retest, PHYS - 1));
    assert_false(low_page_fails(&retest, PHYS + PAGE_SIZE));
}

TEST(searches_of_a_page_are_few)
{
    static struct low_memory memory;

    for (unsigned i = 0; i < LOW_SEARCHES_MAX; i++)
        assert_true(low_may_search(&memory, LOW_MEMORY_END - 1));
    assert_false(low_may_search(&memory, LOW_MEMORY_END - 1));
    assert_true(low_may_search(&memory, 0));
}
