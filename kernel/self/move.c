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
#include "event/notices.h"
#include "lib/panic.h"
#include "machine/machine.h"
#include "plan/apart.h"
#include "plan/lost_cpus.h"
#include "plan/plan.h"
#include "plan/share.h"
#include "self/own_aliases.h"
#include "self/probe.h"
#include "self/upkeep.h"

#define PARK_TIMEOUT_US UINT64_C(5000000)
#define TRIES           4
#define PAGES_A_POLL    256

/* Memory is marched over before okram moves there: so much at once, and so many places. */
#define PROBE_BYTES (ARENA_CHUNK_PAGES * PAGE_SIZE)
#define PROBE_TRIES 4
#define PROBE_TIMES 16 /* as much as okram needs, page by page, when these all had bad pages */

/* Where all CPUs but the boot CPU wait, and what CR3 they go on with. */
static _Atomic uint32_t parked;
static volatile uint64_t go;

/* The move at hand: written by the boot CPU before all CPUs are called. */
static struct {
    bool outside;     /* to memory that is not tested */
    uint64_t reach;   /* to the first of what there is */
    bool avoid_apart; /* not to memory that no test has had together with the rest */
    struct arena_place from, to;
    struct move_run *run;
    size_t n_runs, max_runs;
    struct paging_roots old_roots, new_roots;
    enum status status;
    uint64_t differs; /* the physical address of what was not copied right */
} job;

static uint64_t spoiled[TRIES]; /* pages where a copy was not right */
static size_t n_spoiled;
static bool given_up;

static struct place found[GROUPS]; /* at the move at hand; of the tables job.to has it */
static struct place candidate;

static void prepare_place(struct place *place)
{
    size_t n = arena_place_runs();

    place_init(place, arena_alloc(n * sizeof(*place->run)), n);
}

void move_prepare(void)
{
    arena_place_make(&job.from);
    arena_place_make(&job.to);
    for (enum group group = 0; group < GROUPS; group++)
        prepare_place(&found[group]);
    prepare_place(&candidate);
    job.max_runs = 2 * arena_place_runs();
    job.run = arena_alloc(job.max_runs * sizeof(*job.run));
}

static bool is_within(const struct place *place, uint64_t page)
{
    uint64_t offset;

    return place_offset(place, page, &offset) == STATUS_OK;
}

/* A search over much memory is a long one. */
static void poll_now_and_then(void)
{
    static uint32_t n;

    if (n++ % PAGES_A_POLL == 0)
        cpu_pool_poll();
}

/* What is good for a place: no page that any test found bad, nor one of another place. */
static bool is_good(void *ctx, uint64_t page)
{
    poll_now_and_then();
    if (fault_log_is_bad(&fault_log, page))
        return false;
    for (size_t i = 0; i < n_spoiled; i++) {
        if (spoiled[i] == page)
            return false;
    }
    for (size_t i = 0; i < GROUPS; i++) {
        if (is_within(&found[i], page))
            return false;
    }
    return !is_within(&job.to.tables, page) &&
           !(job.outside && arena_place_holds(&job.from, page)) &&
           !(job.avoid_apart && apart_has_page(page));
}

/* The first bytes of n spans of plan.spans. */
static size_t cut_free(size_t n, uint64_t bytes)
{
    for (size_t i = 0; i < n; i++) {
        struct span *s = &plan.spans[i];

        if (!bytes)
            return i;
        s->size = s->size < bytes ? s->size : bytes;
        bytes -= s->size;
    }
    return n;
}

/* The main part, in plan.spans. */
static size_t list_main(void)
{
    size_t n = 0;

    for (size_t i = 0; i < plan.pieces.n; i++) {
        const struct piece *p = &plan.pieces.piece[i];
        struct span reachable = span_intersect(p->span, (struct span){ 0, DIRECT_SIZE });

        if (!p->why && reachable.size)
            plan.spans[n++] = reachable;
    }
    return n;
}

/* The main part, or what is outside of all that is tested: the first of it, in plan.spans. */
static size_t list_free(void)
{
    return cut_free(job.outside ? plan_list_outside(plan.spans) : list_main(), job.reach);
}

static void forget_found(void)
{
    for (size_t i = 0; i < GROUPS; i++)
        place_clear(&found[i]);
    place_clear(&job.to.tables);
}

/* Where a group ought to lie, else anywhere. */
static enum status find_group(enum group group, uint64_t bytes, size_t n_free)
{
    size_t n_wished, n;
    enum status status;

    n = groups_order(&machine.nodes, machine.cpu_node[0], group, plan.spans, n_free, plan.order,
                     &n_wished);
    status = place_find(plan.order, n_wished, bytes, is_good, NULL, &candidate);
    if (status != STATUS_OK)
        status = place_find(plan.order, n, bytes, is_good, NULL, &candidate);
    return status == STATUS_OK ? place_copy(&found[group], &candidate) : status;
}

