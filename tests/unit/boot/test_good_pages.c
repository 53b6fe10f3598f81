// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "boot/load/good_pages.c"

#include <sys/syscall.h>
#include <unistd.h>

#include "faulty.h"
#include "source.h"

#define BAD(page)                                                                                  \
    {                                                                                              \
        STUCK1, ((page)*PAGE_SIZE + 8 * (page)) * 8, 0                                             \
    }

static struct source source;
static struct bad_pages bad;
static struct good_pages pages;
static uint32_t first; /* page number of the memory */

static void begin(const uint8_t *memory, uint32_t n_pages, uint32_t chunk, uint32_t wanted)
{
    first = page_number(memory);
    source_make(&source, memory, n_pages, chunk);
    bad.n = 0;
    pages = (struct good_pages){ .wanted = wanted, .bad = &bad };
}

static void assert_pages(const uint32_t *want, uint32_t n)
{
    assert_int_equal(pages.n, n);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(pages.page[i] - first, want[i]);
}

TEST(sound_memory_gives_one_piece, NULL, faulty_free_after)
{
    uint8_t *memory = faulty_make(8 * PAGE_SIZE, NULL, 0);

    for (uint32_t chunk = 1; chunk <= 8; chunk += 3) {
        begin(memory, 8, chunk, 6);
        assert_int_equal(good_pages_find(&pages, &source.source), STATUS_OK);
        assert_pages((uint32_t[]){ 0, 1, 2, 3, 4, 5 }, 6);
        assert_ptr_equal(pages.page, memory);
        assert_int_equal(bad.n, 0);
    }
}

/* Behind the last bad page, whichever chunks there are. */
TEST(a_piece_is_preferred, NULL, faulty_free_after)
{
    static const struct faulty_cell cells[] = { BAD(0), BAD(3), BAD(5) };
    uint8_t *memory = faulty_make(10 * PAGE_SIZE, cells, COUNT(cells));

    for (uint32_t chunk = 1; chunk <= 10; chunk += 3) {
        begin(memory, 10, chunk, 3);
        assert_int_equal(good_pages_find(&pages, &source.source), STATUS_OK);
        assert_pages((uint32_t[]){ 6, 7, 8 }, 3);
        assert_ptr_equal(pages.page, memory + PAGE_SIZE); /* the list lies in the first */
        assert_int_equal(bad.n, 3);
        assert_int_equal(pages.n_bad, 3);
    }
}

TEST(single_pages_do_where_there_is_no_piece, NULL, faulty_free_after)
{
    static const struct faulty_cell cells[] = { BAD(1), BAD(3), BAD(4), BAD(7) };
    uint8_t *memory = faulty_make(9 * PAGE_SIZE, cells, COUNT(cells));

    begin(memory, 9, 4, 5);
    assert_int_equal(good_pages_find(&pages, &source.source), STATUS_OK);
    assert_pages((uint32_t[]){ 0, 2, 5, 6, 8 }, 5);
    begin(memory, 9, 4, 6);
    assert_int_equal(good_pages_find(&pages, &source.source), STATUS_NOT_FOUND);
    assert_int_equal(pages.n, 5);
    assert_int_equal(source.n_tested, 9);
}

/* Faulty cells, and pages that were wrong once: more of these, or as many. */
TEST(pages_that_pass_again, NULL, faulty_free_after)
{
    static const struct faulty_cell cells[] = { BAD(1), BAD(3) };
    static const uint32_t once[] = { 0, 2, 4 };
    uint8_t *memory = faulty_make(6 * PAGE_SIZE, cells, COUNT(cells));

    begin(memory, 6, 6, 5);
    assert_int_equal(good_pages_find(&pages, &source.source), STATUS_NOT_FOUND);
    assert_int_equal(bad.n, 2);
    assert_false(good_pages_pass_again(&pages));
    for (size_t i = 0; i < COUNT(once); i++) {
        assert_false(good_pages_pass_again(&pages));
        bad_pages_add(&bad, (uintptr_t)memory + once[i] * PAGE_SIZE);
    }
    assert_true(good_pages_pass_again(&pages));
    bad.n = 0;
    assert_false(good_pages_pass_again(&pages));
}

TEST(a_piece_is_not_looked_for_for_ever, NULL, faulty_free_after)
{
    static const struct faulty_cell cells[] = { BAD(2) };
    uint8_t *memory = faulty_make(8 * PAGE_SIZE, cells, 1);

    begin(memory, 8, 4, 3);
    pages.n_tested = GOOD_PAGES_RUN_TRIES - 5;
    assert_int_equal(good_pages_find(&pages, &source.source), STATUS_OK);
    assert_pages((uint32_t[]){ 3, 4, 5 }, 3);
    begin(memory, 8, 4, 3);
    pages.n_tested = GOOD_PAGES_RUN_TRIES - 4;
    assert_int_equal(good_pages_find(&pages, &source.source), STATUS_OK);
    assert_pages((uint32_t[]){ 0, 1, 3 }, 3);
}

