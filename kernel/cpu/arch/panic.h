// SPDX-License-Identifier: MIT
/*
 * The end of a run that cannot go on: the other CPUs are stopped, and the reason is shown.
 * lib/panic.h holds panic() itself. Works from the first instruction on, also before percpu_load;
 * what is done then depends on the hooks set so far, in the order below. Where a hook meets an
 * exception or a panic itself, the next one follows.
 */
#pragma once

#include <stdbool.h>

#include "lib/fmt.h"

enum panic_kind {
    PANIC_INTERNAL,  /* panic() */
    PANIC_OF_MEMORY, /* panic_of_memory() */
    PANIC_EXCEPTION, /* either may be the reason */
};

/* In the order in which they are called; NULL: none. */
extern struct panic_hooks {
    void (*stop_others)(void);              /* stops the other CPUs */
    void (*check)(struct fmt_buffer *text); /* appends what okram finds wrong with its own memory */
    void (*send_rest)(void);                /* sends what has not been reported yet as events */
    void (*append)(struct fmt_buffer *text); /* appends what is worth knowing in any case */
    /* Shows the text, its lines separated by \n. */
    void (*show)(enum panic_kind kind, const char *text);
    /* Ends the run: reboot, QEMU's exit ...; if there is none, or it returns, the CPU halts. */
    void (*leave)(void);
} panic_hooks;

/* A panic of an exception, with a text that describe(text, ctx) writes. */
_Noreturn void panic_exception(void (*describe)(struct fmt_buffer *text, const void *ctx),
                               const void *ctx);

/* Whether a CPU is in panic: the NMI that stops the others asks. */
bool panic_in_progress(void);

/*
 * What libraries that have a stack protector call if its guard, which is in struct percpu, was
 * overwritten: a panic. The kernel's own code has none.
 */
_Noreturn void __stack_chk_fail(void);
