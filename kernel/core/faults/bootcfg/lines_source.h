// SPDX-License-Identifier: MIT
/* The kinds of lines, and what they are made from. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "badram/cover.h"
#include "bootcfg/ranges.h"
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

/* About 32 KiB, of any content. */
struct lines_work {
    struct ranges all, few;
};
