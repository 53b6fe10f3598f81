// SPDX-License-Identifier: MIT
#include "bootcfg/lines_form.h"

void line_note_cost(const struct line_job *job, uint64_t pages, uint64_t lost_pages)
{
    fmt_append(job->note, "%lu page%s (%s) given up, ", (unsigned long)pages, fmt_plural(pages),
               FMT_SIZE(pages << PAGE_SHIFT));
    if (lost_pages)
        fmt_append(job->note, "%lu of them good", (unsigned long)lost_pages);
    else
        fmt_append(job->note, "no good pages lost");
}

/* Why good pages are given up, and which other lines lose none. */
void line_note_limit(const struct line_form *form, const struct line_job *job)
{
    const char *word = "; no good page is lost with";

    fmt_append(job->note, ": %s", form->limit);
    for (size_t i = 0; i < sizeof(form->instead) / sizeof(form->instead[0]); i++) {
        const struct line_form *other;

        if (form->instead[i] == LINE_KINDS)
            continue;
        other = line_form(form->instead[i]);
        if (other->is_exact(other, job)) {
            fmt_append(job->note, "%s %s", word, other->name);
            word = " or";
        }
    }
}
