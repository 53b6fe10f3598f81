// SPDX-License-Identifier: MIT
#include "testing/page_search.h"

#include "arch/tsc.h"
#include "cpus/cpu_pool.h"
#include "ecc/ecc.h"
#include "ecc/mce_emit.h"
#include "event/events.h"
#include "event/notices.h"
#include "event/stop.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "lib/spans.h"
#include "mce/mca.h"
#include "mce/page_bisect.h"
#include "plan/lost_cpus.h"
#include "plan/share.h"
#include "self/own_aliases.h"

/*
 * Both polarities: a cell that is stuck shows only where the data differ from it. Each write
 * bypasses the caches, so each read is of memory.
 */
#define READ_MARCH "any(w0);any(r0);any(w1);any(r1)"

#define SUSPECTS_MAX   4                  /* banks that report errors in a round */
#define SEARCHES_MAX   32                 /* in a run, each for one page or several */
#define SEARCH_US      UINT64_C(60000000) /* for one search */
#define FURTHER_US     UINT64_C(10000000) /* for more pages after the first */
#define REPORTING_US   1000               /* a bank may be filled a little after the read */
#define REPORTS_MAX    4                  /* of a round, of each kind: more are of little use */
#define KNOWN_MAX      64
#define SPANS_MAX      512                /* of each set of pages */
#define PAGES_A_WORKER (UINT64_C(1) << 8) /* fewer are not worth waking another CPU for */

/* The errors of one bank and channel in this round. */
struct suspect {
    struct mca_record record; /* the first */
    uint64_t n_errors;        /* not attributed to a page yet */
    struct spans swept;       /* when the errors came: whole pages */
    bool is_partial;          /* what was swept is not all known */
    uint32_t n_known, n_new;  /* reports in `swept`, with known pages or without */
};

/* Pages to be read, by whether they are known as bad. */
struct suspect_pages {
    struct span span[SPANS_MAX];
    struct spans spans;
};

static struct search {
    struct run *run;
    struct suspect suspects[SUSPECTS_MAX];
    struct span swept[SUSPECTS_MAX][SPANS_MAX];
    size_t n_suspects;
    uint32_t n_searches;
    bool is_given_up; /* and a warning has said so */

    /* Pages that have shown such errors: further errors are likely to be theirs. */
    uint64_t known[KNOWN_MAX];
    size_t n_known;

    /* The current search. */
    struct suspect *suspect;
    const struct spans *pages; /* that are read */
    struct march march;
    const struct data *data;
    struct test_place place;
    uint64_t deadline;
    uint64_t first, n; /* pages that are read now */
    uint32_t n_workers;
    bool shown; /* the error has come */
    struct suspect_pages good, bad;
} the_search;

/* Whichever CPU has read it: several may share the bank. */
static bool is_same_source(const struct mca_record *a, const struct mca_record *b)
{
    return a->bank == b->bank && a->channel.kind == b->channel.kind &&
           a->channel.number == b->channel.number;
}

/* NULL: there is no room for another. */
static struct suspect *suspect_of(struct search *q, const struct mca_record *record)
{
    struct suspect *s;

    for (size_t i = 0; i < q->n_suspects; i++) {
        if (is_same_source(&q->suspects[i].record, record))
            return &q->suspects[i];
    }
    if (q->n_suspects == SUSPECTS_MAX)
        return NULL;
    s = &q->suspects[q->n_suspects];
    s->record = *record;
    s->n_errors = 0;
    s->is_partial = false;
    s->n_known = s->n_new = 0;
    s->swept = (struct spans){ .span = q->swept[q->n_suspects++], .max = SPANS_MAX };
    return s;
}

static bool has_known_page(const struct search *q, const struct swept_report *r)
{
    for (size_t i = 0; i < r->n; i++) {
        for (size_t k = 0; k < q->n_known; k++) {
            if (span_contains(r->span[i], q->known[k]))
                return true;
        }
    }
    return false;
}

