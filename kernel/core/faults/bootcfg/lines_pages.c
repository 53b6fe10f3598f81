// SPDX-License-Identifier: MIT
#include "bootcfg/lines_form.h"

#include "lib/minmax.h"
#include "lib/string.h"

#define ENTRY_SIZE 80

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
