// SPDX-License-Identifier: MIT
#include "lib/spans.h"

#include "lib/splitmix.h"
#include "tests/unit/unit.h"

#define EVERYWHERE                                                                                 \
    {                                                                                              \
        0, UINT64_MAX                                                                              \
    }

/* A heap block of exactly max spans, so that ASan sees a write past it. */
static struct spans make(size_t max)
{
    struct spans set = { .span = calloc(max, sizeof(struct span)), .max = max };

    assert_non_null(set.span);
    return set;
}

/* wanted: as far as sizes are not 0. */
static void assert_spans(const struct spans *set, const struct span *wanted, size_t max)
{
    size_t n = 0;

    while (n < max && wanted[n].size)
        n++;
    assert_int_equal(set->n, n);
    assert_memory_equal(set->span, wanted, n * sizeof(*wanted));
}

TEST(what_overlaps_or_adjoins_becomes_one)
{
    static const struct {
        struct span add[4], wanted[4];
    } cases[] = {
        { { { 0 } }, { { 0 } } },
        { { { 10, 5 }, { 5, 0 } }, { { 10, 5 } } },
        { { { 20, 5 }, { 10, 5 }, { 30, 5 } }, { { 10, 5 }, { 20, 5 }, { 30, 5 } } },
        { { { 10, 5 }, { 10, 5 } }, { { 10, 5 } } },
        { { { 10, 5 }, { 16, 4 } }, { { 10, 5 }, { 16, 4 } } },
        { { { 10, 5 }, { 15, 5 } }, { { 10, 10 } } },
        { { { 15, 5 }, { 10, 5 } }, { { 10, 10 } } },
        { { { 10, 5 }, { 14, 5 } }, { { 10, 9 } } },
        { { { 10, 10 }, { 12, 3 } }, { { 10, 10 } } },
        { { { 12, 3 }, { 10, 10 } }, { { 10, 10 } } },
        { { { 0, 4 }, { 8, 4 }, { 2, 8 }, { 100, 1 } }, { { 0, 12 }, { 100, 1 } } },
        { { { 8, 4 }, { 0, 4 }, { 16, 4 }, { 4, 12 } }, { { 0, 20 } } },
        { { { UINT64_MAX - 9, 9 }, { 0, 1 } }, { { 0, 1 }, { UINT64_MAX - 9, 9 } } },
        { { EVERYWHERE, { 7, 7 } }, { EVERYWHERE } },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct spans set = make(4);
        uint64_t bytes = 0;

        for (size_t k = 0; k < 4; k++) {
            assert_true(spans_add(&set, cases[i].add[k]));
            bytes += cases[i].wanted[k].size;
        }
        assert_spans(&set, cases[i].wanted, 4);
        assert_int_equal(spans_bytes(&set), bytes);
        free(set.span);
    }
}

TEST(a_full_set_still_grows)
{
    static const struct span full[] = { { 10, 1 }, { 20, 1 } };
    static const struct span grown[] = { { 10, 3 }, { 20, 1 } };
    static const struct span joined[] = { { 5, 1 }, { 10, 11 } };
    struct spans set = make(2);

    assert_true(spans_add(&set, full[1]) && spans_add(&set, full[0]));
    assert_false(spans_add(&set, (struct span){ 30, 1 }));
    assert_false(spans_add(&set, (struct span){ 0, 9 }));
    assert_false(spans_append(&set, (struct span){ 30, 1 }));
    assert_true(spans_append(&set, (struct span){ 30, 0 }));
    assert_spans(&set, full, 2);
    assert_true(spans_add(&set, (struct span){ 11, 2 }));
    assert_spans(&set, grown, 2);
    assert_true(spans_add(&set, (struct span){ 12, 8 })); /* joins two: there is room again */
    assert_true(spans_add(&set, (struct span){ 5, 1 }));
    assert_spans(&set, joined, 2);
    free(set.span);
}

