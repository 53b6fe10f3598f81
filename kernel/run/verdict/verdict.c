// SPDX-License-Identifier: MIT
#include "verdict/verdict.h"

#include "acpi/non_ram_ranges.h"
#include "arch/tsc.h"
#include "bmc/bmc.h"
#include "verdict/advice_emit.h"
#include "verdict/diagnose.h"
#include "cover/cover_emit.h"
#include "facts/heating.h"
#include "faults/cpu_evidence.h"
#include "ecc/cper_emit.h"
#include "ecc/ecc.h"
#include "ecc/mce_emit.h"
#include "progress/progress.h"
#include "progress/ram_map.h"
#include "event/events.h"
#include "event/notices.h"
#include "firmware/pci_class.h"
#include "firmware/memory_map.h"
#include "interrupt/unexpected.h"
#include "lib/fmt.h"
#include "lib/minmax.h"
#include "machine/board.h"
#include "machine/machine.h"
#include "machine/platform.h"
#include "self/self_check.h"

/* Adds a span; the list is sorted by address. */
static void add_untested(struct event_untested *list, struct event_result *r, struct span span,
                         const char *why)
{
    size_t i = r->n_untested++;

    for (; i > 0 && list[i - 1].span.base > span.base; i--)
        list[i] = list[i - 1];
    list[i] = (struct event_untested){ span, why };
}

static void list_untested(const struct plan *plan, struct event_result *r)
{
    const struct memory_tables tables = platform_memory_tables(&machine.map);
    struct other_memory other;
    size_t at = 0;

    r->untested = plan->untested;
    for (size_t i = 0; i < plan->ram.n; i++) {
        if (plan->ram.piece[i].why)
            add_untested(plan->untested, r, plan->ram.piece[i].span, plan->ram.piece[i].why);
    }
    while (non_ram_ranges_next(&tables, &at, &other))
        add_untested(plan->untested, r, other.span, other.why);
}

static void list_unpaired(struct unpaired *unpaired, struct event_result *r)
{
    const struct spans *list = unpaired_list(unpaired);

    r->unpaired = list->span;
    r->n_unpaired = list->n;
}

static void list_interrupts(struct event_result *r)
{
    static struct unexpected came[UNEXPECTED_MAX];
    static struct event_interrupt interrupts[UNEXPECTED_MAX];

    r->interrupts = interrupts;
    r->n_interrupts = unexpected_list(came);
    for (size_t i = 0; i < r->n_interrupts; i++)
        interrupts[i] = (struct event_interrupt){ came[i].vector, came[i].count, came[i].what };
}

static void list_tests_ended(const struct test_list *tests, struct event_result *r, uint32_t ended)
{
    static const char *names[TEST_LIST_MAX];

    r->tests = names;
    for (size_t i = 0; i < tests->n_tests; i++) {
        if (ended >> i & 1)
            names[r->n_tests++] = tests->test[i].name;
    }
}

static void list_ecc(struct event_result *r)
{
    const struct ecc_count *ecc = ecc_so_far();

    r->ecc = (struct event_ecc){ ecc->corrected, ecc->uncorrected, ecc->with_page, ecc->channel,
                                 ecc->n_channels };
}

/* A CPU, and one that takes part in the run. */
static bool is_cause(const struct kind_cause_verdict *cause)
{
    return cause->is_known && cause->cause == KIND_CAUSE_CPU &&
           !cpu_evidence_of(cause->cpu)->is_left_out;
}

/* The pages of an alias are bad without a fault; an uncorrected error may have no page. */
static enum leave_code conclude(const struct run *run, struct event_result *r, struct run_done done,
                                const struct kind_cause_verdict *cause)
{
    bool before_a_pass = (r->stopped || r->skipped_tests) && !r->passes;

    if (r->faults || r->bad_pages || r->ecc.uncorrected) {
        r->verdict = VERDICT_FAIL;
        return LEAVE_FAULTY;
    }
    if (self_check_has_internal_error()) {
        r->verdict = VERDICT_ERROR;
        r->reason = is_cause(cause) ? REASON_CPU : REASON_INTERNAL_ERROR;
        return LEAVE_FAILED;
    }
    if (!run->plan.tested_bytes && !before_a_pass) {
        r->verdict = VERDICT_ERROR;
        r->reason = REASON_NOTHING_TESTED;
        r->passes = 0;
        return LEAVE_FAILED;
    }
    if (r->ecc.corrected) {
        r->verdict = VERDICT_CORRECTED;
        return LEAVE_CORRECTED;
    }
    if (before_a_pass) {
        r->verdict = VERDICT_STOPPED;
        list_tests_ended(&run->selection.tests, r, done.tests);
        return LEAVE_UNFINISHED;
    }
    r->verdict = VERDICT_PASS;
    excluded_make(done.reads, done.seconds, &r->excluded);
    return r->complete ? LEAVE_CLEAN : LEAVE_UNFINISHED;
}

