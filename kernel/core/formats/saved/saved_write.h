// SPDX-License-Identifier: MIT
/*
 * The report as text for UEFI variables (saved/saved.h); when it is written and how much fits. And
 * its text lines as a dump that Linux's pstore reads.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/fields.h"
#include "saved/saved.h"
#include "saved/saved_lines.h"

/* The fields of the records `saved` and `state`. */
#define SAVED_HEAD_FIELDS  5
#define SAVED_STATE_FIELDS 14
extern const struct field saved_head_fields[SAVED_HEAD_FIELDS];
extern const struct field saved_state_fields[SAVED_STATE_FIELDS];

/* "OkramReport00": ret_name has room for SAVED_NAME_MAX. */
#define SAVED_NAME_MAX 16
void saved_part_name(unsigned index, char *ret_name);

/* The number of variables that `bytes` bytes take. */
unsigned saved_parts_of(size_t bytes);

/* Least room that saved_make needs: for the head and the state record. */
#define SAVED_STATE_MAX 640
#define SAVED_MADE_MIN  (SAVED_HEAD_MAX + SAVED_STATE_MAX)

/* What a report is made of. */
struct saved_source {
    enum saved_phase phase;
    const struct saved_state *state;
    const struct saved_lines *lines;
    const uint8_t *key; /* by which it is signed (saved/saved_read.h); NULL: it is not */
    bool is_verdict;    /* only the lines that say how the run ended (SAVED_VERDICT) */
};

/*
 * Writes the report to `out`: the head, the state record, and the JSON lines that fit into `room`
 * bytes altogether. Returns how many bytes that is; ret_cut: some lines did not fit.
 */
size_t saved_make(const struct saved_source *from, size_t room, char *out, bool *ret_cut);

/* Whether a variable's data can be what okram wrote there, whole or damaged. */
bool saved_is_own(unsigned index, const void *data, size_t bytes);

/* Bytes that stay free in the store: firmware with a full one may not start any more. */
#define SAVED_KEEP_FREE (5 * 1024)

/* What the store needs for a variable at most: its header, its name and its data. */
#define SAVED_VARIABLE_COST (128 + SAVED_VARIABLE_MAX)

/*
 * Whether one variable, and a list for the guard of `list_bytes` bytes (0: none), may be written in
 * the course of the run, and the whole report and such a list still fit later: firmware does not
 * always use the old one's bytes again before the next boot.
 */
bool saved_leaves_room(uint64_t remaining, size_t list_bytes);

/*
 * Whether the guard's list of `bytes` bytes may be written and two parts of the report still fit.
 * largest: the most bytes that its variable may have.
 */
bool saved_list_fits(size_t bytes, uint64_t largest, uint64_t remaining);

/* The variables that may be written with `remaining` bytes left in the store. */
unsigned saved_parts_that_fit(uint64_t remaining);

/* Those that may be written besides the verdict, so that the head of the next run fits, too. */
unsigned saved_parts_besides(uint64_t remaining);

/*
 * When the state is written: at once, when there is the first fault, and every half hour, each time
 * one variable. Flash wears out, and some firmware makes room in it at every write: a run of a week
 * would take up to 10,000 writes at one a minute. The guard's list is written with it if it has
 * grown. The report at the end is not counted.
 */
struct saved_pace {
    uint32_t n_written;
    bool has_fault; /* of what was written */
    double written; /* seconds since kernel entry */
};

#define SAVED_EVERY_SECONDS 1800.0
#define SAVED_STATES_MAX    30 /* a boot */

/* Whether a write is due at t seconds; counts it as done then. has_fault: one was found by then. */
bool saved_is_due(struct saved_pace *pace, double t, bool has_fault);

/*
 * A dump in the layout of Linux's pstore on UEFI variables (its drivers/firmware/efi/efi-pstore.c
 * reads it): Linux has it as a file of /sys/fs/pstore, and systemd-pstore moves it to
 * /var/lib/systemd/pstore.
 *
 * The first line is in the form of pstore's, WHY#COUNT PartPART; okram's own dumps are known by it.
 */

/* cfc8fc79-be2e-4ddc-97f0-9f98bfe298a0 as the bytes of an EFI_GUID. */
#define PSTORE_GUID                                                                                \
    {                                                                                              \
        0xcfc8fc79, 0xbe2e, 0x4ddc,                                                                \
        {                                                                                          \
            0x97, 0xf0, 0x9f, 0x98, 0xbf, 0xe2, 0x98, 0xa0                                         \
        }                                                                                          \
    }

#define PSTORE_DUMP_MAX 1024 /* efi-pstore reads no more of one */
#define PSTORE_NAME_MAX 48

/* "dump-type0-1-1-TIME-D": a kernel log, part 1, count 1, not compressed. */
void pstore_name(int64_t time, char ret_name[PSTORE_NAME_MAX]);

/* Whether a variable's name is one that pstore_name gives. */
bool pstore_is_name(const char *name);

/* The text lines that fit. Returns the bytes. */
size_t pstore_dump(const struct saved_lines *lines, char ret_dump[PSTORE_DUMP_MAX]);

/* Whether a dump is okram's. */
bool pstore_is_own(const void *data, size_t bytes);
