// SPDX-License-Identifier: MIT
#include "badram/bit_parity.h"

#include "machine.h"

static uint64_t shared(const struct pattern *atom, size_t n)
{
    struct parity parity = bit_parity_start(atom[0]);
    struct pattern join = atom[0];

    for (size_t i = 1; i < n; i++) {
        bit_parity_add(&parity, atom[i]);
        join = pattern_join(join, atom[i]);
    }
    return bit_parity_sparsest(&parity, ~join.mask & PATTERN_MASK_BITS) >> PAGE_SHIFT;
}

/* All pages below 4096 in which each of these sums of bits is even. */
static size_t even_pages(struct pattern *atom, const uint64_t *sums, size_t n_sums)
{
    size_t n = 0;

    for (uint64_t page = 0; page < 4096; page++) {
        bool even = true;

        for (size_t i = 0; i < n_sums; i++)
            even = even && __builtin_popcountll(page & sums[i]) % 2 == 0;
        if (even)
            atom[n++] = pattern_block(page ^ 0x6a5, 0);
    }
    return n;
}

static void sums_of_bits_are_found(void **state)
{
    static const struct {
        uint64_t sums[3];
        size_t n;
        uint64_t sparsest;
    } cases[] = {
        { { 0 }, 0, 0 },
        { { 0x003 }, 1, 0x003 },
        { { 0x811 }, 1, 0x811 },
        { { 0xfff }, 1, 0xfff },
        { { 0x01f, 0x0e0 }, 2, 0x0e0 },
        { { 0x111, 0x222, 0xccc }, 3, 0x111 },
    };
    static struct pattern atom[4096];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t n = even_pages(atom, cases[i].sums, cases[i].n);

        assert_int_equal(shared(atom, n), cases[i].sparsest);
    }
}

static void a_free_bit_is_in_no_sum(void **state)
{
    const struct pattern atom[] = {
        { 0, PATTERN_MASK_BITS & ~(UINT64_C(4) << PAGE_SHIFT) },
        pattern_block(0x13, 0),
        pattern_block(0x20, 0),
        pattern_block(0x33, 0),
    };

    /* bits 0, 1 and 4 go together, 5 on its own */
    assert_int_equal(shared(atom, 4) & 0x10, 0x10);
    assert_int_equal(__builtin_popcountll(shared(atom, 4) & 0x03), 1);
    assert_int_equal(shared(atom, 4) & ~UINT64_C(0x13), 0);
    assert_int_equal(shared(atom, 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_bits_are_found),
        cmocka_unit_test(a_free_bit_is_in_no_sum),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
