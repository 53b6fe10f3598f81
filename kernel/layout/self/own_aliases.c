// SPDX-License-Identifier: MIT
#include "self/own_aliases.h"

#include <stdatomic.h>
#include <stddef.h>

#include "alias/aliases.h"
#include "alias/page_tags.h"
#include "arch/cpu.h"
#include "arch/tsc.h"
#include "cpus/cpu_pool.h"
#include "event/stop.h"
#include "lib/div_up.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "lib/string.h"
#include "plan/share.h"
#include "self/pages_alias.h"
#include "sweep/line_ops.h"

/*
 * How pages under test that share cells with okram's own are found: the steps in the header.
 *
 * One word of each page is read from DRAM (self/pages_alias.h). What looks like a page of
 * okram's own is not yet an alias: it is one when a change of the one word is seen in the other.
 * Words that are 0 in both are distinguished by a mark in the page under test: of okram's own pages
 * only those that are aliases change, and are restored in the next step.
 *
 * From own_search_list until own_search_find has returned, no CPU may do anything but these steps:
 * any word of okram's own may be a mark meanwhile. Boot CPU only, except own_search_mark.
 */

/* Pieces of code and data in use that a caller may name. */
#define IN_USE_MAX 8

/* Pages are suspect by the part of memory that they are in; each 64th part has the same bit. */
#define PART_BYTES (UINT64_C(1) << 20)

/*
 * okram's own pages whose word reads as 0 only because page_word_read leaves out
 * PAGE_WORDS_UNSTEADY. If there are more of them, those that share cells lose these bits.
 */
#define LEFT_BITS_MAX 16

static struct {
    struct page_tags words;
    struct left_bits {
        uint64_t page, word;
    } left[LEFT_BITS_MAX];
    size_t n_left;
    void *memory;
    uint64_t max_pages;
    uint64_t key;
    _Atomic uint64_t suspects; /* bits of parts with a page whose word is like one of okram's own */
    struct aliases *aliases;
} own;

static uint64_t n_pages_of(const struct footprint *place)
{
    return (place->data.bytes + place->tables.bytes) / PAGE_SIZE;
}

static void flush_place(const struct footprint *place)
{
    page_words_visit(place, page_word_flush);
    line_ops_fence();
}

/* The pages whose word is in a span. */
static struct span pages_in(struct span s)
{
    uint64_t skip = page_words.offset, end = span_end(s);
    uint64_t first = s.base > skip ? align_up(s.base - skip, PAGE_SIZE) : 0;
    uint64_t past = end >= skip + sizeof(uint64_t)
                        ? align_down(end - skip - sizeof(uint64_t), PAGE_SIZE) + PAGE_SIZE
                        : 0;

    return (struct span){ first, past > first ? past - first : 0 };
}

static void flush_pages(struct span pages)
{
    for (uint64_t page = pages.base; page < span_end(pages); page += PAGE_SIZE)
        page_word_flush(page);
    line_ops_fence();
}

/* Takes what memory it needs, of the arena. */
static void own_search_prepare(void)
{
    own.max_pages = n_pages_of(arena_footprint()) + arena_fixed()->bytes / PAGE_SIZE;
    own.memory = arena_alloc(page_tags_bytes(own.max_pages));
}

/*
 * A new search, which adds to these aliases. in_use: what its caller uses while words of okram's
 * own may be marks, 8 pieces at most; see self/pages_alias.h.
 */
static void own_search_begin(struct aliases *aliases, const struct span *in_use, size_t n)
{
    struct span all[IN_USE_MAX + 2];

    ASSERT(n <= IN_USE_MAX);
    for (size_t i = 0; i < n; i++)
        all[i] = in_use[i];
    all[n] = (struct span){ (uint64_t)&own, sizeof(own) };
    all[n + 1] = (struct span){ (uint64_t)&aliases->held.n, sizeof(aliases->held.n) };
    page_words_choose(all, n + 2);
    own.aliases = aliases;
    own.key = tsc_now();
}

