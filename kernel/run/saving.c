// SPDX-License-Identifier: MIT
#include "run/saving.h"

#include "arch/rtc.h"
#include "arch/tsc.h"
#include "event/events.h"
#include "event/notices.h"
#include "lib/fmt.h"
#include "lib/splitmix.h"
#include "lib/string.h"
#include "machine/machine.h"
#include "report/jsonl.h"
#include "report/text.h"
#include "run/progress.h"
#include "run/saving_job.h"
#include "save/saved_lines.h"
#include "save/saved_write.h"

#define FAULTS_MAX      100
#define TEXT_TIME_WIDTH 13 /* "[    12.345] " (report/text.h) */
#define LINE_BEGIN      "badram="

static bool is_on, has_started, has_finished;
static bool boot_again;
static struct saved_state state;
static struct saved_pace pace;

/* Of the state that was written last. */
static char last_test[sizeof(state.test)];
static uint32_t last_pass;

static struct saved_lines lines;
static struct jsonl json;
static struct text_log text;
static uint32_t n_faults;
static uint64_t testable_bytes;

/* What json or text writes for one event; longer than `bytes`: it does not fit into any report. */
static struct {
    char bytes[SAVED_REPORT_MAX];
    size_t n;
} entry;

static void write_entry(void *ctx, const char *bytes, size_t n)
{
    if (n <= sizeof(entry.bytes) - entry.n)
        memcpy(entry.bytes + entry.n, bytes, n);
    else
        n = sizeof(entry.bytes) + 1; /* and so it stays */
    entry.n += entry.n > sizeof(entry.bytes) ? 0 : n;
}

static const struct writer entry_writer = { .write = write_entry };

/* Rows of a list, which stand under a label, matter less than what the list adds up to. */
static bool is_row(const char *line, size_t n)
{
    return n > TEXT_TIME_WIDTH && line[0] == '[' && line[TEXT_TIME_WIDTH] == ' ';
}

/* The text of one event ends with the badram line, where it is the result's. */
static enum saved_rank rank_of_text(const char *line, size_t n, enum saved_rank rank)
{
    if (n >= sizeof(LINE_BEGIN) && memcmp(line, LINE_BEGIN, sizeof(LINE_BEGIN) - 1) == 0)
        return SAVED_RANK_BADRAM;
    return is_row(line, n) && rank < SAVED_RANK_TEST ? SAVED_RANK_TEST : rank;
}

static void keep_text(const struct event *e, enum saved_rank rank)
{
    size_t begin = 0;

    entry.n = 0;
    text_receive(&text, e);
    for (size_t i = 0; i < entry.n && entry.n <= sizeof(entry.bytes); i++) {
        const char *line = entry.bytes + begin;
        size_t n = i + 1 - begin;

        if (entry.bytes[i] != '\n')
            continue;
        saved_lines_add(&lines, SAVED_TEXT, rank_of_text(line, n, rank), line, n);
        begin = i + 1;
    }
}

static void keep_json(const struct event *e, enum saved_rank rank)
{
    entry.n = 0;
    jsonl_receive(&json, e);
    if (entry.n && entry.n <= sizeof(entry.bytes))
        saved_lines_add(&lines, SAVED_JSON, rank, entry.bytes, entry.n);
}

static void keep_both(const struct event *e, enum saved_rank rank)
{
    keep_json(e, rank);
    keep_text(e, rank);
}

static void collect(const struct event *e)
{
    switch (e->type) {
    case EVENT_START:
    case EVENT_MACHINE:
        keep_both(e, SAVED_RANK_START);
        break;
    case EVENT_RESULT:
        keep_both(e, SAVED_RANK_RESULT);
        break;
    case EVENT_BADRAM:
        if (e->badram.final)
            keep_both(e, SAVED_RANK_BADRAM);
        break;
    case EVENT_TEST:
    case EVENT_ALIAS:
    case EVENT_MCE:
    case EVENT_WARNING:
        keep_both(e, SAVED_RANK_TEST);
        break;
    case EVENT_LINE:
        keep_both(e, SAVED_RANK_LINE);
        break;
    case EVENT_FAULT:
        if (n_faults++ < FAULTS_MAX)
            keep_both(e, SAVED_RANK_FAULT);
        break;
    case EVENT_NODE:
    case EVENT_CACHE:
    case EVENT_BANDWIDTH:
    case EVENT_LATENCY:
    case EVENT_CONTENTION:
    case EVENT_REDUNDANCY:
        keep_both(e, SAVED_RANK_MEASURED);
        break;
    case EVENT_PROGRESS:
        break;
    }
}

