// SPDX-License-Identifier: MIT
#include "run/retest.h"

#include "arch/tsc.h"
#include "event/events.h"
#include "event/stop.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "plan/share.h"
#include "run/ecc.h"
#include "run/mce_emit.h"
#include "run/selection.h"
#include "sweep/page_check.h"
#include "sweep/page_retest.h"

#define RETEST_US UINT64_C(2000000)

/* Not okram's own page, nor one that shares cells with another. */
static bool is_free(void *ctx, uint64_t addr)
{
    const struct span page = { addr, PAGE_SIZE };

    for (size_t i = 0; i < plan.pieces.n; i++) {
        if (span_intersect(plan.pieces.piece[i].span, page).size == PAGE_SIZE)
            return !aliases_has_page(&aliases, addr);
    }
    return false;
}

static uint64_t count_ecc_errors(void)
{
    return ecc_so_far()->corrected + ecc_so_far()->uncorrected;
}

/* Where ECC has seen errors, another one counts, too: what it corrects is no wrong data. */
static bool is_bad(void *ctx, uint64_t addr)
{
    uint64_t before = count_ecc_errors();
    bool is_wrong = page_check(selection.ops, machine.cpu.clflushopt,
                               share_slice((struct span){ addr, PAGE_SIZE })) != 0;

    if (before)
        mce_emit_collect();
    return is_wrong || count_ecc_errors() != before;
}

static bool has_time(void *ctx)
{
    return tsc_now() < *(const uint64_t *)ctx;
}

static size_t list_bad(struct page_retest *pages, size_t max)
{
    struct page_run run;
    uint64_t index = 0;
    size_t n = 0;

    while (n < max && fault_log_next_run(&fault_log, &index, &run)) {
        for (uint64_t i = 0; i < run.count && n < max; i++)
            pages[n++] = (struct page_retest){ .addr = (run.first + i) << PAGE_SHIFT };
    }
    return n;
}

static void send(const struct page_retest *page)
{
    events_send(&(struct event){
        .type = EVENT_RETEST,
        .retest = { .page = page->addr, .tries = page->tries, .failed = page->failed },
    });
}

void retest_bad_pages(void)
{
    static struct page_retest pages[PAGE_RETEST_MAX];
    uint64_t deadline = tsc_now() + tsc_from_us(RETEST_US);
    const struct page_retest_way way = { is_free, is_bad, has_time, &deadline };
    size_t n;

    if (stop_is_requested() || !plan.tested_bytes)
        return;
    mce_emit_collect(); /* what is of the tests */
    n = list_bad(pages, PAGE_RETEST_MAX);
    page_retest(pages, n, &way);
    for (size_t i = 0; i < n; i++)
        send(&pages[i]);
}
