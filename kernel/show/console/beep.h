// SPDX-License-Identifier: MIT
/*
 * The PC speaker: tones of the PIT's channel 2, gated by port 0x61 (IBM PC/AT Technical Reference,
 * "Speaker"). Harmless without a speaker; never blocks.
 */
#pragma once

enum beep {
    BEEP_PASS,  /* one long tone */
    BEEP_FAIL,  /* three short ones */
    BEEP_OTHER, /* two short ones */
};

/* Takes at most 1 s. */
void beep(enum beep what);
