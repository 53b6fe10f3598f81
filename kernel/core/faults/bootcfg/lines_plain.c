// SPDX-License-Identifier: MIT
/* Plain lists for any other use: one address, or START-END (END exclusive), a line. */
#include "bootcfg/lines_form.h"

static void put_address(struct fmt_buffer *out, struct span s)
{
    fmt_append(out, "0x%llx", (unsigned long long)s.base);
}

static void put_range(struct fmt_buffer *out, struct span s)
{
    fmt_append(out, "0x%llx-0x%llx", (unsigned long long)s.base, (unsigned long long)span_end(s));
}

static void note(const struct line_job *job, uint64_t listed)
{
    uint64_t bad_pages = job->work->all.bad_pages;

    if (listed < bad_pages)
        fmt_append(job->note, "only the first %lu of %lu bad pages: there are too many to list",
                   (unsigned long)listed, (unsigned long)bad_pages);
    else
        line_note_cost(job, listed, 0);
}

static void make_pages(const struct line_form *form, const struct line_job *job)
{
    uint64_t rest;

    note(job, line_list_pages(form, job, &rest));
}

static void make_ranges(const struct line_form *form, const struct line_job *job)
{
    uint64_t rest;

    note(job, line_list_ranges(form, job, &rest));
}

const struct line_form line_pages = {
    .name = "pages",
    .place = "a list of the bad pages",
    .make = make_pages,
    .instead = { LINE_KINDS, LINE_KINDS },
    .head = "",
    .between = "\n",
    .tail = "",
    .entry = put_address,
};

const struct line_form line_ranges = {
    .name = "ranges",
    .place = "a list of the ranges of bad pages",
    .make = make_ranges,
    .instead = { LINE_KINDS, LINE_KINDS },
    .head = "",
    .between = "\n",
    .tail = "",
    .entry = put_range,
};
