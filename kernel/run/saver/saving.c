// SPDX-License-Identifier: MIT
#include "saver/saving.h"

#include "arch/tsc.h"
#include "cpus/cpu_pool.h"
#include "verdict/advice_emit.h"
#include "event/events.h"
#include "event/notices.h"
#include "event/trace.h"
#include "guardlist/guard_list.h"
#include "lib/date.h"
#include "lib/fmt.h"
#include "lib/string.h"
#include "machine/machine.h"
#include "memory/sign_key.h"
#include "plan/plan.h"
#include "report/saved_report.h"
#include "saved/saved_write.h"
#include "saver/saving_job.h"
#include "saver/saving_text.h"

/* Longer than most firmware takes to write a few variables. */
#define SHORT_US 200000

static bool is_on, has_started, has_result, is_kept;
static bool tests_all;     /* neither range= nor nodes= excludes memory */
static bool is_whole_pass; /* the result: all that was to be tested is good */
static bool is_at_work;    /* the CPU that writes */
static bool has_list;      /* the last job has written that of this run's bad pages */
static enum option_after after;
static bool reboots; /* without a key */
static struct saved_pace pace;

static struct saved_events events;
static struct saving_report report = { .lines = &events.lines };
static struct saved_state *const state = &report.state;
static uint64_t testable_bytes;

/* Takes from the event what the state says about the run. */
static void note(const struct event *e)
{
    switch (e->type) {
    case EVENT_MACHINE: testable_bytes = e->machine.testable_bytes; break;
    case EVENT_PROGRESS:
        state->faults = e->progress.faults;
        state->bad_pages = e->progress.bad_pages;
        if (e->progress.test[0]) {
            state->pass = e->progress.pass;
            string_copy(state->test, e->progress.test, sizeof(state->test));
        }
        break;
    case EVENT_TEST:
        state->tested_bytes = testable_bytes;
        state->swept_bytes += e->test.swept_bytes;
        break;
    case EVENT_RESULT:
        state->verdict = e->result.verdict;
        state->tested_bytes = e->result.tested_bytes;
        state->faults = e->result.faults;
        state->bad_pages = e->result.bad_pages;
        is_whole_pass = e->result.verdict == VERDICT_PASS && e->result.complete &&
                        !e->result.part_of_bytes && !e->result.hole_pages;
        has_result = true;
        break;
    default: break;
    }
}

static void set_date(char to[SAVED_DATE_MAX], int64_t seconds)
{
    struct fmt_buffer b = fmt_buffer_make(to, SAVED_DATE_MAX);

    date_append(&b, seconds);
}

static void complete_state(void)
{
    uint64_t seconds = tsc_elapsed_us() / 1000000;

    state->seconds = (uint32_t)seconds;
    if (report.started) {
        set_date(state->started, report.started);
        set_date(state->written, report.started + (int64_t)seconds);
    }
    state->cpus = machine.n_online;
    saved_report_complete(&events);
}

/* After this nothing more is written, unless only the store's room or the time was too short. */
static void warn_of(const struct saving_failure *f)
{
    char list_why[96], why[96];
    struct fmt_buffer of_list = fmt_buffer_make(list_why, sizeof(list_why));
    struct fmt_buffer of_rest = fmt_buffer_make(why, sizeof(why));

    uefi_append_status(&of_list, f->list_status);
    uefi_append_status(&of_rest, f->status);
    saving_warn(f, list_why, why, &notices);
    is_on = !f->service && !f->is_lost && !f->is_late && !f->external.text[0] && !f->is_full;
}

void saving_poll(void)
{
    struct saving_outcome outcome;
    bool is_over = is_at_work && saving_job_is_over(&outcome);

    trace_send_queued();
    if (!is_over)
        return;
    is_at_work = false;
    is_kept |= outcome.is_kept;
    has_list = outcome.has_list;
    warn_of(&outcome.failure);
}

static void settle_within(uint64_t us)
{
    uint64_t end = tsc_elapsed_us() + us;

    for (saving_poll(); is_at_work && tsc_elapsed_us() < end; saving_poll()) {
        cpu_pool_poll();
        cpu_pool_wait(0);
    }
}

void saving_wait(void)
{
    settle_within(UINT32_MAX);
}

uint32_t saving_busy_cpu(void)
{
    return cpu_pool_detached();
}

