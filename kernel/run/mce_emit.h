// SPDX-License-Identifier: MIT
/*
 * What the machine says by itself, told as events: machine checks, whose pages are marked bad in
 * the fault log where they name memory, and NMIs.
 */
#pragma once

/* After plan_make: tells of what was in the banks from before, and from now on of what comes. */
void mce_emit_begin(void);

/* Boot CPU, again and again: tells what has come since; cheap when nothing has. */
void mce_emit_poll(void);

/* Boot CPU, at the end of each test, no other CPU at work: has all CPUs look at their banks. */
void mce_emit_collect(void);

/* Boot CPU, at the end of the run: counts that were not told yet, and how many NMIs there were. */
void mce_emit_finish(void);
