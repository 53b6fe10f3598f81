// SPDX-License-Identifier: MIT
#include <pthread.h>

#include "redundant.h"

static const size_t how_many[] = { 1, 10, 1000 };

TEST(an_undamaged_log_is_sound_at_any_time)
{
    OWN_REDUNDANT r = redundant_make(LOG_COPIES);
    uint64_t seed = 1;

    redundant_check_sound(r);
    for (int i = 0; i < 20; i++) {
        redundant_log(r, &seed, 97);
        redundant_check_sound(r);
    }
    redundant_check(r);
    redundant_check_records(r);
    assert_int_equal(n_reported, 0);
}

/* A log whose bits are one page of each copy, which is not in the RAM that it is about. */
static struct redundant *make_page_of_bits(void)
{
    const uint64_t pages = LOG_PAGE_WORDS * LOG_WORD_BITS;

    return redundant_make_of((struct span[]){ { 0, pages * PAGE_SIZE }, { 0 } }, LOG_COPIES);
}

static uint64_t *word_in(struct redundant *r, size_t copy, uint64_t word)
{
    return (uint64_t *)r->copy[copy] + LOG_PAGE_WORDS + word;
}

static void set_all(struct redundant *r, uint64_t word, uint64_t value)
{
    for (size_t copy = 0; copy < LOG_COPIES; copy++)
        *word_in(r, copy, word) = value;
}

TEST(each_page_is_counted_once)
{
    OWN_REDUNDANT r = make_page_of_bits();

    for (uint64_t page = 0; page < r->m.space.n_pages; page++) {
        for (int i = 0; i < 2; i++) {
            fault_log_mark_page(&r->m.log, page << PAGE_SHIFT);
            assert_int_equal(fault_log_bad_pages(&r->m.log), page + 1);
        }
        assert_true(fault_log_is_bad(&r->m.log, page << PAGE_SHIFT));
        assert_false(fault_log_is_bad(&r->m.log, (page + 1) << PAGE_SHIFT));
    }
}

/* Where no copy is sound that is noticed, and the pages of the word are named. */
static void check_noticed(struct redundant *r, uint64_t word, uint64_t flips)
{
    uint64_t truth = *word_in(r, 0, word);

    n_reported = 0;
    set_all(r, word, truth ^ flips);
    fault_log_scrub_all(&r->m.log);
    assert_true(n_reported > 0);
    assert_true(reported[0].what.lost && reported[0].has_pages);
    assert_int_equal(reported[0].first_page, word * LOG_WORD_BITS);
    assert_int_equal(reported[0].last_page, (word + 1) * LOG_WORD_BITS - 1);
    set_all(r, word, truth);
}

TEST(one_bit_or_two_in_all_copies_are_noticed)
{
    OWN_REDUNDANT r = make_page_of_bits();
    uint64_t seed = 1;

    for (size_t round = 0; round < 20; round++) {
        uint64_t word = machine_random(&seed) % LOG_PAGE_WORDS;

        for (size_t i = 0; i < round; i++) {
            uint64_t page = word * LOG_WORD_BITS + machine_random(&seed) % LOG_WORD_BITS;

            fault_log_mark_page(&r->m.log, page << PAGE_SHIFT);
        }
        for (unsigned a = 0; a < 64; a++)
            for (unsigned b = 0; b <= a; b++)
                check_noticed(r, word, UINT64_C(1) << a | UINT64_C(1) << b);
    }
}

/* Zeros, and a word of another place. */
TEST(a_wrong_word_in_all_copies_is_noticed)
{
    OWN_REDUNDANT r = make_page_of_bits();

    for (uint64_t word = 1; word < LOG_PAGE_WORDS; word++) {
        check_noticed(r, word, *word_in(r, 0, word));
        check_noticed(r, word, *word_in(r, 0, word) ^ *word_in(r, 0, word - 1));
    }
}

/* As if a CPU had been stopped between one copy and the next: nothing is wrong. */
TEST(what_one_copy_has_all_get)
{
    const uint64_t addr = (7 * LOG_WORD_BITS + 3) << PAGE_SHIFT;

    for (size_t copy = 0; copy < LOG_COPIES; copy++) {
        OWN_REDUNDANT r = make_page_of_bits();
        uint64_t before = *word_in(r, copy, 7), marked;

        fault_log_mark_page(&r->m.log, addr);
        marked = *word_in(r, copy, 7);
        set_all(r, 7, before);
        *word_in(r, copy, 7) = marked;
        assert_true(fault_log_is_bad(&r->m.log, addr));
        fault_log_mark_page(&r->m.log, addr);
        assert_int_equal(fault_log_bad_pages(&r->m.log), 1);
        fault_log_scrub_all(&r->m.log);
        assert_int_equal(n_reported, 0);
        for (size_t i = 0; i < LOG_COPIES; i++)
            assert_int_equal(*word_in(r, i, 7), marked);
    }
}

