// SPDX-License-Identifier: MIT
#include "bootcfg/lines_form.h"

#include "lib/minmax.h"
#include "lib/panic.h"
#include "lib/string.h"

static bool costs_more(struct range_gap a, struct range_gap b)
{
    return a.has_hole != b.has_hole ? a.has_hole : a.pages > b.pages;
}

/* Whose gap costs least; there are at least two. */
static size_t cheapest(const struct ranges *r)
{
    size_t best = 1;

    for (size_t i = 2; i < r->n; i++) {
        if (costs_more(r->gap[best], r->gap[i]))
            best = i;
    }
    return best;
}

static void count_loss(struct ranges *r, struct range_gap gap)
{
    r->lost_pages += gap.pages;
    r->crosses |= gap.has_hole;
}

/* Joins range i to the one before. */
static void join(struct ranges *r, size_t i)
{
    size_t after = r->n - i - 1;

    count_loss(r, r->gap[i]);
    r->run[i - 1].count = page_run_end(r->run[i]) - r->run[i - 1].first;
    memmove(&r->run[i], &r->run[i + 1], after * sizeof(r->run[0]));
    memmove(&r->gap[i], &r->gap[i + 1], after * sizeof(r->gap[0]));
    r->n--;
}

void ranges_collect(const struct fault_log *log, size_t max, struct ranges *ret_ranges)
{
    struct ranges *r = ret_ranges;
    uint64_t index = 0, end_index = 0;
    size_t least = 0; /* the cheapest gap, once the list is full; 0: not looked for */
    struct page_run run;

    ASSERT(max > 0 && max <= RANGES_MAX);
    r->n = 0;
    r->bad_pages = r->lost_pages = 0;
    r->crosses = false;
    for (; fault_log_next_run(log, &index, &run); end_index = index) {
        struct page_run *last = r->n ? &r->run[r->n - 1] : NULL;
        struct range_gap gap = { .pages = index - run.count - end_index };

        gap.has_hole = last && run.first - page_run_end(*last) != gap.pages;
        r->bad_pages += run.count;
        if (r->n == max) {
            if (max > 1 && !least)
                least = cheapest(r);
            if (max == 1 || !costs_more(gap, r->gap[least])) {
                count_loss(r, gap);
                last->count = page_run_end(run) - last->first;
                continue;
            }
            join(r, least);
            least = 0;
        }
        r->run[r->n] = run;
        r->gap[r->n++] = gap;
    }
}

void ranges_join(struct ranges *ranges, size_t max)
{
    ASSERT(max > 0);
    while (ranges->n > max)
        join(ranges, cheapest(ranges));
}

/* One entry, with its escapes, in any form. */
#define ENTRY_SIZE 80

/* Of a range the next piece that one entry may hold. */
static struct page_run take_piece(const struct line_form *form, struct page_run *run)
{
    struct page_run piece = *run;

    if (form->skips_page_0 && piece.first == 0) {
        piece.first++;
        piece.count--;
    }
    if (form->max_span_pages && piece.count > form->max_span_pages)
        piece.count = form->max_span_pages;
    run->count = page_run_end(*run) - page_run_end(piece);
    run->first = page_run_end(piece);
    return piece;
}

/*
 * Appends a list to out, which may be NULL, to measure only. Returns whether it holds something and
 * fits.
 */
static bool put_ranges(const struct line_form *form, const struct line_job *job,
                       const struct ranges *ranges, struct fmt_buffer *out)
{
    size_t entries = 0, bytes = 0;

    for (size_t i = 0; i < ranges->n; i++) {
        for (struct page_run rest = ranges->run[i]; rest.count;) {
            struct page_run piece = take_piece(form, &rest);
            char text[ENTRY_SIZE];
            struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

            if (!piece.count)
                continue;
            if (entries++)
                fmt_append(&b, "%s", form->between);
            form->entry(&b, (struct span){ piece.first << PAGE_SHIFT, piece.count << PAGE_SHIFT });
            bytes += b.length - form->escapes;
            if (out)
                fmt_append(out, "%s", text);
        }
    }
    return entries && (!form->max_entries || entries <= form->max_entries) &&
           (!form->max_bytes || bytes <= form->max_bytes) &&
           (!form->by_map || entries <= job->source->max_ranges);
}

static bool is_usable(const struct line_form *form, const struct line_job *job,
                      const struct ranges *ranges)
{
    return (form->may_cross || !ranges->crosses) && put_ranges(form, job, ranges, NULL);
}

bool line_ranges_are_exact(const struct line_form *form, const struct line_job *job)
{
    return job->work->all.lost_pages == 0 && is_usable(form, job, &job->work->all);
}

void line_make_ranges(const struct line_form *form, const struct line_job *job)
{
    struct ranges *few = &job->work->few;

    *few = job->work->all;
    while (few->n > 1 && !put_ranges(form, job, few, NULL))
        ranges_join(few, few->n - 1);
    if (!is_usable(form, job, few)) {
        fmt_append(job->note, "no such line is possible");
        line_note_limit(form, job);
        return;
    }
    fmt_append(job->text, "%s", form->head);
    put_ranges(form, job, few, job->text);
    fmt_append(job->text, "%s", form->tail);
    line_note_cost(job, few->bad_pages + few->lost_pages, few->lost_pages);
    if (few->lost_pages)
        line_note_limit(form, job);
    if (form->skips_page_0 && few->run[0].first == 0)
        fmt_append(job->note, "; page 0 cannot be listed");
}

/* What the list has room for, in the line and in the text. */
static size_t room(const struct line_form *form, const struct line_job *job)
{
    size_t left = job->text->size - job->text->length - 1;
    size_t tail = strlen(form->tail) + ENTRY_SIZE; /* for one line more, should the list not fit */

    left = left > tail ? left - tail : 0;
    return form->max_bytes ? min_u64(form->max_bytes, left) : left;
}

static bool put_entry(const struct line_form *form, const struct line_job *job,
                      struct page_run pages, bool first, size_t *left)
{
    char text[ENTRY_SIZE];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    if (!first)
        fmt_append(&b, "%s", form->between);
    form->entry(&b, (struct span){ pages.first << PAGE_SHIFT, pages.count << PAGE_SHIFT });
    if (b.length > *left)
        return false;
    *left -= b.length;
    fmt_append(job->text, "%s", text);
    return true;
}

uint64_t line_list(const struct line_form *form, const struct line_job *job, uint64_t *ret_rest)
{
    uint64_t index = 0, listed = 0;
    bool first = true;
    struct page_run run;
    size_t left;

    fmt_append(job->text, "%s", form->head);
    left = room(form, job);
    while (fault_log_next_run(job->source->log, &index, &run)) {
        for (uint64_t page = run.first; page < page_run_end(run);) {
            struct page_run part = { page, form->by_page ? 1 : page_run_end(run) - page };

            if (!(form->skips_page_0 && page == 0)) {
                if (!put_entry(form, job, part, first, &left)) {
                    *ret_rest = page;
                    return listed;
                }
                first = false;
            }
            listed += part.count;
            page += part.count;
        }
    }
    *ret_rest = PAGES_MAX;
    return listed;
}

void line_put_address(struct fmt_buffer *out, struct span span)
{
    fmt_append(out, "0x%llx", (unsigned long long)span.base);
}
