// SPDX-License-Identifier: MIT
/* The result in words: shown on the page of results and, shorter, on the main page. */
#pragma once

#include "screen/screen_state.h"

#define VERDICT_SENTENCES 3 /* the last may be "" */

struct screen_verdict {
    const char *big; /* "PASS", in the letters of screen_big_letters.h */
    uint8_t colour;
    char what[120]; /* "FAIL: 2 bad pages, ..." */
    char kind[400]; /* of fault, and which chip, or "" */
    char tested[120], untested[240];
    char excluded[240];                  /* what a pass excludes, or "" */
    char advice[VERDICT_SENTENCES][160]; /* what to do next */
    /*
     * Which module is bad, or what to do to find it: in full, and in a row; and options of the next
     * run to be typed. Or "".
     */
    char module[1500], module_short[100],
        options[sizeof(((struct diagnosis_record *)0)->words) + 40];
};

/* There must be a result. */
void screen_verdict_make(const struct screen_state *s, struct screen_verdict *ret_verdict);
