// SPDX-License-Identifier: MIT
#include "mce/mce_count.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
/* cmocka wants those before. */
#include <cmocka.h>

static struct mce_count counts;
static struct mca_record sent;

static int none_yet(void **state)
{
    memset(&counts, 0, sizeof(counts));
    return 0;
}

static struct mca_record at(uint32_t bank, uint64_t addr)
{
    return (struct mca_record){
        .bank = bank, .addr = addr, .has_addr = true, .corrected = true, .count = 1
    };
}

static bool add(struct mca_record r)
{
    memset(&sent, 0, sizeof(sent));
    return mce_count_add(&counts, &r, &sent);
}

static void repeats_are_sent_at_ten_times_as_many(void **state)
{
    uint64_t n_sent = 0, counts_sent[8];

    for (uint64_t n = 1; n <= 1234; n++) {
        if (add(at(1, 0x1000)))
            counts_sent[n_sent++] = sent.count;
    }
    assert_int_equal(n_sent, 4);
    for (uint64_t i = 0, expected = 1; i < 4; i++, expected *= 10)
        assert_int_equal(counts_sent[i], expected);
    assert_true(mce_count_next_unsent(&counts, &sent));
    assert_int_equal(sent.count, 1234);
    assert_int_equal(sent.addr, 0x1000);
    assert_false(mce_count_next_unsent(&counts, &sent));
}

static void counts_of_the_bank_are_summed(void **state)
{
    struct mca_record r = at(1, 0x1000);

    r.count = 5;
    assert_true(add(r));
    assert_int_equal(sent.count, 5);
    r.count = 44;
    assert_false(add(r)); /* 49 */
    r.count = 1;
    assert_true(add(r));
    assert_int_equal(sent.count, 50);
    assert_false(mce_count_next_unsent(&counts, &sent));
}

static void each_place_is_one_of_its_own(void **state)
{
    struct mca_record r = at(1, 0x1000);

    assert_true(add(r));
    assert_true(add(at(2, 0x1000)));
    assert_true(add(at(1, 0x1040)));
    r.cpu = 9; /* a bank that CPUs share */
    assert_false(add(r));
    r.has_addr = false;
    assert_true(add(r));
    assert_false(add(r));
    r.cpu = 8;
    assert_true(add(r));
}

static void the_uncorrected_are_told_each(void **state)
{
    struct mca_record r = at(1, 0x1000);

    assert_true(add(r));
    r.corrected = false;
    assert_true(add(r));
    assert_int_equal(sent.count, 1);
    assert_true(add(r));
    assert_int_equal(sent.count, 2);
    assert_false(sent.corrected);
}

static void sites_beyond_the_table_are_counted_together(void **state)
{
    for (uint64_t n = 0; n < MCE_COUNT_ENTRIES; n++)
        assert_true(add(at(1, n << 12)));
    assert_int_equal(counts.uncounted, 0);
    assert_false(add(at(1, (uint64_t)MCE_COUNT_ENTRIES << 12)));
    assert_false(add(at(1, (uint64_t)MCE_COUNT_ENTRIES << 12)));
    assert_int_equal(counts.uncounted, 2);
    assert_false(add(at(1, 0)));
    assert_int_equal(counts.uncounted, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(repeats_are_sent_at_ten_times_as_many, none_yet),
        cmocka_unit_test_setup(counts_of_the_bank_are_summed, none_yet),
        cmocka_unit_test_setup(each_place_is_one_of_its_own, none_yet),
        cmocka_unit_test_setup(the_uncorrected_are_told_each, none_yet),
        cmocka_unit_test_setup(sites_beyond_the_table_are_counted_together, none_yet),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
