// SPDX-License-Identifier: MIT
#include "self/move.h"

#include <stdatomic.h>

#include "arch/cpu.h"
#include "arch/move.h"
#include "arch/nmi.h"
#include "arch/paging.h"
#include "arch/smp.h"
#include "arch/tsc.h"
#include "boot/boot_info.h"
#include "cpus/cpu_pool.h"
#include "event/notices.h"
#include "event/trace.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "machine/machine.h"
#include "mce/mca.h"
#include "memory/sign_key.h"
#include "plan/lost_cpus.h"
#include "plan/plan.h"
#include "plan/share.h"
#include "self/new_place.h"
#include "self/unsteady.h"
#include "self/upkeep.h"

#define PARK_TIMEOUT_US UINT64_C(5000000)
/* For how long a copy that an NMI's handler changed is made again. */
#define NMI_PATIENCE_US UINT64_C(2000000)

/* How many CPUs wait, which are all but the boot CPU; and the CR3 with which they go on. */
static _Atomic uint32_t parked;
static volatile uint64_t go;

/* A move: written by the boot CPU before all CPUs are called. */
static struct move {
    struct shares *shares;
    struct footprint *from, to;
    struct move_run *run;
    size_t n_runs, max_runs;
    struct paging_roots old_roots, new_roots;
    enum status status;
    uint64_t differs;              /* the physical address of what was not copied correctly */
    struct unsteady_word original; /* the same word where it was copied from; address 0: unknown */
} job;

/* Where okram was before the last two moves, used in turn. */
static struct footprint was[2];

static bool given_up;

void move_prepare(void)
{
    footprint_make(&was[0]);
    footprint_make(&was[1]);
    footprint_make(&job.to);
    new_place_prepare();
    job.max_runs = 2 * (footprint_runs() + UNSTEADY_MAX);
    job.run = arena_alloc(job.max_runs * sizeof(*job.run));
}

/* Where one of okram's own pages will be. */
static uint64_t new_address(uint64_t phys)
{
    uint64_t offset;

    if (page_list_offset(&job.from->data, phys, &offset) == STATUS_OK)
        return page_list_at(&job.to.data, offset).base;
    ASSERT(page_list_offset(&job.from->tables, phys, &offset) == STATUS_OK);
    return page_list_at(&job.to.tables, offset).base;
}

/* What is copied where, cut where either place has a gap, or an unsteady page begins or ends. Page
 * tables are cloned. */
static void list_runs(void)
{
    uint64_t done = 0;

    for (job.n_runs = 0; done < job.from->data.bytes; job.n_runs++) {
        ASSERT(job.n_runs < job.max_runs);
        struct span from = page_list_at(&job.from->data, done),
                    to = page_list_at(&job.to.data, done);
        struct unsteady_part part =
            unsteady_cut((struct span){ from.base, min_u64(from.size, to.size) });

        job.run[job.n_runs] =
            (struct move_run){ direct(to.base), direct(from.base), part.bytes, part.is_unsteady };
        done += part.bytes;
    }
}

/* Where `go` is in the old place: the others read it until they leave. */
static volatile uint64_t *old_go(void)
{
    uint64_t offset = (uint64_t)&go - BOOT_KERNEL_VIRT; /* the image is first */

    return direct(page_list_at(&job.from->data, offset).base);
}

static bool all_parked(void)
{
    uint64_t deadline = tsc_now() + tsc_from_us(PARK_TIMEOUT_US);

    while (atomic_load(&parked) < machine.n_online - 1) {
        if (tsc_now() >= deadline)
            return false;
        cpu_relax();
    }
    return true;
}

static void note_difference(struct move_difference d)
{
    job.differs = (uint64_t)d.copy - DIRECT_BASE;
    for (size_t i = 0; i < job.n_runs; i++) {
        const struct move_run *run = &job.run[i];
        uint64_t offset = (uint64_t)d.copy - (uint64_t)run->to;

        if (offset < run->bytes)
            job.original = (struct unsteady_word){ (uint64_t)run->from + offset - DIRECT_BASE,
                                                   *d.copy, d.original };
    }
}

/* The boot CPU's part, while the others are parked. */
static void switch_to_copy(void)
{
    struct move_difference difference;

    if (!all_parked()) {
        job.status = STATUS_TIMEOUT;
        go = job.old_roots.others; /* for good: late CPUs go on at once */
        return;
    }
    difference =
        move_copy(job.run, job.n_runs, job.new_roots.boot_cpu, job.new_roots.others, old_go());
    if (difference.copy) {
        note_difference(difference);
        sign_key_wipe_in(&job.to.data);
        job.status = STATUS_INVALID;
        go = job.old_roots.others;
        return;
    }
    paging_moved(job.new_roots);
    arena_moved(&job.to);
    sign_key_wipe_in(&job.from->data);
    job.status = STATUS_OK;
}

static void take_step(void *ctx, uint32_t cpu)
{
    if (cpu == 0)
        switch_to_copy();
    else
        move_park((uint32_t *)&parked, &go);
}

