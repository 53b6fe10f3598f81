// SPDX-License-Identifier: MIT
#include "kind/kind_evidence.c"

#include "tests/unit/unit.h"

static struct kind_words words;
static struct kind_repeats repeats;

TEST(counts_tests_by_what_they_do)
{
    const struct kind_test test[] = { { .ran = true, .faults = 5 },
                                      { .ran = true, .faults = 7, .waits = true },
                                      { .faults = 9, .hammers = true } };
    const struct test_list list = { .n_tests = 1,
                                    .test = { { .name = "march",
                                                .notation = "any(w0);any(r0,r0,r0,r0,w1,r1)",
                                                .data = DATA_BACKGROUND,
                                                .rounds = 1 } } };
    const struct kind_input input = {
        .test = test, .n_tests = 3, .n_faults = 21, .n_records = 21, .reads = { &list, 0, 0x3ff }
    };

    words.n = 2;
    words.word[0] = (struct kind_word){ .addr = 0, .rises = 1, .count = 20, .in_whole = 20 };
    words.word[1] = (struct kind_word){ .addr = 8, .rises = 1, .count = 1 };
    kind_repeats_make(&input, &words, &repeats);
    assert_int_equal(repeats.by_others, 5);
    assert_int_equal(repeats.by_waiting, 7);
    assert_int_equal(repeats.by_hammering, 9);
    assert_true(repeats.others_ran);
    assert_int_equal(repeats.n_once, 1);
    assert_int_equal(repeats.most, 20);
    assert_int_equal(repeats.rate, 50); /* 20 of 40 reads of 0 */

    /* Of two that failed as often the first: it has 4 reads of 0 a pass, and 1 of 1. */
    words.word[1] = (struct kind_word){ .addr = 8, .falls = 1, .count = 20, .in_whole = 20 };
    kind_repeats_make(&input, &words, &repeats);
    assert_int_equal(repeats.rate, 50);
    assert_false(repeats.is_low);

    struct kind_input scanned = input;

    scanned.low_is_scanned = true;
    kind_repeats_make(&scanned, &words, &repeats);
    assert_int_equal(repeats.rate, 0);
    assert_true(repeats.is_low);
    words.word[0].addr += LOW_MEMORY_END;
    kind_repeats_make(&scanned, &words, &repeats);
    assert_int_equal(repeats.rate, 50);
}

TEST(no_rate_where_faults_are_not_all_known)
{
    const struct kind_test test[] = { { .ran = true, .faults = 2000, .waits = true } };
    const struct kind_input input = {
        .test = test, .n_tests = 1, .n_faults = 2000, .n_records = 1000
    };

    kind_repeats_make(&input, &words, &repeats);
    assert_int_equal(repeats.rate, 0);
    assert_false(repeats.all_counted);
    assert_false(repeats.others_ran);
}

TEST(sorts_pages_by_how_often_they_were_bad_again)
{
    const struct page_retest retest[] = {
        { .addr = 0x1000, .tries = 8, .failed = 8, .lost_data = false },
        { .addr = 0x2000, .tries = 8, .failed = 3, .lost_data = false },
        { .addr = 0x3000, .tries = 8, .failed = 0, .lost_data = false },
        { .addr = 0x4000, .tries = 9, .failed = 1, .lost_data = true },
        { .addr = 0x5000, .tries = 0, .failed = 0, .lost_data = false },
        { .addr = 0x6000, .tries = 9, .failed = 0, .lost_data = false }
    };
    const struct kind_input input = { .retest = retest, .n_retests = 6 };

    kind_repeats_make(&input, &words, &repeats);
    assert_int_equal(repeats.n_again, 5);
    assert_int_equal(repeats.always, 1);
    assert_int_equal(repeats.sometimes, 1);
    assert_int_equal(repeats.never, 3);
    assert_int_equal(repeats.lost, 1);
}

