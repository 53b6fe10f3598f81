// SPDX-License-Identifier: MIT
#include "self/new_place.h"

#include "arch/paging.h"
#include "cpus/cpu_pool.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "machine/machine.h"
#include "self/own_aliases.h"
#include "self/probe.h"

#define PAGES_A_POLL 256

/* Places that are marched over, before okram moves there, until one is good. */
#define PROBE_TRIES 4
#define PROBE_TIMES 16 /* times what okram needs, page by page, when these all had bad pages */

struct search {
    const struct footprint *from;
    struct footprint *to;
    struct new_place_request request;
    uint64_t reach;      /* only in the first bytes of what is free */
    bool avoid_unpaired; /* not in memory that no test has tested together with the rest */
};

static uint64_t rejected[NEW_PLACE_REJECTED_MAX];
static size_t n_rejected;

/* Room for a search: what it has found (the tables are in search.to), and what is free. */
static struct page_list found[GROUPS], candidate;
static struct spans free_ram;
static struct span *order;

static void prepare_place(struct page_list *place)
{
    size_t n = footprint_runs();

    page_list_init(place, arena_alloc(n * sizeof(*place->run)), n);
}

void new_place_prepare(const struct plan *plan)
{
    for (enum group group = 0; group < GROUPS; group++)
        prepare_place(&found[group]);
    prepare_place(&candidate);
    free_ram = arena_alloc_spans(plan->ram.max + 2 * footprint_runs()); /* as the main part */
    order = arena_alloc(GROUPS_ORDER_MAX(free_ram.max, machine.nodes.n_spans) * sizeof(*order));
}

void new_place_begin(void)
{
    n_rejected = 0;
}

void new_place_reject_page(uint64_t page)
{
    ASSERT(n_rejected < NEW_PLACE_REJECTED_MAX);
    rejected[n_rejected++] = page;
}

static bool is_within(const struct page_list *place, uint64_t page)
{
    uint64_t offset;

    return page_list_offset(place, page, &offset) == STATUS_OK;
}

/* A search over much memory takes long. */
static void poll_now_and_then(const struct cpu_poll *poll)
{
    static uint32_t n;

    if (n++ % PAGES_A_POLL == 0)
        cpu_poll(poll);
}

static struct fault_log *log_of(const struct search *search)
{
    return &search->request.shares->found->log;
}

static bool is_avoided(const struct search *search, uint64_t page)
{
    for (size_t i = 0; i < search->request.n_avoid; i++) {
        if (footprint_holds(search->request.avoid[i], page))
            return true;
    }
    return false;
}

/*
 * Before the address test has found all of an alias, okram would have to leave its upper side
 * again.
 */
static bool shares_cells(const struct search *search, uint64_t page)
{
    const struct aliases *aliases = &search->request.shares->found->aliases;

    return aliases_has_page(aliases, page) ||
           (!own_aliases_are_guarded() && aliases_may_be_upper(aliases, page));
}

/* A page is good for a place if no test has found it bad and it is not in another place. */
static bool is_good(void *ctx, uint64_t page)
{
    const struct search *search = ctx;

    poll_now_and_then(search->request.poll);
    if (fault_log_is_bad(log_of(search), page) || shares_cells(search, page))
        return false;
    for (size_t i = 0; i < n_rejected; i++) {
        if (rejected[i] == page)
            return false;
    }
    for (size_t i = 0; i < GROUPS; i++) {
        if (is_within(&found[i], page))
            return false;
    }
    return !is_within(&search->to->tables, page) &&
           !(search->request.outside && footprint_holds(search->from, page)) &&
           !is_avoided(search, page) &&
           !(search->avoid_unpaired && unpaired_has_page(search->request.unpaired, page));
}

/* Keeps only the first bytes of what is free. */
static void cut_free(uint64_t bytes)
{
    size_t n = 0;

    for (; n < free_ram.n && bytes; n++) {
        struct span *s = &free_ram.span[n];

        s->size = min_u64(s->size, bytes);
        bytes -= s->size;
    }
    free_ram.n = n;
}

static void list_main(const struct spans *main)
{
    struct span reach = { PLAN_LOW_END, DIRECT_SIZE - PLAN_LOW_END };

    ASSERT(spans_within(main, &(struct spans){ .span = &reach, .n = 1 }, &free_ram));
}

/* The main part, or what is outside all that is tested, up to search->reach. */
static void list_free(const struct search *search)
{
    free_ram.n = 0;
    if (search->request.outside)
        plan_list_outside(search->request.shares->plan, &free_ram);
    else
        list_main(&search->request.shares->tested);
    cut_free(search->reach);
}

static void forget_found(struct search *search)
{
    for (size_t i = 0; i < GROUPS; i++)
        page_list_clear(&found[i]);
    page_list_clear(&search->to->tables);
}

/* Where the group should be, else anywhere. */
static enum status find_group(struct search *search, enum group group, uint64_t bytes)
{
    const struct free_memory memory = { &machine.nodes, machine.cpu_node[0], free_ram.span,
                                        free_ram.n };
    struct page_search where = { .free = order, .good = is_good, .ctx = search };
    size_t n = groups_order(&memory, group, order, &where.n);
    enum status status;

