// SPDX-License-Identifier: MIT
#include "self/move.h"

#include <stdatomic.h>

#include "arch/cpu.h"
#include "arch/move.h"
#include "arch/nmi.h"
#include "arch/paging.h"
#include "arch/tsc.h"
#include "boot/boot_info.h"
#include "cpus/cpu_pool.h"
#include "cpus/smp.h"
#include "event/notices.h"
#include "event/trace.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "machine/machine.h"
#include "mce/mca.h"
#include "memory/sign_key.h"
#include "plan/lost_cpus.h"
#include "plan/share.h"
#include "self/new_place.h"
#include "self/unsteady.h"
#include "self/self_check.h"

#define PARK_TIMEOUT_US UINT64_C(5000000)
/* For how long a copy that an NMI's handler changed is made again. */
#define NMI_PATIENCE_US UINT64_C(2000000)

/*
 * A move. The boot CPU writes it before all CPUs are called; those that wait read `go`, and count
 * themselves. In the image, so that its place in the old memory is known.
 */
static struct move {
    _Atomic uint32_t parked; /* CPUs that wait, which are all but the boot CPU */
    volatile uint64_t go;    /* the CR3 with which they go on */
    struct footprint *from, to;
    struct move_run *run;
    size_t n_runs, max_runs;
    struct paging_roots old_roots, new_roots;
    enum status status;
    uint64_t differs;              /* the physical address of what was not copied correctly */
    struct unsteady_word original; /* the same word where it was copied from; address 0: unknown */
    struct footprint was[2];       /* where okram was before the last two moves, used in turn */
    bool given_up;
} current;

void move_prepare(const struct plan *plan)
{
    struct move *m = &current;

    footprint_make(&m->was[0]);
    footprint_make(&m->was[1]);
    footprint_make(&m->to);
    new_place_prepare(plan);
    m->max_runs = 2 * (footprint_runs() + UNSTEADY_MAX);
    m->run = arena_alloc(m->max_runs * sizeof(*m->run));
}

/* Where one of okram's own pages will be. */
static uint64_t new_address(uint64_t phys)
{
    uint64_t offset;

    if (page_list_offset(&current.from->data, phys, &offset) == STATUS_OK)
        return page_list_at(&current.to.data, offset).base;
    ASSERT(page_list_offset(&current.from->tables, phys, &offset) == STATUS_OK);
    return page_list_at(&current.to.tables, offset).base;
}

/* What is copied where, cut where either place has a gap, or an unsteady page begins or ends. Page
 * tables are cloned. */
static void list_runs(struct move *m)
{
    uint64_t done = 0;

    for (m->n_runs = 0; done < m->from->data.bytes; m->n_runs++) {
        ASSERT(m->n_runs < m->max_runs);
        struct span from = page_list_at(&m->from->data, done), to = page_list_at(&m->to.data, done);
        struct unsteady_part part =
            unsteady_cut((struct span){ from.base, min_u64(from.size, to.size) });

        m->run[m->n_runs] =
            (struct move_run){ direct(to.base), direct(from.base), part.bytes, part.is_unsteady };
        done += part.bytes;
    }
}

/* Where `go` is in the old place: the others read it until they leave. */
static volatile uint64_t *old_go(const struct move *m)
{
    uint64_t offset = (uint64_t)&m->go - BOOT_KERNEL_VIRT; /* the image is first */

    return direct(page_list_at(&m->from->data, offset).base);
}

static bool all_parked(struct move *m)
{
    uint64_t deadline = tsc_now() + tsc_from_us(PARK_TIMEOUT_US);

    while (atomic_load(&m->parked) < machine.n_online - 1) {
        if (tsc_now() >= deadline)
            return false;
        cpu_relax();
    }
    return true;
}

static void note_difference(struct move *m, struct move_difference d)
{
    m->differs = (uint64_t)d.copy - DIRECT_BASE;
    for (size_t i = 0; i < m->n_runs; i++) {
        const struct move_run *run = &m->run[i];
        uint64_t offset = (uint64_t)d.copy - (uint64_t)run->to;

        if (offset < run->bytes)
            m->original = (struct unsteady_word){ (uint64_t)run->from + offset - DIRECT_BASE,
                                                  *d.copy, d.original };
    }
}

/* The boot CPU's part, while the others are parked. */
static void switch_to_copy(struct move *m)
{
    struct move_difference difference;

    if (!all_parked(m)) {
        m->status = STATUS_TIMEOUT;
        m->go = m->old_roots.others; /* for good: late CPUs go on at once */
        return;
    }
    difference =
        move_copy(m->run, m->n_runs, m->new_roots.boot_cpu, m->new_roots.others, old_go(m));
    if (difference.copy) {
        note_difference(m, difference);
        sign_key_wipe_in(&m->to.data);
        m->status = STATUS_INVALID;
        m->go = m->old_roots.others;
        return;
    }
    paging_moved(m->new_roots);
    arena_moved(&m->to);
    sign_key_wipe_in(&m->from->data);
    m->status = STATUS_OK;
}

static void take_step(void *ctx, uint32_t cpu)
{
    struct move *m = ctx;

    if (cpu == 0)
        switch_to_copy(m);
    else
        move_park((uint32_t *)&m->parked, &m->go);
}

static enum status try_place(struct move *m)
{
    m->original.addr = 0;
    if (paging_clone(new_address, &m->new_roots, &m->differs) != STATUS_OK)
        return STATUS_INVALID;
    list_runs(m);
    m->old_roots = paging_roots();
    atomic_store(&m->parked, 0);
    m->go = 0;
    mca_defer(true);
    cpu_pool_run_watched(machine.online, machine.n_online,
                         (struct cpu_pool_job){ take_step, m, NULL });
    mca_defer(false);
    return m->status;
}

