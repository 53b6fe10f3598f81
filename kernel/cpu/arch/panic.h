// SPDX-License-Identifier: MIT
/*
 * The end of a run that cannot go on: the other CPUs are stopped, and the reason is shown.
 * lib/panic.h holds panic() itself. Works from the first instruction on, also before percpu_load;
 * what is done then depends on the hooks, in the order below. Where a hook meets an
 * exception or a panic itself, the next one follows.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/fmt.h"

enum panic_kind {
    PANIC_INTERNAL,  /* panic() */
    PANIC_OF_MEMORY, /* panic_of_memory() */
    PANIC_EXCEPTION, /* either may be the reason */
    PANIC_OF_CPU,    /* any of these, and the CPU is known to be faulty */
};

/*
 * In the order in which they are called; NULL: none. ctx is for all that have one. If the boot CPU
 * has raised an exception or is found faulty, another CPU takes the steps from `check` on, as far
 * as there is one that answers.
 */
struct panic_hooks {
    /* Appends whether the calling CPU, which panics, is faulty; true: it is. */
    bool (*examine)(uint32_t cpu, struct fmt_buffer *text);
    void (*stop_others)(void); /* stops the other CPUs, which call panic_stopped */
    /* Appends what okram finds wrong with its own memory. */
    void (*check)(void *ctx, struct fmt_buffer *text);
    void (*send_rest)(void *ctx); /* sends what has not been reported yet as events */
    /* Appends whether an exception is of the CPU; true: it is. */
    bool (*judge)(void *ctx, struct fmt_buffer *text);
    /* Appends what is worth knowing in any case. */
    void (*append)(void *ctx, struct fmt_buffer *text);
    /* Shows the text, its lines separated by \n. */
    void (*show)(enum panic_kind kind, const char *text);
    /* Writes it to where it survives. */
    void (*keep)(void *ctx, enum panic_kind kind, const char *text);
    /* Ends the run: reboot, QEMU's exit ...; if there is none, or it returns, the CPU halts. */
    void (*leave)(void *ctx);
    void *ctx;
};

/* The only one to set them: loop/leave.h. */
void panic_prepare(struct panic_hooks hooks);

/* Where a CPU ends that stop_others has stopped, in its handler of the NMI. */
_Noreturn void panic_stopped(void);

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
