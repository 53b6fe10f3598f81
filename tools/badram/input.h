// SPDX-License-Identifier: MIT
/*
 * Bad pages on standard input, one form a line, all numbers with 0x: ADDR, the page that holds it;
 * BASE-END, a range, END exclusive; ADDR,MASK, all RAM that the pattern covers; =N: as many pages
 * are bad in all, so that the patterns below it, which may cover good pages, too, count only if the
 * addresses and the ranges name fewer. A line of another form ends the program.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "badram/pattern.h"
#include "log/fault_log.h"

#define MARKS_MAX (UINT64_C(1) << 28)

struct input {
    struct page_run *run;
    size_t n_runs, room_runs;
    struct pattern *pattern;
    size_t n_patterns, room_patterns;
    size_t n_lasting; /* of the patterns: those that count in any case */
    bool has_total;
    uint64_t total_pages;
};

void input_read(struct input *input);

/* The highest address of the input without patterns; 0 for none. */
uint64_t input_top(const struct input *input);

/*
 * Marks what was read; pages outside RAM are reported. Returns how many there are. More than
 * MARKS_MAX pages of RAM end the program, each counted as often as it is named.
 */
uint64_t input_mark(const struct input *input, struct fault_log *log);
