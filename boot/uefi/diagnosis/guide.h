// SPDX-License-Identifier: MIT
/*
 * The guided diagnosis (diagnosis/diagnosis.h) as the loader's menu offers it: what is known at
 * this start, what can be chosen, and the page that says so. Pure; diagnosis_menu.h connects it to
 * firmware.
 *
 * A report of faults: OFFERED, at each start while its modules are fitted, until it is chosen. From
 * then on each start compares the state that was kept, or a newer one in the report of the run
 * since, with what is fitted now:
 *
 *     READY       what was asked for: the test goes on by itself
 *     UNCHANGED   what was tested last: not changed yet, or what was asked for did not start
 *     CHANGED     something else, which can be tested all the same
 *     UNFINISHED  a test began with what is fitted, and left no result
 *     ENDED       what was found, until it is forgotten, or faults come without the bad module
 *     LOST        it cannot go on with what is fitted; a report of faults is offered instead
 *     DAMAGED     what was kept cannot be read
 */
#pragma once

#include <stdbool.h>

#include "diagnosis/diagnosis.h"
#include "diagnosis/next_step.h"
#include "lib/fmt.h"

enum guide_situation {
    GUIDE_NONE,
    GUIDE_OFFERED,
    GUIDE_READY,
    GUIDE_UNCHANGED,
    GUIDE_CHANGED,
    GUIDE_UNFINISHED,
    GUIDE_ENDED,
    GUIDE_LOST,
    GUIDE_DAMAGED,
};

/* From where a state can come. */
enum guide_source { GUIDE_VARIABLE, GUIDE_FILE, GUIDE_RECORD, GUIDE_SOURCES };

/*
 * text: the word (diagnosis/code.h) of variable and file; of the record all JSON lines of the last
 * report, whose variables anybody can write: its last record of type diagnosis counts. NULL or "":
 * there is none, or it cannot be read; then why: the end of a sentence.
 */
struct guide_found {
    const char *text, *why;
};

struct guide {
    enum guide_situation situation;
    bool is_kept;                 /* there is something to forget */
    bool is_new;                  /* the state is not the one that was kept: it is to be */
    bool is_asked;                /* a step was asked for before this start */
    char why[GUIDE_SOURCES][100]; /* it cannot be used: the end of a sentence; or "" */
    bool has_kept, has_record;
    bool has_begun; /* the record's run went on with a diagnosis */
    bool has_offer; /* with which one can begin */
    struct diagnosis kept, record, offer, state;
    struct arrangement before, now; /* tested last; fitted */
    struct diagnosis_step step;
    struct diagnosis_end end;
    unsigned notes; /* enum diagnosis_note */
};

void guide_begin(struct guide *ret_guide, const struct guide_found found[GUIDE_SOURCES],
                 const struct diagnosis_machine *machine);

/* The offer is taken, instead of what was there before. */
void guide_accept(struct guide *g, const struct diagnosis_machine *machine);

/* What was asked for does not start: the next step. */
void guide_did_not_start(struct guide *g, const struct diagnosis_machine *machine);

/* A run begins with what is fitted; appends the options for it. */
void guide_run_begins(struct guide *g, struct fmt_buffer *words);

/* What was kept is deleted; an offer stays. */
void guide_forget(struct guide *g, const struct diagnosis_machine *machine);

/* guide_page.c: what is shown of it. */

enum guide_choice {
    GUIDE_START,         /* the test, as it is now */
    GUIDE_POWER_OFF,     /* to change modules */
    GUIDE_SETUP,         /* to BIOS setup */
    GUIDE_DID_NOT_START, /* what was asked for */
    GUIDE_ANEW,          /* with the faults of the last run */
    GUIDE_FORGET,
    GUIDE_CHOICES,
};

/* What can be chosen, in that order; has_setup: firmware can be told to show its setup. */
unsigned guide_choices(const struct guide *g, bool has_setup,
                       enum guide_choice ret_choice[GUIDE_CHOICES]);

/* On a line of 60 characters at most. */
const char *guide_choice_text(const struct guide *g, enum guide_choice choice);

/* The menu's row, of 72 characters at most. */
void guide_append_headline(const struct guide *g, struct fmt_buffer *out);

/* Paragraphs, the most important first, as struct menu_diagnosis has them. */
void guide_append_page(const struct guide *g, struct fmt_buffer *out);
