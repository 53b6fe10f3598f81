// SPDX-License-Identifier: MIT
#include "arch/panic.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>

#include "arch/cpu.h"
#include "arch/percpu.h"
#include "arch/tsc.h"
#include "lib/panic.h"

/* Of the one CPU that panics; its stack may be what is broken. */
static _Atomic bool in_progress;
static uint32_t cpu_number;
static void (*describe_why)(struct fmt_buffer *text, const void *ctx);
static const void *why;
static enum panic_kind panic_kind;
static char text[24 << 10];
static struct fmt_buffer said;

static struct panic_hooks hooks;

void panic_prepare(struct panic_hooks of_run)
{
    hooks = of_run;
}

bool panic_in_progress(void)
{
    return atomic_load(&in_progress);
}

/* Whether another CPU takes the steps that follow, because the boot CPU may be faulty. */
enum { NOT_ASKED, ASKED, TAKEN };
static _Atomic uint32_t heir;

#define HEIR_WAIT_US 200000

static void say_why(void)
{
    describe_why(&said, why);
}

/* A step that a hook takes, if it is set. */
#define HOOK(name, ...)                                                                            \
    static void name(void)                                                                         \
    {                                                                                              \
        if (hooks.name)                                                                            \
            hooks.name(__VA_ARGS__);                                                               \
    }

/* Not before the CPU's registers are set. */
static void examine(void)
{
    if (hooks.examine && percpu_if_loaded() && hooks.examine(cpu_number, &said))
        panic_kind = PANIC_OF_CPU;
}

HOOK(stop_others)

/* The first of the others that is stopped takes over. */
static void hand_over(void)
{
    uint64_t end = tsc_now() + tsc_from_us(HEIR_WAIT_US);
    uint32_t asked = ASKED;

    if ((panic_kind == PANIC_EXCEPTION || panic_kind == PANIC_OF_CPU) && cpu_number == 0)
        atomic_store(&heir, ASKED);
    stop_others();
    while (atomic_load(&heir) == ASKED && tsc_now() < end)
        cpu_relax();
    if (!atomic_compare_exchange_strong(&heir, &asked, NOT_ASKED) && asked == TAKEN)
        cpu_stop();
}

HOOK(check, hooks.ctx, &said)
HOOK(send_rest, hooks.ctx)

static void judge(void)
{
    if (panic_kind == PANIC_EXCEPTION && hooks.judge && hooks.judge(hooks.ctx, &said))
        panic_kind = PANIC_OF_CPU;
}

HOOK(append, hooks.ctx, &said)
HOOK(show, panic_kind, text)
HOOK(keep, hooks.ctx, panic_kind, text)
HOOK(leave, hooks.ctx)

/* Each step once: where one panics itself, the next one follows. */
_Noreturn static void go_on(void)
{
    static void (*const steps[])(void) = {
        say_why, examine, hand_over, check, send_rest, judge, append, show, keep, leave,
    };
    static size_t next;

    while (next < sizeof(steps) / sizeof(steps[0]))
        steps[next++]();
    cpu_stop();
}

static uint32_t own_number(void)
{
    const struct percpu *cpu = percpu_if_loaded();

    return cpu ? cpu->number : 0;
}

/* Only the first CPU to panic shows it; a second one just stops. */
_Noreturn static void begin(enum panic_kind kind,
                            void (*describe)(struct fmt_buffer *text, const void *ctx),
                            const void *ctx)
{
    __asm__ volatile("cli");
    if (!atomic_exchange(&in_progress, true)) {
        cpu_number = own_number();
        panic_kind = kind;
        describe_why = describe;
        why = ctx;
        said = fmt_buffer_make(text, sizeof(text));
    } else if (own_number() == cpu_number) {
        fmt_append(&said, "\n(cut short by another error)\n");
    } else {
        cpu_stop();
    }
    go_on();
}

void panic_stopped(void)
{
    struct percpu *self = percpu_if_loaded();
    uint32_t asked = ASKED;

    if (!self || !self->stack_top || !atomic_compare_exchange_strong(&heir, &asked, TAKEN))
        cpu_stop();
    cpu_number = self->number;
    fmt_append(&said, "cpu %u goes on with this report\n", cpu_number);
    __asm__ volatile("mov %0, %%rsp; xor %%ebp, %%ebp; call *%1" ::"r"(self->stack_top), "r"(go_on)
                     : "memory");
    __builtin_unreachable();
}

void panic_exception(void (*describe)(struct fmt_buffer *text, const void *ctx), const void *ctx)
{
    begin(PANIC_EXCEPTION, describe, ctx);
}

struct reason {
    const char *format;
    va_list args;
    const void *caller; /* NULL: the memory is the reason */
};

static void describe_reason(struct fmt_buffer *b, const void *ctx)
{
    struct reason *r = (struct reason *)ctx;

    fmt_append(b, "okram %s: %s\n", OKRAM_VERSION,
               r->caller
                   ? "internal error: this is not a result of the memory test"
                   : "too much of the memory that okram itself needs is faulty or missing, or a "
                     "CPU is faulty");
    fmt_vappend(b, r->format, r->args);
    fmt_append(b, "\n");
    if (r->caller)
        fmt_append(b,
                   "cpu %u, called from %p\n"
                   "Please report it: start okram again with support=on, and send all of this.\n",
                   own_number(), r->caller);
}

void panic(const char *format, ...)
{
    struct reason r = { .format = format, .caller = __builtin_return_address(0) };

    va_start(r.args, format);
    begin(PANIC_INTERNAL, describe_reason, &r);
}

void panic_of_memory(const char *format, ...)
{
    struct reason r = { .format = format };

    va_start(r.args, format);
    begin(PANIC_OF_MEMORY, describe_reason, &r);
}

void __stack_chk_fail(void)
{
    panic("stack smashing detected in a library");
}
