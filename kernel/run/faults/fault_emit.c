// SPDX-License-Identifier: MIT
#include "faults/fault_emit.h"

#include "arch/tsc.h"
#include "faults/channels.h"
#include "faults/cpu_evidence.h"
#include "event/events.h"
#include "event/notices.h"
#include "event/stop.h"
#include "external/low_memory.h"
#include "faults/reporter.h"
#include "lib/minmax.h"
#include "machine/machine.h"
#include "self/own_aliases.h"

#define OWN_MEMORY "own memory" /* instead of the name of a test */

#define EXTERNAL_RECORDS 1000

static const char *name_of(const struct run *run, uint32_t test)
{
    const struct test_list *tests = &run->selection.tests;

    return test < tests->n_tests ? tests->test[test].name : "";
}

static void send_fault(const struct run *run, const struct fault *f)
{
    struct event e = { .type = EVENT_FAULT };

    e.fault = (struct event_fault){
        .addr = f->addr,
        .expected = f->expected,
        .found = f->found,
        .test = name_of(run, f->test),
        .pass = f->pass,
        .cpu = f->cpu,
        .node = f->node,
        .channel = channels_of(f->addr),
        .place = channels_place_of(f->addr),
        .heat = heat_unpack(f->heat),
    };
    events_send(&e);
}

#define MEANING                                                                                      \
    "a fault garbles 16 bytes at once, so bits are not shown, and what a device writes counts as a " \
    "fault if it looks random"

void fault_emit_begin(struct external *external)
{
    switch (machine.encryption) {
    case ENCRYPTION_TME:
        external_set_encrypted(external);
        notice("memory is encrypted (TME): " MEANING);
        break;
    case ENCRYPTION_SME:
        notice("memory encryption (SME) is on for pages that ask for it: okram's do "
               "not, so it does not hide which bits are faulty");
        break;
    default: break;
    }
}

/* That memory is encrypted, as faults have shown. */
static void warn_of_look(const struct external *external)
{
    static bool warned;

    if (warned || machine.encryption == ENCRYPTION_TME || !external_is_encrypted(external))
        return;
    warned = true;
    notice("memory looks encrypted, though the CPU does not say so (AMD's TSME): "
           "whole blocks of 16 bytes are wrong; " MEANING);
}

void fault_emit(struct run *run, uint64_t max_us)
{
    uint64_t deadline = tsc_now() + tsc_from_us(max_us);
    struct fault f;

    warn_of_look(&run->found.external);
    while (fault_log_drain(&run->found.log, &f)) {
        send_fault(run, &f);
        if (tsc_now() > deadline)
            return;
    }
}

static void send_external_word(const struct run *run, const struct low_change *c)
{
    static uint32_t n_sent;

    if (n_sent++ >= EXTERNAL_RECORDS)
        return;
    events_send(&(struct event){
        .type = EVENT_EXTERNAL,
        .external = {
            .addr = c->addr,
            .expected = c->expected,
            .found = c->found,
            .test = name_of(run, c->place.test),
            .pass = c->place.pass,
            .cpu = c->place.cpu,
        },
    });
}

/* Sends each line by the first word that differs. */
static void send_external_line(const struct run *run, const struct external_line *line)
{
    static bool warned;
    size_t i = 0;

    while (line->expected.word[i] == line->found.word[i])
        i++;
    if (!warned)
        notice("0x%lx was written by a device or by firmware while it was tested: not counted as a "
               "fault unless its page is written three times",
               line->phys);
    warned = true;
    send_external_word(run, &(struct low_change){ line->phys + i * sizeof(uint64_t),
                                                  line->expected.word[i], line->found.word[i],
                                                  line->place });
}

static void send_low_change(const struct run *run, const struct low_change *change)
{
    static bool warned;

    if (!warned)
        notice("0x%lx changed while it was tested, and not when it was tested again: below 1 "
               "MiB firmware may write, so it is not counted as a fault; lowmem=test counts it",
               change->addr);
    warned = true;
    send_external_word(run, change);
}

/* Room for all pages; too much for a stack. */
static struct {
    struct low_retest retest;
    struct low_change change[LOW_RETEST_MAX];
    struct low_word word[LOW_RETEST_MAX];
    size_t n;
} low;

static void take_changes(struct low_memory *memory)
{
    low.n = 0;
    memory->round++;
    while (low.n < LOW_RETEST_MAX && low_memory_drain(memory, &low.change[low.n])) {
        low.word[low.n].addr = low.change[low.n].addr;
        low.n++;
    }
}

/* The pages of a piece, but those given up as aliases: they may be okram's own cells. */
static void add_pages(const struct aliases *aliases, struct low_retest *r, struct span tested)
{
    uint64_t end = min_u64(span_end(tested), PLAN_LOW_END);

    for (uint64_t at = tested.base, next; at < end && r->n_slices < LOW_RETEST_MAX; at = next) {
        next = min_u64(align_down(at, PAGE_SIZE) + PAGE_SIZE, end);
        if (!aliases_has_page(aliases, at))
            r->slice[r->n_slices++] = share_slice((struct span){ at, next - at });
    }
}

