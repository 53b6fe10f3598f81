// SPDX-License-Identifier: MIT
#include "saving/saving.h"

#include "arch/tsc.h"
#include "cpus/cpu_pool.h"
#include "device/rtc.h"
#include "event/events.h"
#include "event/notices.h"
#include "lib/date.h"
#include "lib/fmt.h"
#include "lib/string.h"
#include "machine/machine.h"
#include "report/saved_report.h"
#include "save/saved_write.h"
#include "saving/saving_job.h"

/* Longer than most firmware takes to write a few variables. */
#define SHORT_US 200000

static bool is_on, has_started, has_finished;
static bool tests_all;  /* neither range= nor nodes= leaves memory out */
static bool is_at_work; /* the CPU that writes */
static struct saved_pace pace;

/* Of the state that was written last. */
static char last_test[sizeof((struct saved_state){ 0 }.test)];
static uint32_t last_pass;

static struct saved_report events;
static struct saving_report report = { .lines = &events.lines };
static struct saved_state *const state = &report.state;
static uint64_t testable_bytes;

/* What the state says of the run. */
static void note(const struct event *e)
{
    switch (e->type) {
    case EVENT_MACHINE:
        testable_bytes = e->machine.testable_bytes;
        break;
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
        string_copy(state->status, e->result.status, sizeof(state->status));
        state->tested_bytes = e->result.tested_bytes;
        state->faults = e->result.faults;
        state->bad_pages = e->result.bad_pages;
        break;
    default:
        break;
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
}

static void warn_of_list(const struct saving_failure *f)
{
    char why[96];
    struct fmt_buffer b = fmt_buffer_make(why, sizeof(why));

    if (f->list_status == UEFI_SUCCESS) {
        warn_print(&notices,
                   "the list of bad pages for the guard takes %lu bytes or more, too many for "
                   "UEFI's store of variables, which has %lu bytes left: it is not kept there",
                   (unsigned long)f->list_bytes, (unsigned long)f->list_remaining);
        return;
    }
    uefi_append_status(&b, f->list_status);
    warn_print(&notices,
               "UEFI's SetVariable %s: the list of bad pages for the guard, %lu bytes, is not kept "
               "in a variable",
               why, (unsigned long)f->list_bytes);
}

/* One sentence; then nothing more is written. */
static void warn_of(const struct saving_failure *f)
{
    char why[96];
    struct fmt_buffer b = fmt_buffer_make(why, sizeof(why));

    if (f->list_bytes)
        warn_of_list(f);
    if (f->service) {
        uefi_append_status(&b, f->status);
        warn_print(&notices, "UEFI's %s %s: the report is not kept in UEFI variables from now on",
                   f->service, why);
    } else if (f->foreign.text[0]) {
        warn_print(&notices,
                   "the UEFI variable %s is not okram's: it stays, and the report is not kept "
                   "in UEFI variables",
                   f->foreign.text);
    } else if (f->is_full) {
        warn_print(&notices,
                   "UEFI's store of variables has %lu bytes left: the report is not kept there",
                   (unsigned long)f->remaining);
    } else if (f->is_cut) {
        warn_print(&notices,
                   "UEFI's store of variables has %lu bytes left: the report there is not whole",
                   (unsigned long)f->remaining);
    }
    is_on = !f->service && !f->foreign.text[0] && !f->is_full;
}

void saving_poll(void)
{
    struct saving_failure failure;

    if (!is_at_work || !saving_job_is_over(&failure))
        return;
    is_at_work = false;
    warn_of(&failure);
}

static void settle_within(uint64_t us)
{
    uint64_t end = tsc_elapsed_us() + us;

    for (saving_poll(); is_at_work && tsc_elapsed_us() < end; saving_poll()) {
        cpu_pool_poll();
        cpu_pool_wait(0);
    }
}

void saving_settle(void)
{
    settle_within(UINT32_MAX);
}

uint32_t saving_busy_cpu(void)
{
    return cpu_pool_detached();
}

/* A list is out of date when all memory is tested and no page is bad. */
static void complete_list(const struct event_result *result)
{
    int64_t seconds = (int64_t)(tsc_elapsed_us() / 1000000);

    report.list = guard_new_make(report.started ? report.started + seconds : 0);
    report.list_is_over = !report.list.n_pages && tests_all &&
                          strcmp(result->status, "pass") == 0 && result->complete;
}

static void finish(const struct event_result *result)
{
    has_finished = true;
    saving_settle();
    if (!is_on)
        return;
    complete_state();
    complete_list(result);
    is_at_work = true;
    saving_job_finish(&report);
    saving_settle();
    if (is_on)
        events_send(&(struct event){ EVENT_KEPT, .kept = { report.boot_again } });
}

static void receive(const struct event *e)
{
    if (has_finished)
        return;
    saved_report_receive(&events, e);
    note(e);
    if (e->type == EVENT_RESULT && is_on && has_started)
        finish(&e->result);
}

void saving_begin(const struct boot_info *boot, const struct options *options)
{
    is_on = options->save && boot->firmware == BOOT_UEFI && boot->efi_system_table;
    if (!is_on)
        return;
    report.boot_again =
        options->after == OPTION_AFTER_STAY ||
        (options->after == OPTION_AFTER_AUTO && options->exit != OPTION_EXIT_REBOOT);
    tests_all = !options->n_ranges && options->nodes.all;
    saved_report_init(&events);
    report.started = rtc_seconds();
    events_send_to(receive);
}

void saving_start(void)
{
    if (!is_on)
        return;
    if (!uefi_runtime_has(UEFI_SET_VARIABLE) || !uefi_runtime_has(UEFI_GET_VARIABLE) ||
        !uefi_runtime_has(UEFI_QUERY_VARIABLE_INFO)) {
        is_on = false;
        warn_print(&notices, "this UEFI does not let variables be written after boot: the report "
                             "is not kept in them");
        return;
    }
    string_copy(state->board, machine.board, sizeof(state->board));
    state->ram_bytes = machine.ram_bytes;
    complete_state();
    is_at_work = has_started = true;
    saving_job_start(&report);
    settle_within(SHORT_US);
    saved_is_due(&pace, (double)tsc_elapsed_us() / 1e6);
}

void saving_when_due(void)
{
    saving_poll();
    if (!is_on || !has_started || has_finished || is_at_work)
        return;
    if ((last_pass == state->pass && strcmp(last_test, state->test) == 0) ||
        !saved_is_due(&pace, (double)tsc_elapsed_us() / 1e6))
        return;
    string_copy(last_test, state->test, sizeof(last_test));
    last_pass = state->pass;
    complete_state();
    is_at_work = true;
    saving_job_state(&report);
    settle_within(SHORT_US);
}
