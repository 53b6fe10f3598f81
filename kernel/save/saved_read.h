// SPDX-License-Identifier: MIT
/*
 * The report in UEFI variables (save/saved.h), from their bytes. Anybody can write variables:
 * nothing in them is believed before it is checked. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/warn.h"
#include "save/saved.h"

/* The data of a variable; bytes NULL: there is none. More than SAVED_VARIABLE_MAX may be cut. */
struct saved_variable {
    const void *bytes;
    size_t size;
    uint32_t attributes;
};

struct saved_variables {
    struct saved_variable state, part[SAVED_PARTS_MAX];
};

enum saved_kind {
    SAVED_NOTHING,    /* there is no state */
    SAVED_UNREADABLE, /* the state is damaged or somebody else's: `why` */
    SAVED_UNFINISHED, /* the run that wrote it did not reach its end */
    SAVED_INCOMPLETE, /* finished, but the report's parts are missing or damaged: `why` */
    SAVED_WHOLE,      /* finished, and here is the report */
};

#define SAVED_MARK_MAX 40 /* "[part 16 of 16 is missing]" on a line */
#define SAVED_TEXT_MAX (SAVED_PARTS_MAX * (SAVED_PART_BYTES_MAX + SAVED_MARK_MAX) + 1)

struct saved_report {
    enum saved_kind kind;
    struct saved_state state;   /* from SAVED_UNFINISHED on; its strings are printable ASCII */
    char why[WARNING_TEXT_MAX]; /* a sentence, or "" */
    uint32_t invalid_parts;     /* bit n: part n is there and is damaged or somebody else's */

    /*
     * Terminated; any bytes but NUL. Of SAVED_WHOLE both; of SAVED_INCOMPLETE the text is what is
     * left of either, with a line in the place of each part that is missing. Else "".
     */
    char jsonl[SAVED_TEXT_MAX];
    char text[SAVED_TEXT_MAX];
};

void saved_read(const struct saved_variables *variables, struct saved_report *ret_report);

/* Why this part is not valid, whatever run it is of: a sentence. NULL: it is valid. */
const char *saved_part_error(const struct saved_variable *part, unsigned index);