static void warn_once(const struct move *m, enum status status)
{
    static bool warned;

    if (warned)
        return;
    warned = true;
    if (status == STATUS_NOT_FOUND)
        warn_print(
            &notices,
            "no fault-free block of %lu KiB for okram to move to: the memory it uses is not tested",
            (unsigned long)((m->from->data.bytes + m->from->tables.bytes) >> 10));
    else if (status == STATUS_TIMEOUT)
        warn_print(
            &notices,
            "okram cannot move: a CPU did not respond in time; the memory it uses is not tested");
    else
        warn_print(
            &notices,
            "okram cannot move: its copy at 0x%lx differs from the original; the memory it uses "
            "is not tested",
            (unsigned long)m->differs);
}

/* Memory was at fault, in the new place or the old one. */
static void warn_of_spoiled(const struct move *m)
{
    static bool warned;

    if (warned)
        return;
    warned = true;
    notice("a copy of okram at 0x%lx differed from the original: okram moved to another place",
           m->differs);
}

/* What has changed in memory must not be copied along, and is found elsewhere. */
static enum status find_and_try(struct move *m, struct new_place_request request)
{
    enum status status = new_place_find(m->from, request, &m->to);

    if (status != STATUS_OK)
        return status;
    self_check_all(&request.shares->found->log);
    return try_place(m);
}

static uint64_t handlers_run(void)
{
    return nmi_count() + mca_deferred();
}

/* Handlers of NMIs and machine checks write to okram's memory: then memory is not at fault. */
static enum status find_and_try_between_nmis(struct move *m, struct new_place_request request)
{
    uint64_t deadline = tsc_now() + tsc_from_us(NMI_PATIENCE_US), before;
    enum status status;

    do {
        before = handlers_run();
        status = find_and_try(m, request);
    } while (status == STATUS_INVALID && handlers_run() != before && tsc_now() < deadline);
    return status;
}

/* Of an attempt, which began then. */
static void tell(const struct move *m, enum status status, uint64_t began)
{
    static const char *const states[] = {
        [STATUS_OK] = "moved",
        [STATUS_NOT_FOUND] = "no place",
        [STATUS_INVALID] = "copy differs",
        [STATUS_TIMEOUT] = "late CPU",
    };

    trace_send(&(struct event_trace){
        .what = OPTION_TRACE_MOVES,
        .state = states[status],
        .from = page_list_at(&m->from->data, 0).base,
        .to = status == STATUS_NOT_FOUND ? 0 : page_list_at(&m->to.data, 0).base,
        .bytes = m->from->data.bytes + m->from->tables.bytes,
        .seconds = (double)(tsc_now() - began) / (double)tsc_hz(),
    });
}

/* A CPU that firmware's code does not give back runs with okram's page tables, and on its stack. */
static bool may_move(void)
{
    return !current.given_up && !smp_has_stray();
}

static enum status move(struct move *m, struct mover mover, struct new_place_request request)
{
    enum status status = STATUS_INVALID;
    size_t n_spoiled = 0;

    if (!may_move())
        return STATUS_TIMEOUT;
    request.shares = mover.shares;
    request.unpaired = mover.unpaired;
    request.poll = mover.poll;
    m->from = m->from == &m->was[0] ? &m->was[1] : &m->was[0];
    if (footprint_copy(m->from, arena_footprint()) != STATUS_OK)
        status = STATUS_NOT_FOUND;
    new_place_begin();
    while (status == STATUS_INVALID && n_spoiled < NEW_PLACE_REJECTED_MAX) {
        uint64_t began = tsc_now();

        status = find_and_try_between_nmis(m, request);
        tell(m, status, began);
        if (status == STATUS_INVALID && !unsteady_note(m->original)) {
            new_place_reject_page(align_down(m->differs, PAGE_SIZE));
            n_spoiled++;
        }
        if (status == STATUS_TIMEOUT && lost_cpus_any()) {
            lost_cpus_drop(mover.shares); /* a lost CPU uses no page tables: the others can go */
            status = STATUS_INVALID;
        }
    }
    if (status == STATUS_OK)
        unsteady_moved();
    if (status == STATUS_OK && n_spoiled)
        warn_of_spoiled(m);
    m->given_up = status == STATUS_TIMEOUT;
    return status;
}

enum status move_away(struct mover mover, const struct footprint *avoid,
                      const struct footprint **ret_left)
{
    enum status status =
        move(&current, mover,
             (struct new_place_request){ .outside = !plan_includes_arena(mover.shares->plan),
                                         .avoid = &avoid,
                                         .n_avoid = avoid ? 1 : 0 });

    if (status == STATUS_OK)
        *ret_left = current.from;
    else if (!avoid)
        warn_once(&current, status);
    return status;
}

enum status move_choose(struct mover mover, const struct footprint *const *avoid, size_t n,
                        struct footprint *ret)
{
    struct new_place_request request = { mover.shares,   mover.unpaired, mover.poll,
                                         .avoid = avoid, .n_avoid = n,   .for_later = true };

    if (!may_move())
        return STATUS_TIMEOUT;
    new_place_begin();
    return new_place_find(arena_footprint(), request, ret);
}

enum status move_to(struct mover mover, const struct footprint *place,
                    const struct footprint **ret_left)
{
    enum status status = move(&current, mover, (struct new_place_request){ .exactly = place });

    if (status == STATUS_OK)
        *ret_left = current.from;
    return status;
}

void move_out_of_range(struct mover mover)
{
    if (plan_includes_arena(mover.shares->plan) &&
        move(&current, mover, (struct new_place_request){ .outside = true }) == STATUS_OK)
        share_main(mover.shares);
}
