// SPDX-License-Identifier: MIT
#include "log/pending_bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define LARGEST ((UINT64_C(1) << 40) - 1)

static struct pending_bits *make(void)
{
    struct pending_bits *d = calloc(1, sizeof(*d));

    assert_non_null(d);
    return d;
}

static size_t take_all(struct pending_bits *d, uint64_t *ret_sum)
{
    uint32_t at = 0;
    uint64_t bit;
    size_t n = 0;

    *ret_sum = 0;
    for (; pending_bits_take(d, &at, &bit); n++)
        *ret_sum += bit;
    return n;
}

static void each_is_kept_once(void **state)
{
    static const uint64_t bits[] = { 0, 1, PENDING_BITS_MAX, 2 * PENDING_BITS_MAX, LARGEST };
    struct pending_bits *d = make();
    uint64_t sum, expected = 0;

    for (size_t i = 0; i < 5; i++) {
        pending_bits_add(d, bits[i]);
        pending_bits_add(d, bits[i]);
        expected += bits[i];
    }
    assert_int_not_equal(d->any, 0);
    assert_int_equal(take_all(d, &sum), 5);
    assert_true(sum == expected);
    assert_int_equal(take_all(d, &sum), 0);
    assert_int_equal(d->lost, 0);
    free(d);
}

static void what_has_no_room_counts_as_lost(void **state)
{
    struct pending_bits *d = make();
    uint64_t sum;

    for (uint64_t i = 0; i < PENDING_BITS_MAX; i++)
        pending_bits_add(d, i * 3);
    assert_int_equal(d->lost, 0);
    pending_bits_add(d, 3 * PENDING_BITS_MAX);
    assert_int_equal(d->lost, 1);
    pending_bits_add(d, 9); /* is there already */
    assert_int_equal(d->lost, 1);
    assert_int_equal(take_all(d, &sum), PENDING_BITS_MAX);
    free(d);
}

static void a_damaged_entry_is_dropped_and_counts_as_lost(void **state)
{
    for (unsigned bit = 0; bit < 64; bit++) {
        struct pending_bits *d = make();
        uint64_t sum;

        pending_bits_add(d, 1234);
        pending_bits_add(d, 77);
        atomic_fetch_xor(&d->entry[77], UINT64_C(1) << bit);
        assert_int_equal(take_all(d, &sum), 1);
        assert_true(sum == 1234);
        assert_int_equal(d->lost, 1);
        free(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_kept_once),
        cmocka_unit_test(what_has_no_room_counts_as_lost),
        cmocka_unit_test(a_damaged_entry_is_dropped_and_counts_as_lost),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
