// SPDX-License-Identifier: MIT
#include "bootcfg/lines_form.h"

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
