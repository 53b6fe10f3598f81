// SPDX-License-Identifier: MIT
/* A module as lines of text, for the report and for the screen. */
#pragma once

#include "lib/fmt.h"
#include "spd/modules.h"

#define MODULE_LINES 7u

/*
 * 0: the place, kind and size; 1: who made it; 2: its speeds; 3: XMP; 4: EXPO; 5: whether
 * it is an overclock; 6: what is wrong with its SPD. An empty line is left out. One line may be
 * longer than 80 characters, if names are.
 */
void module_append_line(struct fmt_buffer *out, const struct module *m, unsigned line);

/* "DDR5", by the SPD, else by firmware; "": unknown. */
const char *module_type_name(const struct module *m);

/* Thousandths of a degree to the nearest degree. */
int temperature_degrees(int32_t mc);

/* "CPU 63 C (highest 71)", `what` being the CPU; without the highest while that is now. */
void temperature_append(struct fmt_buffer *out, const char *what, const struct temperature *t);

/* "CPU 63 C (highest 71), DIMM_A1 45 C (highest 52)", of those that are known. */
void temperatures_append(struct fmt_buffer *out, const struct temperature *cpu,
                         const struct modules *modules);
