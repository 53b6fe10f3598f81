// SPDX-License-Identifier: MIT
/*
 * What a kind of line is made of: for lines_make.c and the files that describe the kinds, one a
 * target system.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bootcfg/lines_source.h"
#include "lib/fmt.h"
#include "lib/span.h"

struct line_job {
    const struct lines_source *source;
    struct lines_work *work; /* all: every bad page, in as many ranges as it holds */
    struct fmt_buffer *text, *note;
};

struct line_form {
    const char *hint;      /* a sentence for every such line, or NULL */
    const char *bios_hint; /* likewise, instead, where GRUB is started by a BIOS; NULL: the same */

    void (*make)(const struct line_form *form, const struct line_job *job);
    /* Whether it gives up no good page; NULL: never recommended instead of another. */
    bool (*is_exact)(const struct line_form *form, const struct line_job *job);
    enum line_kind instead[2]; /* what else serves the same system; LINE_KINDS: nothing */

    /* Of lists: head, entries with something between, tail. */
    const char *head, *between, *tail;
    void (*entry)(struct fmt_buffer *out, struct span span);
    size_t max_entries;      /* 0: no limit */
    bool by_page;            /* line_list: each page is an entry of its own */
    bool by_map;             /* no more entries than source->max_ranges */
    size_t max_bytes;        /* of the entries and what is between them; 0: no limit */
    size_t escapes;          /* bytes of an entry that are escapes only */
    uint64_t max_span_pages; /* longer ranges become several entries; 0: no limit */
    bool skips_page_0;       /* cannot list it */
    bool may_cross;          /* its ranges are harmless where there is no RAM */
    const char *limit;       /* in words */

    /* For GRUB, which loads Linux into memory that the line leaves: whether it covers this page. */
    bool (*takes)(const struct line_job *job, uint64_t page);
};

/*
 * Ranges (lines_ranges.c): all bad pages in at most max, 1 to RANGES_MAX. The log may grow
 * meanwhile.
 */
void ranges_collect(const struct fault_log *log, size_t max, struct ranges *ret_ranges);

/* Makes them at most max, 1 or more. */
void ranges_join(struct ranges *ranges, size_t max);

/* Lists of them. */
void line_make_ranges(const struct line_form *form, const struct line_job *job);
bool line_ranges_are_exact(const struct line_form *form, const struct line_job *job);

/*
 * A list of every bad page, or of every range (lines_ranges.c): as far as the line and the text
 * have room. Returns how many bad pages are listed; *ret_rest is the first one that is not.
 */
uint64_t line_list(const struct line_form *form, const struct line_job *job, uint64_t *ret_rest);

/* An entry: the address alone. */
void line_put_address(struct fmt_buffer *out, struct span span);

/* Notes (lines_make.c). */
void line_note_cost(const struct line_job *job, uint64_t pages, uint64_t lost_pages);
void line_note_limit(const struct line_form *form, const struct line_job *job);
void line_note_room(const struct line_form *form, const struct line_job *job);

extern const struct line_form line_grub, line_grub_default, line_cutmem;
extern const struct line_form line_memmap, line_memmap_dollar;
extern const struct line_form line_windows;
extern const struct line_form line_xen, line_freebsd, line_refind;
extern const struct line_form line_pages, line_ranges;
