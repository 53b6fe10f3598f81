// SPDX-License-Identifier: MIT
/* A module as lines of text, for the report and for the screen. */
#pragma once

#include "lib/fmt.h"
#include "spd/modules.h"

#define MODULE_LINES 6u

/*
 * 0: the place, kind and size; 1: who made it; 2: its speeds; 3: XMP; 4: EXPO; 5: what is wrong
 * with its SPD. An empty line is left out. One line may be longer than 80 characters, if names are.
 */
void module_append_line(struct fmt_buffer *out, const struct module *m, unsigned line);

/* "CPU 63 C (highest 71), DIMM_A1 45 C (highest 52)", of those that are known. */
void temperatures_append(struct fmt_buffer *out, const struct temperature *cpu,
                         const struct modules *modules);