static void add_report(struct search *q, struct suspect *s, const struct swept_report *r)
{
    uint32_t *n = has_known_page(q, r) ? &s->n_known : &s->n_new;

    if (*n == REPORTS_MAX)
        return;
    ++*n;
    s->is_partial |= r->is_partial;
    for (size_t i = 0; i < r->n; i++)
        s->is_partial |= !spans_add(&s->swept, span_whole_pages(r->span[i]));
}

/* Reports during a search are about what it reads itself. */
static void take_reports(struct search *q)
{
    for (struct swept_report *r; (r = mca_swept_take()) != NULL; mca_swept_free(r)) {
        struct suspect *s = suspect_of(q, &r->record);

        if (s && !q->suspect)
            add_report(q, s, r);
    }
}

/* The CPU puts a report before the record. */
static void note(void *ctx, const struct mca_record *record)
{
    struct search *q = ctx;
    struct suspect *s;

    if (!mca_has_unknown_page(record))
        return;
    s = suspect_of(q, record);
    if (!s)
        return;
    s->n_errors += record->count;
    if (s == q->suspect)
        q->shown = true;
    take_reports(q);
}

/* Whether the page, as far as a sweep has written it, may be written now: okram may have moved. */
static bool is_free(const struct search *q, uint64_t page)
{
    return !footprint_holds(arena_footprint(), page) &&
           !aliases_has_page(&q->run->found.aliases, page);
}

static uint64_t n_pages(const struct spans *pages)
{
    return spans_bytes(pages) >> PAGE_SHIFT;
}

static void keep_base(void *ctx, struct span s)
{
    *(uint64_t *)ctx = s.base;
}

static uint64_t page_address(const struct spans *pages, uint64_t number)
{
    uint64_t address = 0;

    spans_walk(pages, number << PAGE_SHIFT, PAGE_SIZE, keep_base, &address);
    return address;
}

/* Sorts the pages of a span into good and bad ones, by runs of adjoining pages. */
static void sort_span(struct search *q, struct span s)
{
    struct span run = { s.base, 0 };
    struct spans *set = NULL;

    for (uint64_t page = s.base; page < span_end(s); page += PAGE_SIZE) {
        struct spans *its = !is_free(q, page)                            ? NULL
                            : fault_log_is_bad(&q->run->found.log, page) ? &q->bad.spans
                                                                         : &q->good.spans;

        if (its != set) {
            if (set)
                spans_add(set, run);
            run = (struct span){ page, 0 };
            set = its;
        }
        run.size += PAGE_SIZE;
    }
    if (set)
        spans_add(set, run);
}

static void sort_pages(struct search *q, const struct spans *swept)
{
    q->good.spans.n = q->bad.spans.n = 0;
    for (size_t i = 0; i < swept->n; i++)
        sort_span(q, swept->span[i]);
}

/* All memory that this run may write to, or, until all of that is guarded, what is tested now. */
static void suspect_all(const struct search *q, struct spans *ret)
{
    const struct spans *all =
        own_aliases_are_guarded() ? &q->run->plan.tested : &q->run->shares.tested;

    ret->n = 0;
    for (size_t i = 0; i < all->n; i++)
        spans_add(ret, span_whole_pages(all->span[i]));
}

struct reading {
    const struct march *march;
    struct reporter reporter;
    struct sweep sweep;
};

static void read_slice(struct reading *r, struct span slice)
{
    for (uint32_t i = 0; i < r->march->n_elements; i++)
        sweep_element(&r->sweep, &r->march->element[i], r->reporter.data, share_slice(slice));
    reporter_flush(&r->reporter);
    cpu_pool_heartbeat(r->reporter.cpu);
    if (r->reporter.cpu == 0)
        cpu_poll(&r->reporter.run->poll);
}

static void read_span(void *ctx, struct span s)
{
    while (s.size && !stop_is_requested() && !cpu_pool_is_aborted())
        read_slice(ctx, sweep_next_slice(&s, false, SWEEP_SMALL_SLICE));
}

