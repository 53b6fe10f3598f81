// SPDX-License-Identifier: MIT
#include "run/progress.h"

#include <stdatomic.h>

#include "arch/cpu.h"
#include "arch/lapic.h"
#include "arch/panic.h"
#include "arch/tsc.h"
#include "bootcfg/lines.h"
#include "event/notices.h"
#include "lib/panic.h"
#include "mce/mce_emit.h"
#include "memory/arena.h"
#include "plan/plan.h"
#include "run/cover_schedule.h"
#include "run/lines_emit.h"
#include "run/selection.h"
#include "self/upkeep.h"

#define POLL_EVERY_US     20000
#define PROGRESS_EVERY_US 250000
#define DRAIN_US          5000 /* telling faults may take so long at a time: serial ports are slow */
#define RATE_WINDOW_US    1000000
#define OWN_MEMORY        "own memory" /* instead of the name of a test */
#define LAST_PAGES_MAX    64           /* added to the line of a panic */

struct swept {
    _Alignas(64) _Atomic uint64_t bytes;
};

static struct swept *swept; /* by CPU */
static uint32_t n_swept;
static _Atomic bool stopped;

static progress_key_source key_source;
static progress_ask ask_hook;
static uint64_t stop_at_us; /* 0: no limit */
static uint32_t passes;
static const struct options *options_given;

static struct event_progress now; /* what the next progress event says */
static uint64_t swept_before_pass, pass_total, tests_began_us, swept_before_tests;
static uint64_t pass_wait_total_us, pass_waited_us, waited_us;
static uint64_t next_poll, next_progress_us;
static struct {
    uint64_t us, bytes;
} window;

static struct cover_schedule cover_schedule; /* of the cover at hand */
static struct cover covers[2];
static const struct cover *cover = &covers[0]; /* always a whole one, whatever happens meanwhile */
static struct cover_work cover_work;
static char line[BADRAM_LINE_BYTES(COVER_PATTERNS_MAX)];

static void last_words(struct fmt_buffer *text);

void progress_begin(const struct options *options, uint32_t n_cpus, progress_key_source key,
                 progress_ask ask)
{
    swept = arena_alloc(n_cpus * sizeof(*swept));
    n_swept = n_cpus;
    panic_set_append(last_words);
    key_source = key;
    ask_hook = ask;
    passes = options->passes;
    options_given = options;
    stop_at_us = options->time_s * 1000000;
    window.us = tsc_elapsed_us();
    progress_phase("start", 0, "", 0, 0);
}

void progress_phase(const char *phase, uint32_t pass, const char *test, uint32_t test_index,
                 uint32_t n_tests)
{
    now.phase = phase;
    now.pass = pass;
    now.test = test;
    now.test_index = test_index;
    now.n_tests = n_tests;
}

void progress_pass(uint64_t pass_total_bytes, uint64_t pass_wait_us)
{
    swept_before_pass = progress_total_swept();
    if (!tests_began_us) {
        tests_began_us = tsc_elapsed_us();
        swept_before_tests = swept_before_pass;
    }
    pass_total = pass_total_bytes;
    pass_wait_total_us = pass_wait_us;
    pass_waited_us = 0;
}

void progress_waited(uint64_t us)
{
    pass_waited_us += us;
    waited_us += us;
}

void progress_again(uint64_t bytes)
{
    pass_total += bytes;
}

void progress_swept(uint32_t cpu, uint64_t bytes)
{
    /* Only this CPU writes it. */
    uint64_t sum = atomic_load_explicit(&swept[cpu].bytes, memory_order_relaxed) + bytes;

    atomic_store_explicit(&swept[cpu].bytes, sum, memory_order_relaxed);
}

uint64_t progress_total_swept(void)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < n_swept; i++)
        sum += atomic_load_explicit(&swept[i].bytes, memory_order_relaxed);
    return sum;
}

bool progress_is_stopped(void)
{
    return atomic_load_explicit(&stopped, memory_order_relaxed);
}

static uint64_t left_of(uint64_t total, uint64_t done)
{
    return total > done ? total - done : 0;
}

