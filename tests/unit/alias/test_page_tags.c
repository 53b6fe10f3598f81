// SPDX-License-Identifier: MIT
#include "alias/page_tags.h"

#include "tests/host/aborts.h"
#include "tests/unit/unit.h"

static const uint64_t keys[] = { 0, 1, 2, 12345, UINT64_MAX - 1, UINT64_MAX };
static const uint64_t pages[] = { 0,
                                  PAGE_SIZE,
                                  0x9f000,
                                  0xfffff000,
                                  UINT64_C(1) << 32,
                                  UINT64_C(1) << 45,
                                  PAGE_TAGS_PHYS_END - PAGE_SIZE };

TEST(a_mark_tells_its_page)
{
    for (size_t k = 0; k < COUNT(keys); k++) {
        for (size_t i = 0; i < COUNT(pages); i++) {
            uint64_t mark = page_tags_mark(keys[k], pages[i]), page = UINT64_MAX;

            assert_true(page_tags_is_mark(keys[k], mark, &page));
            assert_int_equal(page, pages[i]);
            assert_int_equal(page_tags_mark(keys[k], pages[i] + PAGE_SIZE - 1), mark);
        }
    }
}

/* The CPU may meet it as an entry of a page table, or a person as memory that was cleared. */
TEST(a_mark_maps_nothing_and_is_not_0)
{
    for (size_t k = 0; k < COUNT(keys); k++) {
        for (size_t i = 0; i < COUNT(pages); i++) {
            assert_int_not_equal(page_tags_mark(keys[k], pages[i]), 0);
            assert_int_equal(page_tags_mark(keys[k], pages[i]) & 1, 0);
        }
    }
}

TEST(other_words_are_no_marks)
{
    static const uint64_t words[] = { 0, 1, PAGE_SIZE, UINT64_MAX, UINT64_C(0x5555555555555555) };
    uint64_t page = 7;

    for (size_t k = 0; k < COUNT(keys); k++) {
        uint64_t mark = page_tags_mark(keys[k], PAGE_SIZE);

        for (size_t i = 0; i < COUNT(words); i++)
            assert_false(page_tags_is_mark(keys[k], words[i], &page));
        assert_false(page_tags_is_mark(keys[k], mark | 1, &page));
        assert_false(page_tags_is_mark(keys[k], ~mark, &page));
        for (size_t other = 0; other < COUNT(keys); other++)
            assert_int_equal(page_tags_is_mark(keys[other], mark, &page), other == k);
        page = 7;
        assert_false(page_tags_is_mark(keys[k] + 17, mark, &page));
        assert_int_equal(page, 7);
    }
}

/* As a faulty cell leaves it: it must not look like the mark of a page that is good. */
TEST(a_damaged_mark_is_none)
{
    uint64_t page;

    for (size_t k = 0; k < COUNT(keys); k++) {
        for (size_t i = 0; i < COUNT(pages); i++) {
            uint64_t mark = page_tags_mark(keys[k], pages[i]);

            for (unsigned bit = 0; bit < 64; bit++) {
                assert_false(page_tags_is_mark(keys[k], mark ^ UINT64_C(1) << bit, &page));
                for (unsigned second = 0; second < bit; second++)
                    assert_false(page_tags_is_mark(
                        keys[k], mark ^ UINT64_C(1) << bit ^ UINT64_C(1) << second, &page));
            }
            for (unsigned lane = 0; lane < 8; lane++) { /* a whole chip */
                uint64_t chip = UINT64_C(0xff) << 8 * lane;

                if (mark & chip)
                    assert_false(page_tags_is_mark(keys[k], mark & ~chip, &page));
                if (~mark & chip)
                    assert_false(page_tags_is_mark(keys[k], mark | chip, &page));
            }
        }
    }
}

static struct page_tags words;
static void *memory;

static void begin(uint64_t n_pages)
{
    memory = calloc(1, page_tags_bytes(n_pages)); /* ASan guards what is after it */
    page_tags_init(&words, memory, n_pages);
}

static int end(void **state)
{
    free(memory);
    memory = NULL;
    return 0;
}

/* How many pages have the word; each of them is first + a multiple of step pages, once. */
static uint64_t count(uint64_t word, uint64_t first, uint64_t step)
{
    uint64_t at = 0, page, n = 0, sum = 0, want = 0;

    while (page_tags_next(&words, word, &at, &page)) {
        assert_int_equal((page / PAGE_SIZE - first) % step, 0);
        sum += page / PAGE_SIZE;
        want += first + n++ * step;
    }
    assert_int_equal(sum, want);
    return n;
}

TEST(an_empty_table_has_no_page, NULL, end)
{
    for (uint64_t n = 0; n < 3; n++) {
        begin(n);
        assert_int_equal(count(1, 0, 1), 0);
        assert_int_equal(count(0, 0, 1), 0);
        end(NULL);
    }
}

TEST(each_page_is_found_by_its_word, NULL, end)
{
    static const uint64_t sizes[] = { 1, 2, 3, 255, 256, 257, 4000 };

    for (size_t s = 0; s < COUNT(sizes); s++) {
        begin(sizes[s]);
        for (uint64_t i = 0; i < sizes[s]; i++)
            page_tags_add(&words, 1 + i, (100 + i) * PAGE_SIZE);
        for (uint64_t i = 0; i < sizes[s]; i++)
            assert_int_equal(count(1 + i, 100 + i, 1), 1);
        assert_int_equal(count(sizes[s] + 1, 0, 1), 0);
        assert_int_equal(count(0, 0, 1), 0);
        end(NULL);
    }
}

TEST(pages_may_have_the_same_word, NULL, end)
{
    begin(300);
    for (uint64_t i = 0; i < 300; i++)
        page_tags_add(&words, 5 + i % 3, i * PAGE_SIZE);
    for (uint64_t i = 0; i < 3; i++)
        assert_int_equal(count(5 + i, i, 3), 100);
    assert_int_equal(count(8, 0, 1), 0);
}

TEST(half_of_a_table_is_empty_at_least)
{
    static const uint64_t n[][2] = { { 0, 2 }, { 1, 2 }, { 2, 4 }, { 3, 8 }, { 4, 8 }, { 5, 16 } };

    for (size_t i = 0; i < COUNT(n); i++)
        assert_int_equal(page_tags_bytes(n[i][0]), n[i][1] * sizeof(struct page_tag));
}

static void add_the_eighth(void)
{
    page_tags_add(&words, 8, 7 * PAGE_SIZE);
}

/* A search ends at an empty place: without one it would not end. */
TEST(one_place_stays_empty, NULL, end)
{
    begin(3); /* 8 places */
    for (uint64_t i = 0; i < 7; i++)
        page_tags_add(&words, 1 + i, i * PAGE_SIZE);
    assert_int_equal(count(9, 0, 1), 0);
    assert_true(aborts(add_the_eighth));
}