/* A place for each group, and one for the tables behind the main one. */
static enum status find_apart(size_t n_free)
{
    uint64_t tables = job.from.tables.bytes;

    for (enum group group = 0; group < GROUPS; group++) {
        uint64_t bytes = groups_bytes(arena_groups(), group);

        if (find_group(group, bytes + (group == GROUP_MAIN ? tables : 0), n_free) != STATUS_OK)
            return STATUS_NOT_FOUND;
        if (group == GROUP_MAIN && place_cut(&found[group], bytes, &job.to.tables) != STATUS_OK)
            return STATUS_NO_SPACE;
    }
    return groups_join(arena_groups(), found, &job.to.data);
}

/* One place for all: better than none. */
static enum status find_together(size_t n_free)
{
    uint64_t bytes = job.from.data.bytes, tables = job.from.tables.bytes;

    forget_found();
    if (place_find(plan.spans, n_free, bytes + tables, is_good, NULL, &job.to.data) != STATUS_OK)
        return STATUS_NOT_FOUND;
    return place_cut(&job.to.data, bytes, &job.to.tables) == STATUS_OK ? STATUS_OK
                                                                       : STATUS_NOT_FOUND;
}

/* Marches over pages that nobody uses. Returns how many are bad: they are in the fault log then. */
static size_t march_over(struct span pages)
{
    size_t n_bad = 0;

    while (pages.size) {
        struct span chunk = { pages.base, pages.size < PROBE_BYTES ? pages.size : PROBE_BYTES };
        uint32_t bad = probe_march(chunk);

        for (uint64_t page = chunk.base; bad; bad >>= 1, page += PAGE_SIZE) {
            if (bad & 1)
                fault_log_mark_page(&fault_log, page);
            n_bad += bad & 1;
        }
        pages.base += chunk.size;
        pages.size -= chunk.size;
    }
    return n_bad;
}

static size_t march_over_runs(const struct place *place)
{
    size_t n_bad = 0;

    for (size_t i = 0; i < place->n; i++)
        n_bad += march_over(place_span(place, i));
    return n_bad;
}

/* A single test sees not every kind of fault, and what okram lives in is written all the time. */
static bool is_sound(const struct arena_place *place)
{
    return march_over_runs(&place->data) + march_over_runs(&place->tables) == 0;
}

static enum status find_any(void)
{
    size_t n_free = list_free();

    forget_found();
    if (find_apart(n_free) == STATUS_OK)
        return STATUS_OK;
    return find_together(n_free);
}

static enum status find_once(void)
{
    job.avoid_apart = true;
    if (find_any() == STATUS_OK)
        return STATUS_OK;
    job.avoid_apart = false;
    return find_any();
}

/*
 * A place that shares cells with no other memory. For one outside of what is tested that is found
 * out when the first test begins.
 */
static enum status find_unshared(void)
{
    enum status status;

    do
        status = find_once();
    while (status == STATUS_OK && !job.outside && own_aliases_find_of(&job.to));
    return status;
}

/* Each page by itself: those that do not stand it are known as bad then. */
static void probe_free(size_t n_free)
{
    for (size_t i = 0; i < n_free; i++) {
        uint64_t page = align_up(plan.spans[i].base, PAGE_SIZE), end = span_end(plan.spans[i]);

        for (; page + PAGE_SIZE <= end; page += PAGE_SIZE) {
            if (is_good(NULL, page))
                march_over((struct span){ page, PAGE_SIZE });
        }
    }
}

/* There are so many bad pages that a place has to be looked for among pages known as good. */
static enum status find_probed(void)
{
    enum status status;

    job.reach = PROBE_TIMES * (job.from.data.bytes + job.from.tables.bytes);
    forget_found();
    probe_free(list_free());
    status = find_unshared();
    return status == STATUS_OK && !is_sound(&job.to) ? STATUS_NOT_FOUND : status;
}

static enum status find_place(void)
{
    job.reach = UINT64_MAX;
    for (unsigned i = 0; i < PROBE_TRIES; i++) {
        enum status status = find_unshared();

        if (status != STATUS_OK || is_sound(&job.to))
            return status;
    }
    return find_probed();
}

/* Where one of okram's own pages will be. */
static uint64_t new_address(uint64_t phys)
{
    uint64_t offset;

    if (place_offset(&job.from.data, phys, &offset) == STATUS_OK)
        return place_at(&job.to.data, offset).base;
    ASSERT(place_offset(&job.from.tables, phys, &offset) == STATUS_OK);
    return place_at(&job.to.tables, offset).base;
}

