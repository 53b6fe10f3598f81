// SPDX-License-Identifier: MIT
#include "arch/panic.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>

#include "arch/cpu.h"
#include "arch/percpu.h"
#include "arch/smp.h"
#include "lib/panic.h"

static _Atomic bool in_progress;
static panic_listener listeners[PANIC_LISTENERS_MAX];
static void (*last_words)(struct fmt_buffer *text);
static void (*last_events)(void);
static void (*exit_hook)(void);
static char text[24 << 10]; /* one CPU panics; its stack may be what is broken */

static const char *const exception_names[] = {
    "divide error",
    "debug",
    "NMI",
    "breakpoint",
    "overflow",
    "bound",
    "invalid opcode",
    "no FPU",
    "double fault",
    "FPU overrun",
    "invalid TSS",
    "no segment",
    "stack fault",
    "general protection",
    "page fault",
    "reserved",
    "x87 error",
    "alignment check",
    "machine check",
    "SIMD error",
    "virtualization",
    "control protection",
};

void panic_subscribe(panic_listener show)
{
    for (size_t i = 0; i < PANIC_LISTENERS_MAX; i++) {
        if (!listeners[i]) {
            listeners[i] = show;
            return;
        }
    }
}

void panic_set_last_words(void (*append)(struct fmt_buffer *text))
{
    last_words = append;
}

void panic_set_last_events(void (*send)(void))
{
    last_events = send;
}

void panic_set_exit(void (*leave)(void))
{
    exit_hook = leave;
}

bool panic_in_progress(void)
{
    return atomic_load(&in_progress);
}

/* The first CPU to panic tells; a second one, or a panic while telling, just stops. */
static void begin(void)
{
    __asm__ volatile("cli");
    if (atomic_exchange(&in_progress, true))
        cpu_stop();
    smp_stop_others();
}

_Noreturn static void tell(struct fmt_buffer *b)
{
    if (last_events)
        last_events();
    if (last_words)
        last_words(b);
    for (size_t i = 0; i < PANIC_LISTENERS_MAX && listeners[i]; i++)
        listeners[i](text);
    if (exit_hook)
        exit_hook();
    cpu_stop();
}

void panic(const char *format, ...)
{
    struct fmt_buffer b;
    va_list args;

    begin();
    b = fmt_buffer_make(text, sizeof(text));
    fmt_append(&b, "okram %s stopped: it has failed itself, the memory may be good or bad\n",
               OKRAM_VERSION);
    va_start(args, format);
    b.length += fmt_vprint(b.text + b.length, b.size - b.length, format, args);
    va_end(args);
    if (b.length >= b.size)
        b.length = b.size - 1;
    fmt_append(&b, "\ncpu %u, called from %p\n", percpu_self()->number,
               __builtin_return_address(0));
    tell(&b);
}

void panic_trap(const struct trap_frame *f)
{
    const size_t n_names = sizeof(exception_names) / sizeof(exception_names[0]);
    struct fmt_buffer b;

    begin();
    b = fmt_buffer_make(text, sizeof(text));
    fmt_append(&b, "okram %s stopped: exception %lu (%s), error code 0x%lx, on cpu %u\n",
               OKRAM_VERSION, f->vector,
               f->vector < n_names ? exception_names[f->vector] : "reserved", f->error,
               percpu_self()->number);
    fmt_append(&b, "rip %016lx  cs %04lx  rflags %08lx\n", f->rip, f->cs, f->rflags);
    fmt_append(&b, "rsp %016lx  ss %04lx  cr2 %016lx  cr3 %016lx\n", f->rsp, f->ss, cr2_read(),
               cr3_read());
    fmt_append(&b, "rax %016lx  rbx %016lx  rcx %016lx\n", f->rax, f->rbx, f->rcx);
    fmt_append(&b, "rdx %016lx  rsi %016lx  rdi %016lx\n", f->rdx, f->rsi, f->rdi);
    fmt_append(&b, "rbp %016lx  r8  %016lx  r9  %016lx\n", f->rbp, f->r8, f->r9);
    fmt_append(&b, "r10 %016lx  r11 %016lx  r12 %016lx\n", f->r10, f->r11, f->r12);
    fmt_append(&b, "r13 %016lx  r14 %016lx  r15 %016lx\n", f->r13, f->r14, f->r15);
    tell(&b);
}