/* Each damaged page was reported once, and no other. */
static void check_told(const struct redundant *r)
{
    for (size_t i = 0; i < n_reported; i++) {
        uint64_t page = reported[i].phys >> PAGE_SHIFT, index;

        assert_false(reported[i].what.lost);
        assert_int_equal(reported[i].last_page, 0);
        assert_int_equal(page_index_index(&r->m.space, page, &index), STATUS_OK);
        assert_true(r->truth[index] & MAY_BE);
        for (size_t k = 0; k < i; k++)
            assert_true(reported[k].phys >> PAGE_SHIFT != page);
    }
}

/* Damage to one copy while pages are logged, those of the damaged bits, too. */
static void damage_copy(size_t copy, size_t k, uint64_t seed)
{
    OWN_REDUNDANT r = redundant_make(LOG_COPIES);

    for (int round = 0; round < 6; round++) {
        redundant_log(r, &seed, 150);
        redundant_corrupt(r, &seed, copy, 0, r->bytes, k);
        redundant_log(r, &seed, 150);
        if (round % 2)
            fault_log_reconcile(&r->m.log);
        else
            fault_log_scrub_all(&r->m.log);
    }
    fault_log_reconcile(&r->m.log);
    redundant_check(r);
    redundant_check_records(r);
    check_told(r);
    assert_true(n_reported > 0);
    redundant_check_sound(r);
}

TEST(damage_to_one_copy_loses_and_invents_nothing)
{
    for (size_t copy = 0; copy < LOG_COPIES; copy++)
        for (size_t i = 0; i < 3; i++)
            for (uint64_t seed = 1; seed <= 12; seed++)
                damage_copy(copy, how_many[i], seed << 32 | i);
}

/* The very pages whose bits are damaged fail for the first time, or fail again. */
TEST(a_damaged_bit_does_not_hide_its_page)
{
    for (size_t copy = 0; copy < LOG_COPIES; copy++) {
        for (int logged_before = 0; logged_before < 2; logged_before++) {
            OWN_REDUNDANT r = redundant_make(LOG_COPIES);

            for (uint64_t index = 100; index < 400; index += 3) {
                if (logged_before)
                    redundant_add(r, redundant_addr(r, index));
            }
            for (uint64_t index = 100; index < 400; index += 3)
                redundant_flip(r, copy, redundant_bit(index));
            for (int again = 0; again < 3; again++)
                for (uint64_t index = 100; index < 400; index += 3)
                    redundant_add(r, redundant_addr(r, index));
            fault_log_scrub_all(&r->m.log);
            redundant_check(r);
            redundant_check_records(r);
            assert_int_equal(n_reported, 1);
            redundant_check_sound(r);
        }
    }
}

/* The log's own memory is faulty: the report says where, and which bits were wrong. */
TEST(a_damaged_count_is_told_with_its_bits)
{
    for (uint32_t copy = 0; copy < LOG_COPIES; copy++) {
        OWN_REDUNDANT r = redundant_make(LOG_COPIES);
        uint64_t *counts = (uint64_t *)r->copy[copy];
        uint64_t pages;

        redundant_add(r, redundant_addr(r, 100));
        pages = counts[LOG_COUNT_BAD_PAGES];
        counts[LOG_COUNT_BAD_PAGES] ^= 0x420;
        counts[LOG_COUNT_TEST + 3] ^= 1;
        fault_log_reconcile(&r->m.log);
        assert_int_equal(counts[LOG_COUNT_BAD_PAGES], pages + 1); /* the log's page is bad, too */
        assert_int_equal(n_reported, 1);
        assert_int_equal(reported[0].what.copy, copy);
        assert_ptr_equal(reported[0].what.at, &counts[LOG_COUNT_BAD_PAGES]);
        assert_int_equal(reported[0].what.bits, 0x420);
        assert_int_equal(reported[0].what.words, 2);
        assert_false(reported[0].what.lost);
    }
}

