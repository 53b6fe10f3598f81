// SPDX-License-Identifier: MIT
#include "boot/load/good_pages.h"

#include <stddef.h>

#include "boot/load/page_march.h"
#include "lib/minmax.h"

#define TAGGED_AT_ONCE 64 /* pages */

static void note_bad(struct good_pages *c, uint32_t page)
{
    c->n_bad++;
    bad_pages_add(c->bad, (uint64_t)page << PAGE_SHIFT);
}

/* The first good page of all holds the list. */
static void add(struct good_pages *c, uint32_t page)
{
    if (!c->page)
        c->page = page_pointer(page);
    if (c->n < c->wanted)
        c->page[c->n++] = page;
    if (!c->run_n || c->run_first + c->run_n != page) {
        c->run_first = page;
        c->run_n = 0;
    }
    c->run_n++;
}

static void take_run(struct good_pages *c)
{
    for (uint32_t i = 0; i < c->wanted; i++)
        c->page[i] = c->run_first + i;
    c->n = c->wanted;
}

static bool is_enough(struct good_pages *c)
{
    if (c->run_n == c->wanted)
        take_run(c);
    return c->n == c->wanted && (c->run_n == c->wanted || c->n_tested >= GOOD_PAGES_RUN_TRIES);
}

/* Tests a chunk. False: there is none. */
static bool try_next(struct good_pages *c, const struct page_source *source)
{
    uint32_t page[PAGE_SOURCE_CHUNK], n = source->next(source->ctx, page);

    page_march(page, n);
    for (uint32_t i = 0; i < n; i++) {
        if (page[i] & PAGE_IS_BAD)
            note_bad(c, page[i] & ~PAGE_IS_BAD);
        else if (c->run_n < c->wanted)
            add(c, page[i]);
    }
    c->n_tested += n;
    source->tested(source->ctx, c->n_tested);
    return n != 0;
}

static uint32_t list_sum(const struct good_pages *c)
{
    uint32_t sum = 0;

    page_march_flush(c->page, PAGE_SIZE);
    for (uint32_t i = 0; i < c->n; i++)
        sum = (sum << 1 | sum >> 31) + c->page[i];
    return sum;
}

static void begin_anew(struct good_pages *c)
{
    c->page = NULL;
    c->n = 0;
    c->run_n = 0;
}

/* The last word: the list ends before that of its page. */
static volatile uint32_t *word_of(void *page)
{
    return (volatile uint32_t *)page + PAGE_SIZE / sizeof(uint32_t) - 1;
}

static uint32_t read_word(void *page)
{
    page_march_flush((const void *)word_of(page), sizeof(uint32_t));
    return *word_of(page);
}

static void write_word(void *page, uint32_t value)
{
    *word_of(page) = value;
    page_march_flush((const void *)word_of(page), sizeof(value));
}

/* Whether what is written to one page is read from the other. */
static bool share_cells(void *written, void *read)
{
    uint32_t was = read_word(written), before = read_word(read), after;

    write_word(written, ~was);
    after = read_word(read);
    write_word(written, was);
    return before == was && after == ~was;
}

/* Removes page number i, from which what was written is no longer read. */
static void remove_bad(struct good_pages *c, uint32_t i)
{
    note_bad(c, c->page[i]);
    good_pages_remove(c, i);
}

/* Writes to pages but the list's, whose numbers are read first. False: the list has changed. */
static bool tag_pages(struct good_pages *c, uint32_t first, uint32_t end, uint32_t sum)
{
    uint32_t own = page_number(c->page), page[TAGGED_AT_ONCE], n = 0;

    for (uint32_t i = first; i < end; i++) {
        if (c->page[i] != own)
            page[n++] = c->page[i];
    }
    for (uint32_t i = 0; i < n; i++)
        page_march_tag(page[i]);
    if (list_sum(c) == sum)
        return true;
    note_bad(c, own);
    for (uint32_t i = 0; i < n; i++) {
        if (share_cells(page_pointer(page[i]), page_pointer(own)))
            note_bad(c, page[i]);
    }
    return false;
}

/*
 * All pages but the list's are written before any is read: this finds those that share cells.
 * Sharing with the list's is checked after some writes, before a damaged number is taken for a
 * page. A list that has changed says that its own page is bad; those written meanwhile may be good.
 */
