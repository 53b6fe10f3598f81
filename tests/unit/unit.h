// SPDX-License-Identifier: MIT
/*
 * A unit test registers itself: TEST(finds_nothing) { ... }, with its setup and teardown after the
 * name where it has them. main() runs all tests of the program, in the order of the source. Here is
 * also what most tests need besides.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define TIB (UINT64_C(1) << 40)

/*
 * The step of a loop over very many cases, in `make check`: 1 in `make check-long` and for mutants,
 * which set UNIT_ALL.
 */
#define UNIT_STEP(n) (getenv("UNIT_ALL") ? 1 : (n))

/* A variable that is freed where its block ends. */
#define FREED_BY(free_at) __attribute__((cleanup(free_at)))

#define UNIT_FIXTURES(setup, teardown, ...) .setup_func = setup, .teardown_func = teardown

/* Of a section that is one array of them, in the order of the source (clang keeps it by itself). */
#if __has_attribute(no_reorder)
#define UNIT_ORDER no_reorder
#else
#define UNIT_ORDER
#endif
#define UNIT_ROW                                                                                   \
    __attribute__((used, section("unit_tests"), aligned(__alignof__(struct CMUnitTest)),           \
                   UNIT_ORDER))

#define TEST(test, ...)                                                                            \
    static void test(void **state);                                                                \
    static const struct CMUnitTest unit_##test UNIT_ROW = {                                        \
        .name = #test,                                                                             \
        .test_func = test,                                                                         \
        UNIT_FIXTURES(__VA_ARGS__ __VA_OPT__(, ) NULL, NULL, NULL),                                \
    };                                                                                             \
    static void test(void **state)

extern const struct CMUnitTest __start_unit_tests[], __stop_unit_tests[];

/* Before the first test of the program, and after the last one; a program may have either. */
extern int group_set_up(void **state) __attribute__((weak));
extern int group_tear_down(void **state) __attribute__((weak));

/* Weak: a program's helpers may include this, too. */
__attribute__((weak)) int main(void)
{
    return _cmocka_run_group_tests("tests", __start_unit_tests,
                                   (size_t)(__stop_unit_tests - __start_unit_tests), group_set_up,
                                   group_tear_down);
}