TEST(what_is_struck_off_is_replaced, NULL, faulty_free_after)
{
    uint8_t *memory = faulty_make(8 * PAGE_SIZE, NULL, 0);

    begin(memory, 8, 3, 4);
    assert_int_equal(good_pages_find(&pages, &source.source), STATUS_OK);
    good_pages_remove(&pages, 1);
    assert_int_equal(bad.n, 0);
    assert_pages((uint32_t[]){ 0, 3, 2 }, 3);
    assert_int_equal(good_pages_find(&pages, &source.source), STATUS_OK);
    assert_int_equal(pages.n, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_not_equal(pages.page[i] - first, 1);
}

TEST(what_has_lost_its_content_is_tested_again, NULL, faulty_free_after)
{
    const struct faulty_cell cell = BAD(1);
    uint8_t *memory = faulty_make(8 * PAGE_SIZE, NULL, 0);

    begin(memory, 8, 3, 4);
    assert_int_equal(good_pages_find(&pages, &source.source), STATUS_OK);
    good_pages_retest(&pages, 2);
    assert_int_equal(bad.n, 0);
    assert_pages((uint32_t[]){ 0, 1, 3 }, 3);
    faulty.cell[faulty.n++] = cell; /* from here on */
    faulty_protect(PROT_READ);
    good_pages_retest(&pages, 1);
    assert_int_equal(bad.n, 1);
    assert_int_equal(bad.page[0], (uintptr_t)memory + PAGE_SIZE);
    assert_pages((uint32_t[]){ 0, 3 }, 2);
}

/* Not the page that was written as the list lost a number, unless it is where that was written. */
TEST(a_list_that_changes_accuses_its_own_page, NULL, faulty_free_after)
{
    struct faulty_cell cell = { INVERT, 0, 0 };
    uint8_t *memory = faulty_make(16 * PAGE_SIZE, NULL, 0);
    uint64_t line = (uintptr_t)memory + 5 * PAGE_SIZE;
    unsigned bit = (unsigned)__builtin_ctzll(line * UINT64_C(0x9e3779b97f4a7c15));

    begin(memory, 16, 4, 6);
    assert_int_equal(good_pages_find(&pages, &source.source), STATUS_OK);
    assert_ptr_equal(pages.page, memory);
    memset(memory + 5 * PAGE_SIZE, 0, PAGE_SIZE);
    cell.at = 5 * PAGE_SIZE * 8 + bit; /* 0, and 1 in what is written there */
    faulty.cell[faulty.n++] = cell;
    faulty_protect(PROT_READ);
    assert_int_equal(good_pages_find(&pages, &source.source), STATUS_OK);
    assert_int_equal(bad.n, 1);
    assert_int_equal(bad.page[0], (uintptr_t)memory);
    assert_pages((uint32_t[]){ 8, 9, 10, 11, 12, 13 }, 6);
}

/* More than are written before the list is looked at again, and searched anew. */
#define SEARCHED 256
#define WANTED   80

/* Of SEARCHED pages, those of a pair reach the same cells. */
static uint8_t *memory_with_alias(uint32_t one, uint32_t other, int *ret_file)
{
    size_t bytes = SEARCHED * PAGE_SIZE;
    int file = (int)syscall(SYS_memfd_create, "ram", 0);
    uint8_t *memory;

    assert_true(file >= 0 && ftruncate(file, (off_t)bytes) == 0);
    memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_32BIT, file, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    assert_ptr_equal(mmap(memory + one * PAGE_SIZE, PAGE_SIZE, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_FIXED, file, (off_t)(other * PAGE_SIZE)),
                     memory + one * PAGE_SIZE);
    *ret_file = file;
    return memory;
}

/* Though each is sound in its own chunk; one may hold the list. */
TEST(pages_that_share_cells_are_not_taken_both)
{
    static const uint32_t pairs[][2] = { { 0, 4 },  { 1, 5 },  { 2, 3 },  { 4, 0 },
                                         { 0, 70 }, { 70, 0 }, { 5, 70 }, { 69, 71 } };

    for (size_t i = 0; i < COUNT(pairs); i++) {
        bool has[SEARCHED] = { false };
        int file;
        uint8_t *memory = memory_with_alias(pairs[i][0], pairs[i][1], &file);

        begin(memory, SEARCHED, 1, WANTED);
        assert_int_equal(good_pages_find(&pages, &source.source), STATUS_OK);
        assert_int_equal(pages.n, WANTED);
        for (uint32_t k = 0; k < pages.n; k++) {
            assert_true(pages.page[k] >= first && pages.page[k] < first + SEARCHED);
            assert_false(has[pages.page[k] - first]);
            has[pages.page[k] - first] = true;
        }
        assert_false(has[pairs[i][0]] && has[pairs[i][1]]);
        assert_true(bad.n > 0);
        munmap(memory, SEARCHED * PAGE_SIZE);
        close(file);
    }
}

/* Which is left as it was. */
TEST(a_page_that_shares_cells_with_one_taken_is_known)
{
    int file;
    uint8_t *memory = memory_with_alias(9, 3, &file);

    begin(memory, 6, 1, 6);
    assert_int_equal(good_pages_find(&pages, &source.source), STATUS_OK);
    assert_pages((uint32_t[]){ 0, 1, 2, 3, 4, 5 }, 6);
    for (uint32_t page = 6; page < 16; page++) {
        memset(memory + page * PAGE_SIZE, 0xa5, PAGE_SIZE);
        assert_int_equal(good_pages_share(&pages, memory + page * PAGE_SIZE), page == 9);
        for (uint32_t i = 0; i < PAGE_SIZE; i++)
            assert_int_equal(memory[page * PAGE_SIZE + i], 0xa5);
    }
    assert_pages((uint32_t[]){ 0, 1, 2, 3, 4, 5 }, 6);
    munmap(memory, SEARCHED * PAGE_SIZE);
    close(file);
}
