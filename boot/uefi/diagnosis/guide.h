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
 *     READY      what was asked for: the test goes on by itself
 *     UNCHANGED  what was tested last: not changed yet, or what was asked for did not start
 *     CHANGED    something else, which can be tested all the same
 *     ENDED      what was found, until it is forgotten, or faults come without the bad module
 *     LOST       it cannot go on with what is fitted; a report of faults is offered instead
 *     DAMAGED    what was kept cannot be read
 */
#pragma once

#include <stdbool.h>

#include "diagnosis/diagnosis.h"
#include "diagnosis/sentences.h"
#include "lib/fmt.h"
#include "lib/status.h"

enum guide_situation {
    GUIDE_NONE,
    GUIDE_OFFERED,
    GUIDE_READY,
    GUIDE_UNCHANGED,
    GUIDE_CHANGED,
    GUIDE_ENDED,
    GUIDE_LOST,
    GUIDE_DAMAGED,
};

struct guide {
    enum guide_situation situation;
    bool is_new;   /* the state is to be kept, if it is not what is kept */
    bool is_asked; /* a step was asked for before this start */
    const char *why_not_kept,
        *why_record; /* why it cannot be used: the end of a sentence; or NULL */
    bool has_offer;  /* the last report is of faults, with which to begin */
    struct diagnosis offer, state;
    struct arrangement before, now; /* tested last; fitted */
    enum status fitted;             /* else STATUS_OK: why `now` cannot be used */
    struct diagnosis_record record; /* of the state */
};

/*
 * kept: the word with names (diagnosis/code.h) of the variable; NULL or "": there is none, or it
 * cannot be read; then why: the end of a sentence. jsonl: all JSON lines of the last report, whose
 * variables anybody can write, or NULL: its last record of type diagnosis counts.
 */
void guide_begin(struct guide *ret_guide, const char *kept, const char *why, const char *jsonl,
                 const struct diagnosis_machine *machine);

/* The offer is taken. */
void guide_accept(struct guide *g, const struct diagnosis_machine *machine);

/* What was asked for does not start: the next step. */
void guide_did_not_start(struct guide *g, const struct diagnosis_machine *machine);

/* What was kept is deleted; an offer of the last report stays. */
void guide_forget(struct guide *g, const struct diagnosis_machine *machine);

/* The options for a run with what is fitted. */
void guide_append_words(const struct guide *g, struct fmt_buffer *out);

/* guide_page.c: what is shown of it. */

enum guide_choice {
    GUIDE_START,         /* the test, as it is now */
    GUIDE_POWER_OFF,     /* to change modules */
    GUIDE_SETUP,         /* to BIOS setup */
    GUIDE_DID_NOT_START, /* what was asked for */
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
