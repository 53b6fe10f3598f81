// SPDX-License-Identifier: MIT
#include "saver/saving.h"

#include "arch/tsc.h"
#include "cpus/cpu_pool.h"
#include "lib/warn.h"
#include "machine/uefi_runtime.h"
#include "verdict/advice_emit.h"
#include "event/events.h"
#include "event/notices.h"
#include "event/trace.h"
#include "guardlist/guard_list.h"
#include "lib/fmt.h"
#include "lib/string.h"
#include "machine/board.h"
#include "machine/machine.h"
#include "memory/sign_key.h"
#include "report/saved_report.h"
#include "saved/saved_write.h"
#include "saver/saving_job.h"

static void warn_of_list(const struct saving_failure *f, const char *why, const struct warnings *to)
{
    if (f->list_status == UEFI_SUCCESS)
        warn_print(to,
                   "the list of bad pages for the guard takes %lu bytes or more, too many for "
                   "UEFI's store of variables, which has %lu bytes left: it is not kept there",
                   f->list_bytes, f->list_remaining);
    else
        warn_print(to,
                   "UEFI's SetVariable %s: the list of bad pages for the guard, %lu bytes, is not "
                   "kept in a variable",
                   why, f->list_bytes);
}

/*
 * One warning for the guard's list, and one for the rest, if they failed. list_why and why: how the
 * call of their service ended, as uefi_append_status says it.
 */
static void saving_warn(const struct saving_failure *f, const char *list_why, const char *why,
                        const struct warnings *to)
{
    static const char *const lost[] = {
        [SAVING_REPORT] = "the report is not kept in UEFI variables from now on",
        [SAVING_REST] = "the verdict is kept in UEFI variables, but not the rest of the report",
        [SAVING_DUMP] = "the short report for Linux's pstore is not kept",
        [SAVING_BOOT_NEXT] = "the next start follows the boot order",
    };
    const char *old = f->has_old          ? "; the one there is of an earlier run"
                      : f->old_is_deleted ? "; the one of an earlier run is deleted"
                                          : "";

    if (f->list_bytes)
        warn_of_list(f, list_why, to);
    if (f->service)
        warn_print(to, "UEFI's %s %s: %s%s", f->service, why, lost[f->step], old);
    else if (f->is_lost)
        warn_print(to, "the CPU that writes UEFI variables is lost: %s%s", lost[f->step], old);
    else if (f->is_late)
        warn_print(to, "UEFI takes more than %lu s to write variables: %s%s",
                   (unsigned long)(SAVING_LIMIT_US / 1000000), lost[f->step], old);
    else if (f->external.text[0])
        warn_print(to,
                   "the UEFI variable %s is not okram's: it stays, and the report is not kept "
                   "in UEFI variables%s",
                   f->external.text, old);
    else if (f->is_full)
        warn_print(to,
                   "UEFI's store of variables has %lu bytes left: the report is not kept there%s",
                   f->remaining, old);
    else if (f->is_cut)
        warn_print(to,
                   "UEFI's store of variables has %lu bytes left: the report there is incomplete",
                   f->remaining);
    else if (f->cut_at.text[0])
        warn_print(to,
                   "the UEFI variable %s is not okram's: it stays, and the report in the variables "
                   "before it is incomplete",
                   f->cut_at.text);
    else if (f->is_long)
        warn_print(to,
                   "the report in UEFI variables is shortened to what matters most: it may take "
                   "up to 15 KiB there");
    else if (f->slow_s)
        warn_print(
            to, "UEFI takes %lu s to write a variable: the report in its variables is incomplete",
            f->slow_s);
}

/* Longer than most firmware takes to write a few variables. */
#define SHORT_US 200000

static void note(struct saver *s, const struct event *e)
{
    saved_state_receive(&s->report.state, &s->testable_bytes, e);
    if (e->type != EVENT_RESULT)
        return;
    s->is_whole_pass = e->result.verdict == VERDICT_PASS && e->result.complete &&
                       !e->result.part_of_bytes && !e->result.hole_pages;
    s->has_result = true;
}

static void complete_state(struct saver *s)
{
    saved_state_set_time(&s->report.state, s->report.started,
                         (uint32_t)(tsc_elapsed_us() / 1000000));
    s->report.state.cpus = machine.n_online;
    saved_report_complete(&s->events);
}

/* After this nothing more is written, unless only the store's room or the time was too short. */
static void warn_of(struct saver *s, const struct saving_failure *f)
{
    char list_why[96], why[96];
    struct fmt_buffer of_list = fmt_buffer_make(list_why, sizeof(list_why));
    struct fmt_buffer of_rest = fmt_buffer_make(why, sizeof(why));

    uefi_append_status(&of_list, f->list_status);
    uefi_append_status(&of_rest, f->status);
    saving_warn(f, list_why, why, &notices);
    s->is_on = !f->service && !f->is_lost && !f->is_late && !f->external.text[0] && !f->is_full;
}

void saving_poll(struct saver *s)
{
    struct saving_outcome outcome;
    bool is_over = s->is_at_work && saving_job_is_over(&outcome);

    trace_send_queued();
    if (!is_over)
        return;
    s->is_at_work = false;
    s->is_kept |= outcome.is_kept;
    s->has_list = outcome.has_list;
    warn_of(s, &outcome.failure);
}

static void settle_within(struct saver *s, const struct cpu_poll *poll, uint64_t us)
{
    uint64_t end = tsc_elapsed_us() + us;

    for (saving_poll(s); s->is_at_work && tsc_elapsed_us() < end; saving_poll(s)) {
        cpu_poll(poll);
        cpu_pool_wait(0);
    }
}

