// SPDX-License-Identifier: MIT
#include "rows/row_search.c" /* its votes and modes */

#include "lib/splitmix.h"
#include "tests/unit/unit.h"

#define THRESHOLD 100

/* What the next measurements take: 's' is slow, '=' the threshold, 'f' fast, '0' the end of time.
 */
static const char *said;

static uint32_t latency(void *ctx, uint64_t phys, uint64_t other)
{
    assert_true(*said);
    assert_int_equal(phys ^ other, 0x2000);
    switch (*said++) {
    case 's': return THRESHOLD + 1;
    case '=': return THRESHOLD;
    case 'f': return THRESHOLD - 1;
    }
    return 0;
}

static struct row_memory memory;
static struct row_question question;
static struct row_vote vote;

static void say(const char *text)
{
    said = text;
    memory = (struct row_memory){ 0 };
    row_memory_add(&memory, (struct span){ 0, MIB });
    question =
        (struct row_question){ .memory = &memory, .latency = latency, .n_measurements_max = 100 };
    vote = (struct row_vote){ .question = &question, .random = 1, .bits = 20 };
}

static void votes_are(const char *text, enum row_verdict verdict)
{
    say(text);
    assert_int_equal(row_vote_is_slow(&vote, 0x2000, THRESHOLD), verdict);
    assert_string_equal(said, "");
    assert_int_equal(vote.n_measurements, strlen(text));
}

TEST(it_takes_17_of_24)
{
    votes_are("sssssssssssssssss", ROW_SLOW);
    votes_are("f=f=f=f=f=f=f=f=f", ROW_FAST);
    votes_are("fffffffsssssssssssssssss", ROW_SLOW);
    votes_are("sssssssfffffffffffffffff", ROW_FAST);
    votes_are("ffffffffssssssssssssssss", ROW_DIVIDED);
    votes_are("ssssssssffffffffffffffff", ROW_DIVIDED);
}

TEST(without_time_there_is_no_verdict)
{
    votes_are("ssssssssssssssss0", ROW_DIVIDED);
    assert_true(vote.is_over);
    assert_int_equal(row_vote_is_slow(&vote, 0x2000, THRESHOLD), ROW_DIVIDED);

    say("ss");
    question.n_measurements_max = 2;
    assert_int_equal(row_vote_is_slow(&vote, 0x2000, THRESHOLD), ROW_DIVIDED);
    assert_string_equal(said, "");
    assert_true(vote.is_over);
}

TEST(no_pair_differs_by_nothing)
{
    say("");
    assert_int_equal(row_vote_is_slow(&vote, 0, THRESHOLD), ROW_NO_PAIR);
    assert_false(vote.is_over);
}

TEST(the_median_is_of_all)
{
    static const uint64_t phys[2] = { 0x2000, 0 };

    say("sf=");
    assert_int_equal(row_vote_median(&vote, phys, 3), THRESHOLD);
    say("ss0");
    assert_int_equal(row_vote_median(&vote, phys, 3), 0);
}

/* Modes: so many latencies around a mean, evenly up to `spread` from it. */
static const struct {
    struct {
        uint32_t mean, n;
    } mode[3];
    uint32_t spread, n_modes, low, high; /* the threshold is between these */
} cases[] = {
    { { { 360, 500 }, { 550, 8 } }, 30, 2, 391, 519 },
    { { { 360, 500 }, { 550, 7 } }, 30, 1, 0, 0 },
    { { { 360, 8 }, { 550, 500 } }, 30, 2, 391, 519 },
    { { { 360, 7 }, { 550, 500 } }, 30, 1, 0, 0 },
    { { { 360, 500 } }, 30, 1, 0, 0 },
    { { { 360, 500 } }, 0, 1, 0, 0 },
    { { { 360, 500 }, { 377, 100 } }, 0, 1, 0, 0 }, /* by less than a twentieth */
    { { { 360, 500 }, { 378, 100 } }, 0, 2, 360, 377 },
    { { { 360, 500 }, { 375, 100 }, { 550, 20 } }, 3, 2, 379, 546 },
    { { { 360, 500 }, { 420, 100 } }, 60, 1, 0, 0 },
    { { { 360, 10 } }, 30, 1, 0, 0 },
    { { { 0 } }, 0, 1, 0, 0 },
};

TEST(modes)
{
    static uint32_t latency[2000];
    uint64_t random = 1;

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct row_modes found = { 1, 2, 3 };
        size_t n = 0;

        for (size_t m = 0; m < COUNT(cases[i].mode); m++) {
            for (uint32_t k = 0; k < cases[i].mode[m].n; k++)
                latency[n++] = cases[i].mode[m].mean - cases[i].spread +
                               (uint32_t)splitmix_below(&random, 2 * cases[i].spread + 1);
        }
        assert_int_equal(row_modes_find(latency, n, &found), cases[i].n_modes == 2);
        if (cases[i].n_modes == 2) {
            assert_in_range(found.threshold, cases[i].low, cases[i].high);
            assert_true(found.fast < found.slow);
        } else {
            assert_int_equal(found.threshold, 3);
        }
        for (size_t k = 1; k < n; k++)
            assert_true(latency[k - 1] <= latency[k]);
    }
}
