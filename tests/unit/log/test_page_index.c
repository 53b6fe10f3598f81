// SPDX-License-Identifier: MIT
#include "log/page_index.h"

#include "badram/machine.h"

#define TOP (PAGES_MAX << PAGE_SHIFT)

static const struct {
    struct span ram[4];
    size_t n, max_extents;
    enum status status;
    size_t n_extents;
    uint64_t n_pages;
} spaces[] = {
    { .n = 0, .max_extents = 0, .status = STATUS_OK },
    { { { 0, 0x1000 } }, 1, 1, STATUS_OK, 1, 1 },
    { { { 0, 0x1001 } }, 1, 1, STATUS_OK, 1, 2 },
    { { { 0xfff, 2 } }, 1, 1, STATUS_OK, 1, 2 },
    { { { 0, 0 }, { 0x5000, 1 }, { 0x6000, 0 } }, 3, 1, STATUS_OK, 1, 1 },
    /* adjoining spans, and two in one page, are one extent */
    { { { 0, 0x1000 }, { 0x1000, 0x1000 } }, 2, 1, STATUS_OK, 1, 2 },
    { { { 0, 0x1800 }, { 0x1900, 0x1000 } }, 2, 1, STATUS_OK, 1, 3 },
    { { { 0x3000, 0x1800 }, { 0x4900, 0x1000 } }, 2, 1, STATUS_OK, 1, 3 },
    { { { 0, 0x1000 }, { 0x2000, 0x1000 } }, 2, 2, STATUS_OK, 2, 2 },
    { { { 0, 0x1000 }, { 0x2000, 0x1000 } }, 2, 1, STATUS_NO_SPACE, 0, 0 },
    /* the end of the address space, and one past it */
    { { { TOP - 0x1000, 0x1000 } }, 1, 1, STATUS_OK, 1, 1 },
    { { { TOP - 0x1000, 0x1001 } }, 1, 1, STATUS_INVALID, 0, 0 },
    { { { TOP, 1 } }, 1, 1, STATUS_INVALID, 0, 0 },
    { { { UINT64_MAX, 2 } }, 1, 1, STATUS_INVALID, 0, 0 },
    { { { 0x1000, UINT64_MAX } }, 1, 1, STATUS_INVALID, 0, 0 },
    { { { 0, TOP } }, 1, 1, STATUS_OK, 1, PAGES_MAX },
    /* unsorted, overlapping by one byte */
    { { { 0x5000, 0x1000 }, { 0, 0x1000 } }, 2, 2, STATUS_INVALID, 0, 0 },
    { { { 0, 0x1001 }, { 0x1000, 0x1000 } }, 2, 2, STATUS_INVALID, 0, 0 },
};

TEST(spans_become_extents)
{
    for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++) {
        struct page_index space = { .n_pages = 77 };
        struct page_extent extent[4];

        assert_int_equal(
            page_index_init(&space, extent, spaces[i].max_extents, spaces[i].ram, spaces[i].n),
            spaces[i].status);
        if (spaces[i].status) {
            assert_int_equal(space.n_pages, 77); /* written on success only */
        } else {
            assert_int_equal(space.n_extents, spaces[i].n_extents);
            assert_int_equal(space.n_pages, spaces[i].n_pages);
        }
    }
}

TEST(index_and_page_are_inverse)
{
    static const struct span ram[] = {
        { 0, 0x9fc00 }, { 0x100000, 0x100000 }, { 4 * GIB, 0x3001 }, { TOP - 0x2000, 0x2000 }, { 0 }
    };
    OWN_MACHINE m = machine_make(ram);
    uint64_t before = 0, index;

    assert_int_equal(m->space.n_pages, 0xa0 + 0x100 + 4 + 2);
    for (uint64_t i = 0; i < m->space.n_pages; i++) {
        uint64_t page = page_index_page(&m->space, i);

        assert_true(i == 0 || page > before);
        assert_int_equal(page_index_index(&m->space, page, &index), STATUS_OK);
        assert_int_equal(index, i);
        before = page;
    }
}

TEST(pages_without_ram_are_not_found)
{
    static const struct span ram[] = { { 0x1000, 0x1000 }, { 4 * GIB, 0x2000 }, { 0 } };
    static const struct {
        uint64_t page;
        bool found;
        size_t extent;
    } pages[] = {
        { 0, false, 0 },          { 1, true, 0 },
        { 2, false, 1 },          { 0xfffff, false, 1 },
        { 0x100000, true, 1 },    { 0x100001, true, 1 },
        { 0x100002, false, 2 },   { PAGES_MAX - 1, false, 2 },
        { UINT64_MAX, false, 2 },
    };
    OWN_MACHINE m = machine_make(ram);

    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
        uint64_t index = 55;

        assert_int_equal(page_index_index(&m->space, pages[i].page, &index),
                         pages[i].found ? STATUS_OK : STATUS_NOT_FOUND);
        assert_true(pages[i].found || index == 55);
        assert_int_equal(page_index_extent(&m->space, pages[i].page), pages[i].extent);
    }
}