static void list_page(uint64_t page)
{
    uint64_t word = page_word_read(page);

    if (word)
        page_tags_add(&own.words, word, page);
    else if (*page_word(page) && own.n_left < LEFT_BITS_MAX)
        own.left[own.n_left++] = (struct left_bits){ page, *page_word(page) };
}

/* Takes a mark off one of okram's own pages. */
static void restore(uint64_t page)
{
    uint64_t word = 0;

    for (size_t i = 0; i < own.n_left; i++)
        word |= own.left[i].page == page ? own.left[i].word : 0;
    page_word_store(page, word);
}

/* Lists okram's own words, as they are now, that are not 0: the others are distinguished by marks.
 */
static void own_search_list(void)
{
    memset(own.memory, 0, page_tags_bytes(own.max_pages));
    page_tags_init(&own.words, own.memory, own.max_pages);
    atomic_store(&own.suspects, 0);
    own.n_left = 0;
    page_words_flush_own();
    page_words_visit_own(list_page);
    page_words_flush_own();
}

static bool is_listed(uint64_t word, uint64_t page)
{
    uint64_t at = 0, listed;

    while (page_tags_next(&own.words, word, &at, &listed)) {
        if (listed == page)
            return true;
    }
    return false;
}

static bool is_like_own(uint64_t word)
{
    uint64_t at = 0, okrams;

    return page_tags_next(&own.words, word, &at, &okrams);
}

static uint64_t bit_of_part(uint64_t page)
{
    return UINT64_C(1) << page / PART_BYTES % 64;
}

static void mark_page(uint64_t page)
{
    uint64_t word = page_word_read(page);

    if (aliases_has_page(own.aliases, page))
        return;
    if (!word)
        *page_word(page) = page_tags_mark(own.key, page);
    else if (is_like_own(word))
        atomic_fetch_or_explicit(&own.suspects, bit_of_part(page), memory_order_relaxed);
}

/*
 * Reads the pages whose word is in a span of memory under test, and marks what is 0. All CPUs may
 * do this at the same time, on separate memory.
 */
static void own_search_mark(struct span s)
{
    struct span pages = pages_in(s);

    flush_pages(pages);
    for (uint64_t page = pages.base; page < span_end(pages); page += PAGE_SIZE)
        mark_page(page);
    flush_pages(pages);
}

/* Whether own_search_mark has seen a word like one of okram's own since own_search_list. */
static bool own_search_has_suspects(void)
{
    return atomic_load(&own.suspects) != 0;
}

/* Adds an alias by the line that the word is in. */
static void add(uint64_t page, uint64_t partner)
{
    aliases_add(own.aliases, page + page_words.offset, partner + page_words.offset);
}

/* The tested page is the one that is given up, or it has to wait until okram has left the other. */
static void add_own(uint64_t tested, uint64_t okrams)
{
    add(tested, okrams);
    if (tested < okrams && footprint_holds(arena_footprint(), okrams))
        aliases_hold(own.aliases, tested);
    else
        aliases_give_up(own.aliases, tested);
}

static void look_for_mark(uint64_t okrams)
{
    uint64_t word = *page_word(okrams), tested;

    if (!page_tags_is_mark(own.key, word, &tested) ||
        is_listed(word & ~PAGE_WORDS_UNSTEADY, okrams))
        return;
    restore(okrams);
    add_own(tested, okrams);
}

/*
 * Restores own pages that have become marks, and adds them as aliases. Of several pages that share
 * cells with the same page of okram's own, one is found.
 */
static void own_search_find(void)
{
    page_words_flush_own();
    page_words_visit_own(look_for_mark);
}

static void prove(struct span pages)
{
    flush_pages(pages);
    for (uint64_t page = pages.base; page < span_end(pages); page += PAGE_SIZE) {
        uint64_t word = page_word_read(page), at = 0, okrams;

        while (word && !aliases_has_page(own.aliases, page) &&
               page_tags_next(&own.words, word, &at, &okrams)) {
            if (pages_alias(page, okrams))
                add_own(page, okrams);
        }
    }
    flush_pages(pages);
}

