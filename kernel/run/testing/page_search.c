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
#include "loop/poll.h"
#include "mce/mca.h"
#include "mce/page_bisect.h"
#include "plan/lost_cpus.h"
#include "plan/plan.h"
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

static struct suspect suspects[SUSPECTS_MAX];
static struct span swept_span[SUSPECTS_MAX][SPANS_MAX];
static size_t n_suspects;
static uint32_t n_searches;
static bool is_given_up; /* and a warning has said so */

/* Pages that have shown such errors: further errors are likely to be theirs. */
static uint64_t known[KNOWN_MAX];
static size_t n_known;

/* The current search. */
static struct {
    const struct shares *shares;
    struct suspect *suspect;
    const struct spans *pages; /* what is read */
    struct march march;
    const struct data *data;
    struct test_place place;
    uint64_t deadline;
    uint64_t first, n; /* pages that are read now */
    uint32_t n_workers;
    bool shown; /* the error has come */
} job;

/* The suspect's pages. */
static struct span good_span[SPANS_MAX], bad_span[SPANS_MAX];
static struct spans good = { .span = good_span, .max = SPANS_MAX };
static struct spans bad = { .span = bad_span, .max = SPANS_MAX };

/* Whichever CPU has read it: several may share the bank. */
static bool is_same_source(const struct mca_record *a, const struct mca_record *b)
{
    return a->bank == b->bank && a->channel.kind == b->channel.kind &&
           a->channel.number == b->channel.number;
}

/* NULL: there is no room for another. */
static struct suspect *suspect_of(const struct mca_record *record)
{
    struct suspect *s;

    for (size_t i = 0; i < n_suspects; i++) {
        if (is_same_source(&suspects[i].record, record))
            return &suspects[i];
    }
    if (n_suspects == SUSPECTS_MAX)
        return NULL;
    s = &suspects[n_suspects];
    s->record = *record;
    s->n_errors = 0;
    s->is_partial = false;
    s->n_known = s->n_new = 0;
    s->swept = (struct spans){ .span = swept_span[n_suspects++], .max = SPANS_MAX };
    return s;
}

static bool has_known_page(const struct swept_report *r)
{
    for (size_t i = 0; i < r->n; i++) {
        for (size_t k = 0; k < n_known; k++) {
            if (span_contains(r->span[i], known[k]))
                return true;
        }
    }
    return false;
}

static void add_report(struct suspect *s, const struct swept_report *r)
{
    uint32_t *n = has_known_page(r) ? &s->n_known : &s->n_new;

    if (*n == REPORTS_MAX)
        return;
    ++*n;
    s->is_partial |= r->is_partial;
    for (size_t i = 0; i < r->n; i++)
        s->is_partial |= !spans_add(&s->swept, span_whole_pages(r->span[i]));
}

/* Reports during a search are about what it reads itself. */
static void take_reports(void)
{
    for (struct swept_report *r; (r = mca_swept_take()) != NULL; mca_swept_free(r)) {
        struct suspect *s = suspect_of(&r->record);

        if (s && !job.suspect)
            add_report(s, r);
    }
}

/* The CPU puts a report before the record. */
static void note(const struct mca_record *record)
{
    struct suspect *s;

    if (!mca_has_unknown_page(record))
        return;
    s = suspect_of(record);
    if (!s)
        return;
    s->n_errors += record->count;
    if (s == job.suspect)
        job.shown = true;
    take_reports();
}

