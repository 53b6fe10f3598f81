// SPDX-License-Identifier: MIT
#include "kind/kind_reads.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct test_list list;

static void select_tests(const char *words)
{
    struct test_word bad;

    assert_int_equal(tests_select(words, "", &list, &bad), STATUS_OK);
}

static void counts_by_what_is_expected(void **state)
{
    struct kind_reads reads = { .tests = &list, .passes = 1 };
    uint64_t n[2];

    select_tests("mats+"); /* w0; r0,w1; r1,w0 over 7 backgrounds: 0 in the solid one */
    kind_reads_of(&reads, 0x1000, 0, n);
    assert_int_equal(n[0], 7);
    assert_int_equal(n[1], 7);
    select_tests("march-c-,row-hammer,block-move"); /* 3 r0 and 2 r1 a round */
    list.test[0].rounds = list.test[0].n_data = 1;
    kind_reads_of(&reads, 0x1000, 0, n);
    assert_int_equal(n[0], 3);
    assert_int_equal(n[1], 2);
    reads.passes = 2;
    kind_reads_of(&reads, 0x1000, 63, n);
    assert_int_equal(n[0], 6);
    reads.passes = 0;
    kind_reads_of(&reads, 0x1000, 63, n);
    assert_int_equal(n[0] + n[1], 0);
}

/* All reads of standard are of either value. */
static void all_reads_are_counted(void **state)
{
    struct kind_reads reads = { .tests = &list, .seed = 5, .passes = 1 };
    uint64_t all = 0, n[2];

    select_tests("standard");
    for (size_t i = 0; i < list.n_tests; i++)
        all += test_reads(&list.test[i]);
    for (unsigned bit = 0; bit < 64; bit++) {
        kind_reads_of(&reads, 0x12345678, bit, n);
        assert_int_equal(n[0] + n[1], all);
        assert_true(n[0] > all / 4 && n[1] > all / 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_by_what_is_expected),
        cmocka_unit_test(all_reads_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