void saving_wait(struct saver *s, const struct cpu_poll *poll)
{
    settle_within(s, poll, UINT32_MAX);
}

uint32_t saving_busy_cpu(void)
{
    return cpu_pool_detached();
}

/* made: seconds since 1970; 0: unknown. */
static struct guard_new guard_list_from_log(const struct fault_log *log, int64_t made)
{
    static uint8_t bytes[GUARD_NEW_MAX];
    struct guard_writer writer = guard_writer_begin(bytes, sizeof(bytes));
    uint64_t index = 0, n_pages = 0;
    struct page_run run;
    size_t n;

    while (fault_log_next_run(log, &index, &run)) {
        guard_writer_add(&writer, (struct guard_run){ run.first, run.count });
        n_pages += run.count;
    }
    n = n_pages ? guard_writer_end(&writer, &board.fingerprint, made) : 0;
    if (n && sign_key())
        guard_list_sign(bytes, sign_key());
    return (struct guard_new){ .bytes = bytes, .n = n, .n_pages = n_pages };
}

/*
 * A list is out of date when all memory is tested and no page is bad. In the course of the run,
 * too: the log may be read while others add to it (log/fault_log.h).
 */
static void complete_list(struct saver *s, const struct fault_log *log)
{
    int64_t seconds = (int64_t)(tsc_elapsed_us() / 1000000);

    s->report.list = guard_list_from_log(log, s->report.started ? s->report.started + seconds : 0);
    s->report.delete_old_list = !s->report.list.n_pages && s->tests_all && s->is_whole_pass;
}

static void tell(const struct saver *s, enum kept_phase phase)
{
    events_send(&(struct event){
        .type = EVENT_REPORT_SAVED,
        .kept = {
            .phase = phase,
            .keys_wait = machine.n_online == 1,
            .boots_okram = s->after == OPTION_AFTER_STAY ||
                           (s->after == OPTION_AFTER_AUTO && !s->reboots),
        },
    });
}

/* With the guard's list, so that the advice of the whole report names none that is not there. */
static void keep_verdict(struct saver *s, const struct run *run)
{
    if (s->is_on) {
        complete_list(s, &run->found.log);
        complete_state(s);
        s->is_at_work = true;
        saving_job_verdict(&s->report);
        saving_wait(s, &run->poll);
    }
    advice_emit_as_kept(s->is_kept, s->has_list);
}

bool saving_keeps(const struct saver *s)
{
    return s->is_on && s->has_started;
}

void saving_finish(struct saver *s, const struct run *run)
{
    if (!s->is_on || !s->has_started)
        return;
    s->report.set_boot_next |= cycles_follow(&run->options.cycles);
    tell(s, KEPT_BEGUN);
    saving_wait(s, &run->poll);
    keep_verdict(s, run);
    if (s->is_on) {
        complete_state(s);
        s->is_at_work = true;
        saving_job_finish(&s->report);
        saving_wait(s, &run->poll);
    }
    tell(s, s->is_kept ? KEPT_DONE : KEPT_FAILED);
}

void saving_set_boot_next(struct saver *s, const struct cpu_poll *poll)
{
    if (!s->is_on || !s->is_kept || s->after != OPTION_AFTER_AUTO)
        return;
    s->is_at_work = true;
    saving_job_set_boot_next(&s->report);
    saving_wait(s, poll);
}

static void receive(void *ctx, const struct event *e)
{
    struct saver *s = ctx;

    if (s->has_result && e->type != EVENT_ADVICE)
        return;
    saved_report_receive(&s->events, e);
    note(s, e);
}

void saving_begin(struct saver *s, const struct boot_info *boot, const struct options *options)
{
    s->is_on = options->save && boot->firmware == BOOT_UEFI && boot->efi_system_table;
    if (!s->is_on)
        return;
    s->after = options->after;
    s->reboots = options->exit == OPTION_EXIT_REBOOT;
    s->report.set_boot_next = s->after == OPTION_AFTER_STAY;
    s->tests_all = !options->n_ranges && options->nodes.all;
    s->report.lines = &s->events.lines;
    saved_report_init(&s->events);
    s->report.started = board.started;
    events_send_to(receive, s, true);
}

static bool is_due(struct saver *s)
{
    return saved_is_due(&s->pace, (double)tsc_elapsed_us() / 1e6,
                        s->report.state.faults || s->report.state.bad_pages);
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

void saving_start(struct saver *s, const struct cpu_poll *poll)
{
    if (!s->is_on)
        return;
    if (!uefi_runtime_has(UEFI_SET_VARIABLE) || !uefi_runtime_has(UEFI_GET_VARIABLE) ||
        !uefi_runtime_has(UEFI_QUERY_VARIABLE_INFO)) {
        s->is_on = false;
        notice("%s: the report is not kept in UEFI variables", why_no_variables());
        return;
    }
    string_copy(s->report.state.board, board.name, sizeof(s->report.state.board));
    s->report.state.ram_bytes = machine.ram_bytes;
    complete_state(s);
    s->is_at_work = s->has_started = true;
    saving_job_start(&s->report);
    settle_within(s, poll, SHORT_US);
    is_due(s);
}

void saving_when_due(struct saver *s, const struct run *run)
{
    saving_poll(s);
    if (!s->is_on || !s->has_started || s->has_result || s->is_at_work || !is_due(s))
        return;
    complete_list(s, &run->found.log);
    complete_state(s);
    s->is_at_work = true;
    saving_job_state(&s->report);
    settle_within(s, &run->poll, SHORT_US);
}
