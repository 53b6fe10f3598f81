// SPDX-License-Identifier: MIT
#include "badram/cover.h"

#include "badram/pattern.h"
#include "lib/bits.h"
#include "lib/minmax.h"
#include "lib/splitmix.h"
#include "lib/string.h"

/*
 * The bad pages of a fault log as blocks: aligned groups of 2^n adjoining pages, by address. Every
 * bad page is in one block, and a block holds bad pages only.
 */
struct block_reader {
    const struct fault_log *log;
    uint64_t index;       /* where to look for the next run */
    struct page_run left; /* of the present run */
};

/* The next block; false: no more. */
static bool next_block(struct block_reader *b, struct pattern *ret_block)
{
    uint64_t size = 1;
    unsigned order = 0;

    if (b->left.count == 0 && !fault_log_next_run(b->log, &b->index, &b->left))
        return false;
    while (b->left.first % (2 * size) == 0 && 2 * size <= b->left.count) {
        size *= 2;
        order++;
    }
    *ret_block = pattern_block(b->left.first, order);
    b->left.first += size;
    b->left.count -= size;
    return true;
}

/* All bad pages as blocks. Returns their number, 0 when they are more than max. */
static size_t collect_blocks(const struct fault_log *log, struct pattern *ret_block, size_t max)
{
    struct block_reader blocks = { .log = log };
    struct pattern block;
    size_t n = 0;

    while (next_block(&blocks, &block)) {
        if (n == max)
            return 0;
        ret_block[n++] = block;
    }
    return n;
}

/* The same, but neighbours are joined to larger blocks, the cheapest first, as long as there are
 * more than max. */
static size_t collect_few_blocks(const struct fault_log *log, struct pattern *ret_block, size_t max)
{
    struct block_reader blocks = { .log = log };
    struct pattern block;
    size_t n = 0;

    while (next_block(&blocks, &block)) {
        if (n == max)
            n = merge_neighbours(ret_block, n, max / 2, log->space);
        if (n == 0 || !pattern_contains(ret_block[n - 1], block))
            ret_block[n++] = block;
    }
    return n;
}

/*
 * Regions are patterns in which most pages are bad, grown around bad pages. Where a column or a
 * bank fails in part, tens of thousands of bad pages cannot be merged without loss; a few regions,
 * that hold good pages as well, cover them all. They are useful when they are few and mostly bad.
 */
#define REGIONS_MAX        1024
#define REGIONS_SPARSENESS 16

/* The pages that are looked at to judge a half. */
#define SAMPLE 256

/* Bad pages among SAMPLE RAM pages of p, or among all where p holds no more. */
struct density {
    unsigned bad, ram;
};

static void look_at(const struct fault_log *log, uint64_t page, struct density *density)
{
    uint64_t index;

    if (page_index_index(log->space, page, &index) != STATUS_OK)
        return;
    density->ram++;
    density->bad += fault_log_is_bad(log, page << PAGE_SHIFT);
}

static struct density density_of(const struct fault_log *log, struct pattern p)
{
    uint64_t free = (~p.mask & PATTERN_MASK_BITS) >> PAGE_SHIFT, addr = p.addr >> PAGE_SHIFT;
    uint64_t random = 1, subset = 0;
    struct density density = { 0 };

    if (bits_count(free) > bits_count(SAMPLE - 1)) {
        for (unsigned i = 0; i < SAMPLE; i++)
            look_at(log, addr | (splitmix_next(&random) & free), &density);
        return density;
    }
    do {
        look_at(log, addr | subset, &density);
        subset = (subset - free) & free; /* the next subset of the free bits */
    } while (subset);
    return density;
}

static bool is_denser(struct density a, struct density b)
{
    return (uint64_t)a.bad * b.ram > (uint64_t)b.bad * a.ram;
}

static struct pattern grow(const struct fault_log *log, struct pattern p, uint64_t bits,
                           unsigned sparseness)
{
    for (;;) {
        struct density most = { 0, 1 };
        uint64_t best = 0;

        for (uint64_t left = p.mask & bits; left; left &= left - 1) {
            uint64_t bit = left & -left;
            struct density density = density_of(log, (struct pattern){ p.addr ^ bit, p.mask });

            if (is_denser(density, most)) {
                most = density;
                best = bit;
            }
        }
        if (most.bad * sparseness < most.ram)
            return p;
        p.addr &= ~best;
        p.mask ^= best;
    }
}

