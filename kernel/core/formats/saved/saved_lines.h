// SPDX-License-Identifier: MIT
/*
 * The lines of the report, kept in the order in which they come, as many as the report may have:
 * JSON and text, each with room of its own. Where there is no room for all, those of a higher rank
 * are kept, and of the same rank what came first.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/fmt.h"
#include "saved/saved.h"

#define SAVED_REPORT_MAX (SAVED_PARTS_MAX * SAVED_VARIABLE_MAX)
#define SAVED_TEXT_MAX   4096 /* more than any dump holds, so that the best of it can be chosen */
#define SAVED_JSON_LINES 400
#define SAVED_TEXT_LINES 112
#define SAVED_LINES_MAX  (SAVED_JSON_LINES + SAVED_TEXT_LINES)

/*
 * Of what a line is; the first is what is kept longest. As text the start comes after the
 * diagnosis, for a person wants the end first, and the identity last.
 */
enum saved_rank {
    SAVED_RANK_START,
    SAVED_RANK_IDENTITY,
    SAVED_RANK_RESULT,
    SAVED_RANK_BADRAM,
    SAVED_RANK_PAGES,
    SAVED_RANK_DIAGNOSIS, /* by which the loader goes on */
    SAVED_RANK_MACHINE,
    SAVED_RANK_TEST,     /* and modules, aliases, machine checks, advice */
    SAVED_RANK_LINE,     /* for other systems */
    SAVED_RANK_FAULT,    /* and the picture of all RAM */
    SAVED_RANK_MEASURED, /* and the nodes */
    SAVED_RANKS,
};

enum saved_form {
    SAVED_JSON,    /* for the variables */
    SAVED_TEXT,    /* for pstore's dump */
    SAVED_VERDICT, /* to be written only: JSON lines, the bad pages first, then how the run ended,
                      and none that depend on what is stored after them, such as the advice */
};

struct saved_lines {
    size_t n, length;
    struct {
        uint16_t bytes;
        uint8_t form, rank;
    } line[SAVED_LINES_MAX];
    char text[SAVED_REPORT_MAX + SAVED_TEXT_MAX]; /* one after the other */
};

/* Adds a line, with its \n at the end. */
void saved_lines_add(struct saved_lines *lines, enum saved_form form, enum saved_rank rank,
                     const char *text, size_t bytes);

/*
 * Writes to `out` what fits into `room` bytes of the form asked for. Returns how many bytes that
 * is; ret_cut: some lines did not fit.
 */
size_t saved_lines_write(const struct saved_lines *lines, enum saved_form form, size_t room,
                         char *out, bool *ret_cut);

/*
 * Several records of one type as one line, because there is little room in UEFI variables: memory
 * modules, faults and pages that were tested again.
 *
 * The line is the first record with one more field, "also": of each field in which the others
 * differ, the list of their values; of one field at least.
 *
 *   {"t":2,"type":"fault","addr":"0x8","node":0,"also":{"t":[3,4],"addr":["0x10","0x18"]}}
 */
#define SAVED_GROUP_MAX 16u /* records in a line that okram writes */

/*
 * Appends the first n of the lines as one, with its \n. 2 to SAVED_GROUP_MAX. False, and what
 * was appended has to be dropped: their fields or the order of these differ, or it does not fit.
 */
bool saved_group_join(const char *const *line, size_t n, struct fmt_buffer *out);
