#include "faults/cover.h"

#include "faults/bad_blocks.h"
#include "faults/cover_count.h"
#include "faults/thin.h"
#include "lib/string.h"

/* Prices of a range that are tried: 2^0 to 2^PRICE_SHIFT_MAX pages (64 GiB). */
#define PRICE_SHIFT_MAX 24

struct derivation {
    const struct fault_log *log;
    const struct page_space *space;
    size_t max_patterns;
    uint64_t max_ranges;
    struct cover_work *work;
};

/* Shortens the set to n patterns. */
static void thin_set(const struct derivation *d, size_t n)
{
    struct pattern_set *set = &d->work->set;

    pattern_sort(set->pattern, set->n);
    set->n = thin_patterns(set->pattern, set->n, n, THIN_BY_JOIN, d->space);
    pattern_set_rebuild(set);
}

/* All bad pages as patterns that cover no good page, as long as they are few enough. */
static void collect_patterns(const struct derivation *d)
{
    struct bad_blocks blocks = bad_blocks_start(d->log);
    struct pattern_set *set = &d->work->set;
    struct pattern block;

    pattern_set_clear(set);
    while (bad_blocks_next(&blocks, &block)) {
        if (set->n == PATTERN_SET_MAX)
            thin_set(d, PATTERN_SET_MAX / 2);
        pattern_set_add(set, block);
    }
    if (set->n > MERGE_MAX)
        thin_set(d, MERGE_MAX);
}

/* All bad pages as blocks only, the nearest ones joined where they are too many. */
static size_t collect_blocks(const struct derivation *d)
{
    struct bad_blocks blocks = bad_blocks_start(d->log);
    struct pattern *list = d->work->block, block;
    size_t n = 0;

    while (bad_blocks_next(&blocks, &block)) {
        if (n == COVER_BLOCKS_MAX)
            n = thin_patterns(list, n, COVER_BLOCKS_MAX / 2, THIN_BY_HULL, d->space);
        list[n++] = block;
    }
    return n;
}

/* Drops patterns whose RAM the others cover. */
static void drop_redundant(struct cover *cover, const struct page_space *space)
{
    for (size_t i = cover->n_patterns; i-- > 0 && cover->n_patterns > 1;) {
        struct pattern p = cover->pattern[i];
        size_t last = cover->n_patterns - 1;

        cover->pattern[i] = cover->pattern[last];
        if (cover_count_new(p, cover->pattern, last, space) == 0) {
            cover->n_patterns--;
        } else {
            cover->pattern[last] = cover->pattern[i];
            cover->pattern[i] = p;
        }
    }
}

static bool is_better(const struct cover *a, const struct cover *b, uint64_t max_ranges)
{
    bool a_fits = a->ranges <= max_ranges, b_fits = b->ranges <= max_ranges;

    if (a_fits != b_fits)
        return a_fits;
    if (!a_fits && a->ranges != b->ranges)
        return a->ranges < b->ranges;
    return a->sacrificed_pages < b->sacrificed_pages;
}

/* The merged list is a cover; keeps it if it is the best so far. */
static void consider(const struct derivation *d)
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
    if (best->n_patterns == 0 || is_better(trial, best, d->max_ranges))
        *best = *trial;
}

static bool list_fits(const struct derivation *d)
{
    const struct merge_list *list = &d->work->list;

    return d->max_ranges >= COVER_RANGES_MAX ||
           cover_count_ranges(list->pattern, list->n, d->space, d->max_ranges) <= d->max_ranges;
}

/*
 * Blocks that make few enough ranges, by filling the cheapest gaps: where ranges bind this must be
 * done in any case, and done first it leaves regular places regular, so that they merge again.
 */
static void start_from_ranges(const struct derivation *d)
{
    struct merge_list *list = &d->work->list;

    merge_load(list, d->space, d->work->block, collect_blocks(d));
    merge_ranges(list, d->max_ranges);
    pattern_sort(list->pattern, list->n);
    pattern_set_clear(&d->work->set);
    for (size_t i = 0; i < list->n; i++)
        pattern_set_add(&d->work->set, list->pattern[i]);
}

/*
 * Ranges bind: a price on each one, like a Lagrange multiplier, steers the merging towards blocks.
 * The price that just meets the limit is searched by halves.
 */
static void search_price(const struct derivation *d)
{
    struct merge_list *list = &d->work->list;
    unsigned low = 0, high = PRICE_SHIFT_MAX;

    start_from_ranges(d);
    while (high - low > 1) {
        unsigned shift = (low + high) / 2;

        merge_load(list, d->space, d->work->set.pattern, d->work->set.n);
        merge_by_price(list, d->max_patterns, shift);
        if (list_fits(d)) {
            high = shift;
        } else {
            low = shift;
            merge_ranges(list, d->max_ranges);
        }
        consider(d);
    }
}

/* The end of every merging: one block over all. */
static void cover_by_one_block(const struct derivation *d)
{
    struct merge_list *list = &d->work->list;
    struct pattern p = d->work->best.pattern[0];

    for (size_t i = 1; i < d->work->best.n_patterns; i++)
        p = pattern_join(p, d->work->best.pattern[i]);
    p = pattern_hull(p);
    merge_load(list, d->space, &p, 1);
    consider(d);
}

enum status cover_derive(const struct fault_log *log, const struct cover_limits *limits,
                         struct cover_work *work, struct cover *ret_cover)
{
    struct derivation d = {
        .log = log,
        .space = log->space,
        .max_patterns = limits->max_patterns,
        .max_ranges = limits->max_ranges,
        .work = work,
    };

    if (limits->max_patterns == 0 || limits->max_ranges == 0)
        return STATUS_INVALID;
    if (d.max_patterns > COVER_PATTERNS_MAX)
        d.max_patterns = COVER_PATTERNS_MAX;

    collect_patterns(&d);
    if (work->set.n == 0) {
        memset(ret_cover, 0, sizeof(*ret_cover));
        return STATUS_OK;
    }
    work->best.n_patterns = 0;
    merge_load(&work->list, d.space, work->set.pattern, work->set.n);
    merge_by_pages(&work->list, d.max_patterns);
    if (!list_fits(&d)) {
        merge_ranges(&work->list, d.max_ranges);
        consider(&d);
        search_price(&d);
    } else {
        consider(&d);
    }
    if (work->best.ranges > d.max_ranges)
        cover_by_one_block(&d);
    *ret_cover = work->best;
    return STATUS_OK;
}