TEST(appended_spans_stay_as_they_are_until_they_are_sorted)
{
    static const struct span in[] = { { 8, 4 }, { 4, 4 }, { 2, 1 } };
    static const struct span sorted[] = { { 2, 1 }, { 4, 4 }, { 8, 4 } };
    struct spans list = make(3);

    for (size_t i = 0; i < 3; i++)
        assert_true(spans_append(&list, in[i]));
    assert_spans(&list, in, 3);
    spans_sort(&list);
    assert_spans(&list, sorted, 3);
    free(list.span);
}

/* Borders stay: what adjoins in a set is not joined. */
TEST(within_and_outside)
{
    static struct span memory[] = { { 0x1000, 0x4000 }, { 0x5000, 0x100 }, { 0x8000, 0x8000 } };
    static struct span cut[] = {
        { 0, 0x800 }, { 0x2000, 0x1000 }, { 0x3000, 0x10 }, { 0x4000, 0x5000 }, { 0xf000, 0x9000 }
    };
    static const struct span within[] = { { 0x2000, 0x1000 }, { 0x3000, 0x10 },
                                          { 0x4000, 0x1000 }, { 0x5000, 0x100 },
                                          { 0x8000, 0x1000 }, { 0xf000, 0x1000 } };
    static const struct span outside[] = { { 0x1000, 0x1000 },
                                           { 0x3010, 0xff0 },
                                           { 0x9000, 0x6000 } };
    const struct spans a = { memory, 3, 3 }, b = { cut, 5, 5 }, none = { 0 };
    struct spans got = make(SPANS_CUT_MAX(3, 5));

    assert_true(spans_within(&a, &b, &got));
    assert_spans(&got, within, 6);
    got.n = 0;
    assert_true(spans_within(&b, &a, &got));
    assert_spans(&got, within, 6);
    got.n = 0;
    assert_true(spans_outside(&a, &b, &got));
    assert_spans(&got, outside, 3);
    got.n = 0;
    assert_true(spans_within(&a, &none, &got) && spans_outside(&a, &a, &got));
    assert_int_equal(got.n, 0);
    assert_true(spans_outside(&a, &none, &got));
    assert_spans(&got, memory, 3);
    free(got.span);
}

TEST(says_when_there_is_no_room_within_or_outside)
{
    static struct span memory[] = { { 0x1000, 0x4000 } },
                       cut[] = { { 0x2000, 64 }, { 0x3000, 64 } };
    const struct spans a = { memory, 1, 1 }, b = { cut, 2, 2 };
    struct spans one = make(1), two = make(2), three = make(3);

    assert_true(spans_within(&a, &b, &two));
    assert_false(spans_within(&a, &b, &one));
    assert_int_equal(one.n, 1);
    assert_true(spans_outside(&a, &b, &three));
    two.n = 0;
    assert_false(spans_outside(&a, &b, &two));
    assert_int_equal(two.n, 2);
    free(one.span);
    free(two.span);
    free(three.span);
}

/* A small memory, byte by byte: in which of two sets each byte is. */
#define BYTES 512

static bool in[2][BYTES];

static void make_random(uint64_t *random, bool *bytes, struct spans *set)
{
    memset(bytes, 0, BYTES);
    set->n = 0;
    for (uint64_t i = splitmix_next(random) % 12; i; i--) {
        uint64_t base = splitmix_next(random) % BYTES;
        struct span s = { base, splitmix_next(random) % (BYTES - base) % 60 };

        assert_true(spans_add(set, s));
        memset(bytes + base, 1, s.size);
    }
    for (size_t i = 0; i < set->n; i++) {
        assert_true(set->span[i].size);
        assert_true(i == 0 || span_end(set->span[i - 1]) < set->span[i].base);
    }
}

static bool contains(const struct spans *set, uint64_t at)
{
    return spans_first_in(set, (struct span){ at, 1 }).size;
}

static void count(void *ctx, struct span s)
{
    memset((char *)ctx + s.base, 1, s.size);
}

static void assert_walk(const struct spans *set, const bool *bytes, uint64_t first, uint64_t size)
{
    bool seen[BYTES] = { 0 };
    uint64_t number = 0;

    spans_walk(set, first, size, count, seen);
    for (size_t at = 0; at < BYTES; at++) {
        assert_int_equal(seen[at], bytes[at] && number >= first && number - first < size);
        number += bytes[at];
    }
}

