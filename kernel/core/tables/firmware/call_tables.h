// SPDX-License-Identifier: MIT
/*
 * Page tables for a call of firmware's code, as data (Intel SDM vol. 3A, 4.5): firmware's memory,
 * and devices, at their own addresses, writable and executable, as UEFI's own tables have them
 * (UEFI 2.10, 2.3.4; MTRRs say what is uncached).
 *
 * Memory that okram tests is not there. Boot services' memory is the system's after
 * ExitBootServices (7.2, "Memory Type Usage"): a driver that goes on using it raises a page fault
 * instead of reading a test's data or spoiling them. Linux maps what is RUNTIME, and takes such a
 * fault as the end of the services (efi_crash_gracefully_on_page_fault). Here, reserved memory,
 * that of ACPI, page 0, and addresses that the map does not list stay reachable, too.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firmware/memory_map.h"
#include "lib/spans.h"

#define CALL_TABLES_ENTRIES 512

/*
 * What the tables do not have: memory that is tested, or whose content is somebody else's, but not
 * what is shown. It is appended to ret_hidden, which has room for SPANS_CUT_MAX of the regions and
 * what is shown.
 */
void call_tables_hide(const struct memory_map *map, bool acpi_is_tested, const struct spans *shown,
                      struct spans *ret_hidden);

struct call_tables {
    struct spans hidden;
    bool has_1g;                           /* the CPU has pages of 1 GiB */
    uint64_t (*page)[CALL_TABLES_ENTRIES]; /* n_pages of them */
    size_t n_pages;
    uint64_t (*address_of)(const void *page); /* the physical address of one of these */
};

/* The first address that is not reached: 512 GiB, or 4 GiB without pages of 1 GiB. */
uint64_t call_tables_limit(const struct call_tables *tables);

/* How many pages call_tables_make would use, if there were enough. */
size_t call_tables_count(const struct call_tables *tables);

/*
 * Fills the pages. A page of memory that is hidden in part only is shown. If the pages do not
 * suffice, so are the last larger ones. Returns the physical address of the table of the third
 * level, for the first entry of a fourth.
 */
uint64_t call_tables_make(const struct call_tables *tables);