    status = page_list_find(&where, bytes, &candidate);
    if (status != STATUS_OK) {
        where.n = n;
        status = page_list_find(&where, bytes, &candidate);
    }
    return status == STATUS_OK ? page_list_copy(&found[group], &candidate) : status;
}

/* A place for each group, and one for the tables after that of the main group. */
static enum status find_by_group(struct search *search)
{
    uint64_t tables = search->from->tables.bytes;

    for (enum group group = 0; group < GROUPS; group++) {
        uint64_t bytes = groups_bytes(arena_groups(), group);

        if (find_group(search, group, bytes + (group == GROUP_MAIN ? tables : 0)) != STATUS_OK)
            return STATUS_NOT_FOUND;
        if (group == GROUP_MAIN &&
            page_list_truncate(&found[group], bytes, &search->to->tables) != STATUS_OK)
            return STATUS_NO_SPACE;
    }
    return groups_join(arena_groups(), found, &search->to->data);
}

/* One place for all: better than none. */
static enum status find_together(struct search *search)
{
    const struct page_search where = { free_ram.span, free_ram.n, is_good, search };
    uint64_t bytes = search->from->data.bytes, tables = search->from->tables.bytes;

    forget_found(search);
    if (page_list_find(&where, bytes + tables, &search->to->data) != STATUS_OK)
        return STATUS_NOT_FOUND;
    return page_list_truncate(&search->to->data, bytes, &search->to->tables) == STATUS_OK
               ? STATUS_OK
               : STATUS_NOT_FOUND;
}

static size_t probe_runs(struct fault_log *log, const struct page_list *place)
{
    size_t n_bad = 0;

    for (size_t i = 0; i < place->n; i++)
        n_bad += probe_and_log(log, page_list_span(place, i));
    return n_bad;
}

/* One march does not find every kind of fault, and okram's own memory is written all the time. */
static bool is_sound(const struct search *search)
{
    return probe_runs(log_of(search), &search->to->data) +
               probe_runs(log_of(search), &search->to->tables) ==
           0;
}

static enum status find_any(struct search *search)
{
    list_free(search);
    forget_found(search);
    if (find_by_group(search) == STATUS_OK)
        return STATUS_OK;
    return find_together(search);
}

static enum status find_once(struct search *search)
{
    search->avoid_unpaired = true;
    if (find_any(search) == STATUS_OK)
        return STATUS_OK;
    search->avoid_unpaired = false;
    return find_any(search);
}

/*
 * A place that shares cells with no other memory. For a place outside what is tested this is
 * checked when the first test begins.
 */
static enum status find_unshared(struct search *search)
{
    enum status status;

    do
        status = find_once(search);
    while (status == STATUS_OK && !search->request.outside &&
           own_aliases_find_of(search->request.shares, search->to, search->request.poll));
    return status;
}

/* Marches over each free page: those that fail are known as bad then. */
static void probe_free(struct search *search)
{
    for (size_t i = 0; i < free_ram.n; i++) {
        uint64_t page = align_up(free_ram.span[i].base, PAGE_SIZE),
                 end = span_end(free_ram.span[i]);

        for (; page + PAGE_SIZE <= end; page += PAGE_SIZE) {
            if (is_good(search, page))
                probe_and_log(log_of(search), (struct span){ page, PAGE_SIZE });
        }
    }
}

/*
 * With too many bad pages: free pages are marched over first, and the place is made of good ones.
 */
static enum status find_probed(struct search *search)
{
    enum status status;

    search->reach = PROBE_TIMES * (search->from->data.bytes + search->from->tables.bytes);
    forget_found(search);
    list_free(search);
    probe_free(search);
    status = find_unshared(search);
    return status == STATUS_OK && !is_sound(search) ? STATUS_NOT_FOUND : status;
}

static bool are_good(struct search *search, const struct page_list *place)
{
    for (size_t i = 0; i < place->n; i++) {
        struct span s = page_list_span(place, i);

        for (uint64_t page = s.base; page < span_end(s); page += PAGE_SIZE) {
            if (!is_good(search, page))
                return false;
        }
    }
    return true;
}

/* The place may have gone bad since it was found. */
static enum status take_exactly(struct search *search)
{
    const struct footprint *place = search->request.exactly;

    forget_found(search);
    if (!are_good(search, &place->data) || !are_good(search, &place->tables))
        return STATUS_NOT_FOUND;
    if (footprint_copy(search->to, place) != STATUS_OK)
        return STATUS_NO_SPACE;
    return own_aliases_find_of(search->request.shares, search->to, search->request.poll) ||
                   !is_sound(search)
               ? STATUS_NOT_FOUND
               : STATUS_OK;
}

enum status new_place_find(const struct footprint *from, struct new_place_request request,
                           struct footprint *ret)
{
    struct search search = { .from = from, .to = ret, .request = request, .reach = UINT64_MAX };

    if (request.exactly)
        return take_exactly(&search);
    for (unsigned i = 0; i < PROBE_TRIES; i++) {
        enum status status = find_unshared(&search);

        if (status != STATUS_OK || request.for_later || is_sound(&search))
            return status;
    }
    return find_probed(&search);
}
