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
    SAVED_JSON, /* for the variables */
    SAVED_TEXT, /* for pstore's dump */
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
