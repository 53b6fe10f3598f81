// SPDX-License-Identifier: MIT
#include "ecc/mce_emit.h"

#include "arch/nmi.h"
#include "cpus/cpu_pool.h"
#include "ecc/ecc.h"
#include "event/events.h"
#include "event/notices.h"
#include "faults/cpu_evidence.h"
#include "log/fault_log.h"
#include "machine/machine.h"
#include "mce/mca.h"
#include "mce/error_count.h"
#include "memory/arena.h"

static struct mce_count counts;
static uint8_t reasons_sent;
static uint64_t uncorrected_elsewhere; /* machine checks that are not of memory */
static bool begun;                     /* there is a fault log */
static struct mca_record sending;
static _Atomic bool is_sending; /* the queue's first record is being sent: a panic may interrupt */
static struct {
    void (*hear)(void *ctx, const struct mca_record *record);
    void *ctx;
} listener;

/*
 * Only memory under test holds nothing that is needed. Under test is what any test of the run
 * tests, because what is tested now may be about to change. Just after a move the plan may still
 * include okram's new place.
 */
static bool is_under_test(const void *ctx, uint64_t phys)
{
    const struct plan *plan = ctx;

    if (footprint_holds(arena_footprint(), phys))
        return false;
    for (size_t i = 0; i < plan->ram.n; i++) {
        if (span_contains(plan->ram.piece[i].span, phys))
            return !plan->ram.piece[i].why;
    }
    return false;
}

static void send(const struct mca_record *r)
{
    char channel[ECC_CHANNEL_SIZE];

    ecc_channel_name(r, channel);
    events_send(&(struct event){
        .type = EVENT_MCE,
        .mce = {
            .cpu = r->cpu,
            .bank = r->bank,
            .status = r->status,
            .addr = r->addr,
            .has_addr = r->has_addr,
            .corrected = r->corrected,
            .is_memory = r->is_memory,
            .of_memory = r->of_memory,
            .channel = channel[0] ? channel : NULL,
            .count = r->count,
        },
    });
}

static void warn_of_old(const struct mca_record *r)
{
    char addr[48] = "no address";
    struct fmt_buffer b = fmt_buffer_make(addr, sizeof(addr));

    if (r->has_addr)
        fmt_append(&b, "address 0x%lx", r->addr);
    notice("%s machine check from before okram started: cpu %u, bank %u, status 0x%lx, %s",
           r->corrected ? "corrected" : "uncorrected", r->cpu, r->bank, r->status, addr);
}

static void handle(struct fault_log *log, const struct mca_record *r)
{
    if (r->from_before) {
        warn_of_old(r);
        return;
    }
    if (r->is_memory)
        fault_log_mark_page(log, r->addr);
    ecc_add_machine_check(log, r);
    cpu_evidence_machine_check(r);
    if (listener.hear)
        listener.hear(listener.ctx, r);
    if (!r->of_memory && !r->corrected)
        uncorrected_elsewhere += r->count;
    if (!mce_count_add(&counts, r, &sending))
        return;
    is_sending = true;
    send(&sending);
    is_sending = false;
}

static void drain(struct fault_log *log, bool skip)
{
    struct mca_record r;

    while (mca_next(skip, &r)) {
        handle(log, &r);
        mca_done();
    }
}

static void emit_reasons(struct fault_log *log)
{
    uint8_t news;

    nmi_poll();
    news = nmi_reasons() & ~reasons_sent;
    reasons_sent |= news;
    if (news & NMI_PARITY) {
        notice("the chipset reports a parity or system error (port 0x61, bit 7): it "
               "counts as an uncorrected error of memory");
        ecc_add(log, &(struct ecc_error){ .count = 1, .channel = "" });
    }
    if (news & NMI_IO_CHECK)
        notice("an I/O card reports an error (port 0x61, bit 6)");
}

void mce_emit_rest(struct fault_log *log)
{
    if (!begun)
        return;
    if (is_sending) {
        is_sending = false;
        send(&sending);
        mca_done();
    }
    drain(log, true);
}

void mce_emit_begin(const struct plan *plan, struct fault_log *log)
{
    begun = true;
    mca_set_is_free(is_under_test, plan);
    mce_emit_poll(log);
}

void mce_emit_set_listener(void (*hear)(void *ctx, const struct mca_record *record), void *ctx)
{
    listener.hear = hear;
    listener.ctx = ctx;
}

void mce_emit_poll(struct fault_log *log)
{
    if (!begun)
        return;
    drain(log, false);
    emit_reasons(log);
}

static void look_at_banks(void *ctx, uint32_t cpu)
{
    mca_poll_now();
}

/* A CPU in firmware, which is the last one, polls its banks when it returns. */
void mce_emit_collect(struct fault_log *log)
{
    uint32_t n = machine.n_online - (cpu_pool_detached() != 0);

    cpu_pool_run_watched(machine.online, n, (struct cpu_pool_job){ .work = look_at_banks });
    mce_emit_poll(log);
}

void mce_emit_finish(struct fault_log *log)
{
    struct mca_record r;

    mce_emit_poll(log);
    /*
     * A record that is not filled yet never will be: its CPU was lost, or okram has moved away from
     * it.
     */
    drain(log, true);
    while (mce_count_next_unsent(&counts, &r))
        send(&r);
    if (counts.uncounted || mca_lost())
        notice("%lu more machine checks than can be listed",
               (unsigned long)(counts.uncounted + mca_lost()));
    if (uncorrected_elsewhere)
        notice("%lu uncorrected machine check%s not of memory: the CPU, its caches or the board "
               "may be faulty",
               uncorrected_elsewhere, uncorrected_elsewhere == 1 ? " is" : "s are");
    if (nmi_count())
        notice("%lu NMIs during the run: ignored", nmi_count());
}
