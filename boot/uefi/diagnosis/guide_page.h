// SPDX-License-Identifier: MIT
/* The page of the guided diagnosis in the loader's menu: what it says and what it offers. Pure. */
#pragma once

#include <stdbool.h>

#include "guide.h"
#include "lib/fmt.h"

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