/* made: seconds since 1970; 0: unknown. */
static struct guard_new guard_list_from_log(int64_t made)
{
    static uint8_t bytes[GUARD_NEW_MAX];
    struct guard_writer writer = guard_writer_begin(bytes, sizeof(bytes));
    uint64_t index = 0, n_pages = 0;
    struct page_run run;
    size_t n;

    while (fault_log_next_run(&fault_log, &index, &run)) {
        guard_writer_add(&writer, (struct guard_run){ run.first, run.count });
        n_pages += run.count;
    }
    n = n_pages ? guard_writer_end(&writer, &machine.fingerprint, made) : 0;
    if (n && sign_key())
        guard_list_sign(bytes, sign_key());
    return (struct guard_new){ .bytes = bytes, .n = n, .n_pages = n_pages };
}

/* A list is out of date when all memory is tested and no page is bad. */
static void complete_list(void)
{
    int64_t seconds = (int64_t)(tsc_elapsed_us() / 1000000);

    report.list = guard_list_from_log(report.started ? report.started + seconds : 0);
    report.delete_old_list = !report.list.n_pages && tests_all && is_whole_pass;
}

static void tell(enum kept_phase phase)
{
    events_send(&(struct event){
        .type = EVENT_REPORT_SAVED,
        .kept = {
            .phase = phase,
            .keys_wait = machine.n_online == 1,
            .boots_okram = after == OPTION_AFTER_STAY || (after == OPTION_AFTER_AUTO && !reboots),
        },
    });
}

/* Before the report, so that its advice names no list that is not there. */
static void keep_list(void)
{
    if (is_on) {
        complete_list();
        is_at_work = true;
        saving_job_list(&report);
        saving_wait();
    }
    if (!is_on || !has_list)
        advice_emit_without_list();
}

bool saving_keeps(void)
{
    return is_on && has_started;
}

void saving_finish(void)
{
    if (!is_on || !has_started)
        return;
    tell(KEPT_BEGUN);
    saving_wait();
    keep_list();
    if (is_on) {
        complete_state();
        is_at_work = true;
        saving_job_finish(&report);
        saving_wait();
    }
    tell(is_kept ? KEPT_DONE : KEPT_FAILED);
}

void saving_set_boot_next(void)
{
    if (!is_on || !is_kept || after != OPTION_AFTER_AUTO)
        return;
    is_at_work = true;
    saving_job_set_boot_next(&report);
    saving_wait();
}

static void receive(const struct event *e)
{
    if (has_result && e->type != EVENT_ADVICE)
        return;
    saved_report_receive(&events, e);
    note(e);
}

void saving_begin(const struct boot_info *boot, const struct options *options)
{
    is_on = options->save && boot->firmware == BOOT_UEFI && boot->efi_system_table;
    if (!is_on)
        return;
    after = options->after;
    reboots = options->exit == OPTION_EXIT_REBOOT;
    report.set_boot_next = after == OPTION_AFTER_STAY;
    tests_all = !options->n_ranges && options->nodes.all;
    saved_report_init(&events);
    report.started = machine.started;
    events_send_to(receive);
}

static bool is_due(void)
{
    return saved_is_due(&pace, (double)tsc_elapsed_us() / 1e6, state->faults || state->bad_pages);
}

/* Only firmware's own map says where its services are; loaders pass it on as an e820 map. */
static const char *why_no_variables(void)
{
    for (size_t i = 0; i < machine.map.n_regions; i++) {
        if (machine.map.region[i].kind == BOOT_REGION_RUNTIME)
            return "this UEFI does not allow variables to be written after boot";
    }
    return "the memory map that the loader passes does not describe UEFI's services, which "
           "okram.efi can use";
}

void saving_start(void)
{
    if (!is_on)
        return;
    if (!uefi_runtime_has(UEFI_SET_VARIABLE) || !uefi_runtime_has(UEFI_GET_VARIABLE) ||
        !uefi_runtime_has(UEFI_QUERY_VARIABLE_INFO)) {
        is_on = false;
        notice("%s: the report is not kept in UEFI variables", why_no_variables());
        return;
    }
    string_copy(state->board, machine.board, sizeof(state->board));
    state->ram_bytes = machine.ram_bytes;
    complete_state();
    is_at_work = has_started = true;
    saving_job_start(&report);
    settle_within(SHORT_US);
    is_due();
}

void saving_when_due(void)
{
    saving_poll();
    if (!is_on || !has_started || has_result || is_at_work || !is_due())
        return;
    complete_state();
    is_at_work = true;
    saving_job_state(&report);
    settle_within(SHORT_US);
}
