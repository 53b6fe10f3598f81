// SPDX-License-Identifier: MIT
/*
 * Windows: bcdedit, BCD elements badmemorylist and badmemoryaccess. A /set replaces the list, so
 * all pages must be in one command, and cmd.exe takes 8191 characters. What does not fit is cut
 * off with truncatememory: no RAM is used from that address on.
 */
#include "bootcfg/lines_form.h"

#define COMMAND       "bcdedit /set {badmemory} badmemorylist "
#define COMMAND_BYTES 8191

static void put_page(struct fmt_buffer *out, struct span s)
{
    fmt_append(out, "0x%llx", (unsigned long long)s.base >> PAGE_SHIFT);
}

static void make(const struct line_form *form, const struct line_job *job)
{
    const struct page_index *space = job->source->log->space;
    uint64_t rest, index, listed = line_list(form, job, &rest), cut = 0;

    fmt_append(job->text, "%s", form->tail);
    if (page_index_index(space, rest, &index) == STATUS_OK) {
        fmt_append(job->text, "\nbcdedit /set truncatememory 0x%llx",
                   (unsigned long long)rest << PAGE_SHIFT);
        cut = space->n_pages - index;
    }
    line_note_cost(job, listed + cut,
                   listed + cut > job->work->all.bad_pages ? listed + cut - job->work->all.bad_pages
                                                           : 0);
    if (cut)
        line_note_limit(form, job);
}

const struct line_form line_windows = {
    .name = "windows",
    .place = "Windows: a command prompt as administrator",
    .hint = "It replaces the existing list and takes effect at the next start",
    .make = make,
    .instead = { LINE_REFIND, LINE_KINDS },
    .head = COMMAND,
    .between = " ",
    .tail = "\nbcdedit /set badmemoryaccess no",
    .entry = put_page,
    .by_page = true,
    .max_bytes = COMMAND_BYTES - (sizeof(COMMAND) - 1),
    .limit = "a command is limited to 8191 characters",
};