static bool share_no_cells(struct good_pages *c)
{
    uint32_t own = page_number(c->page), sum = list_sum(c);
    bool separate = true;

    for (uint32_t i = 0; i < c->n; i += TAGGED_AT_ONCE) {
        if (!tag_pages(c, i, (uint32_t)min_u64(i + TAGGED_AT_ONCE, c->n), sum)) {
            begin_anew(c);
            return false;
        }
    }
    for (uint32_t i = c->n; i-- > 0;) {
        if (c->page[i] == own || page_march_has_tag(c->page[i]))
            continue;
        remove_bad(c, i);
        separate = false;
    }
    return separate;
}

/*
 * Searches until as many pages as wanted are found that share no cells with each other.
 * STATUS_NOT_FOUND: the source has no more; n says how many there were.
 */
static enum status good_pages_find(struct good_pages *c, const struct page_source *source)
{
    do {
        while (!is_enough(c) && try_next(c, source))
            ;
        if (c->n < c->wanted)
            return STATUS_NOT_FOUND;
    } while (!share_no_cells(c));
    return STATUS_OK;
}

static uint32_t sum_of_words(const struct good_pages *c)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < c->n; i++)
        sum += read_word(page_pointer(c->page[i]));
    return sum;
}

bool good_pages_share(const struct good_pages *c, void *page)
{
    uint32_t was = read_word(page), before = sum_of_words(c), after;

    write_word(page, ~was);
    after = sum_of_words(c);
    write_word(page, was);
    return after != before;
}

bool good_pages_pass_again(const struct good_pages *c)
{
    uint32_t n_good = 0;

    for (uint32_t i = 0; i < c->bad->n; i++)
        n_good += !page_march_one(page_pointer((uint32_t)(c->bad->page[i] >> PAGE_SHIFT)));
    return n_good > c->bad->n / 2;
}

/*
 * Removes page number i, whose content is not what it should be, from the list. What was copied
 * there may have been damaged, so the page counts as bad only if a march, in which the content is
 * lost, finds it so. The list must not be in it.
 */
static void good_pages_retest(struct good_pages *c, uint32_t i)
{
    if (page_march_one(page_pointer(c->page[i])))
        note_bad(c, c->page[i]);
    good_pages_remove(c, i);
}

void good_pages_remove(struct good_pages *c, uint32_t i)
{
    c->page[i] = c->page[--c->n];
    c->run_n = 0;
}

/* Moves the list to its page of the image; the page that it was in is then one like the others. */
static uint32_t move_list(const struct image_check *check, struct good_pages *c)
{
    uint32_t index = check->boot_info + BOOT_INFO_KERNEL_PAGE;
    uint32_t *to = page_pointer(c->page[index]);

    if (to != c->page)
        memcpy(to, c->page, PAGE_SIZE);
    c->page = to;
    return index;
}

/* False: of one page no copy is intact any more. */
static bool place(const struct image_copies *copies, const struct good_pages *c, uint32_t list)
{
    for (uint32_t i = 0; i < copies->check->n_memory_pages; i++) {
        if (i != list && !image_copies_place(copies, i, page_pointer(c->page[i])))
            return false;
    }
    for (uint32_t i = 0; i < c->n; i++)
        page_march_flush(page_pointer(c->page[i]), PAGE_SIZE);
    return true;
}

/* Removes the pages that do not hold what they should. */
static bool is_placed(const struct image_copies *copies, struct good_pages *c)
{
    uint32_t n = c->n;

    for (uint32_t i = copies->check->n_pages; i-- > 0;) {
        if (!image_check_page(copies->check, page_pointer(c->page[i]), i))
            good_pages_retest(c, i);
    }
    return c->n == n;
}

enum status load_image(const struct image_copies *copies, struct good_pages *c,
                       const struct page_source *source)
{
    while (good_pages_find(c, source) == STATUS_OK) {
        if (!place(copies, c, move_list(copies->check, c)))
            return STATUS_INVALID;
        if (is_placed(copies, c))
            return STATUS_OK;
    }
    return STATUS_NOT_FOUND;
}
