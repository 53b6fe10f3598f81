// SPDX-License-Identifier: MIT
#include "arch/panic.h"

#include <stdarg.h>
#include <stdatomic.h>

#include "arch/cpu.h"
#include "arch/percpu.h"
#include "lib/panic.h"

static _Atomic bool in_progress;
static struct {
    void (*stop_others)(void);
    void (*send_rest)(void);
    void (*append)(struct fmt_buffer *text);
    void (*show)(const char *text);
    void (*leave)(void);
} hooks;
static char text[24 << 10]; /* one CPU panics; its stack may be what is broken */

void panic_set_stop_others(void (*stop)(void))
{
    hooks.stop_others = stop;
}

void panic_set_send_rest(void (*send)(void))
{
    hooks.send_rest = send;
}

void panic_set_append(void (*append)(struct fmt_buffer *text))
{
    hooks.append = append;
}

void panic_set_show(void (*show)(const char *text))
{
    hooks.show = show;
}

void panic_set_exit(void (*leave)(void))
{
    hooks.leave = leave;
}

bool panic_in_progress(void)
{
    return atomic_load(&in_progress);
}

/* Only the first CPU to panic shows it; a second one, or a panic in a hook, just stops. */
void panic_describe(void (*describe)(struct fmt_buffer *text, const void *ctx), const void *ctx)
{
    struct fmt_buffer b;

    __asm__ volatile("cli");
    if (atomic_exchange(&in_progress, true))
        cpu_stop();
    if (hooks.stop_others)
        hooks.stop_others();
    b = fmt_buffer_make(text, sizeof(text));
    describe(&b, ctx);
    if (hooks.send_rest)
        hooks.send_rest();
    if (hooks.append)
        hooks.append(&b);
    if (hooks.show)
        hooks.show(text);
    if (hooks.leave)
        hooks.leave();
    cpu_stop();
}

struct reason {
    const char *format;
    va_list args;
    const void *caller; /* NULL: the memory is the reason */
};

static void describe_reason(struct fmt_buffer *b, const void *ctx)
{
    struct reason *r = (struct reason *)ctx;
    const struct percpu *cpu = percpu_if_loaded();

    fmt_append(b, "okram %s: %s\n", OKRAM_VERSION,
               r->caller ? "internal error; it says nothing about the memory"
                         : "of the memory that okram needs itself, too much is faulty or missing");
    b->length += fmt_vprint(b->text + b->length, b->size - b->length, r->format, r->args);
    if (b->length >= b->size)
        b->length = b->size - 1;
    fmt_append(b, "\n");
    if (r->caller)
        fmt_append(b, "cpu %u, called from %p\n", cpu ? cpu->number : 0, r->caller);
}

void panic(const char *format, ...)
{
    struct reason r = { .format = format, .caller = __builtin_return_address(0) };

    va_start(r.args, format);
    panic_describe(describe_reason, &r);
}

void panic_of_memory(const char *format, ...)
{
    struct reason r = { .format = format };

    va_start(r.args, format);
    panic_describe(describe_reason, &r);
}
