// SPDX-License-Identifier: MIT
/* Which key a PS/2 keyboard's bytes mean: scan code set 1, and set 2 where the controller does not
 * translate it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/keys.h"

struct scancode {
    bool set2;
    bool extended; /* the byte before was 0xe0 */
    bool released; /* set 2: the byte before was 0xf0 */
};

/*
 * Takes one byte; returns the key when one of these goes down: 'q', 'r', 'l', 'b', 'c', 'x', ' ',
 * KEY_ENTER, KEY_ESCAPE. KEY_NONE for any other key, for a release, and within a sequence.
 */
int scancode_key(struct scancode *s, uint8_t byte);