/* Whether a region contains p. One that does comes to the front: the next page is likely near. */
static bool is_covered(struct pattern *region, size_t n, struct pattern p)
{
    for (size_t i = 0; i < n; i++) {
        struct pattern found = region[i];

        if (pattern_contains(found, p)) {
            region[i] = region[i / 2];
            region[i / 2] = found;
            return true;
        }
    }
    return false;
}

/*
 * Covers every bad page by regions. A region grows by one address bit at a time, the densest half
 * first, as long as at least 1 of sparseness RAM pages of that half is bad; large halves are judged
 * by samples, always the same ones. Returns the number of regions, or 0 when there are no bad pages
 * or max_regions are not enough.
 */
static size_t regions_grow(const struct fault_log *log, unsigned sparseness,
                           struct pattern *ret_region, size_t max_regions)
{
    const struct page_extent *last = &log->space->extent[log->space->n_extents - 1];
    struct block_reader blocks = { .log = log };
    uint64_t bits = PAGE_SIZE; /* that differ among RAM's addresses */
    struct pattern block;
    size_t n = 0;

    while (bits <= (page_run_end(last->run) - 1) << PAGE_SHIFT)
        bits <<= 1;
    bits = (bits - 1) & PATTERN_MASK_BITS;
    while (next_block(&blocks, &block)) {
        if (is_covered(ret_region, n, block))
            continue;
        if (n == max_regions)
            return 0;
        ret_region[n++] = grow(log, block, bits, sparseness);
    }
    return n;
}

static bool collect_exactly(const struct fault_log *log, struct pattern_set *set)
{
    struct block_reader blocks = { .log = log };
    struct pattern block;

    pattern_set_fill(set, NULL, 0);
    while (next_block(&blocks, &block)) {
        if (set->n == PATTERN_SET_MAX)
            return false;
        pattern_set_add(set, block);
    }
    return true;
}

static bool collect_regions(const struct fault_log *log, struct pattern_set *set)
{
    for (unsigned sparseness = 2; sparseness <= REGIONS_SPARSENESS; sparseness *= 2) {
        size_t n = regions_grow(log, sparseness, set->pattern, REGIONS_MAX);

        if (n) {
            pattern_set_fill(set, set->pattern, n);
            return true;
        }
    }
    return false;
}

/*
 * All bad pages as patterns: without any good page if so few patterns can do that; else as regions
 * that are mostly bad; and if there are none such, with the nearest blocks joined.
 */
static void collect_patterns(const struct fault_log *log, struct pattern_set *ret_set)
{
    if (!collect_exactly(log, ret_set) && !collect_regions(log, ret_set))
        pattern_set_fill(ret_set, ret_set->pattern,
                         collect_few_blocks(log, ret_set->pattern, PATTERN_SET_MAX));
}

/* How much is searched. */
struct effort {
    size_t merge_max;      /* patterns that are merged pair by pair, at most */
    size_t blocks_max;     /* blocks that are considered where ranges or pairs are */
    uint64_t anneal_steps; /* from each beginning */
    unsigned n_prices;     /* tried where ranges or pairs are scarce */
};

static const struct effort thorough = { 1024, 512, 100000, 8 };
static const struct effort thorough_in_pairs = { 1024, 512, 60000, 5 };
static const struct effort quick = { 256, 128, 10000, 4 };

/* BETWEEN times the patterns wanted are split off before some are merged again. */
#define BETWEEN 6

/* How far annealing may lead away: little from a merged start, more from a split one. */
#define WARM 0.1
#define HOT  0.6

/* Prices of a range are tried from 1 page to 2^PRICE_BITS. */
#define PRICE_BITS 26

_Static_assert(UINT64_C(1) << PRICE_BITS <= COST_PRICE_MAX, "no higher price is allowed");

struct derivation {
    const struct page_index *space;
    const struct grub_map *map;
    size_t max_patterns;
    uint64_t max_ranges;
    uint64_t bad_pages; /* no cover sacrifices fewer */
    struct effort effort;
    struct cover_work *work;
};

/* Drops patterns whose RAM the others cover. */
static void drop_redundant(struct cover *cover, const struct page_index *space)
{
    for (size_t i = cover->n_patterns; i-- > 0 && cover->n_patterns > 1;) {
        struct pattern p = cover->pattern[i];
        size_t last = cover->n_patterns - 1;

        cover->pattern[i] = cover->pattern[last];
        if (cover_count_new(p, cover->pattern, last, space) == 0)
            cover->n_patterns--;
        else
            cover->pattern[i] = p;
    }
}