/* Reads that a stuck cell spoils: as many faults as make the rate 100 %. */
static uint64_t all_reads_of(const struct kind_reads *reads, uint64_t addr, unsigned bit,
                             bool value)
{
    const struct kind_input input = { .reads = *reads };
    uint64_t low = 0, high = 1 << 20;

    while (low + 1 < high) {
        uint64_t n = (low + high) / 2, wrong = UINT64_C(1) << bit;

        words.n = 1;
        words.word[0] = (struct kind_word){ .addr = addr,
                                            .rises = value ? 0 : wrong,
                                            .falls = value ? wrong : 0,
                                            .count = (uint32_t)n,
                                            .in_whole = (uint32_t)n };
        kind_repeats_make(&input, &words, &repeats);
        if (!repeats.rate)
            return 0;
        *(repeats.rate < 100 ? &low : &high) = n;
    }
    return high;
}

static struct test_list list;

static void select_tests(const char *names)
{
    struct test_word bad;

    assert_int_equal(tests_select(names, "", &list, &bad), STATUS_OK);
}

TEST(counts_reads_by_what_is_expected)
{
    struct kind_reads reads = { .tests = &list, .whole = 1 };

    select_tests("mats+"); /* w0; r0,w1; r1,w0 over 7 backgrounds: 0 in the solid one */
    assert_int_equal(all_reads_of(&reads, 0x1000, 0, 0), 7);
    assert_int_equal(all_reads_of(&reads, 0x1000, 0, 1), 7);
    select_tests("march-c-,row-hammer,block-move"); /* 3 r0 and 2 r1 a round */
    list.test[0].rounds = 1;
    assert_int_equal(all_reads_of(&reads, 0x1000, 0, 0), 3);
    assert_int_equal(all_reads_of(&reads, 0x1000, 0, 1), 2);
    reads.whole = 3;
    assert_int_equal(all_reads_of(&reads, 0x1000, 63, 0), 6);
    reads.whole = 0;
    assert_int_equal(all_reads_of(&reads, 0x1000, 63, 0), 0);
}

/* All reads of standard are of either value. */
TEST(all_reads_are_counted)
{
    struct kind_reads reads = { .tests = &list, .seed = 5, .whole = 1 };
    uint64_t all = 0;

    select_tests("standard");
    for (size_t i = 0; i < list.n_tests; i++)
        all += test_reads(&list.test[i]);
    for (unsigned bit = 0; bit < 64; bit += 9) {
        uint64_t zeros = all_reads_of(&reads, 0x12345678, bit, 0);

        assert_int_equal(zeros + all_reads_of(&reads, 0x12345678, bit, 1), all);
        assert_true(zeros > all / 4 && zeros < all * 3 / 4);
    }
}

/*
 * A cell that is wrong in half of its reads. In pass 1, some test of which was skipped, it was
 * wrong twice, in pass 2 three times of six: only those are compared with what pass 2 read, by its
 * seed.
 */
TEST(a_pass_with_a_skipped_test_is_not_compared)
{
    struct fault record[5];
    struct kind_evidence seen;
    struct kind_input input = { .record = record,
                                .n_records = 5,
                                .n_faults = 5,
                                .reads = { .tests = &list, .seed = 7, .whole = 2 } };

    select_tests("march-c-,march-c-"); /* 3 r0 a round */
    list.test[0].rounds = list.test[1].rounds = 1;
    for (size_t i = 0; i < 5; i++)
        record[i] =
            (struct fault){ .addr = 0x1000, .expected = 0, .found = 1, .pass = i < 2 ? 1 : 2 };
    kind_evidence_make(&input, &words, &seen);
    assert_int_equal(seen.repeats.rate, 50);
    assert_int_equal(seen.repeats.most, 5);
    input.reads.whole = 1;
    kind_evidence_make(&input, &words, &seen);
    assert_int_equal(seen.repeats.rate, 33);
    for (size_t i = 0; i < 5; i++)
        record[i].pass = 65; /* of these it is not known */
    kind_evidence_make(&input, &words, &seen);
    assert_int_equal(seen.repeats.rate, 0);
}
