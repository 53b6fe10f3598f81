// SPDX-License-Identifier: MIT
#include "mce/cper_count.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
/* cmocka wants those before. */
#include <cmocka.h>

static struct cper_count counts;
static struct cper_report sent;

static int none_yet(void **state)
{
    memset(&counts, 0, sizeof(counts));
    return 0;
}

static struct cper_memory at(uint64_t addr)
{
    return (struct cper_memory){ .severity = ERROR_CORRECTED, .has_addr = true, .addr = addr };
}

static bool add(uint32_t source, struct cper_memory m)
{
    memset(&sent, 0, sizeof(sent));
    return cper_count_add(&counts, source, &m, &sent);
}

static void repeats_are_sent_at_ten_times_as_many(void **state)
{
    uint64_t n_sent = 0, counts_sent[8];

    for (uint64_t n = 1; n <= 1234; n++) {
        if (add(1, at(0x1000)))
            counts_sent[n_sent++] = sent.count;
    }
    assert_int_equal(n_sent, 4);
    for (uint64_t i = 0, expected = 1; i < 4; i++, expected *= 10)
        assert_int_equal(counts_sent[i], expected);
    assert_true(cper_count_next_unsent(&counts, &sent));
    assert_int_equal(sent.count, 1234);
    assert_int_equal(sent.source, 1);
    assert_int_equal(sent.memory.addr, 0x1000);
    assert_false(cper_count_next_unsent(&counts, &sent));
}

static void places_are_counted_separately(void **state)
{
    struct cper_memory named = at(0x1000), worse = at(0x1000),
                       without = { .severity = ERROR_CORRECTED };

    strcpy(named.fru, "DIMM_B1");
    worse.severity = ERROR_FATAL;
    assert_true(add(1, at(0x1000)));
    assert_true(add(1, at(0x1040)));
    assert_true(add(2, at(0x1000)));
    assert_true(add(1, named));
    assert_true(add(1, worse));
    assert_true(add(1, without));
    assert_int_equal(sent.count, 1);
    assert_false(add(1, at(0x1000)));
    assert_false(add(1, without));
    assert_int_equal(counts.n, 6);
}

static void what_finds_no_entry_is_counted(void **state)
{
    for (uint64_t i = 0; i < CPER_COUNT_ENTRIES; i++)
        assert_true(add(1, at(i << 12)));
    assert_false(add(1, at(CPER_COUNT_ENTRIES << 12)));
    assert_int_equal(counts.uncounted, 1);
    assert_false(add(1, at(0)));
    assert_int_equal(counts.uncounted, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(repeats_are_sent_at_ten_times_as_many, none_yet),
        cmocka_unit_test_setup(places_are_counted_separately, none_yet),
        cmocka_unit_test_setup(what_finds_no_entry_is_counted, none_yet),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