/* Adds the aliases among the pages whose words are in the span and are like one of okram's own. */
static void own_search_prove(struct span s)
{
    struct span left = pages_in(s);

    while (left.size) {
        uint64_t bytes = min_u64(left.size, PART_BYTES - left.base % PART_BYTES);

        if (atomic_load(&own.suspects) & bit_of_part(left.base))
            prove((struct span){ left.base, bytes });
        left = (struct span){ left.base + bytes, left.size - bytes };
    }
}

static void mark_free(uint64_t page)
{
    *page_word(page) = page_tags_mark(own.key, page);
}

/* Marks all pages of a place that okram is not in. */
static void own_search_mark_place(const struct footprint *place)
{
    page_words_visit(place, mark_free);
    flush_place(place);
}

/*
 * Adds the pages whose words are in a span outside that place and that share cells with pages of
 * it.
 */
static void own_search_find_place(const struct footprint *place, struct span s)
{
    struct span pages = pages_in(s);

    flush_pages(pages);
    for (uint64_t page = pages.base; page < span_end(pages); page += PAGE_SIZE) {
        uint64_t marked;

        if (page_tags_is_mark(own.key, *page_word(page), &marked) && marked != page &&
            footprint_holds(place, marked) && !aliases_has_page(own.aliases, page) &&
            pages_alias(marked, page))
            add(page, marked);
    }
}

/* How long a CPU waits for the others without touching anything: see own_search_list. */
#define QUIET_US 1000000

/* The size of wait_phase, at most: see own_search_begin. */
#define CODE_BYTES 256

/* Spans guarded before the tests: with more of them, some are looked at twice. */
#define KNOWN_MAX 64

/* The current search, and how the CPUs keep in step without any other memory of okram's. */
struct guard {
    const struct shares *shares;
    struct own_aliases_part part;
    uint32_t n_workers; /* of the walk */
    uint32_t
        n_groups; /* of workers: the CPU of a group's first worker does the work of the group */
    uint32_t n_others; /* CPUs that take part in addition to the boot CPU */
    uint32_t worker;   /* that the boot CPU is, if it works */
    bool boot_cpu_works;
    bool is_over;             /* from this turn on */
    _Atomic uint32_t turn;    /* the others look at their memory once each turn, from 1 */
    _Atomic uint32_t n_ready; /* of the others, for the next turn */
};

static uint32_t *cpus; /* room for all workers and the boot CPU */
static bool all_screened, all_known;

static struct span known_span[KNOWN_MAX];
static struct spans known = { .span = known_span, .max = KNOWN_MAX };

void own_aliases_prepare(const struct plan *plan)
{
    cpus = arena_alloc((plan->max_workers + 1) * sizeof(*cpus));
    own_search_prepare();
}

/* Waits until *value has reached `wanted`. False: a CPU is lost. */
static __attribute__((noinline)) bool wait_phase(const _Atomic uint32_t *value, uint32_t wanted,
                                                 uint32_t cpu)
{
    uint64_t quiet_end = tsc_now() + tsc_from_us(QUIET_US);

    while (atomic_load(value) < wanted) {
        cpu_relax();
        if (tsc_now() < quiet_end)
            continue;
        cpu_pool_wait(cpu);
        if (cpu_pool_is_aborted())
            return false;
    }
    return true;
}

static void mark_span(void *ctx, struct span s)
{
    own_search_mark(s);
}

static void prove_span(void *ctx, struct span s)
{
    own_search_prove(s);
}

static uint32_t first_of_group(const struct guard *guard, uint32_t group)
{
    return (uint32_t)((uint64_t)group * guard->n_workers / guard->n_groups);
}

/* Marks the memory of all workers of the group that begins with this one. */
static void mark_group(const struct guard *guard, uint32_t first)
{
    uint64_t at = (uint64_t)first * guard->n_groups;
    uint32_t group = (uint32_t)div_up(at, guard->n_workers);

    for (uint32_t worker = first; worker < first_of_group(guard, group + 1); worker++)
        guard->part.walk(guard->part.job, worker, mark_span, NULL);
}

