// SPDX-License-Identifier: MIT
/* The kinds of lines, and what they are made from. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "badram/cover.h"
#include "log/fault_log.h"

enum line_kind {
    LINE_GRUB,
    LINE_GRUB_DEFAULT,
    LINE_CUTMEM,
    LINE_MEMMAP,
    LINE_MEMMAP_DOLLAR,
    LINE_WINDOWS,
    LINE_XEN,
    LINE_FREEBSD,
    LINE_REFIND,
    LINE_PAGES,
    LINE_RANGES,
    LINE_KINDS
};

struct lines_source {
    const struct fault_log *log;
    const struct cover *cover; /* of the badram line */
    uint64_t max_ranges;       /* lines_map_room(), or the user's ranges= */
    bool ram_is_assumed;       /* there may be more above that of the log */
    bool by_bios;              /* GRUB is started by a BIOS */
};

/*
 * The bad pages as ranges, for lines that list ranges instead of patterns.
 *
 * A list with fewer ranges than there are runs of bad pages costs good pages: the smallest gaps
 * between runs are given up, which is the least that any such list can cost. A range crosses a gap
 * of RAM only when there is no other way, because devices are there.
 */
#define RANGES_MAX 512

struct range_gap {
    uint64_t pages; /* good ones, between a range and the one before */
    bool has_hole;  /* RAM has a gap in it, too */
};

struct ranges {
    size_t n;
    uint64_t bad_pages;
    uint64_t lost_pages;              /* good ones within the ranges */
    bool crosses;                     /* a range crosses a gap of RAM */
    struct page_run run[RANGES_MAX];  /* by address */
    struct range_gap gap[RANGES_MAX]; /* before each, but the first */
};

/* About 32 KiB, of any content. */
struct lines_work {
    struct ranges all, few;
};