static enum status try_place(void)
{
    job.original.addr = 0;
    if (paging_clone(new_address, &job.new_roots, &job.differs) != STATUS_OK)
        return STATUS_INVALID;
    list_runs();
    job.old_roots = paging_roots();
    atomic_store(&parked, 0);
    go = 0;
    mca_defer(true);
    cpu_pool_run_watched(machine.online, machine.n_online, take_step, NULL);
    mca_defer(false);
    return job.status;
}

static void warn_once(enum status status)
{
    static bool warned;

    if (warned)
        return;
    warned = true;
    if (status == STATUS_NOT_FOUND)
        warn_print(
            &notices,
            "no fault-free block of %lu KiB for okram to move to: the memory it uses is not tested",
            (unsigned long)((job.from->data.bytes + job.from->tables.bytes) >> 10));
    else if (status == STATUS_TIMEOUT)
        warn_print(
            &notices,
            "okram cannot move: a CPU did not respond in time; the memory it uses is not tested");
    else
        warn_print(
            &notices,
            "okram cannot move: its copy at 0x%lx differs from the original; the memory it uses "
            "is not tested",
            (unsigned long)job.differs);
}

/* Memory was at fault, in the new place or the old one. */
static void warn_of_spoiled(void)
{
    static bool warned;

    if (warned)
        return;
    warned = true;
    notice("a copy of okram at 0x%lx differed from the original: okram moved to another place",
           job.differs);
}

/* What has changed in memory must not be copied along, and is found elsewhere. */
static enum status find_and_try(struct new_place_request request)
{
    enum status status = new_place_find(job.shares, job.from, request, &job.to);

    if (status != STATUS_OK)
        return status;
    upkeep_full();
    return try_place();
}

static uint64_t handlers_run(void)
{
    return nmi_count() + mca_deferred();
}

/* Handlers of NMIs and machine checks write to okram's memory: then memory is not at fault. */
static enum status find_and_try_between_nmis(struct new_place_request request)
{
    uint64_t deadline = tsc_now() + tsc_from_us(NMI_PATIENCE_US), before;
    enum status status;

    do {
        before = handlers_run();
        status = find_and_try(request);
    } while (status == STATUS_INVALID && handlers_run() != before && tsc_now() < deadline);
    return status;
}

/* Of an attempt, which began then. */
static void tell(enum status status, uint64_t began)
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
        .from = page_list_at(&job.from->data, 0).base,
        .to = status == STATUS_NOT_FOUND ? 0 : page_list_at(&job.to.data, 0).base,
        .bytes = job.from->data.bytes + job.from->tables.bytes,
        .seconds = (double)(tsc_now() - began) / (double)tsc_hz(),
    });
}

/* A CPU that firmware's code does not give back runs with okram's page tables, and on its stack. */
static bool may_move(void)
{
    return !given_up && !smp_has_stray();
}

static enum status move(struct shares *shares, struct new_place_request request)
{
    enum status status = STATUS_INVALID;
    size_t n_spoiled = 0;

    if (!may_move())
        return STATUS_TIMEOUT;
    job.shares = shares;
    job.from = job.from == &was[0] ? &was[1] : &was[0];
    if (footprint_copy(job.from, arena_footprint()) != STATUS_OK)
        status = STATUS_NOT_FOUND;
    new_place_begin();
    while (status == STATUS_INVALID && n_spoiled < NEW_PLACE_REJECTED_MAX) {
        uint64_t began = tsc_now();

        status = find_and_try_between_nmis(request);
        tell(status, began);
        if (status == STATUS_INVALID && !unsteady_note(job.original)) {
            new_place_reject_page(align_down(job.differs, PAGE_SIZE));
            n_spoiled++;
        }
        if (status == STATUS_TIMEOUT && lost_cpus_any()) {
            lost_cpus_drop(shares); /* a lost CPU uses no page tables: the others can go */
            status = STATUS_INVALID;
        }
    }
    if (status == STATUS_OK)
        unsteady_moved();
    if (status == STATUS_OK && n_spoiled)
        warn_of_spoiled();
    given_up = status == STATUS_TIMEOUT;
    return status;
}

enum status move_away(struct shares *shares, const struct footprint *avoid,
                      const struct footprint **ret_left)
{
    enum status status =
        move(shares, (struct new_place_request){ .avoid = &avoid, .n_avoid = avoid ? 1 : 0 });

    if (status == STATUS_OK)
        *ret_left = job.from;
    else if (!avoid)
        warn_once(status);
    return status;
}

enum status move_choose(const struct shares *shares, const struct footprint *const *avoid, size_t n,
                        struct footprint *ret)
{
    struct new_place_request request = { .avoid = avoid, .n_avoid = n };

    if (!may_move())
        return STATUS_TIMEOUT;
    new_place_begin();
    return new_place_find(shares, arena_footprint(), request, ret);
}

enum status move_to(struct shares *shares, const struct footprint *place,
                    const struct footprint **ret_left)
{
    enum status status = move(shares, (struct new_place_request){ .exactly = place });

    if (status == STATUS_OK)
        *ret_left = job.from;
    return status;
}

void move_out_of_range(struct shares *shares)
{
    if (plan_includes_arena() &&
        move(shares, (struct new_place_request){ .outside = true }) == STATUS_OK)
        share_main(shares);
}