TEST(readers_vote_before_anything_is_repaired)
{
    OWN_REDUNDANT r = redundant_make(LOG_COPIES);
    uint64_t seed = 5;
    uint8_t *truth = malloc(r->m.space.n_pages);

    redundant_log(r, &seed, 2000);
    memcpy(truth, r->truth, r->m.space.n_pages);
    redundant_corrupt(r, &seed, 0, 0, r->bytes, 1000);
    memcpy(r->truth, truth, r->m.space.n_pages); /* the damage is not known yet */
    redundant_check(r);
    redundant_check_records(r);
    free(truth);
}

enum ruin {
    RUIN_SOME_BITS,
    RUIN_THE_SAME_BITS,
    RUIN_ZEROS,
    RUIN_ONES,
    RUIN_NOISE,
    RUINS,
};

/* Page number `page` behind the counts, in one copy. */
static void ruin_page(struct redundant *r, size_t copy, size_t page, enum ruin how, uint64_t *seed)
{
    size_t from = (1 + page) * PAGE_SIZE;
    uint8_t *bytes = r->copy[copy] + from;
    uint64_t same = 77;

    redundant_expect_damage(r, bytes);
    if (how == RUIN_ZEROS || how == RUIN_ONES)
        memset(bytes, how == RUIN_ONES ? 0xff : 0, PAGE_SIZE);
    for (size_t i = 0; how == RUIN_NOISE && i < PAGE_SIZE; i++)
        bytes[i] = (uint8_t)machine_random(seed);
    if (how <= RUIN_THE_SAME_BITS)
        redundant_corrupt(r, how == RUIN_THE_SAME_BITS ? &same : seed, copy, from, PAGE_SIZE, 40);
}

/* Two copies, whole, while pages fail again and others for the first time: one is enough. */
TEST(two_ruined_copies_come_back_from_the_third)
{
    for (enum ruin how = 0; how < RUINS; how++) {
        for (size_t sound = 0; sound < LOG_COPIES; sound++) {
            OWN_REDUNDANT r = redundant_make(LOG_COPIES);
            uint64_t seed = sound + 1;

            redundant_log(r, &seed, 1200);
            for (size_t page = 0; page < r->bytes / PAGE_SIZE - 1; page++) {
                ruin_page(r, (sound + 1) % LOG_COPIES, page, how, &seed);
                ruin_page(r, (sound + 2) % LOG_COPIES, page, how, &seed);
            }
            for (uint64_t i = 0; i < r->m.space.n_pages; i += 5) {
                if (r->truth[i] & 1 && i % 3)
                    redundant_add(r, redundant_addr(r, i));
            }
            redundant_log(r, &seed, 100);
            fault_log_reconcile(&r->m.log);
            for (size_t i = 0; i < n_reported; i++)
                assert_false(reported[i].what.lost);
            redundant_check(r);
            redundant_check_records(r);
            redundant_check_sound(r);
        }
    }
}

/* Different bits of all three: the majority is proven by its check. */
TEST(a_word_damaged_in_all_copies_has_a_majority)
{
    OWN_REDUNDANT r = redundant_make(LOG_COPIES);

    for (uint64_t index = 100; index < 4000; index += 3)
        redundant_add(r, redundant_addr(r, index));
    for (uint64_t index = 100; index < 4000; index += LOG_WORD_BITS)
        for (size_t copy = 0; copy < LOG_COPIES; copy++)
            redundant_flip(r, copy, redundant_bit(index) ^ (copy + 1));
    for (size_t copy = 0; copy < LOG_COPIES; copy++) /* a record, too */
        redundant_flip(r, copy, (uint64_t)r->bytes * 8 - LOG_RECORD_PAGES * PAGE_SIZE * 8 + copy);
    redundant_check(r);
    fault_log_reconcile(&r->m.log);
    for (size_t i = 0; i < n_reported; i++)
        assert_false(reported[i].what.lost);
    redundant_check(r);
    redundant_check_records(r);
    redundant_check_sound(r);
}