/* A worker's part of the pages. */
static void read_part(void *ctx, uint32_t cpu)
{
    const struct search *q = ctx;
    struct reading reading = { .march = &q->march,
                               .reporter = reporter_make(q->run, q->place, q->data, cpu) };
    uint64_t worker = plan_worker(&q->run->plan, cpu);
    uint64_t begin = q->n * worker / q->n_workers, end = q->n * (worker + 1) / q->n_workers;

    reading.sweep = reporter_sweep(&reading.reporter);
    spans_walk(q->pages, (q->first + begin) << PAGE_SHIFT, (end - begin) << PAGE_SHIFT, read_span,
               &reading);
}

static void read_pages(struct search *q, uint64_t first, uint64_t n)
{
    q->first = first;
    q->n = n;
    q->n_workers = (uint32_t)min_u64(q->run->plan.n_workers, max_u64(n / PAGES_A_WORKER, 1));
    external_begin_element(&q->run->found.external, tsc_elapsed_us());
    cpu_pool_run_watched(q->run->plan.worker_cpus, q->n_workers,
                         (struct cpu_pool_job){ read_part, q, &q->run->poll });
    external_end_element(&q->run->found.external, true, tsc_elapsed_us());
}

static bool is_over(const struct search *q)
{
    return stop_is_requested() || lost_cpus_any() || tsc_now() >= q->deadline;
}

static enum page_bisect_probe probe(void *ctx, uint64_t first, uint64_t n)
{
    struct search *q = ctx;

    if (is_over(q))
        return PAGE_BISECT_BREAK;
    q->shown = false;
    if (n)
        read_pages(q, first, n);
    tsc_wait_us(REPORTING_US);
    mce_emit_collect(&q->run->found.log);
    take_reports(q);
    if (q->shown)
        return PAGE_BISECT_SHOWN;
    return is_over(q) ? PAGE_BISECT_BREAK : PAGE_BISECT_QUIET;
}

/* Whether one of these pages, which were found before, shows the error when it is read again. */
static bool is_of_bad_pages(struct search *q)
{
    q->pages = &q->bad.spans;
    for (uint32_t i = 0; q->bad.spans.n && i < PAGE_BISECT_TRIES; i++) {
        enum page_bisect_probe shown = probe(q, 0, n_pages(&q->bad.spans));

        if (shown != PAGE_BISECT_QUIET)
            return shown == PAGE_BISECT_SHOWN;
    }
    return false;
}

static void add_known(void *ctx, struct span s)
{
    struct search *q = ctx;

    for (; s.size && q->n_known < KNOWN_MAX; s.base += PAGE_SIZE, s.size -= PAGE_SIZE) {
        size_t k = 0;

        while (k < q->n_known && q->known[k] != s.base)
            k++;
        q->known[k] = s.base;
        q->n_known += k == q->n_known;
    }
}

/* Attributes the errors to these pages. */
static void explain_errors(struct search *q, const struct spans *pages, uint64_t first, uint64_t n)
{
    spans_walk(pages, first << PAGE_SHIFT, n << PAGE_SHIFT, add_known, q);
    ecc_find_page(q->suspect->n_errors);
    q->suspect->n_errors = 0;
}

static const char *reason(enum page_bisect_end end)
{
    switch (end) {
    case PAGE_BISECT_FOUND: return "found";
    case PAGE_BISECT_NOT_AGAIN: return "not again";
    case PAGE_BISECT_ELSEWHERE: return "elsewhere";
    case PAGE_BISECT_BROKEN_OFF: break;
    }
    return stop_is_requested() ? "stopped" : lost_cpus_any() ? "CPU lost" : "time";
}

static void send(const struct search *q, const struct page_bisect_result *r, uint64_t began_us)
{
    char channel[ECC_CHANNEL_SIZE];
    bool found = r->end == PAGE_BISECT_FOUND;

    ecc_channel_name(&q->suspect->record, channel);
    events_send(&(struct event){
        .type = EVENT_ECC_PAGE,
        .ecc_page = {
            .cpu = q->suspect->record.cpu,
            .bank = q->suspect->record.bank,
            .channel = channel[0] ? channel : NULL,
            .has_page = found,
            .page = found ? page_address(q->pages, r->first) : 0,
            .result = reason(r->end),
            .searched_bytes = spans_bytes(q->pages),
            .left_bytes = r->n << PAGE_SHIFT,
            .tries = r->tries,
            .seconds = (double)(tsc_elapsed_us() - began_us) / 1e6,
        },
    });
}