/*
 * Hidden pages are not known to be good: they go into the line, but are no faults of this run.
 * Returns how many bad pages that adds.
 */
static uint64_t take_hidden(struct fault_log *log, struct event_result *r)
{
    uint64_t found = fault_log_bad_pages(log);
    struct span span;
    size_t at = 0;

    r->hole_pages = machine.hole_pages;
    r->hidden_pages = hidden_pages(&machine.map, HIDDEN_UNUSABLE);
    while (hidden_next(&machine.map, HIDDEN_UNUSABLE, &at, &span)) {
        for (uint64_t addr = span.base; addr < span_end(span); addr += PAGE_SIZE)
            fault_log_mark_page(log, addr);
    }
    return fault_log_bad_pages(log) - found;
}

/* In the management controller's event log. */
static void log_verdict(const struct event_result *r)
{
    bmc_log(
        &(struct sel_verdict){ verdict_word(r->verdict), r->complete, r->bad_pages, r->passes });
}

#define NAMED_MAX 5
#define LIST_SIZE 240

static void append_master(struct fmt_buffer *b, const struct bus_master *m)
{
    fmt_append(b, "%s%02x:%02x.%u (%s, %04x:%04x)", b->length ? ", " : "", pci_bus(m->function),
               pci_device(m->function), pci_number(m->function), pci_class_name(m->class_code),
               m->id & 0xffff, m->id >> 16);
}

/* Warns which devices may have written to memory under test, if faults or other changes look so. */
static void warn_of_masters(const struct external *external, const struct kind_verdict *verdict)
{
    const struct bus_masters *on = &board.bus_masters;
    size_t named = min_u64(min_u64(on->n, BUS_MASTERS_MAX), NAMED_MAX);
    char list[LIST_SIZE] = "";
    struct fmt_buffer b = fmt_buffer_make(list, sizeof(list));

    if (!on->n || !(verdict->looks_written || external_ever(external)))
        return;
    for (size_t i = 0; i < named; i++)
        append_master(&b, &on->master[i]);
    if (on->n > named)
        fmt_append(&b, ", and %zu more", on->n - named);
    notice("memory changed as if a device had written there; these can, as bus masters that okram "
           "has left on: %s",
           list);
}

/* With cycles=, of all starts together. */
static struct error_rate rate_of(const struct run *run, const struct diagnose_found *found)
{
    struct error_rate rate = progress_error_rate(run);

    if (rate.moved_bytes && run->options.cycles.moved_mb)
        rate = cycles_rate(&run->options.cycles);
    rate.always_bad = found->always;
    return rate;
}

enum leave_code verdict_emit(struct run *run, struct run_done done,
                             const struct diagnose_found *found, const struct diagnose *diagnosis,
                             bool keeps_report)
{
    const struct kind_verdict *verdict = &found->kind;
    struct event e = { .type = EVENT_RESULT };
    struct event_result *r = &e.result;
    struct fault_log *log = &run->found.log;
    struct plan *plan = &run->plan;
    enum leave_code code;
    uint64_t hidden;

    heating_finish(run);
    cover_emit_finalize(run);
    progress_end(run);
    hidden = take_hidden(log, r);
    cover_emit_final(run);
    r->bad_pages = fault_log_bad_pages(log) - hidden;
    r->faults = fault_log_faults(log);
    r->failing_bits = fault_log_failing_bits(log);
    r->rate = rate_of(run, found);
    r->is_encrypted = external_is_encrypted(&run->found.external);
    r->looks_encrypted = r->is_encrypted && machine.encryption != ENCRYPTION_TME;
    tested_end(&run->tested, done.stopped);
    r->tested_bytes = pieces_tested_bytes(&plan->ram);
    r->untested_bytes = pieces_untested_bytes(&plan->ram);
    r->passes = done.passes;
    r->stopped = done.stopped;
    r->skipped_tests = done.skipped_tests;
    r->unseen = board.unseen;
    r->all_tested = tested_is_complete(plan, r->tested_bytes);
    r->complete = r->all_tested && !r->unseen.missing_bytes && !r->hidden_pages;
    if (plan->left_out_bytes > plan->wanted_bytes / 100)
        r->part_of_bytes = plan->wanted_bytes + plan->left_out_bytes;
    r->seconds = (double)tsc_elapsed_us() / 1e6;
    list_untested(plan, r);
    list_unpaired(&run->unpaired, r);
    list_interrupts(r);
    list_ecc(r);
    code = conclude(run, r, done, &verdict->cause);
    if (run->options.sel)
        log_verdict(r);
    ram_map_emit(log);
    warn_of_masters(&run->found.external, verdict);
    advice_emit(run, r, verdict, diagnosis, keeps_report);
    events_send(&e);
    return code;
}
