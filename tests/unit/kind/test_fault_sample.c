// SPDX-License-Identifier: MIT
#include "kind/fault_sample.h"

#include "tests/unit/unit.h"

static struct fault_sample sample;
static struct fault listed[FAULT_SAMPLE_MAX];

static int begin(void **state)
{
    memset(&sample, 0, sizeof(sample));
    return 0;
}

static void add(uint64_t first, uint64_t n)
{
    for (uint64_t i = first; i < first + n; i++)
        fault_sample_add(&sample, &(struct fault){ .addr = i << 12, .found = i, .test = 3 });
}

TEST(few_are_all_kept, begin)
{
    assert_int_equal(fault_sample_list(&sample, listed), 0);
    add(1, FAULT_SAMPLE_MAX);
    assert_int_equal(fault_sample_list(&sample, listed), FAULT_SAMPLE_MAX);
    assert_int_equal(listed[FAULT_SAMPLE_MAX - 1].addr, (uint64_t)FAULT_SAMPLE_MAX << 12);
    assert_int_equal(listed[0].test, 3);
}

TEST(a_pages_fault_is_found, begin)
{
    struct fault fault = { 0 };

    add(1, 100);
    sample.slot[6].words[2] ^= 1;
    assert_true(fault_sample_of_page(&sample, 100, &fault));
    assert_int_equal(fault.addr, 100 << 12);
    assert_int_equal(fault.found, 100);
    assert_true(fault_sample_of_page(&sample, 1, &fault));
    assert_int_equal(fault.found, 1);
    assert_false(fault_sample_of_page(&sample, 0, &fault)); /* free places have no page */
    assert_false(fault_sample_of_page(&sample, 101, &fault));
    assert_false(fault_sample_of_page(&sample, 7, &fault)); /* damaged */
    assert_int_equal(fault.found, 1);
}

/* Of a hundred times as many, each tenth has as large a share, within five standard deviations. */
TEST(many_have_equal_chances, begin)
{
    const uint64_t n = 100 * FAULT_SAMPLE_MAX;
    unsigned tenth[10] = { 0 };

    add(0, n);
    assert_int_equal(fault_sample_list(&sample, listed), FAULT_SAMPLE_MAX);
    for (size_t i = 0; i < FAULT_SAMPLE_MAX; i++)
        tenth[listed[i].found * 10 / n]++;
    for (size_t i = 0; i < 10; i++)
        assert_in_range(tenth[i], 55, 150);
}

TEST(what_is_damaged_or_half_written_is_left_out, begin)
{
    add(1, 3);
    sample.slot[0].words[2] ^= 1;
    sample.slot[1].state = 1; /* a CPU that stopped there */
    assert_int_equal(fault_sample_list(&sample, listed), 1);
    assert_int_equal(listed[0].addr, 3 << 12);
    add(4, 5000); /* and it holds back none of the others */
    assert_int_equal(fault_sample_list(&sample, listed), FAULT_SAMPLE_MAX - 1);
}
