// SPDX-License-Identifier: MIT
#include "patrol/patrol_join.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define PAGES        300u

static const struct guard_fingerprint machine = { .ram_bytes = 1 << 30 };

static uint8_t old_bytes[4096], new_bytes[4096];

static size_t write_list(const struct guard_run *run, size_t n)
{
    struct guard_writer w = guard_writer_begin(old_bytes, sizeof(old_bytes));

    for (size_t i = 0; i < n; i++)
        guard_writer_add(&w, run[i]);
    return guard_writer_end(&w, &machine, 1);
}

static struct guard_list open_list(const void *bytes, size_t size)
{
    struct guard_list list;
    const char *why = "";

    assert_int_equal(guard_list_open(bytes, size, &list, &why), STATUS_OK);
    return list;
}

static struct guard_list join(const struct guard_list *list, uint64_t *page, size_t n)
{
    struct guard_writer w = guard_writer_begin(new_bytes, sizeof(new_bytes));
    size_t size;

    patrol_join(list, page, n, &w);
    size = guard_writer_end(&w, &machine, 2);
    assert_true(size > 0);
    return open_list(new_bytes, size);
}

static const struct {
    struct guard_run old[3];
    size_t n_old;
    uint64_t page[5];
    size_t n_pages;
    struct guard_run joined[5];
    size_t n_joined;
} joins[] = {
    { .n_old = 0, .n_pages = 0, .n_joined = 0 },
    { { { 5, 2 } }, 1, { 0 }, 0, { { 5, 2 } }, 1 },
    { { { 5, 2 } }, 1, { 9, 3 }, 2, { { 3, 1 }, { 5, 2 }, { 9, 1 } }, 3 },
    { { { 5, 2 } }, 1, { 7, 4 }, 2, { { 4, 4 } }, 1 },
    { { { 5, 2 } }, 1, { 5, 6, 6 }, 3, { { 5, 2 } }, 1 },
    { { { 5, 1 }, { 7, 1 } }, 2, { 6 }, 1, { { 5, 3 } }, 1 },
    { { { 5, 1 } }, 1, { 8, 8, 8 }, 3, { { 5, 1 }, { 8, 1 } }, 2 },
    { { { 0, 1 }, { 0xfffff, 2 } }, 2, { 0x100001, 1 }, 2, { { 0, 2 }, { 0xfffff, 3 } }, 2 },
};

static void joined_with_a_list(void **state)
{
    for (size_t i = 0; i < COUNT(joins); i++) {
        struct guard_list old = open_list(old_bytes, write_list(joins[i].old, joins[i].n_old));
        uint64_t page[5];
        struct guard_reader reader;
        struct guard_list list;
        struct guard_run run;

        memcpy(page, joins[i].page, sizeof(page));
        list = join(&old, page, joins[i].n_pages);
        assert_int_equal(list.head.n_runs, joins[i].n_joined);
        reader = guard_list_read(&list);
        for (size_t k = 0; guard_reader_next(&reader, &run); k++) {
            assert_int_equal(run.first, joins[i].joined[k].first);
            assert_int_equal(run.n, joins[i].joined[k].n);
        }
    }
}

static void without_a_list(void **state)
{
    uint64_t page[] = { 7, 3, 4 };
    struct guard_list list = join(NULL, page, COUNT(page));

    assert_int_equal(list.head.n_runs, 2);
    assert_int_equal(list.head.n_pages, 3);
}

/* Against sets of pages. */
static void random_lists(void **state)
{
    srand(17);
    for (int round = 0; round < 3000; round++) {
        bool expected[PAGES] = { false };
        struct guard_run run[20];
        uint64_t page[40];
        size_t n_runs = 0, n_pages = (size_t)(rand() % 40);
        struct guard_list old, list;
        struct guard_reader reader;
        struct guard_run r;
        uint64_t total = 0;

        for (uint64_t at = (uint64_t)(rand() % 9); at < 250 && n_runs < COUNT(run);) {
            run[n_runs] = (struct guard_run){ at, (uint64_t)(rand() % 9 + 1) };
            memset(expected + at, true, run[n_runs].n);
            at += run[n_runs++].n + (uint64_t)(rand() % 20);
        }
        for (size_t i = 0; i < n_pages; i++) {
            page[i] = (uint64_t)rand() % PAGES;
            expected[page[i]] = true;
        }
        old = open_list(old_bytes, write_list(run, n_runs));
        list = join(&old, page, n_pages);
        reader = guard_list_read(&list);
        while (guard_reader_next(&reader, &r)) {
            for (uint64_t p = r.first; p < r.first + r.n; p++)
                assert_true(expected[p]);
            total += r.n;
        }
        for (size_t i = 0; i < PAGES; i++)
            total -= expected[i];
        assert_int_equal(total, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joined_with_a_list),
        cmocka_unit_test(without_a_list),
        cmocka_unit_test(random_lists),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
