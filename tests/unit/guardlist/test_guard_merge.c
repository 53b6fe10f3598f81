// SPDX-License-Identifier: MIT
#include "guardlist/guard_merge.h"

#include "samples.h"

static uint8_t bytes[3][400];

static struct guard_list list_of(unsigned i, const struct guard_run *run, size_t n)
{
    return open_list(bytes[i], make_list(run, n, bytes[i], sizeof(bytes[i])));
}

/* Both in either order make this list, which holds both. */
static void check(const struct guard_run *a, size_t n_a, const struct guard_run *b, size_t n_b,
                  const struct guard_run *both, size_t n_both)
{
    uint8_t wanted[400];
    size_t size = make_list(both, n_both, wanted, sizeof(wanted));
    struct guard_list list_a = list_of(0, a, n_a), list_b = list_of(1, b, n_b), made;
    const char *why;

    assert_int_equal(guard_merge(&list_a, &list_b, bytes[2], sizeof(bytes[2])), size);
    assert_same_list(bytes[2], wanted, size);
    assert_int_equal(guard_merge(&list_b, &list_a, bytes[2], sizeof(bytes[2])), size);
    assert_same_list(bytes[2], wanted, size);
    assert_int_equal(guard_list_open(bytes[2], size, &made, &why), STATUS_OK);
    assert_true(guard_list_holds(&made, &list_a) && guard_list_holds(&made, &list_b));
    assert_int_equal(guard_list_holds(&list_a, &made),
                     n_a == n_both && memcmp(a, both, n_a * sizeof(*a)) == 0);
}

static void both_lists_are_in_it(void **state)
{
    static const struct guard_run one = { 5, 1 }, far[] = { { 0, 2 }, { 9, 1 } };
    static const struct guard_run between[] = { { 0, 2 }, { 5, 1 }, { 9, 1 } };
    static const struct guard_run wide = { 1, 8 }, joined = { 0, 10 };

    check(far, 2, far, 2, far, 2);
    check(&one, 1, far, 2, between, 3);
    check(&wide, 1, far, 2, &joined, 1);
    check(&one, 0, &wide, 1, &wide, 1);
    check(&one, 1, &wide, 1, &wide, 1);
}

static void the_second_one_says_when_and_where(void **state)
{
    static const struct guard_run one = { 5, 1 };
    struct guard_list a = list_of(0, &one, 1), b = list_of(1, &one, 1), made;
    const char *why;
    size_t size;

    b.head.made = 77;
    b.head.machine.n_modules = 4;
    size = guard_merge(&a, &b, bytes[2], sizeof(bytes[2]));
    assert_int_equal(guard_list_open(bytes[2], size, &made, &why), STATUS_OK);
    assert_int_equal(made.head.made, 77);
    assert_int_equal(made.head.machine.n_modules, 4);
    assert_int_equal(guard_merge(NULL, &b, bytes[2], sizeof(bytes[2])), size);
}

static void what_does_not_fit_makes_none(void **state)
{
    static const struct guard_run one = { 5, 1 }, other = { 7, 1 };
    struct guard_list a = list_of(0, &one, 1), b = list_of(1, &other, 1);

    assert_int_equal(guard_merge(&a, &b, bytes[2], 132), 132);
    assert_int_equal(guard_merge(&a, &b, bytes[2], 131), 0);
}

static void a_run_has_to_be_held_whole(void **state)
{
    static const struct guard_run whole[] = { { 4, 4 }, { 10, 1 } };
    static const struct {
        struct guard_run run;
        bool held;
    } cases[] = {
        { { 4, 4 }, true },  { { 5, 2 }, true },  { { 10, 1 }, true },  { { 3, 2 }, false },
        { { 7, 2 }, false }, { { 8, 1 }, false }, { { 10, 2 }, false }, { { 11, 1 }, false },
    };
    struct guard_list list = list_of(0, whole, 2);

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct guard_list part = list_of(1, &cases[i].run, 1);

        assert_int_equal(guard_list_holds(&list, &part), cases[i].held);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_lists_are_in_it),
        cmocka_unit_test(the_second_one_says_when_and_where),
        cmocka_unit_test(what_does_not_fit_makes_none),
        cmocka_unit_test(a_run_has_to_be_held_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
