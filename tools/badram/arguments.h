// SPDX-License-Identifier: MIT
/* The command line of badram. An error in it ends the program with a message. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/span.h"

#define RAM_SPANS_MAX 1024

/* A bitmap over this much RAM takes 2 GiB. */
#define RAM_TOP (UINT64_C(1) << 46)

#define ASSUMED_RAM_MAX (UINT64_C(1) << 42)

/* GRUB's firmware. */
enum firmware { FIRMWARE_UNKNOWN, FIRMWARE_BIOS, FIRMWARE_UEFI };

/* A pattern of the input: any bits. */
struct written {
    uint64_t addr, mask;
};

struct arguments {
    size_t patterns; /* --patterns N: most patterns of the cover */
    uint64_t ranges; /* --ranges N: most ranges; without it what the map has room for */
    bool ranges_are_auto;
    uint32_t kinds; /* --to NAMES: bit n is the line of kind n (bootcfg/lines.h) */
    bool json;      /* --json: one object */
    bool explain;   /* --explain: what each pattern covers */
    bool has_input; /* no --no-input: bad pages come on standard input */

    struct span ram[RAM_SPANS_MAX]; /* --ram BASE-END, repeated; END exclusive */
    size_t n_ram;
    bool ram_is_known;  /* else it was assumed */
    size_t map_entries; /* --map-entries N: of the machine's memory map; 0: unknown */
    uint64_t map_top;   /* --map-top ADDR: where its last entry begins; 0: unknown */

    enum firmware firmware;           /* --firmware bios, --firmware uefi */
    struct span entry[RAM_SPANS_MAX]; /* --entry BASE-END, repeated: all entries of the map */
    size_t n_entries;                 /* 0: unknown */

    struct written *checked; /* --check ADDR,MASK,...: a line to check; the last one */
    size_t n_checked;
};

void arguments_parse(int argc, char **argv, struct arguments *ret_arguments);

/*
 * Without --ram: all up to the next power of two that holds top, is RAM. Fails where that is more
 * than ASSUMED_RAM_MAX: the bitmap would take more than 128 MiB for what one wrong address may be.
 */
void arguments_assume_ram(struct arguments *arguments, uint64_t top);
