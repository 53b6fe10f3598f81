// SPDX-License-Identifier: MIT
/* The result in words: shown on the page of results and, shorter, on the main page. */
#pragma once

#include "screen/screen_state.h"

struct screen_verdict {
    const char *big; /* "PASS", "BAD MODULE FOUND", in the letters of screen_big_letters.h */
    uint8_t colour;
    char what[180]; /* "FAIL: 2 bad pages, ..." */
    char kind[400]; /* of fault, and which chip or channel, or "" */
    char tested[120], untested[240];
    char excluded[240]; /* what a pass excludes, or "" */
    const char *advice; /* what to do next; the state's */
    /*
     * Instead of it, where there is little room: what a guided diagnosis asks for, in a row; and
     * options of its next run that a person has to type. Or "".
     */
    char advice_short[100], options[sizeof(((struct diagnosis_record *)0)->words) + 40];
    char kept[160]; /* where the report is, or "" */
};

/* There must be a result. */
void screen_verdict_make(const struct screen_state *s, struct screen_verdict *ret_verdict);