/* Whether the page, as far as a sweep has written it, may be written now: okram may have moved. */
static bool is_free(uint64_t page)
{
    return !footprint_holds(arena_footprint(), page) && !aliases_has_page(&aliases, page);
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
static void sort_span(struct span s)
{
    struct span run = { s.base, 0 };
    struct spans *set = NULL;

    for (uint64_t page = s.base; page < span_end(s); page += PAGE_SIZE) {
        struct spans *its = !is_free(page)                       ? NULL
                            : fault_log_is_bad(&fault_log, page) ? &bad
                                                                 : &good;

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

static void sort_pages(const struct spans *swept)
{
    good.n = bad.n = 0;
    for (size_t i = 0; i < swept->n; i++)
        sort_span(swept->span[i]);
}

/* All memory that this run may write to, or, until all of that is guarded, what is tested now. */
static void suspect_all(struct spans *ret)
{
    const struct spans *all = own_aliases_are_guarded() ? &plan.tested : &job.shares->tested;

    ret->n = 0;
    for (size_t i = 0; i < all->n; i++)
        spans_add(ret, span_whole_pages(all->span[i]));
}

struct reading {
    struct reporter reporter;
    struct sweep sweep;
};

static void read_slice(struct reading *r, struct span slice)
{
    for (uint32_t i = 0; i < job.march.n_elements; i++)
        sweep_element(&r->sweep, &job.march.element[i], job.data, share_slice(slice));
    reporter_flush(&r->reporter);
    cpu_pool_heartbeat(r->reporter.cpu);
    if (r->reporter.cpu == 0)
        poll_due();
}

static void read_span(void *ctx, struct span s)
{
    while (s.size && !stop_is_requested() && !cpu_pool_is_aborted())
        read_slice(ctx, sweep_next_slice(&s, false, SWEEP_SMALL_SLICE));
}

/* A worker's part of the pages. */
static void read_part(void *ctx, uint32_t cpu)
{
    struct reading reading = { .reporter = reporter_make(job.place, job.data, cpu) };
    uint64_t worker = plan_worker(cpu);
    uint64_t begin = job.n * worker / job.n_workers, end = job.n * (worker + 1) / job.n_workers;

    reading.sweep = reporter_sweep(&reading.reporter);
    spans_walk(job.pages, (job.first + begin) << PAGE_SHIFT, (end - begin) << PAGE_SHIFT, read_span,
               &reading);
}

static void read_pages(uint64_t first, uint64_t n)
{
    job.first = first;
    job.n = n;
    job.n_workers = (uint32_t)min_u64(plan.n_workers, max_u64(n / PAGES_A_WORKER, 1));
    external_begin_element(&external, tsc_elapsed_us());
    cpu_pool_run_watched(plan.worker_cpus, job.n_workers, read_part, NULL);
    external_end_element(&external, true, tsc_elapsed_us());
}

static bool is_over(void)
{
    return stop_is_requested() || lost_cpus_any() || tsc_now() >= job.deadline;
}

static enum page_bisect_probe probe(void *ctx, uint64_t first, uint64_t n)
{
    if (is_over())
        return PAGE_BISECT_BREAK;
    job.shown = false;
    if (n)
        read_pages(first, n);
    tsc_wait_us(REPORTING_US);
    mce_emit_collect();
    take_reports();
    if (job.shown)
        return PAGE_BISECT_SHOWN;
    return is_over() ? PAGE_BISECT_BREAK : PAGE_BISECT_QUIET;
}

/* Whether one of these pages, which were found before, shows the error when it is read again. */
static bool is_of_bad_pages(void)
{
    job.pages = &bad;
    for (uint32_t i = 0; bad.n && i < PAGE_BISECT_TRIES; i++) {
        enum page_bisect_probe shown = probe(NULL, 0, n_pages(&bad));

        if (shown != PAGE_BISECT_QUIET)
            return shown == PAGE_BISECT_SHOWN;
    }
    return false;
}

static void add_known(void *ctx, struct span s)
{
    for (; s.size && n_known < KNOWN_MAX; s.base += PAGE_SIZE, s.size -= PAGE_SIZE) {
        size_t k = 0;

        while (k < n_known && known[k] != s.base)
            k++;
        known[k] = s.base;
        n_known += k == n_known;
    }
}

/* Attributes the errors to these pages. */
static void explain_errors(const struct spans *pages, uint64_t first, uint64_t n)
{
    spans_walk(pages, first << PAGE_SHIFT, n << PAGE_SHIFT, add_known, NULL);
    ecc_find_page(job.suspect->n_errors);
    job.suspect->n_errors = 0;
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

static void send(const struct page_bisect_result *r, uint64_t began_us)
{
    char channel[ECC_CHANNEL_SIZE];
    bool found = r->end == PAGE_BISECT_FOUND;

    ecc_channel_name(&job.suspect->record, channel);
    events_send(&(struct event){
        .type = EVENT_ECC_PAGE,
        .ecc_page = {
            .cpu = job.suspect->record.cpu,
            .bank = job.suspect->record.bank,
            .channel = channel[0] ? channel : NULL,
            .has_page = found,
            .page = found ? page_address(job.pages, r->first) : 0,
            .result = reason(r->end),
            .searched_bytes = spans_bytes(job.pages),
            .left_bytes = r->n << PAGE_SHIFT,
            .tries = r->tries,
            .seconds = (double)(tsc_elapsed_us() - began_us) / 1e6,
        },
    });
}

/* False: no page was found. */
static bool search_good(const struct spans *swept, bool is_first, struct page_bisect_result *ret)
{
    uint64_t began_us = tsc_elapsed_us();

    sort_pages(swept);
    job.pages = &good;
    if (!good.n)
        return false;
    *ret = page_bisect(n_pages(&good), probe, NULL);
    if (ret->end == PAGE_BISECT_FOUND) {
        fault_log_mark_page(&fault_log, page_address(&good, ret->first));
        explain_errors(&good, ret->first, 1);
    }
    if ((is_first && job.suspect->n_errors) || ret->end == PAGE_BISECT_FOUND)
        send(ret, began_us);
    return ret->end == PAGE_BISECT_FOUND;
}

/* There may be several pages: searches the rest until no error shows any more. */
static void search(struct spans *swept, bool is_partial)
{
    struct page_bisect_result r = { .end = PAGE_BISECT_NOT_AGAIN };

    if (swept->n && search_good(swept, !is_partial, &r)) {
        job.deadline = min_u64(job.deadline, tsc_now() + tsc_from_us(FURTHER_US));
        while (!is_over() && search_good(swept, false, &r))
            ;
    } else if (is_partial && r.end == PAGE_BISECT_NOT_AGAIN) {
        suspect_all(swept);
        search_good(swept, true, &r);
    }
}

static void begin_job(struct suspect *s)
{
    job.suspect = s;
    job.deadline = tsc_now() + tsc_from_us(SEARCH_US);
}

/* Whether all errors are of pages that are bad already. */
static bool is_explained(void)
{
    sort_pages(&job.suspect->swept);
    if (!is_of_bad_pages())
        return false;
    explain_errors(&bad, 0, n_pages(&bad));
    return !job.suspect->n_new;
}

static void search_suspect(struct suspect *s)
{
    if (!s->swept.n && !s->is_partial)
        return;
    begin_job(s);
    if (!is_explained() && n_searches++ < SEARCHES_MAX)
        search(&s->swept, s->is_partial);
    if (n_searches > SEARCHES_MAX && !is_given_up) {
        is_given_up = true;
        notice("pages with corrected errors of memory were searched for %u times: further "
               "errors are only counted",
               SEARCHES_MAX);
    }
    job.suspect = NULL;
}

void page_search_begin(void)
{
    struct march_error error;

    ASSERT(march_parse(READ_MARCH, &job.march, &error) == MARCH_OK);
    mce_emit_set_listener(note);
}

/* An address test's own data would be taken for aliases. */
static void choose_data(const struct data *data)
{
    static struct data solid;

    job.data = data;
    if (data->kind != DATA_ADDRESS)
        return;
    solid = data_make(DATA_BACKGROUND, 0, 0);
    external_round(&external, &solid);
    job.data = &solid;
}

void page_search_run(const struct shares *shares, const struct data *data, struct test_place place)
{
    mce_emit_collect();
    take_reports();
    if (n_suspects && !stop_is_requested() && !lost_cpus_any()) {
        job.shares = shares;
        choose_data(data);
        job.place = place;
        for (size_t i = 0; i < n_suspects; i++)
            search_suspect(&suspects[i]);
    }
    n_suspects = 0;
}