static bool is_better(const struct cover *a, const struct cover *b, uint64_t max_ranges)
{
    bool a_fits = a->ranges <= max_ranges, b_fits = b->ranges <= max_ranges;

    if (a->grub_bios_misses != b->grub_bios_misses)
        return b->grub_bios_misses;
    if (a_fits != b_fits)
        return a_fits;
    if (!a_fits && a->ranges != b->ranges)
        return a->ranges < b->ranges;
    return a->sacrificed_pages < b->sacrificed_pages;
}

/* The pairs as GRUB on BIOS needs them; the patterns as they are if that cannot be. */
static void arrange(const struct derivation *d, struct cover *cover)
{
    if (grub_bios_order_arrange(d->map, d->space, cover->pattern, cover->n_patterns,
                                d->max_patterns, &d->work->turns, cover->pattern,
                                &cover->n_patterns) == STATUS_OK)
        return;
    cover->grub_bios_misses = true;
    d->work->pairs_bind = true;
}

/* The list is a cover; keeps it if it is the best so far. Returns its ranges. */
static uint64_t consider(const struct derivation *d)
{
    const struct merge_list *list = &d->work->list;
    struct cover *trial = &d->work->trial, *best = &d->work->best;

    trial->n_patterns = list->n;
    memcpy(trial->pattern, list->pattern, list->n * sizeof(trial->pattern[0]));
    drop_redundant(trial, d->space);
    pattern_sort(trial->pattern, trial->n_patterns);
    trial->sacrificed_pages = cover_count_pages(trial->pattern, trial->n_patterns, d->space);
    trial->ranges =
        cover_count_ranges(trial->pattern, trial->n_patterns, d->space, COVER_RANGES_MAX - 1);
    if (trial->ranges > d->max_ranges)
        d->work->hit_range_limit = true;
    trial->grub_bios_misses = false;
    if (d->map)
        arrange(d, trial);
    if (best->n_patterns == 0 || is_better(trial, best, d->max_ranges))
        *best = *trial;
    return trial->ranges;
}

/* The list, merged further where that costs nothing, is a cover. */
static uint64_t consider_merged(const struct derivation *d)
{
    merge_by_cost(&d->work->list, d->max_patterns, 0);
    return consider(d);
}

/* The same for the patterns of the division. */
static uint64_t consider_division(const struct derivation *d)
{
    struct pattern *pattern = d->work->trial.pattern;
    size_t n = division_patterns(&d->work->division, pattern);

    merge_load(&d->work->list, d->space, pattern, n);
    return consider_merged(d);
}

/* If the ranges of what was considered are too many, considers it again with fewer: false. */
static bool hold_ranges(const struct derivation *d, uint64_t ranges)
{
    if (ranges <= d->max_ranges)
        return true;
    merge_ranges(&d->work->list, d->max_ranges);
    consider(d);
    return false;
}

/*
 * Collects all bad pages, as atoms and as the set, both from one look at the log: it may grow, and
 * each atom must be within a pattern of the set. False: there are none.
 */
static bool collect(const struct derivation *d, const struct fault_log *log)
{
    struct cover_work *work = d->work;

    work->n_atoms = collect_blocks(log, work->atom, DIVISION_ATOMS_MAX);
    if (work->n_atoms) {
        pattern_set_fill(&work->set, work->atom, work->n_atoms);
    } else {
        collect_patterns(log, &work->set);
        work->n_atoms = work->set.n;
        memcpy(work->atom, work->set.pattern, work->n_atoms * sizeof(work->atom[0]));
    }
    return work->n_atoms > 0;
}

static void load_atoms(const struct derivation *d, uint64_t price)
{
    struct division *division = &d->work->division;

    division->rule = (struct cost_rule){ d->space, price };
    division->n_atoms = d->work->n_atoms;
    memcpy(division->atom, d->work->atom, d->work->n_atoms * sizeof(division->atom[0]));
}

/* Anneals with as many groups as there may be patterns. */
static void anneal_division(const struct derivation *d, double heat)
{
    struct division *division = &d->work->division;

    division_anneal(division, min_u64(d->max_patterns, division->n_atoms), &d->work->anneal,
                    d->effort.anneal_steps, heat);
}

