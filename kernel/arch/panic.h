// SPDX-License-Identifier: MIT
/*
 * The end of a run that cannot go on: other CPUs are stopped, and the reason is shown by every
 * listener that subscribed. lib/panic.h holds panic() itself.
 */
#pragma once

#include <stdbool.h>

#include "arch/trap.h"
#include "lib/fmt.h"

/* Shows one text, of lines parted by \n; called once, last, with interrupts off. */
typedef void (*panic_listener)(const char *text);

#define PANIC_LISTENERS_MAX 4
void panic_subscribe(panic_listener show);

/* What the run wants to have said in any case: appended to the text, before it is shown. */
void panic_set_last_words(void (*append)(struct fmt_buffer *text));

/* Called first of all: what was never told yet can be sent as events, the other CPUs are stopped.
 */
void panic_set_last_events(void (*send)(void));

/* What to do after all have shown it: reboot, QEMU's exit …; without it the machine halts. */
void panic_set_exit(void (*leave)(void));

/* panic for an exception: vector, error code, registers and address are told. */
_Noreturn void panic_trap(const struct trap_frame *frame);

/* Whether a CPU is in panic: the NMI that stops the others asks. */
bool panic_in_progress(void);
