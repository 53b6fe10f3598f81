// SPDX-License-Identifier: MIT
#include "loop/leave.h"

#include "arch/panic.h"
#include "cpus/smp.h"
#include "arch/tsc.h"
#include "console/console.h"
#include "cover/cover_emit.h"
#include "cpus/cpu_pool.h"
#include "ecc/mce_emit.h"
#include "event/notices.h"
#include "faults/cpu_evidence.h"
#include "machine/machine.h"
#include "machine/platform.h"
#include "machine/power.h"
#include "machine/uefi_runtime.h"
#include "memory/sign_key.h"
#include "saver/saving.h"
#include "self/self_check.h"
#include "stick/stick.h"
#include "usb/usb.h"
#include "verdict/advice_emit.h"
#include "watchdog/watchdog.h"

/* okram's own code, in a panic; neither: it could not be checked yet. */
static bool is_intact, has_changed;

static void check(void *ctx, struct fmt_buffer *text)
{
    const size_t length = text->length;

    is_intact = self_check_append(text);
    has_changed = !is_intact && text->length > length;
}

static void send_rest(void *ctx)
{
    struct run *run = ctx;

    mce_emit_rest(&run->found.log);
}

/* Before other CPUs have started there is no such failure: all exceptions are the boot CPU's. */
static bool judge(void *ctx, struct fmt_buffer *text)
{
    const struct cpu_failure *failure = cpu_pool_boot_failure();
    const size_t length = text->length;

    if (!failure && machine.cpus)
        return false;
    if (failure && is_intact && advice_emit_panic(ctx, failure->is_flipped, text))
        return true;
    if (has_changed)
        fmt_append(text, "the reason is faulty memory there, or a CPU that wrote wrong data\n");
    else if (text->length == length)
        fmt_append(text,
                   "the reason is not known: cpu 0, an error in okram, or okram's own memory, "
                   "which passed a test before\n"
                   "start okram again: if rip differs each time, suspect cpu 0, settings such as "
                   "XMP or EXPO, heat or power\n");
    return false;
}

static void append(void *ctx, struct fmt_buffer *text)
{
    cover_emit_append(ctx, text);
}

static const enum reason reasons[] = {
    [PANIC_INTERNAL] = REASON_INTERNAL_ERROR,
    [PANIC_OF_MEMORY] = REASON_OWN_MEMORY,
    [PANIC_EXCEPTION] = REASON_NONE,
    [PANIC_OF_CPU] = REASON_CPU,
};

static void show(enum panic_kind kind, const char *text)
{
    console_panic(reasons[kind], text);
}

static void keep(void *ctx, enum panic_kind kind, const char *text)
{
    struct run *run = ctx;

    if (run->stick)
        stick_panic(run->stick, reasons[kind], text);
}

/* How long a panic is shown before a restart that was asked for. */
#define PANIC_SHOWN_US 60000000

/*
 * A person wants to read why. Only QEMU is left at once: a program waits for that. With exit=reboot
 * nobody may be there, nor before another start of cycles=, and the machine is to come back.
 */
static void leave_after_panic(void *ctx)
{
    const struct run *run = ctx;
    const struct cycles *c = &run->options.cycles;
    enum option_exit exit = run->options.exit;
    bool starts_again = c->id && cycles_left(c) > 1; /* this start is not counted yet */

    sign_key_wipe();
    if (exit == OPTION_EXIT_QEMU && !starts_again)
        machine_exit_qemu(LEAVE_FAILED);
    if (exit == OPTION_EXIT_REBOOT || starts_again) {
        tsc_wait_us(exit == OPTION_EXIT_QEMU ? 0 : PANIC_SHOWN_US);
        machine_reboot(&platform.power);
    }
    watchdog_end();
}

void leave_prepare(struct run *run)
{
    panic_prepare((struct panic_hooks){
        .examine = cpu_evidence_examine,
        .stop_others = smp_stop_others,
        .check = check,
        .send_rest = send_rest,
        .judge = judge,
        .append = append,
        .show = show,
        .keep = keep,
        .leave = leave_after_panic,
        .ctx = run,
    });
}

/* UEFI first: it knows the machine better than the ACPI tables may. */
static void power_off(void)
{
    uefi_power_off();
    notice("cannot power off: %s; switch it off by hand", machine_power_off(&platform.power));
}

/* How long the result is on the screen before the machine restarts. */
#define SHOWN_US UINT64_C(10000000)

#define OFF_S 60 /* the machine switches itself on again so much later */

/* Returns if the machine stays on. */
static void switch_off_for_next_start(void)
{
    uint64_t status = uefi_set_wakeup(OFF_S);

    if (status == UEFI_SUCCESS)
        power_off();
    notice("the machine cannot switch itself off and on: the next start is a warm one");
}

/* cycles=: unless it would not be known any more how many there were. */
static bool has_next_start(const struct run *run)
{
    return cycles_follow(&run->options.cycles) &&
           (run->saver->is_kept || run->stick->has_next_start);
}

/* Returns if a person prevents it, or did as the tests ran. */
static void restart_for_next_start(struct poll *poll)
{
    const struct cycles *c = &poll->run->options.cycles;
    uint32_t next = c->starts + c->lost + 1;

    if (!poll->stay_asked)
        notice("unless you press q, the machine %s, and start %u of %u follows",
               c->cold ? "switches off for a minute" : "restarts", next, c->wanted);
    if (!poll_leaves(poll, poll->run->options.exit == OPTION_EXIT_QEMU ? 0 : SHOWN_US)) {
        notice("the machine stays on; x: restart, and start %u of %u follows", next, c->wanted);
        return;
    }
    sign_key_wipe();
    usb_end();
    if (c->cold)
        switch_off_for_next_start();
    machine_reboot(&platform.power);
}

_Noreturn void leave(struct poll *poll, enum leave_code code)
{
    enum option_exit exit = poll->run->options.exit;

    if (has_next_start(poll->run)) {
        restart_for_next_start(poll);
        if (exit != OPTION_EXIT_QEMU)
            exit = OPTION_EXIT_WAIT;
    }
    sign_key_wipe();
    if (exit != OPTION_EXIT_REBOOT)
        watchdog_end();
    if (exit != OPTION_EXIT_WAIT)
        usb_end();
    switch (exit) {
    case OPTION_EXIT_QEMU: machine_exit_qemu((uint8_t)code); break;
    case OPTION_EXIT_POWEROFF: power_off(); break;
    case OPTION_EXIT_REBOOT: machine_reboot(&platform.power);
    case OPTION_EXIT_WAIT: break;
    }
    if (exit != OPTION_EXIT_WAIT) /* the machine is still on, and a person has to act */
        usb_resume();
    poll_until_restart(poll);
    saving_set_boot_next(poll->run->saver, &poll->run->poll);
    usb_end();
    machine_reboot(&platform.power);
}