static void list_memory(const struct run *run, struct low_retest *r)
{
    const struct pieces *ram = &run->plan.ram;

    r->ops = run->selection.ops;
    r->has_clflushopt = machine.cpu.clflushopt;
    r->n_slices = 0;
    for (size_t i = 0; i < ram->n; i++) {
        if (!ram->piece[i].why)
            add_pages(&run->found.aliases, r, ram->piece[i].span);
    }
}

/* Whether it comes again: in a test of all this memory, in the tests, or in a search in its page.
 */
static bool is_low_fault(struct run *run, const struct low_change *change,
                         const struct low_word *word)
{
    if (low_comes_again(&run->found.low, change) || word->wrong_bits)
        return true;
    cpu_poll(&run->poll);
    return !stop_is_requested() && low_may_search(&run->found.low, change->addr) &&
           low_page_fails(&low.retest, change->addr);
}

/*
 * After a round, all other CPUs idle: tests memory below 1 MiB again if anything has changed there
 * (external/low_memory.h); it holds any data then. Logs faults, and sends what firmware wrote.
 */
static void judge_low(struct run *run)
{
    take_changes(&run->found.low);
    if (!low.n)
        return;
    list_memory(run, &low.retest);
    low_retest(&low.retest, low.word, low.n);
    for (size_t i = 0; i < low.n; i++) {
        const struct low_change *change = &low.change[i];

        if (is_low_fault(run, change, &low.word[i]))
            reporter_log_word(run, change->place, change->addr, change->expected, change->found);
        else
            send_low_change(run, change);
    }
}

/* Pages that share cells with okram's own are given up before they are written to. */
static void guard_low(struct run *run, uint32_t pass)
{
    for (size_t i = 0; i < run->plan.ram.n; i++) {
        struct span s =
            span_intersect(run->plan.ram.piece[i].span, (struct span){ 0, PLAN_LOW_END });

        if (s.size && !run->plan.ram.piece[i].why)
            own_aliases_guard_span(&run->shares, s, &run->poll);
    }
    fault_emit_own_aliases(run, pass);
}

static void count_low(void)
{
    for (size_t i = 0; i < low.retest.n_slices; i++) {
        const struct slice *s = &low.retest.slice[i];

        cpu_evidence_swept(0, (struct span){ s->phys, s->n_lines * LINE_SIZE }, LOW_SCAN_OPS, true);
    }
}

void fault_emit_low(struct run *run, struct test_place place, unsigned scans)
{
    struct external_place at = { .test = place.test, .pass = place.pass };

    if (!run->plan.tolerate_low_changes)
        return;
    guard_low(run, place.pass);
    for (; scans && !stop_is_requested() && !aliases_hold_any(&run->found.aliases); scans--) {
        cpu_poll(&run->poll);
        list_memory(run, &low.retest);
        if (!low_scan(&low.retest, &run->found.low, at))
            return;
        count_low();
        judge_low(run);
    }
}

static struct line *line_at(uint64_t phys)
{
    return share_slice((struct span){ phys, sizeof(struct line) }).virt;
}

static bool is_bad(void *ctx, uint64_t phys)
{
    const struct run *run = ctx;

    return fault_log_is_bad(&run->found.log, phys);
}

/* Lines that are kept, but damaged, are bad pages themselves. */
static void mark_damaged(struct found *found)
{
    uint64_t phys;

    while (external_take_damaged(&found->external, &phys))
        fault_log_mark_page(&found->log, phys);
}

static void judge_lines(struct run *run, bool (*wait)(void *run, uint64_t us))
{
    const struct external_judge judge = {
        .ops = run->selection.ops,
        .has_clflushopt = machine.cpu.clflushopt,
        .memory = line_at,
        .is_bad = is_bad,
        .wait = wait,
        .ctx = run,
    };
    struct external *external = &run->found.external;
    struct external_judged judged;

    mark_damaged(&run->found);
    external_judge(external, &judge);
    while (external_take(external, &judged)) {
        if (judged.is_fault)
            reporter_log_line(run, judged.line);
        else if (!judged.is_repeated)
            send_external_line(run, judged.line);
    }
}

void fault_emit_external(struct run *run, bool (*wait)(void *run, uint64_t us))
{
    if (external_any(&run->found.external))
        judge_lines(run, wait);
    judge_low(run);
}

static void send_aliases(struct aliases *aliases, const char *test, uint32_t pass)
{
    struct alias alias;

    while (aliases_drain(aliases, &alias))
        events_send(&(struct event){
            .type = EVENT_ALIAS,
            .alias = { .alias = alias, .test = test, .pass = pass },
        });
}

void fault_emit_aliases(struct run *run, struct test_place place)
{
    send_aliases(&run->found.aliases, run->selection.tests.test[place.test].name, place.pass);
}

void fault_emit_own_aliases(struct run *run, uint32_t pass)
{
    send_aliases(&run->found.aliases, OWN_MEMORY, pass);
}