/* Of the whole run, from the mean speed since the tests began; < 0: nobody knows. */
static double seconds_left(uint64_t total_swept, uint64_t us)
{
    double limit = (double)left_of(stop_at_us, us) / 1e6, left;
    uint64_t done = total_swept - swept_before_tests;
    uint64_t sweeping_us = left_of(us - tests_began_us, waited_us);
    uint64_t more_passes = left_of(passes, now.pass);
    uint64_t bytes, wait_us;

    if (!pass_total || !done || sweeping_us < 1000000 || (!passes && !stop_at_us))
        return -1;
    if (!passes)
        return limit;
    bytes = left_of(pass_total, total_swept - swept_before_pass) + more_passes * pass_total;
    wait_us = left_of(pass_wait_total_us, pass_waited_us) + more_passes * pass_wait_total_us;
    left = ((double)bytes * (double)sweeping_us / (double)done + (double)wait_us) / 1e6;
    return stop_at_us && limit < left ? limit : left;
}

static void send_progress(uint64_t us)
{
    uint64_t total = progress_total_swept();

    if (us - window.us >= RATE_WINDOW_US) {
        now.mb_s = (double)(total - window.bytes) / (double)(us - window.us);
        window.us = us;
        window.bytes = total;
    }
    now.passes = passes;
    now.pass_done_bytes = total - swept_before_pass;
    now.pass_total_bytes = pass_total;
    now.seconds = (double)us / 1e6;
    now.seconds_left = seconds_left(total, us);
    now.faults = fault_log_faults(&fault_log);
    now.bad_pages = fault_log_bad_pages(&fault_log);
    now.failing_bits = fault_log_failing_bits(&fault_log);
    events_send(&(struct event){ .type = EVENT_PROGRESS, .progress = now });
}

/* Bad pages that the cover at hand does not know, each as a pattern. Returns how many are left. */
static uint64_t append_new_pages(struct fmt_buffer *text)
{
    uint64_t index = 0, n = 0;
    struct page_run run;

    while (fault_log_next_run(&fault_log, &index, &run)) {
        for (uint64_t page = run.first; page < run.first + run.count; page++) {
            uint64_t addr = page << PAGE_SHIFT;

            if (pattern_list_covers(cover->pattern, cover->n_patterns, addr))
                continue;
            if (n < LAST_PAGES_MAX)
                fmt_append(text, "%s0x%lx,0x%lx",
                           n || cover->n_patterns ? "," : "badram=", (unsigned long)addr,
                           (unsigned long)PATTERN_MASK_BITS);
            n++;
        }
    }
    return n > LAST_PAGES_MAX ? n - LAST_PAGES_MAX : 0;
}

/* No found fault is lost, even if okram itself fails: the line at hand goes with the panic. */
static void last_words(struct fmt_buffer *text)
{
    uint64_t bad_pages, left;

    if (!fault_log.space)
        return; /* no log has begun */
    bad_pages = fault_log_bad_pages(&fault_log);
    if (!bad_pages)
        return;
    send_progress(tsc_elapsed_us());
    fmt_append(text, "%lu bad pages had been found; this line covers them:\n",
               (unsigned long)bad_pages);
    badram_line_append(text, cover);
    left = append_new_pages(text);
    fmt_append(text, "\n");
    if (left)
        fmt_append(text, "but not %lu of them\n", (unsigned long)left);
}

static void send_fault(const struct fault *f)
{
    struct event e = { .type = EVENT_FAULT };

    e.fault = (struct event_fault){
        .addr = f->addr,
        .expected = f->expected,
        .found = f->found,
        .test = f->test < selection.tests.n_tests ? selection.tests.test[f->test].name : "",
        .pass = f->pass,
        .cpu = f->cpu,
        .node = f->node,
    };
    events_send(&e);
}

void progress_tell_alias(const struct alias *alias, uint32_t pass, uint32_t test)
{
    events_send(&(struct event){
        .type = EVENT_ALIAS,
        .alias = { .alias = *alias, .test = selection.tests.test[test].name, .pass = pass },
    });
}