/* Merges the list and divides by its patterns: each atom is within one. */
static void search_merging(const struct derivation *d)
{
    struct cover_work *work = d->work;

    merge_by_cost(&work->list, d->max_patterns, 0);
    division_by_patterns(&work->division, work->list.pattern, work->list.n);
    anneal_division(d, WARM);
    consider_division(d);
}

/* From below: merges what was collected without loss, if there are few enough. */
static void search_from_below(const struct derivation *d)
{
    struct cover_work *work = d->work;

    if (work->set.n > d->effort.merge_max)
        return;
    load_atoms(d, 0);
    merge_load(&work->list, d->space, work->set.pattern, work->set.n);
    search_merging(d);
}

/* Both ways: split into more patterns than are wanted, some of which are merged again. */
static void search_from_between(const struct derivation *d)
{
    struct cover_work *work = d->work;
    size_t n = BETWEEN * d->max_patterns;

    load_atoms(d, 0);
    division_split(&work->division, &work->split, min_u64(n, d->effort.merge_max));
    n = division_patterns(&work->division, work->set.pattern);
    merge_load(&work->list, d->space, work->set.pattern, n);
    search_merging(d);
}

static void search_from_above(const struct derivation *d)
{
    load_atoms(d, 0);
    division_split(&d->work->division, &d->work->split, d->max_patterns);
    anneal_division(d, HOT);
    consider_division(d);
}

/*
 * Blocks that make few enough ranges, by filling the cheapest gaps: where ranges bind this must be
 * done in any case, and done first it keeps regular patterns regular, so that they merge again.
 */
static void start_from_ranges(const struct derivation *d)
{
    struct merge_list *list = &d->work->list;

    merge_load(list, d->space, d->work->atom, d->work->n_atoms);
    merge_ranges(list, d->max_ranges);
    pattern_sort(list->pattern, list->n);
    pattern_set_fill(&d->work->set, list->pattern, list->n);
}

/* The same, and pairs count as well if they are to. */
static bool hold_limits(const struct derivation *d, uint64_t ranges, bool pairs_count)
{
    return hold_ranges(d, ranges) && !(pairs_count && d->work->trial.grub_bios_misses);
}

/*
 * A price on each range, like a Lagrange multiplier, steers the search towards few of them; and
 * towards few pairs, because most turns are for ranges between others. The price that
 * just meets the limit is searched by halves.
 */
static void search_with_price(const struct derivation *d, bool pairs_count)
{
    struct cover_work *work = d->work;
    unsigned low = 0, high = PRICE_BITS;

    start_from_ranges(d);
    for (unsigned i = 0; i < d->effort.n_prices && high - low > 1; i++) {
        unsigned middle = (low + high) / 2;
        bool fits;

        load_atoms(d, UINT64_C(1) << middle);
        merge_load(&work->list, d->space, work->set.pattern, work->set.n);
        merge_by_cost(&work->list, d->max_patterns, work->division.rule.price);
        division_by_patterns(&work->division, work->list.pattern, work->list.n);
        fits = hold_limits(d, consider(d), pairs_count);
        anneal_division(d, WARM);
        fits |= hold_limits(d, consider_division(d), pairs_count);
        if (fits)
            high = middle;
        else
            low = middle;
    }
}

static void search_blocks(const struct derivation *d)
{
    struct cover_work *work = d->work;
    const struct bad_blocks bad = { d->space, work->atom, work->n_atoms };
    size_t n =
        block_cover(&bad, d->max_patterns, d->max_ranges, &work->blocks, work->trial.pattern);

    if (n == 0)
        return;
    merge_load(&work->list, d->space, work->trial.pattern, n);
    consider_merged(d);
}

/*
 * The optimum over blocks, then annealed. Blocks that do not touch make a range each, so there are
 * no more than the lower of both limits.
 */
static void search_few_blocks(const struct derivation *d)
{
    struct cover_work *work = d->work;
    const struct bad_blocks bad = { d->space, work->atom, work->n_atoms };
    size_t n =
        few_blocks(&bad, min_u64(d->max_patterns, d->max_ranges), &work->few, work->set.pattern);

    merge_load(&work->list, d->space, work->set.pattern, n);
    consider_merged(d);
    load_atoms(d, 0);
    merge_load(&work->list, d->space, work->set.pattern, n);
    search_merging(d);
}