TEST(like_a_map_of_bytes)
{
    struct spans a = make(12), b = make(12), within, outside;
    uint64_t random = 1;

    for (int round = 0; round < 2000; round++) {
        uint64_t bytes, first;

        make_random(&random, in[0], &a);
        make_random(&random, in[1], &b);
        within = make(SPANS_CUT_MAX(a.n, b.n) + 1);
        outside = make(SPANS_CUT_MAX(a.n, b.n) + 1);
        within.max--;
        outside.max--;
        assert_true(spans_within(&a, &b, &within) && spans_outside(&a, &b, &outside));
        for (size_t at = 0; at < BYTES; at++) {
            assert_int_equal(contains(&a, at), in[0][at]);
            assert_int_equal(contains(&within, at), in[0][at] && in[1][at]);
            assert_int_equal(contains(&outside, at), in[0][at] && !in[1][at]);
        }
        bytes = spans_bytes(&a);
        assert_int_equal(spans_bytes(&within) + spans_bytes(&outside), bytes);
        first = splitmix_next(&random) % (bytes + 1);
        assert_walk(&a, in[0], first, splitmix_next(&random) % (bytes - first + 1));
        free(within.span);
        free(outside.span);
    }
    free(a.span);
    free(b.span);
}

TEST(finds_the_lowest_part)
{
    static struct span span[] = { { 10, 5 }, { 15, 5 }, { 30, 5 } };
    static const struct {
        struct span in, found;
    } cases[] = {
        { { 0, 10 }, { 0, 0 } },    { { 0, 11 }, { 10, 1 } },  { { 12, 10 }, { 12, 3 } },
        { { 15, 20 }, { 15, 5 } },  { { 20, 10 }, { 0, 0 } },  { { 20, 100 }, { 30, 5 } },
        { { 34, 100 }, { 34, 1 } }, { { 35, 100 }, { 0, 0 } }, { { 31, 0 }, { 0, 0 } },
    };
    const struct spans set = { span, 3, 3 };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct span found = spans_first_in(&set, cases[i].in);

        assert_int_equal(found.size, cases[i].found.size);
        if (found.size)
            assert_int_equal(found.base, cases[i].found.base);
    }
    assert_int_equal(spans_after(&set, 9), 0);
    assert_int_equal(spans_after(&set, 14), 0);
    assert_int_equal(spans_after(&set, 15), 1);
    assert_int_equal(spans_after(&set, 35), 3);
    assert_int_equal(spans_after(&(struct spans){ 0 }, 0), 0);
}

TEST(finds_what_is_clear_of_others)
{
    static struct span memory[] = { { 0, 1000 }, { 3000, 1000 } };
    static struct span others[] = { { 900, 10 }, { 3000, 100 }, { 3600, 1 } };
    static const struct {
        struct span within;
        size_t n_others;
        uint64_t bytes;
        struct span found;
    } cases[] = {
        { EVERYWHERE, 0, 1000, { 0, 1000 } },
        { EVERYWHERE, 0, 1001, { 0, 0 } },
        { EVERYWHERE, 1, 900, { 0, 900 } },
        { EVERYWHERE, 1, 901, { 3000, 901 } },
        { EVERYWHERE, 2, 900, { 0, 900 } },
        { { 1, 5000 }, 2, 900, { 3100, 900 } },
        { { 1, 5000 }, 2, 901, { 0, 0 } },
        { { 1, 5000 }, 3, 900, { 0, 0 } },
        { { 3050, 1000 }, 3, 399, { 3100, 399 } },
        { { 3550, 1000 }, 3, 399, { 3601, 399 } },
        { { 1000, 2000 }, 0, 1, { 0, 0 } }, /* not in the set */
        { { 500, 0 }, 0, 1, { 0, 0 } },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct spans set = { memory, 2, 2 }, avoid = { others, cases[i].n_others, 3 };
        struct span found = spans_clear_of(&set, &avoid, cases[i].within, cases[i].bytes);

        assert_int_equal(found.base, cases[i].found.base);
        assert_int_equal(found.size, cases[i].found.size);
    }
}