static enum saved_verdict verdict_of(const char *status)
{
    static const char *const word[] = {
        [SAVED_PASS] = "pass",
        [SAVED_FAIL] = "fail",
        [SAVED_STOPPED] = "stopped",
        [SAVED_ERROR] = "error",
    };

    for (unsigned i = SAVED_PASS; i <= SAVED_ERROR; i++) {
        if (strcmp(status, word[i]) == 0)
            return (enum saved_verdict)i;
    }
    return SAVED_ERROR;
}

/* What the state says of the run. */
static void note(const struct event *e)
{
    switch (e->type) {
    case EVENT_MACHINE:
        testable_bytes = e->machine.testable_bytes;
        break;
    case EVENT_PROGRESS:
        state.faults = e->progress.faults;
        state.bad_pages = e->progress.bad_pages;
        if (e->progress.test[0]) {
            state.pass = e->progress.pass;
            string_copy(state.test, e->progress.test, sizeof(state.test));
        }
        break;
    case EVENT_TEST:
        state.phase = SAVED_TESTING;
        state.tested_bytes = testable_bytes;
        break;
    case EVENT_RESULT:
        state.phase = SAVED_FINISHED;
        state.verdict = (uint8_t)verdict_of(e->result.status);
        state.tested_bytes = e->result.tested_bytes;
        state.faults = e->result.faults;
        state.bad_pages = e->result.bad_pages;
        break;
    default:
        break;
    }
}

static void complete_state(void)
{
    uint64_t seconds = tsc_elapsed_us() / 1000000;

    state.seconds = (uint32_t)seconds;
    state.written = state.started ? state.started + (int64_t)seconds : 0;
    state.cpus = machine.n_online;
    state.swept_bytes = progress_total_swept();
}

/* One sentence; then nothing more is written. */
static void warn_of(const struct saving_failure *f)
{
    char why[96];
    struct fmt_buffer b = fmt_buffer_make(why, sizeof(why));

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

static void finish(void)
{
    struct saving_failure failure;

    has_finished = true;
    complete_state();
    saving_job_finish(&state, &lines, boot_again, &failure);
    warn_of(&failure);
}

static void receive(const struct event *e)
{
    if (has_finished)
        return;
    collect(e);
    note(e);
    if (e->type == EVENT_RESULT && is_on && has_started)
        finish();
}

static uint64_t fresh_id(int64_t seconds)
{
    return splitmix_mix(tsc_now() ^ splitmix_mix((uint64_t)seconds));
}

void saving_begin(const struct boot_info *boot, const struct options *options)
{
    is_on = options->save && boot->firmware == BOOT_UEFI && boot->efi_system_table;
    if (!is_on)
        return;
    boot_again = options->after == OPTION_AFTER_STAY ||
                 (options->after == OPTION_AFTER_AUTO && options->exit != OPTION_EXIT_REBOOT);
    json = jsonl_make(entry_writer);
    text_init(&text, entry_writer);
    state.started = rtc_seconds();
    state.run_id = fresh_id(state.started);
    state.phase = SAVED_STARTED;
    string_copy(state.okram, OKRAM_VERSION, sizeof(state.okram));
    events_send_to(receive);
}

void saving_start(void)
{
    struct saving_failure failure;

    if (!is_on)
        return;
    if (!uefi_runtime_has(UEFI_SET_VARIABLE) || !uefi_runtime_has(UEFI_GET_VARIABLE) ||
        !uefi_runtime_has(UEFI_QUERY_VARIABLE_INFO)) {
        is_on = false;
        warn_print(&notices, "this UEFI does not let variables be written after boot: the report "
                             "is not kept in them");
        return;
    }
    string_copy(state.board, machine.board, sizeof(state.board));
    state.ram_bytes = machine.ram_bytes;
    complete_state();
    saving_job_start(&state, &failure);
    warn_of(&failure);
    has_started = is_on;
    saved_is_due(&pace, (double)tsc_elapsed_us() / 1e6);
}

void saving_when_due(void)
{
    struct saving_failure failure;

    if (!is_on || !has_started || has_finished)
        return;
    if ((last_pass == state.pass && strcmp(last_test, state.test) == 0) ||
        !saved_is_due(&pace, (double)tsc_elapsed_us() / 1e6))
        return;
    string_copy(last_test, state.test, sizeof(last_test));
    last_pass = state.pass;
    complete_state();
    saving_job_state(&state, &failure);
    warn_of(&failure);
}
