// SPDX-License-Identifier: MIT
#include "lib/span.h"

#include "tests/unit/unit.h"

#define TOP (UINT64_MAX - 4095) /* the last page of all */

TEST(contains)
{
    static const struct {
        struct span span;
        uint64_t addr;
        bool in;
    } cases[] = {
        { { 0x1000, 0x1000 }, 0xfff, false },
        { { 0x1000, 0x1000 }, 0x1000, true },
        { { 0x1000, 0x1000 }, 0x1fff, true },
        { { 0x1000, 0x1000 }, 0x2000, false },
        { { 0x1000, 0x1000 }, UINT64_MAX, false },
        { { 0x1000, 0 }, 0x1000, false },
        { { 0, UINT64_C(1) << 32 }, 0xffffffff, true },
        { { 0, UINT64_C(1) << 32 }, UINT64_C(1) << 32, false },
        { { TOP, 4096 }, UINT64_MAX, true },
        { { TOP, 4096 }, TOP - 1, false },
        { { TOP, 4096 }, 0, false },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(span_contains(cases[i].span, cases[i].addr), cases[i].in);
}

TEST(ends)
{
    assert_int_equal(span_end((struct span){ 0x1000, 0x2000 }), 0x3000);
    assert_int_equal(span_end((struct span){ 0x1000, 0 }), 0x1000);
    assert_int_equal(span_end((struct span){ 0xffffffff, 1 }), UINT64_C(1) << 32);
}

TEST(intersects)
{
    static const struct {
        struct span a, b;
        uint64_t base, size; /* base only when size > 0 */
    } cases[] = {
        { { 0x1000, 0x3000 }, { 0x2000, 0x4000 }, 0x2000, 0x2000 },
        { { 0x1000, 0x3000 }, { 0x2000, 0x1000 }, 0x2000, 0x1000 }, /* inside */
        { { 0x1000, 0x3000 }, { 0x1000, 0x3000 }, 0x1000, 0x3000 },
        { { 0x1000, 0x1000 }, { 0x2000, 0x1000 }, 0, 0 }, /* only touch */
        { { 0x1000, 0x1000 }, { 0x1fff, 0x1000 }, 0x1fff, 1 },
        { { 0x1000, 0x1000 }, { 0x8000, 0x1000 }, 0, 0 },
        { { 0x1000, 0 }, { 0, 0x8000 }, 0, 0 },
        { { 0xfffff000, 0x2000 }, { UINT64_C(1) << 32, 0x5000 }, UINT64_C(1) << 32, 0x1000 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct span ab = span_intersect(cases[i].a, cases[i].b);
        struct span ba = span_intersect(cases[i].b, cases[i].a);

        assert_int_equal(ab.size, cases[i].size);
        assert_int_equal(ba.size, cases[i].size);
        if (cases[i].size) {
            assert_int_equal(ab.base, cases[i].base);
            assert_int_equal(ba.base, cases[i].base);
        }
    }
}

TEST(aligns)
{
    assert_int_equal(align_down(0x1fff, PAGE_SIZE), 0x1000);
    assert_int_equal(align_down(0x1000, PAGE_SIZE), 0x1000);
    assert_int_equal(align_down(0xfff, PAGE_SIZE), 0);
    assert_int_equal(align_down(UINT64_MAX, PAGE_SIZE), TOP);
    assert_int_equal(align_up(0, PAGE_SIZE), 0);
    assert_int_equal(align_up(1, PAGE_SIZE), 0x1000);
    assert_int_equal(align_up(0x1000, PAGE_SIZE), 0x1000);
    assert_int_equal(align_up(0xffffffff, LINE_SIZE), UINT64_C(1) << 32);
    assert_int_equal(align_up(TOP, PAGE_SIZE), TOP);
}

TEST(whole_pages)
{
    static const struct {
        struct span s, pages;
    } cases[] = {
        { { 0x1000, 0x2000 }, { 0x1000, 0x2000 } },
        { { 0xfff, 0x2002 }, { 0x1000, 0x2000 } },
        { { 0x1001, 0x1fff }, { 0x2000, 0x1000 } },
        { { 0x1001, 0x1ffe }, { 0, 0 } }, /* no whole page */
        { { 0x1000, 0xfff }, { 0, 0 } },
        { { 0x1800, 0 }, { 0, 0 } },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct span pages = span_whole_pages(cases[i].s);

        assert_int_equal(pages.size, cases[i].pages.size);
        if (pages.size)
            assert_int_equal(pages.base, cases[i].pages.base);
    }
}