/* The end of every merging: one block over all, so large that GRUB registers it. */
static void cover_by_one_block(const struct derivation *d)
{
    struct merge_list *list = &d->work->list;
    struct pattern p = d->work->best.pattern[0];

    for (size_t i = 1; i < d->work->best.n_patterns; i++)
        p = pattern_join(p, d->work->best.pattern[i]);
    p = pattern_hull(p);
    do {
        merge_load(list, d->space, &p, 1);
        consider(d);
        p.mask &= p.mask - 1;
        p.addr &= p.mask;
    } while (d->work->best.grub_bios_misses && p.mask);
}

/* None is always the best. */
static void (*const searches[])(const struct derivation *d) = {
    search_from_below,
    search_from_between,
    search_from_above,
};

static bool is_lossless(const struct derivation *d)
{
    const struct cover *best = &d->work->best;

    return best->n_patterns && !best->grub_bios_misses && best->ranges <= d->max_ranges &&
           best->sacrificed_pages <= d->bad_pages;
}

static void search_patterns(const struct derivation *d)
{
    for (size_t i = 0; i < sizeof(searches) / sizeof(searches[0]) && !is_lossless(d); i++)
        searches[i](d);
}

static void search(const struct derivation *d, const struct fault_log *log)
{
    struct cover_work *work = d->work;

    search_patterns(d);
    if (is_lossless(d))
        return;
    work->n_atoms = collect_few_blocks(log, work->atom, DIVISION_ATOMS_MAX);
    search_few_blocks(d);
    if ((!work->hit_range_limit && !work->pairs_bind) || is_lossless(d))
        return;
    work->n_atoms = collect_few_blocks(log, work->atom, d->effort.blocks_max);
    search_blocks(d);
    search_with_price(d, work->pairs_bind);
}

static enum status derive(const struct fault_log *log, const struct cover_limits *limits,
                          const struct effort *effort, struct cover_work *work,
                          struct cover *ret_cover)
{
    struct derivation d = {
        .space = log->space,
        .map = limits->map,
        .max_patterns = limits->max_patterns,
        .max_ranges = limits->max_ranges,
        .bad_pages = fault_log_bad_pages(log),
        .effort = *effort,
        .work = work,
    };

    if (limits->max_patterns == 0 || limits->max_ranges == 0)
        return STATUS_INVALID;
    if (d.max_patterns > COVER_PATTERNS_MAX)
        d.max_patterns = COVER_PATTERNS_MAX;
    if (d.max_ranges > COVER_RANGES_MAX)
        d.max_ranges = COVER_RANGES_MAX;

    if (!collect(&d, log)) {
        memset(ret_cover, 0, sizeof(*ret_cover));
        return STATUS_OK;
    }
    work->best.n_patterns = 0;
    work->hit_range_limit = false;
    work->pairs_bind = false;
    search(&d, log);
    if (work->best.ranges > d.max_ranges || work->best.grub_bios_misses)
        cover_by_one_block(&d);
    *ret_cover = work->best;
    return STATUS_OK;
}

enum status cover_derive(const struct fault_log *log, const struct cover_limits *limits,
                         struct cover_work *work, struct cover *ret_cover)
{
    return derive(log, limits, limits->map ? &thorough_in_pairs : &thorough, work, ret_cover);
}

enum status cover_derive_quickly(const struct fault_log *log, const struct cover_limits *limits,
                                 struct cover_work *work, struct cover *ret_cover)
{
    return derive(log, limits, &quick, work, ret_cover);
}

uint64_t cover_spares(const struct fault_log *log, const struct cover_limits *limits,
                      uint64_t max_ranges, const struct cover *cover, struct cover_work *work)
{
    struct cover_limits more = *limits;

    more.max_ranges = max_ranges;
    if (cover->sacrificed_pages <= fault_log_bad_pages(log) ||
        cover_derive(log, &more, work, &work->best) != STATUS_OK ||
        work->best.sacrificed_pages >= cover->sacrificed_pages)
        return 0;
    return cover->sacrificed_pages - work->best.sacrificed_pages;
}

void cover_append_pairs(struct fmt_buffer *out, const struct cover *cover)
{
    for (size_t i = 0; i < cover->n_patterns; i++)
        fmt_append(out, "%s0x%llx,0x%llx", i ? "," : "", (unsigned long long)cover->pattern[i].addr,
                   (unsigned long long)cover->pattern[i].mask);
}

void badram_line_append(struct fmt_buffer *out, const struct cover *cover)
{
    if (cover->n_patterns)
        fmt_append(out, "badram=");
    cover_append_pairs(out, cover);
}
