// SPDX-License-Identifier: MIT
#include <pthread.h>

#include "redundant.h"

static const size_t how_many[] = { 1, 10, 1000 };

static void an_undamaged_log_is_sound_at_any_time(void **state)
{
    for (size_t n_parts = 2; n_parts <= LOG_PARTS; n_parts++) {
        struct redundant *r = redundant_make(n_parts);
        uint64_t seed = 1;

        redundant_check_sound(r);
        for (int i = 0; i < 20; i++) {
            redundant_log(r, &seed, 97);
            redundant_check_sound(r);
        }
        redundant_check(r);
        redundant_check_records(r);
        assert_int_equal(n_reported, 0);
        redundant_free(r);
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

/* Damage to one part while pages are logged, those of the damaged bits, too. */
static void damage_part(enum log_part part, size_t k, uint64_t seed, size_t n_parts)
{
    struct redundant *r = redundant_make(n_parts);

    for (int round = 0; round < 6; round++) {
        redundant_log(r, &seed, 150);
        redundant_corrupt(r, &seed, part, 0, r->part_bytes[part], k);
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
    redundant_free(r);
}

static void damage_to_one_part_loses_and_invents_nothing(void **state)
{
    for (enum log_part part = LOG_COPY_A; part < LOG_PARTS; part++)
        for (size_t i = 0; i < 3; i++)
            for (uint64_t seed = 1; seed <= 12; seed++)
                damage_part(part, how_many[i], seed << 32 | i, LOG_PARTS);
}

/* The very pages whose bits are damaged fail for the first time, or fail again. */
static void a_damaged_bit_does_not_hide_its_page(void **state)
{
    for (int copy = 0; copy < 2; copy++) {
        for (int logged_before = 0; logged_before < 2; logged_before++) {
            struct redundant *r = redundant_make(LOG_PARTS);

            for (uint64_t index = 100; index < 400; index += 3) {
                if (logged_before)
                    redundant_add(r, redundant_addr(r, index));
            }
            for (uint64_t index = 100; index < 400; index += 3)
                redundant_flip(r, (enum log_part)copy, (4096 + 64) * 8 + index);
            for (int again = 0; again < 3; again++)
                for (uint64_t index = 100; index < 400; index += 3)
                    redundant_add(r, redundant_addr(r, index));
            fault_log_scrub_all(&r->m.log);
            redundant_check(r);
            redundant_check_records(r);
            assert_int_equal(n_reported, 1);
            redundant_check_sound(r);
            redundant_free(r);
        }
    }
}

/* The log's own memory is faulty: the report says where, and which bits were wrong. */
static void a_damaged_count_is_told_with_its_bits(void **state)
{
    for (int part = 0; part < LOG_PARTS; part++) {
        struct redundant *r = redundant_make(LOG_PARTS);
        struct log_block *counts = (struct log_block *)r->part[part];
        uint64_t pages;

        redundant_add(r, redundant_addr(r, 100));
        pages = counts->word[LOG_COUNT_BAD_PAGES];
        counts->word[LOG_COUNT_BAD_PAGES] ^= 0x420;
        counts->word[LOG_COUNT_TEST + 3] ^= 1;
        fault_log_reconcile(&r->m.log);
        assert_int_equal(counts->word[LOG_COUNT_BAD_PAGES],
                         pages + 1); /* the log's page is bad, too */
        assert_int_equal(n_reported, 1);
        assert_int_equal(reported[0].what.part, part);
        assert_ptr_equal(reported[0].what.at, &counts->word[LOG_COUNT_BAD_PAGES]);
        assert_int_equal(reported[0].what.bits, 0x420);
        assert_int_equal(reported[0].what.words, 2);
        assert_false(reported[0].what.lost);
        redundant_free(r);
    }
}

static void readers_vote_before_anything_is_repaired(void **state)
{
    struct redundant *r = redundant_make(LOG_PARTS);
    uint64_t seed = 5;
    uint8_t *truth = malloc(r->m.space.n_pages);

    redundant_log(r, &seed, 2000);
    memcpy(truth, r->truth, r->m.space.n_pages);
    redundant_corrupt(r, &seed, LOG_COPY_A, 0, r->part_bytes[LOG_COPY_A], 1000);
    memcpy(r->truth, truth, r->m.space.n_pages); /* the damage is not known yet */
    redundant_check(r);
    redundant_check_records(r);
    free(truth);
    redundant_free(r);
}

enum ruin {
    RUIN_SOME_BITS,
    RUIN_THE_SAME_BITS,
    RUIN_ZEROS,
    RUIN_ONES,
    RUIN_NOISE,
    RUINS,
};

static void ruin_block(struct redundant *r, uint32_t block, enum ruin how, uint64_t *seed)
{
    size_t from = (1 + (size_t)block) * LOG_BLOCK_BYTES;

    for (int copy = 0; copy < 2; copy++) {
        uint8_t *bytes = r->part[copy] + from;
        uint64_t same = 77;

        redundant_expect_damage(r, bytes);
        if (how == RUIN_ZEROS || how == RUIN_ONES)
            memset(bytes, how == RUIN_ONES ? 0xff : 0, LOG_BLOCK_BYTES);
        for (size_t i = 0; how == RUIN_NOISE && i < LOG_BLOCK_BYTES; i++)
            bytes[i] = (uint8_t)machine_random(seed);
        if (how <= RUIN_THE_SAME_BITS)
            redundant_corrupt(r, how == RUIN_THE_SAME_BITS ? &same : seed, (enum log_part)copy,
                              from, LOG_BLOCK_BYTES, 40);
    }
}

/* While pages of the ruined block fail again and others for the first time. */
static void both_copies_of_a_block_come_back_from_parity(void **state)
{
    for (enum ruin how = 0; how < RUINS; how++) {
        for (uint32_t block = 0; block < 33; block += 4) {
            struct redundant *r = redundant_make(LOG_PARTS);
            uint64_t seed = block + 1;

            assert_true(r->m.log.store.n_blocks >= 33);
            redundant_log(r, &seed, 1200);
            ruin_block(r, block, how, &seed);
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
            redundant_free(r);
        }
    }
}

/* Nobody knows which pages they stood for: all pages are named, once, however the log is scrubbed.
 */
static void bits_that_found_no_room_are_reported(void **state)
{
    struct redundant *r = redundant_make(LOG_PARTS);

    for (size_t n = 1; n <= 3; n++) {
        r->m.log.store.pending.lost++;
        for (int again = 0; again < 2; again++) {
            if (n == 1)
                fault_log_scrub(&r->m.log);
            else
                fault_log_scrub_all(&r->m.log);
        }
        assert_int_equal(n_reported, n);
        assert_true(reported[n - 1].what.lost);
        assert_int_equal(reported[n - 1].first_page, 0);
        assert_int_equal(reported[n - 1].last_page,
                         page_index_page(&r->m.space, r->m.space.n_pages - 1));
    }
    redundant_free(r);
}

/* Two blocks of one group: what cannot be had again is named, and nothing else is touched. */
static void what_is_lost_is_named(void **state)
{
    struct redundant *r = redundant_make(LOG_PARTS);
    uint32_t second = r->m.log.store.n_groups;
    uint64_t seed = 9, from = second * LOG_BLOCK_BITS, bits = LOG_BLOCK_BITS;
    bool first_named = false, second_named = false;

    redundant_log(r, &seed, 3000);
    ruin_block(r, 0, RUIN_ZEROS, &seed);
    ruin_block(r, second, RUIN_NOISE, &seed);
    fault_log_reconcile(&r->m.log);
    for (size_t i = 0; i < n_reported; i++) {
        if (!reported[i].what.lost)
            continue;
        first_named |= reported[i].first_page == page_index_page(&r->m.space, 0) &&
                       reported[i].last_page == page_index_page(&r->m.space, bits - 1);
        second_named |= reported[i].first_page == page_index_page(&r->m.space, from) &&
                        reported[i].last_page == page_index_page(&r->m.space, from + bits - 1);
        assert_true(reported[i].what.block == 0 || reported[i].what.block == second);
    }
    assert_true(first_named && second_named);
    redundant_check_pages(r, bits, from);
    redundant_check_pages(r, from + bits, r->m.space.n_pages);
    redundant_check_sound(r);

    /* The log goes on. */
    redundant_add(r, redundant_addr(r, 3));
    redundant_add(r, redundant_addr(r, from + 3));
    assert_true(fault_log_is_bad(&r->m.log, redundant_addr(r, 3)));
    assert_true(fault_log_is_bad(&r->m.log, redundant_addr(r, from + 3)));
    redundant_check_sound(r);
    redundant_free(r);
}

/* Without parity a copy's checksum shows which one is right. */
static void a_mirror_is_repaired_by_its_checksums(void **state)
{
    struct redundant *r = redundant_make(2);
    uint64_t seed = 4;

    redundant_log(r, &seed, 900);
    redundant_corrupt(r, &seed, LOG_COPY_B, LOG_BLOCK_BYTES,
                      r->part_bytes[LOG_COPY_B] - LOG_BLOCK_BYTES, 300);
    redundant_log(r, &seed, 300);
    fault_log_reconcile(&r->m.log);
    redundant_check(r);
    redundant_check_records(r);
    redundant_free(r);
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
static void a_stuck_cell_hides_nothing_and_is_told_once(void **state)
{
    for (int copy = 0; copy < 2; copy++) {
        struct redundant *r = redundant_make(LOG_PARTS);

        stuck_word = &r->m.log.store.copy[copy][0].word[2];
        stuck_one = 1 << 5 | 1 << 6;
        stuck_zero = 1 << 9;
        when_repaired = stick;
        redundant_expect_damage(r, (const void *)stuck_word);
        for (int i = 0; i < 5; i++) {
            stick();
            if (i == 2) {
                redundant_add(r, redundant_addr(r, 2 * 64 + 5));
                redundant_add(r, redundant_addr(r, 2 * 64 + 9));
            }
            stick();
            fault_log_scrub_all(&r->m.log);
            stick();
            redundant_check(r);
        }
        assert_int_equal(n_reported, 1);
        when_repaired = NULL;
        redundant_free(r);
    }
}

/* As if another CPU had taken a place and were still writing. */
static void a_place_that_is_being_written_is_left_alone(void **state)
{
    struct redundant *r = redundant_make(LOG_PARTS);
    struct log_store *s = &r->m.log.store;
    struct fault got;

    redundant_add(r, 0x1000);
    s->copy[0][s->first_record].word[LOG_RECORD_WORDS] = LOG_RECORD_CLAIMED;
    redundant_add(r, 0x2000);
    assert_true(fault_log_drain(&r->m.log, &got));
    assert_false(fault_log_drain(&r->m.log, &got));
    assert_true(s->copy[0][s->first_record].word[LOG_RECORD_WORDS] == LOG_RECORD_CLAIMED);
    fault_log_reconcile(&r->m.log); /* no CPU does */
    assert_true(fault_log_drain(&r->m.log, &got));
    assert_int_equal(got.addr, 0x2000);
    redundant_free(r);
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

/* All at once: CPUs log, one scrubs, and one part is being damaged. */
static void race(enum log_part part, uint64_t seed)
{
    struct redundant *r = redundant_make(LOG_PARTS);
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
            redundant_flip(r, part, machine_random(&seed) % (r->part_bytes[part] * 8));
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
    redundant_free(r);
}

static void cpus_log_while_a_part_is_damaged(void **state)
{
    for (enum log_part part = LOG_COPY_A; part < LOG_PARTS; part++)
        for (uint64_t seed = 1; seed <= 8; seed++)
            race(part, seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_undamaged_log_is_sound_at_any_time),
        cmocka_unit_test(damage_to_one_part_loses_and_invents_nothing),
        cmocka_unit_test(a_damaged_bit_does_not_hide_its_page),
        cmocka_unit_test(a_damaged_count_is_told_with_its_bits),
        cmocka_unit_test(readers_vote_before_anything_is_repaired),
        cmocka_unit_test(both_copies_of_a_block_come_back_from_parity),
        cmocka_unit_test(bits_that_found_no_room_are_reported),
        cmocka_unit_test(what_is_lost_is_named),
        cmocka_unit_test(a_mirror_is_repaired_by_its_checksums),
        cmocka_unit_test(a_stuck_cell_hides_nothing_and_is_told_once),
        cmocka_unit_test(a_place_that_is_being_written_is_left_alone),
        cmocka_unit_test(cpus_log_while_a_part_is_damaged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
