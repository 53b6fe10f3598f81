// SPDX-License-Identifier: MIT
/* What the stub writes to the VGA text screen and to COM1, before there is a kernel. */
#pragma once

#include <stdint.h>

/* How much was written to the screen, from its top on: all 0 to begin with. */
struct printed {
    uint32_t cells;
};

/* Writes the text, each '#' as the next of the values, in hexadecimal; NULL: there is none. */
void print(struct printed *printed, const char *text, const uint32_t *values);

/*
 * Writes the sentence with its values to the VGA text screen and to COM1, and stops the
 * machine (boot/stop/stop.h). info: the Multiboot2 information.
 */
_Noreturn void refuse(const uint32_t *info, const char *why, const uint32_t *values);