/* What all but the boot CPU do. */
static void participate(struct guard *guard, uint32_t cpu)
{
    uint32_t worker = plan_worker(guard->shares->plan, cpu);

    for (uint32_t turn = 1;; turn++) {
        atomic_fetch_add(&guard->n_ready, 1);
        if (!wait_phase(&guard->turn, turn, cpu) || guard->is_over)
            return;
        mark_group(guard, worker);
    }
}

static void begin(const struct guard *guard)
{
    const struct shares *s = guard->shares;
    const struct span in_use[] = {
        { (uint64_t)wait_phase, CODE_BYTES },
        { (uint64_t)guard, sizeof(*guard) },
        { (uint64_t)guard->part.job, guard->part.job_bytes },
        /* What a walk reads, and may be 0: it must not be a mark. */
        { (uint64_t)s->first, sizeof(s->first[0]) },
        { (uint64_t)&s->part[0].span.base, sizeof(s->part[0].span.base) },
    };

    own_search_begin(&s->found->aliases, in_use, sizeof(in_use) / sizeof(in_use[0]));
}

static void prove_all(const struct guard *guard)
{
    for (uint32_t worker = 0; worker < guard->n_workers; worker++)
        guard->part.walk(guard->part.job, worker, prove_span, NULL);
}

/* Goes over the memory once. False: a CPU is lost, and some of the memory was not looked at. */
static bool take_turn(struct guard *guard)
{
    bool all_ready;

    own_search_list();
    atomic_store(&guard->n_ready, 0);
    atomic_fetch_add(&guard->turn, 1);
    if (guard->boot_cpu_works)
        mark_group(guard, guard->worker);
    all_ready = wait_phase(&guard->n_ready, guard->n_others, 0);
    own_search_find();
    if (own_search_has_suspects())
        prove_all(guard);
    return all_ready;
}

/* What the boot CPU does. Returns the number of pages given up. */
static uint64_t coordinate(struct guard *guard)
{
    struct aliases *aliases = &guard->shares->found->aliases;
    uint64_t n = 0, n_given_up = 0;

    begin(guard);
    if (wait_phase(&guard->n_ready, guard->n_others, 0)) {
        while (take_turn(guard) && (n = aliases_finish(aliases)))
            n_given_up += n;
    }
    guard->is_over = true;
    atomic_fetch_add(&guard->turn, 1);
    return n_given_up;
}

static void take_part(void *ctx, uint32_t cpu)
{
    if (cpu == 0)
        coordinate(ctx);
    else
        participate(ctx, cpu);
}

static void add_worker(struct guard *guard, uint32_t worker, uint32_t cpu)
{
    if (cpu == 0) {
        guard->boot_cpu_works = true;
        guard->worker = worker;
    } else {
        cpus[++guard->n_others] = cpu;
    }
}

static void add_size(void *ctx, struct span s)
{
    *(uint64_t *)ctx += s.size;
}

/* If there is little to look at, one CPU does it in less time than the others take to start. */
static uint32_t count_groups(const struct guard *guard)
{
    uint64_t bytes = 0, n;

    for (uint32_t worker = 0; worker < guard->n_workers; worker++)
        guard->part.walk(guard->part.job, worker, add_size, &bytes);
    n = bytes / OWN_ALIASES_BATCH_BYTES + 1;
    return (uint32_t)min_u64(n, guard->n_workers);
}

void own_aliases_guard(const struct shares *shares, struct own_aliases_part part)
{
    struct guard guard = { .shares = shares,
                           .part = part,
                           .n_workers = (uint32_t)shares->plan->n_workers };

    ASSERT(part.job_bytes <= OWN_ALIASES_JOB_MAX);
    guard.n_groups = count_groups(&guard);
    cpus[0] = 0;
    for (uint32_t i = 0; i < guard.n_groups; i++) {
        uint32_t worker = first_of_group(&guard, i);

        add_worker(&guard, worker, shares->plan->worker_cpus[worker]);
    }
    cpu_pool_run_watched(cpus, 1 + guard.n_others,
                         (struct cpu_pool_job){ take_part, &guard, NULL });
}