/* False: no page was found. */
static bool search_good(struct search *q, const struct spans *swept, bool is_first,
                        struct page_bisect_result *ret)
{
    uint64_t began_us = tsc_elapsed_us();

    sort_pages(q, swept);
    q->pages = &q->good.spans;
    if (!q->good.spans.n)
        return false;
    *ret = page_bisect(n_pages(&q->good.spans), probe, q);
    if (ret->end == PAGE_BISECT_FOUND) {
        fault_log_mark_page(&q->run->found.log, page_address(&q->good.spans, ret->first));
        explain_errors(q, &q->good.spans, ret->first, 1);
    }
    if ((is_first && q->suspect->n_errors) || ret->end == PAGE_BISECT_FOUND)
        send(q, ret, began_us);
    return ret->end == PAGE_BISECT_FOUND;
}

/* There may be several pages: searches the rest until no error shows any more. */
static void search(struct search *q, struct spans *swept, bool is_partial)
{
    struct page_bisect_result r = { .end = PAGE_BISECT_NOT_AGAIN };

    if (swept->n && search_good(q, swept, !is_partial, &r)) {
        q->deadline = min_u64(q->deadline, tsc_now() + tsc_from_us(FURTHER_US));
        while (!is_over(q) && search_good(q, swept, false, &r))
            ;
    } else if (is_partial && r.end == PAGE_BISECT_NOT_AGAIN) {
        suspect_all(q, swept);
        search_good(q, swept, true, &r);
    }
}

static void begin_job(struct search *q, struct suspect *s)
{
    q->suspect = s;
    q->deadline = tsc_now() + tsc_from_us(SEARCH_US);
}

/* Whether all errors are of pages that are bad already. */
static bool is_explained(struct search *q)
{
    sort_pages(q, &q->suspect->swept);
    if (!is_of_bad_pages(q))
        return false;
    explain_errors(q, &q->bad.spans, 0, n_pages(&q->bad.spans));
    return !q->suspect->n_new;
}

static void search_suspect(struct search *q, struct suspect *s)
{
    if (!s->swept.n && !s->is_partial)
        return;
    begin_job(q, s);
    if (!is_explained(q) && q->n_searches++ < SEARCHES_MAX)
        search(q, &s->swept, s->is_partial);
    if (q->n_searches > SEARCHES_MAX && !q->is_given_up) {
        q->is_given_up = true;
        notice("pages with corrected errors of memory were searched for %u times: further "
               "errors are only counted",
               SEARCHES_MAX);
    }
    q->suspect = NULL;
}

void page_search_begin(struct run *run)
{
    struct search *q = &the_search;
    struct march_error error;

    q->run = run;
    q->good.spans = (struct spans){ .span = q->good.span, .max = SPANS_MAX };
    q->bad.spans = (struct spans){ .span = q->bad.span, .max = SPANS_MAX };
    ASSERT(march_parse(READ_MARCH, &q->march, &error) == MARCH_OK);
    mce_emit_set_listener(note, q);
}

/* An address test's own data would be taken for aliases. */
static void choose_data(struct search *q, const struct data *data)
{
    static struct data solid;

    q->data = data;
    if (data->kind != DATA_ADDRESS)
        return;
    solid = data_make(DATA_BACKGROUND, 0, 0);
    external_round(&q->run->found.external, &solid);
    q->data = &solid;
}

void page_search_run(const struct data *data, struct test_place place)
{
    struct search *q = &the_search;

    mce_emit_collect(&q->run->found.log);
    take_reports(q);
    if (q->n_suspects && !stop_is_requested() && !lost_cpus_any()) {
        choose_data(q, data);
        q->place = place;
        for (size_t i = 0; i < q->n_suspects; i++)
            search_suspect(q, &q->suspects[i]);
    }
    q->n_suspects = 0;
}