/* The data's way, cut where either place has a gap. Tables are cloned. */
static void list_runs(void)
{
    uint64_t done = 0;

    for (job.n_runs = 0; done < job.from.data.bytes; job.n_runs++) {
        ASSERT(job.n_runs < job.max_runs);
        struct span from = place_at(&job.from.data, done), to = place_at(&job.to.data, done);
        uint64_t bytes = from.size < to.size ? from.size : to.size;

        job.run[job.n_runs] = (struct move_run){ direct(to.base), direct(from.base), bytes };
        done += bytes;
    }
}

/* Where `go` is in the old place, which the others look at until they have gone. */
static volatile uint64_t *old_go(void)
{
    uint64_t offset = (uint64_t)&go - BOOT_KERNEL_VIRT; /* the image stands first */

    return direct(place_at(&job.from.data, offset).base);
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

/* The boot CPU's part, while the others are parked. */
static void go_over(void)
{
    void *differs;

    if (!all_parked()) {
        job.status = STATUS_TIMEOUT;
        go = job.old_roots.others; /* for good: whoever comes late passes */
        return;
    }
    differs =
        move_copy(job.run, job.n_runs, job.new_roots.boot_cpu, job.new_roots.others, old_go());
    if (differs) {
        job.status = STATUS_INVALID;
        job.differs = (uint64_t)differs - DIRECT_BASE;
        go = job.old_roots.others;
        return;
    }
    paging_moved(job.new_roots);
    arena_moved(&job.to);
    job.status = STATUS_OK;
}

static void take_step(void *ctx, uint32_t cpu)
{
    if (cpu == 0)
        go_over();
    else
        move_park((uint32_t *)&parked, &go);
}

static enum status try_place(void)
{
    if (paging_clone(new_address, &job.new_roots, &job.differs) != STATUS_OK)
        return STATUS_INVALID;
    list_runs();
    job.old_roots = paging_roots();
    atomic_store(&parked, 0);
    go = 0;
    cpu_pool_run_watched(machine.online, machine.n_online, take_step, NULL);
    return job.status;
}

static void warn_once(enum status status)
{
    static bool warned;

    if (warned)
        return;
    warned = true;
    if (status == STATUS_NOT_FOUND)
        warn_print(&notices,
                   "no good memory of %lu KiB to move to: the memory okram is in is not tested",
                   (unsigned long)((job.from.data.bytes + job.from.tables.bytes) >> 10));
    else if (status == STATUS_TIMEOUT)
        warn_print(&notices,
                   "not all CPUs came when okram was to move: the memory it is in is not tested");
    else
        warn_print(&notices,
                   "okram could not move: its copy at 0x%lx was not what had been written, and "
                   "the memory it is in is not tested now",
                   (unsigned long)job.differs);
}

/* Memory was to blame, there or here, unless an NMI was counted meanwhile. */
static void warn_of_spoiled(uint64_t nmis_before)
{
    static bool warned;

    if (warned || nmi_count() != nmis_before)
        return;
    warned = true;
    warn_print(&notices,
               "a copy of okram's own memory at 0x%lx was not what had been written: okram "
               "moved to another place",
               (unsigned long)job.differs);
}

static enum status move(void)
{
    enum status status = STATUS_INVALID;
    uint64_t nmis = nmi_count();

    if (given_up)
        return STATUS_TIMEOUT;
    if (arena_place_copy(&job.from, arena_where()) != STATUS_OK)
        status = STATUS_NOT_FOUND;
    n_spoiled = 0;
    while (status == STATUS_INVALID && n_spoiled < TRIES) {
        status = find_place();
        if (status != STATUS_OK)
            break;
        upkeep_settle(); /* what has changed in memory is not to be taken along, and found elsewhere
                          */
        status = try_place();
        if (status == STATUS_INVALID)
            spoiled[n_spoiled++] = align_down(job.differs, PAGE_SIZE);
        if (status == STATUS_TIMEOUT && lost_cpus_any()) {
            lost_cpus_leave_out(); /* who is lost holds no page tables: the others can go */
            status = STATUS_INVALID;
        }
    }
    if (status == STATUS_OK && n_spoiled)
        warn_of_spoiled(nmis);
    given_up = status == STATUS_TIMEOUT;
    return status;
}

enum status move_away(const struct arena_place **ret_left)
{
    enum status status;

    job.outside = false;
    status = move();
    if (status == STATUS_OK)
        *ret_left = &job.from;
    else
        warn_once(status);
    return status;
}

void move_outside(void)
{
    if (!plan_includes_arena())
        return;
    job.outside = true;
    if (move() == STATUS_OK)
        share_main();
}
