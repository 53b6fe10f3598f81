// SPDX-License-Identifier: MIT
#include "faults/low_emit.h"

#include "calibration/selection.h"
#include "faults/reporter.h"
#include "external/low_retest.h"
#include "lib/minmax.h"
#include "machine/machine.h"
#include "plan/plan.h"
#include "plan/share.h"

/* Room for all pages; too much for a stack. */
static struct {
    struct low_retest retest;
    struct low_change change[LOW_RETEST_MAX];
    struct low_word word[LOW_RETEST_MAX];
    size_t n;
} low;

static void take_changes(void)
{
    low.n = 0;
    while (low.n < LOW_RETEST_MAX && low_memory_drain(&low_memory, &low.change[low.n])) {
        low.word[low.n].addr = low.change[low.n].addr;
        low.n++;
    }
}

/* The pages of a piece, but those given up as aliases: they may be okram's own cells. */
static void add_pages(struct low_retest *r, struct span tested)
{
    uint64_t end = min_u64(span_end(tested), PLAN_LOW_END);

    for (uint64_t at = tested.base, next; at < end && r->n_slices < LOW_RETEST_MAX; at = next) {
        next = min_u64(align_down(at, PAGE_SIZE) + PAGE_SIZE, end);
        if (!aliases_has_page(&aliases, at))
            r->slice[r->n_slices++] = share_slice((struct span){ at, next - at });
    }
}

static void list_memory(struct low_retest *r)
{
    r->ops = selection.ops;
    r->has_clflushopt = machine.cpu.clflushopt;
    r->n_slices = 0;
    for (size_t i = 0; i < plan.ram.n; i++) {
        if (!plan.ram.piece[i].why)
            add_pages(r, plan.ram.piece[i].span);
    }
}

void low_emit_judge(void (*written)(const struct low_change *change))
{
    take_changes();
    if (!low.n)
        return;
    list_memory(&low.retest);
    low_retest(&low.retest, low.word, low.n);
    for (size_t i = 0; i < low.n; i++) {
        const struct low_change *change = &low.change[i];

        if (low.word[i].wrong_bits)
            reporter_log_word(change->place, change->addr, change->expected, change->found);
        else
            written(change);
    }
}