void progress_tell_own_alias(const struct alias *alias)
{
    events_send(&(struct event){
        .type = EVENT_ALIAS,
        .alias = { .alias = *alias, .test = OWN_MEMORY, .pass = now.pass },
    });
}

static void send_faults(uint64_t max_us)
{
    uint64_t deadline = tsc_now() + tsc_from_us(max_us);
    struct fault f;

    while (fault_log_drain(&fault_log, &f)) {
        send_fault(&f);
        if (tsc_now() > deadline)
            return;
    }
}

static void send_badram(bool final)
{
    struct fmt_buffer b = fmt_buffer_make(line, sizeof(line));

    badram_line_append(&b, cover);
    events_send(&(struct event){
        .type = EVENT_BADRAM,
        .badram = { .bad_pages = cover_schedule.derived_pages,
                    .cover = cover,
                    .line = line,
                    .final = final },
    });
}

static void derive(enum derivation derivation)
{
    struct cover *next = cover == &covers[0] ? &covers[1] : &covers[0];
    uint64_t bad_pages, began_us = tsc_elapsed_us();

    fault_log_scrub_all(&fault_log);
    bad_pages = fault_log_bad_pages(&fault_log);
    if (derivation == DERIVE_QUICKLY)
        ASSERT(cover_derive_quickly(&fault_log, &plan.limits, &cover_work, next) == STATUS_OK);
    else
        ASSERT(cover_derive(&fault_log, &plan.limits, &cover_work, next) == STATUS_OK);
    cover = next;
    cover_schedule_derived(&cover_schedule, derivation, bad_pages, began_us, tsc_elapsed_us());
}

static void derive_when_due(uint64_t us)
{
    enum derivation due = cover_schedule_due(&cover_schedule, us, fault_log_bad_pages(&fault_log));

    if (due == DERIVE_NOTHING)
        return;
    derive(due);
    send_badram(false);
}

static void obey_key(int key, uint64_t us)
{
    if (key == 'q') {
        atomic_store(&stopped, true);
    } else if (key == 'r') {
        ask_hook();
        send_progress(us);
        derive(DERIVE_WELL);
        send_badram(false);
    } else if (key == 'l') {
        lines_emit_next(cover);
    }
}

void progress_poll(void)
{
    uint64_t us;

    if (tsc_now() < next_poll)
        return;
    next_poll = tsc_now() + tsc_from_us(POLL_EVERY_US);
    us = tsc_elapsed_us();
    if (stop_at_us && us >= stop_at_us)
        atomic_store(&stopped, true);
    obey_key(key_source(), us);
    upkeep_poll();
    send_faults(DRAIN_US);
    mce_emit_poll();
    derive_when_due(us);
    if (us >= next_progress_us) {
        next_progress_us = us + PROGRESS_EVERY_US;
        send_progress(us);
    }
}

/* What the badram line cannot say. */
static void warn_of_cover(void)
{
    uint64_t addr, outside = fault_log_outside(&fault_log, &addr);

    if (outside)
        warn_print(&notices,
                   "%lu faults at addresses that are no RAM, or outside of what is tested and more "
                   "than okram keeps, the first at 0x%lx",
                   (unsigned long)outside, (unsigned long)addr);
    if (cover->ranges > plan.limits.max_ranges)
        warn_print(
            &notices,
            "the badram line makes %lu map entries, more than the %lu allowed: fewer cannot be had",
            (unsigned long)cover->ranges, (unsigned long)plan.limits.max_ranges);
    if (cover->falls_short)
        warn_print(&notices, "GRUB on BIOS leaves some bad pages in use with the badram line: use "
                             "another of the lines, such as memmap");
}

void progress_finish(void)
{
    send_faults(UINT32_MAX);
    mce_emit_finish();
    derive(DERIVE_WELL);
    warn_of_cover();
    progress_phase("done", now.pass, "", 0, 0);
    send_progress(tsc_elapsed_us());
    send_badram(true);
    lines_emit(options_given, cover);
}

_Noreturn void progress_serve(void)
{
    for (;;) {
        obey_key(key_source(), tsc_elapsed_us());
        lapic_timer_in_us(POLL_EVERY_US);
        cpu_halt_until_interrupt();
    }
}
