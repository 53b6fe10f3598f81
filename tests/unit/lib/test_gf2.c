// SPDX-License-Identifier: MIT
#include "lib/gf2.h"

#include "lib/splitmix.h"
#include "tests/unit/unit.h"

TEST(sums_add_nothing)
{
    struct gf2_basis basis = { 0 };

    assert_false(gf2_add(&basis, 0));
    assert_true(gf2_add(&basis, 0x6));
    assert_true(gf2_add(&basis, 0x5));
    assert_false(gf2_add(&basis, 0x3));
    assert_true(gf2_add(&basis, UINT64_C(1) << 63));
    assert_int_equal(basis.rank, 3);
    assert_true(gf2_contains(&basis, 0));
    assert_true(gf2_contains(&basis, 0x3));
    assert_true(gf2_contains(&basis, UINT64_C(1) << 63 | 0x6));
    assert_false(gf2_contains(&basis, 0x1));
    assert_false(gf2_contains(&basis, UINT64_C(1) << 62));
}

/* Spaces and what is orthogonal to them, of vectors made of `bits`. */
static const struct {
    uint64_t bits, vector[4], complement[4];
    unsigned n;
} spaces[] = {
    { 0x7, { 0 }, { 0x1, 0x2, 0x4 }, 3 },
    { 0x7, { 0x1, 0x2, 0x4 }, { 0 }, 0 },
    { 0x7, { 0x3 }, { 0x3, 0x4 }, 2 },
    { 0x7, { 0x7 }, { 0x5, 0x6 }, 2 },
    { 0xf, { 0x3, 0x6, 0xc }, { 0xf }, 1 },
    { 0x4084, { 0x4080, 0x4 }, { 0x4080 }, 1 },
    { UINT64_C(1) << 63 | 1, { UINT64_C(1) << 63 | 1 }, { UINT64_C(1) << 63 | 1 }, 1 },
};

TEST(complements)
{
    for (size_t i = 0; i < COUNT(spaces); i++) {
        struct gf2_basis basis = { 0 };
        uint64_t got[4] = { 0 };

        for (size_t k = 0; k < 4; k++)
            gf2_add(&basis, spaces[i].vector[k]);
        gf2_reduce(&basis);
        assert_int_equal(gf2_complement(&basis, spaces[i].bits, got, 4), spaces[i].n);
        assert_memory_equal(got, spaces[i].complement, sizeof(got));
    }
}

/* What does not fit is counted all the same. */
TEST(no_more_than_asked_for)
{
    struct gf2_basis basis = { 0 };
    uint64_t got[2] = { 0, 7 };

    assert_int_equal(gf2_complement(&basis, 0xf0, got, 1), 4);
    assert_int_equal(got[0], 0x10);
    assert_int_equal(got[1], 7);
}

/* Reducing changes the basis, not the space; and all products with the complement are 0. */
TEST(random_spaces)
{
    uint64_t random = 1;

    for (unsigned i = 0; i < 1000; i++) {
        struct gf2_basis basis = { 0 }, reduced;
        uint64_t bits = splitmix_next(&random), got[64];
        unsigned n = (unsigned)splitmix_below(&random, 40);

        for (unsigned k = 0; k < n; k++)
            gf2_add(&basis, splitmix_next(&random) & bits);
        reduced = basis;
        gf2_reduce(&reduced);
        n = gf2_complement(&reduced, bits, got, 64);
        assert_int_equal(n + basis.rank, bits_count(bits));
        for (unsigned high = 0; high < 64; high++) {
            assert_int_equal(!basis.row[high], !reduced.row[high]);
            assert_true(gf2_contains(&basis, reduced.row[high]));
            for (unsigned low = 0; low < high; low++)
                assert_false(reduced.row[low] && reduced.row[high] >> low & 1);
            for (unsigned k = 0; k < n; k++)
                assert_false(gf2_parity(got[k] & basis.row[high]));
        }
    }
}