/* The same page of all: what cannot be had again is named, once, and nothing else is touched. */
TEST(what_is_lost_is_named)
{
    const uint64_t bits = LOG_PAGE_WORDS * LOG_WORD_BITS;
    OWN_REDUNDANT r = redundant_make(LOG_COPIES);
    uint64_t seed = 9;
    size_t n_lost = 0;

    redundant_log(r, &seed, 3000);
    for (size_t copy = 0; copy < LOG_COPIES; copy++)
        ruin_page(r, copy, 2, copy == 1 ? RUIN_NOISE : RUIN_ZEROS, &seed);
    fault_log_reconcile(&r->m.log);
    for (size_t i = 0; i < n_reported; i++) {
        if (!reported[i].what.lost)
            continue;
        assert_true(reported[i].has_pages);
        assert_int_equal(reported[i].first_page, page_index_page(&r->m.space, 2 * bits));
        assert_int_equal(reported[i].last_page, page_index_page(&r->m.space, 3 * bits - 1));
        n_lost++;
    }
    assert_int_equal(n_lost, 1);
    redundant_check_pages(r, 0, 2 * bits);
    redundant_check_pages(r, 3 * bits, r->m.space.n_pages);
    redundant_check_sound(r);

    /* The log goes on. */
    redundant_add(r, redundant_addr(r, 2 * bits + 3));
    assert_true(fault_log_is_bad(&r->m.log, redundant_addr(r, 2 * bits + 3)));
    redundant_check_sound(r);
}

/* Behind the last page's bit there is none to be named. */
TEST(damage_behind_the_last_page_names_none)
{
    OWN_REDUNDANT r = redundant_make(LOG_COPIES);
    size_t last = r->bytes / PAGE_SIZE - 1 - LOG_RECORD_PAGES;

    for (size_t copy = 0; copy < LOG_COPIES; copy++) {
        uint8_t *end = r->copy[copy] + (last + 1) * PAGE_SIZE;

        memset(end - 8, 0, 8);
        redundant_expect_damage(r, end - 8);
    }
    fault_log_reconcile(&r->m.log);
    assert_int_equal(n_reported, LOG_COPIES);
    for (size_t i = 0; i < n_reported; i++)
        assert_false(reported[i].what.lost);
    redundant_check(r);
}

/* All copies of some records: the pages are there, and the others, and those that come later. */
TEST(lost_records_are_told)
{
    OWN_REDUNDANT r = redundant_make(LOG_COPIES);
    uint64_t seed = 3, first = 0;
    size_t n_lost = 0, n = 0;
    struct fault got;

    for (uint64_t index = 0; index < 200; index++)
        redundant_add(r, redundant_addr(r, index * 3));
    for (size_t copy = 0; copy < LOG_COPIES; copy++)
        ruin_page(r, copy, r->bytes / PAGE_SIZE - 1 - LOG_RECORD_PAGES, RUIN_SOME_BITS, &seed);
    for (size_t copy = 0; copy < LOG_COPIES; copy++)
        memset(r->copy[copy] + r->bytes - LOG_RECORD_PAGES * PAGE_SIZE + 8, (int)copy, 56);
    fault_log_reconcile(&r->m.log);
    for (size_t i = 0; i < n_reported; i++) {
        n_lost += reported[i].what.lost;
        assert_false(reported[i].has_pages);
    }
    assert_int_equal(n_lost, 1);
    redundant_check(r);
    redundant_check_sound(r);
    for (; fault_log_drain(&r->m.log, &got); n++) {
        if (!n)
            first = got.pass;
        assert_true(got.found == ~got.expected);
    }
    assert_int_equal(first, 1);
    assert_in_range(n, 200 - LOG_PAGE_RECORDS, 199);
}

static _Atomic uint64_t *stuck_word;
static uint64_t stuck_one, stuck_zero;

static void stick(void)
{
    atomic_fetch_or(stuck_word, stuck_one);
    atomic_fetch_and(stuck_word, ~stuck_zero);
}

/* A cell of the log's own memory that cannot be repaired: reported once, and no fault is lost in
 * it. */
TEST(a_stuck_cell_hides_nothing_and_is_told_once)
{
    for (size_t copy = 0; copy < LOG_COPIES; copy++) {
        OWN_REDUNDANT r = redundant_make(LOG_COPIES);

        stuck_word = &r->m.log.bits.copy[copy][2];
        stuck_one = 1 << 5 | 1 << 6;
        stuck_zero = 1 << 9;
        when_repaired = stick;
        redundant_expect_damage(r, (const void *)stuck_word);
        for (int i = 0; i < 5; i++) {
            stick();
            if (i == 2) {
                redundant_add(r, redundant_addr(r, 2 * LOG_WORD_BITS + 5));
                redundant_add(r, redundant_addr(r, 2 * LOG_WORD_BITS + 9));
            }
            stick();
            fault_log_scrub_all(&r->m.log);
            stick();
            redundant_check(r);
        }
        assert_int_equal(n_reported, 1);
        when_repaired = NULL;
    }
}

