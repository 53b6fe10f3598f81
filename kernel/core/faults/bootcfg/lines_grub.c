// SPDX-License-Identifier: MIT
/*
 * GRUB 2: the command badram, which /etc/default/grub makes of GRUB_BADRAM, and the command cutmem.
 *
 * cutmem reads its numbers as unsigned long, which GRUB for BIOS has 32 bits of: only with a
 * suffix do they reach above 4 GiB.
 */
#include "bootcfg/lines.h"
#include "bootcfg/lines_form.h"

#define LOCKDOWN "Secure Boot disables it"

/* By UEFI, GRUB takes memory from firmware, and so never the pages that are covered. */
#define LOADS_OVER                                                                                 \
    "GRUB may still load Linux and its initial file system over bad pages; by UEFI it does not"

static uint64_t lost_pages(const struct line_job *job)
{
    uint64_t sacrificed = job->source->cover->sacrificed_pages;

    return sacrificed > job->work->all.bad_pages ? sacrificed - job->work->all.bad_pages : 0;
}

static bool badram_is_exact(const struct line_form *form, const struct line_job *job)
{
    const struct cover *cover = job->source->cover;

    return lost_pages(job) == 0 && !cover->grub_bios_misses &&
           cover->ranges <= job->source->max_ranges;
}

static void note_badram(const struct line_form *form, const struct line_job *job)
{
    const struct cover *cover = job->source->cover;

    line_note_cost(job, cover->sacrificed_pages, lost_pages(job));
    if (lost_pages(job))
        line_note_limit(form, job);
    if (cover->ranges > job->source->max_ranges)
        fmt_append(
            job->note,
            "; it adds %lu memory map entries but there is room for %lu: Linux loses the rest",
            (unsigned long)cover->ranges, (unsigned long)job->source->max_ranges);
    if (cover->grub_bios_misses)
        fmt_append(job->note, "; GRUB on BIOS leaves some bad pages in use");
    line_note_room(form, job);
}

static bool covers(const struct line_job *job, uint64_t page)
{
    const struct cover *cover = job->source->cover;
    size_t i = 0;

    while (i < cover->n_patterns && !pattern_covers(cover->pattern[i], page << PAGE_SHIFT))
        i++;
    return i < cover->n_patterns;
}

static void make_badram(const struct line_form *form, const struct line_job *job)
{
    badram_line_append(job->text, job->source->cover);
    note_badram(form, job);
}

static void make_default(const struct line_form *form, const struct line_job *job)
{
    fmt_append(job->text, "GRUB_BADRAM=\"");
    cover_append_pairs(job->text, job->source->cover);
    fmt_append(job->text, "\"");
    note_badram(form, job);
}

static void put_cutmem(struct fmt_buffer *out, struct span s)
{
    fmt_append(out, "cutmem 0x%llxK 0x%llxK", (unsigned long long)s.base >> 10,
               (unsigned long long)span_end(s) >> 10);
}

static bool cuts(const struct line_job *job, uint64_t page)
{
    const struct ranges *few = &job->work->few;
    size_t i = 0;

    while (i < few->n && page_run_end(few->run[i]) <= page)
        i++;
    return i < few->n && few->run[i].first <= page;
}

static void make_cutmem(const struct line_form *form, const struct line_job *job)
{
    line_make_ranges(form, job);
    if (job->text->length)
        line_note_room(form, job);
}

#define BADRAM_FORM                                                                                \
    .hint = LOCKDOWN, .bios_hint = LOADS_OVER, .is_exact = badram_is_exact,                        \
    .instead = { LINE_CUTMEM, LINE_MEMMAP }, .takes = covers,                                      \
    .limit = "no smaller cover was found within the limits on patterns and map entries"

const struct line_form line_grub = {
    .make = make_badram,
    BADRAM_FORM,
};

const struct line_form line_grub_default = {
    .make = make_default,
    BADRAM_FORM,
};

const struct line_form line_cutmem = {
    .hint = LOCKDOWN,
    .bios_hint = LOADS_OVER,
    .make = make_cutmem,
    .takes = cuts,
    .is_exact = line_ranges_are_exact,
    .instead = { LINE_GRUB, LINE_MEMMAP },
    .head = "",
    .between = "\n",
    .tail = "",
    .entry = put_cutmem,
    .by_map = true,
    .limit = "Linux's memory map has no room for more ranges",
};
