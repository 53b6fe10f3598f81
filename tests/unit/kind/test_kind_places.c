// SPDX-License-Identifier: MIT
#include "kind/kind_places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct kind_words words;
static struct kind_places places;

static void make(const uint64_t *addr, size_t n)
{
    struct fault fault[64] = { 0 };

    for (size_t i = 0; i < n; i++)
        fault[i] = (struct fault){ .addr = addr[i], .found = 1 };
    kind_words_make(&words, fault, n, NULL, 0);
    kind_places_make(&words, &places);
}

static void nothing_has_no_place(void **state)
{
    make(NULL, 0);
    assert_int_equal(places.n_lines, 0);
    assert_int_equal(places.region_bits, 0);
}

static void counts_lines_pages_and_offsets(void **state)
{
    make((const uint64_t[]){ 0x1000, 0x1008, 0x1008, 0x1040, 0x3000 }, 5);
    assert_int_equal(words.n, 4);
    assert_int_equal(places.n_lines, 3);
    assert_int_equal(places.n_pages, 2);
    assert_int_equal(places.n_offsets, 2);
    assert_int_equal(places.region_bits, 14);
    assert_int_equal(places.rank, 2);
}

/* The coset of a space of dimension 3, with XORed bits. */
static void a_coset_has_its_rank(void **state)
{
    uint64_t addr[8];

    for (uint64_t i = 0; i < 8; i++)
        addr[i] = 0x40000000 ^ (i & 1 ? 0x44000 : 0) ^ (i & 2 ? 0x88000 : 0) ^ (i & 4 ? 0x4080 : 0);
    make(addr, 8);
    assert_int_equal(places.rank, 3);
    assert_int_equal(places.n_lines, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_has_no_place),
        cmocka_unit_test(counts_lines_pages_and_offsets),
        cmocka_unit_test(a_coset_has_its_rank),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