/* As if another CPU had taken a place and were still writing. */
TEST(a_place_that_is_being_written_is_left_alone)
{
    OWN_REDUNDANT r = redundant_make(LOG_COPIES);
    _Atomic uint64_t *second = &r->m.log.records.copy[0][LOG_RECORD_WORDS];
    struct fault got;

    redundant_add(r, 0x1000);
    *second = LOG_RECORD_CLAIMED;
    redundant_add(r, 0x2000);
    assert_true(fault_log_drain(&r->m.log, &got));
    assert_false(fault_log_drain(&r->m.log, &got));
    assert_true(*second == LOG_RECORD_CLAIMED);
    fault_log_reconcile(&r->m.log); /* no CPU does */
    assert_true(fault_log_drain(&r->m.log, &got));
    assert_int_equal(got.addr, 0x2000);
}

#define WRITERS       4
#define WRITER_FAULTS 6000

struct writer {
    struct redundant *r;
    uint32_t number;
};

static uint64_t page_of_fault(const struct redundant *r, uint32_t writer, uint64_t i)
{
    uint64_t seed = i * WRITERS + writer / 2; /* pairs of writers hit the same pages */

    return machine_random(&seed) % (r->m.space.n_pages / 16) * 16 + 1;
}

static void *write_faults(void *arg)
{
    const struct writer *w = arg;

    for (uint64_t i = 0; i < WRITER_FAULTS; i++) {
        uint64_t addr = redundant_addr(w->r, page_of_fault(w->r, w->number, i % 2000));

        add_fault(&w->r->m.log, &(struct fault){ .addr = addr,
                                                 .expected = addr,
                                                 .found = ~addr,
                                                 .test = w->number,
                                                 .cpu = w->number });
    }
    return NULL;
}

static atomic_bool writing;

static void *progress_writers(void *arg)
{
    pthread_t *thread = arg;

    for (int i = 0; i < WRITERS; i++)
        pthread_join(thread[i], NULL);
    atomic_store(&writing, false);
    return NULL;
}

/* All at once: CPUs log, one scrubs, and one copy is being damaged. */
static void race(size_t copy, uint64_t seed)
{
    OWN_REDUNDANT r = redundant_make(LOG_COPIES);
    struct writer writer[WRITERS];
    pthread_t thread[WRITERS], watcher;
    size_t drained = 0, damaged = 0;
    struct fault got;

    atomic_store(&writing, true);
    for (uint32_t i = 0; i < WRITERS; i++) {
        writer[i] = (struct writer){ r, i };
        assert_int_equal(pthread_create(&thread[i], NULL, write_faults, &writer[i]), 0);
    }
    assert_int_equal(pthread_create(&watcher, NULL, progress_writers, thread), 0);
    while (atomic_load(&writing)) {
        if (damaged < 1000) {
            redundant_flip(r, copy, machine_random(&seed) % (r->bytes * 8));
            damaged++;
        }
        fault_log_scrub(&r->m.log);
        while (fault_log_drain(&r->m.log, &got)) {
            assert_true(got.found == ~got.expected && got.addr == got.expected);
            drained++;
        }
    }
    pthread_join(watcher, NULL);
    for (uint32_t w = 0; w < WRITERS; w++)
        for (uint64_t i = 0; i < 2000; i++)
            r->truth[page_of_fault(r, w, i)] |= 1;
    fault_log_reconcile(&r->m.log);
    fault_log_reconcile(&r->m.log);
    redundant_check_pages(r, 0, r->m.space.n_pages);
    for (uint32_t i = 0; i < WRITERS; i++)
        assert_int_equal(fault_log_test_faults(&r->m.log, i), WRITER_FAULTS);
    while (fault_log_drain(&r->m.log, &got))
        drained++;
    assert_int_equal(drained, FAULT_RECORDS);
    for (size_t i = 0; i < n_reported; i++)
        assert_false(reported[i].what.lost);
    redundant_check_sound(r);
}

TEST(cpus_log_while_a_copy_is_damaged)
{
    for (size_t copy = 0; copy < LOG_COPIES; copy++)
        for (uint64_t seed = 1; seed <= 8; seed++)
            race(copy, seed);
}
