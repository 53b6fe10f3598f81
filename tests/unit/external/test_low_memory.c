// SPDX-License-Identifier: MIT
#include "external/low_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/host/aborts.h"

static struct low_memory low;

/* What comes after a table in memory is not part of it. */
static struct low_memory neighbours[2];

static void add(uint64_t addr, uint64_t found)
{
    low_memory_add(&low, &(struct low_change){ .addr = addr, .found = found });
}

static void keeps_the_first_of_each_page(void **state)
{
    struct low_change change;

    assert_false(low_memory_drain(&low, &change));
    add(0xffff8, 1);
    add(0x2000, 2);
    add(0x2ff8, 3);
    add(0, 4);
    assert_true(low_memory_drain(&low, &change));
    assert_int_equal(change.found, 4);
    assert_true(low_memory_drain(&low, &change));
    assert_int_equal(change.addr, 0x2000);
    assert_int_equal(change.found, 2);
    assert_true(low_memory_drain(&low, &change));
    assert_int_equal(change.addr, 0xffff8);
    assert_false(low_memory_drain(&low, &change));
    add(0x2ff8, 5);
    assert_true(low_memory_drain(&low, &change));
    assert_int_equal(change.found, 5);
}

static void ends_at_1_mib(void **state)
{
    struct low_change change = { .addr = 0, .found = 6 };

    low_memory_add(&neighbours[1], &change);
    change.addr = LOW_MEMORY_END - 8;
    low_memory_add(&neighbours[0], &change);
    assert_true(low_memory_drain(&neighbours[0], &change));
    assert_false(low_memory_drain(&neighbours[0], &change));
    assert_true(low_memory_drain(&neighbours[1], &change));
    assert_int_equal(change.addr, 0);
}

static void add_last(void)
{
    add(LOW_MEMORY_END - 8, 0);
}

static void add_beyond(void)
{
    add(LOW_MEMORY_END, 0);
}

static void what_is_above_is_a_mistake(void **state)
{
    assert_false(aborts(add_last));
    assert_true(aborts(add_beyond));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_the_first_of_each_page),
        cmocka_unit_test(ends_at_1_mib),
        cmocka_unit_test(what_is_above_is_a_mistake),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
