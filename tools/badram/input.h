// SPDX-License-Identifier: MIT
/*
 * Bad pages on standard input, in three forms, one a line, all numbers with 0x: ADDR, the page that
 * holds it; ADDR,MASK, all RAM that the pattern covers; BASE-END, a range, END exclusive. A line of
 * another form ends the program.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "badram/pattern.h"
#include "log/fault_log.h"

struct input {
    struct page_run *run;
    size_t n_runs, room_runs;
    struct pattern *pattern;
    size_t n_patterns, room_patterns;
};

void input_read(struct input *input);

/* The highest address of the input without patterns; 0 for none. */
uint64_t input_top(const struct input *input);

/* Marks what was read; pages outside RAM are counted and reported. */
void input_mark(const struct input *input, struct fault_log *log);
