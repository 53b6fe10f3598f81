// SPDX-License-Identifier: MIT
/*
 * What the firmware names as memory and is not RAM to test, for the report: persistent memory,
 * unaccepted memory, windows for CXL memory that firmware has not set up, and ranges of the SRAT
 * that are empty, as those for memory hot-plug are. And where Syslinux' memdisk has put disks in
 * RAM (mBFT).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acpi/acpi.h"
#include "acpi/srat.h"
#include "firmware/memory_map.h"
#include "firmware/phys.h"
#include "lib/span.h"
#include "lib/status.h"
#include "lib/warn.h"

#define CEDT_WINDOWS_MAX 64

/*
 * Where memory behind CXL may be: the table "CEDT" (CXL specification 3.1, 9.18.1). okram sets up
 * no CXL memory: the memory map says what firmware has set up.
 */
struct cedt {
    size_t n;
    struct span window[CEDT_WINDOWS_MAX]; /* none empty, in firmware's order; they may overlap */
};

/*
 * Reads a table returned by acpi_find. STATUS_INVALID, with a warning: it is too short. What is
 * malformed in it is left out, with one warning for each kind of defect.
 */
enum status cedt_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct cedt *ret_cedt);

struct other_memory {
    struct span span;
    const char *why; /* it is not tested */
};

struct memory_tables {
    const struct memory_map *map;
    const struct cedt *cedt; /* NULL: there is none; so for srat */
    const struct srat *srat;
};

/* The most ranges that there can be. */
size_t non_ram_ranges_max(const struct memory_tables *tables);

/* The next; *at is where to look on, at first 0. False: no more. */
bool non_ram_ranges_next(const struct memory_tables *tables, size_t *at,
                         struct other_memory *ret_other);

/*
 * Where the next disk in RAM is that Syslinux' memdisk has made before it started okram from one of
 * them: begin with *at = 0. False: there is none any more. For a machine with a BIOS. memdisk takes
 * their memory out of the BIOS's RAM, and leaves in base memory a table for each in the form of
 * ACPI's, the mBFT (Syslinux 6.04: doc/memdisk.txt, struct mBFT in memdisk/mstructs.h). How large
 * it is the table does not say: it counts sectors, of 512 bytes or of 2048.
 */
bool mbft_next(const struct phys_reader *reader, uint64_t *at, uint64_t *ret_disk);
