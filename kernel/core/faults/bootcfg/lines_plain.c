// SPDX-License-Identifier: MIT
/* Plain lists for any other use: one address, or START-END (END exclusive), a line. */
#include "bootcfg/lines_form.h"

static void put_range(struct fmt_buffer *out, struct span s)
{
    fmt_append(out, "0x%llx-0x%llx", (unsigned long long)s.base, (unsigned long long)span_end(s));
}

static void make_list(const struct line_form *form, const struct line_job *job)
{
    uint64_t rest, listed = line_list(form, job, &rest), bad_pages = job->work->all.bad_pages;

    if (listed < bad_pages)
        fmt_append(job->note, "only the first %lu of %lu bad pages: there are too many to list",
                   (unsigned long)listed, (unsigned long)bad_pages);
    else
        line_note_cost(job, listed, 0);
}

const struct line_form line_pages = {
    .name = "pages",
    .place = "a list of the bad pages",
    .make = make_list,
    .instead = { LINE_KINDS, LINE_KINDS },
    .head = "",
    .between = "\n",
    .tail = "",
    .entry = line_put_address,
    .by_page = true,
};

const struct line_form line_ranges = {
    .name = "ranges",
    .place = "a list of the ranges of bad pages",
    .make = make_list,
    .instead = { LINE_KINDS, LINE_KINDS },
    .head = "",
    .between = "\n",
    .tail = "",
    .entry = put_range,
};