bool own_aliases_are_guarded(void)
{
    return all_screened;
}

void own_aliases_guarded_all(void)
{
    all_screened = true;
}

/* The span with the rest of its first and last page, as far as that is tested, too. */
static struct span with_rest_of_pages(const struct spans *tested, struct span s)
{
    uint64_t base = align_down(s.base, PAGE_SIZE), end = align_up(span_end(s), PAGE_SIZE);
    size_t i = spans_after(tested, s.base);

    if (i == tested->n || tested->span[i].base > s.base)
        return s;
    return span_intersect(tested->span[i], (struct span){ base, end - base });
}

/* What is left of a span after the part that is known. */
static struct span skip_known(struct span s)
{
    struct span met = spans_first_in(&known, s);
    uint64_t skip = met.base == s.base ? met.size : 0;

    return (struct span){ s.base + skip, s.size - skip };
}

static void know(struct span s)
{
    if (spans_add(&known, s))
        return;
    known.n = 0;
    spans_add(&known, s);
}

static void walk_span(const void *job, uint32_t worker, void (*visit)(void *ctx, struct span span),
                      void *ctx)
{
    visit(ctx, *(const struct span *)job);
}

uint64_t own_aliases_guard_span(const struct shares *shares, struct span s,
                                const struct cpu_poll *poll)
{
    uint64_t n_given_up = 0;

    s = all_screened || !s.size ? (struct span){ 0 }
                                : skip_known(with_rest_of_pages(&shares->tested, s));
    while (s.size) {
        struct span part = { s.base, min_u64(s.size, OWN_ALIASES_BATCH_BYTES) };
        struct guard guard = { .shares = shares,
                               .part = { walk_span, &part, sizeof(part) },
                               .n_workers = 1,
                               .n_groups = 1 };

        add_worker(&guard, 0, 0);
        n_given_up += coordinate(&guard);
        know(part);
        s = skip_known(s);
        if (s.size)
            cpu_poll(poll);
    }
    return n_given_up;
}

void own_aliases_all_known(void)
{
    all_known = true;
}

static void find_in(const struct spans *tested, const struct footprint *to,
                    const struct cpu_poll *poll)
{
    for (size_t i = 0; i < tested->n; i++) {
        struct span s = tested->span[i];

        while (s.size && !stop_is_requested()) {
            uint64_t size = min_u64(s.size, OWN_ALIASES_BATCH_BYTES);

            own_search_find_place(to, (struct span){ s.base, size });
            s = (struct span){ s.base + size, s.size - size };
            cpu_poll(poll);
        }
    }
}

static uint64_t guard_spans(const struct shares *shares, const struct page_list *place,
                            const struct cpu_poll *poll)
{
    uint64_t n_given_up = 0;

    for (size_t i = 0; i < place->n; i++)
        n_given_up += own_aliases_guard_span(shares, page_list_span(place, i), poll);
    return n_given_up;
}

/* Before any test only the place is written to: the rest is guarded against it. */
static uint64_t guard_place(const struct shares *shares, const struct footprint *to,
                            const struct cpu_poll *poll)
{
    uint64_t n_given_up =
        guard_spans(shares, &to->data, poll) + guard_spans(shares, &to->tables, poll);

    known.n = 0;
    return n_given_up;
}

uint64_t own_aliases_find_of(const struct shares *shares, const struct footprint *to,
                             const struct cpu_poll *poll)
{
    struct aliases *aliases = &shares->found->aliases;

    if (!all_screened)
        return guard_place(shares, to, poll);
    if (all_known)
        return 0;
    own_search_begin(aliases, NULL, 0);
    own_search_mark_place(to);
    find_in(&shares->tested, to, poll);
    return aliases_finish(aliases);
}
