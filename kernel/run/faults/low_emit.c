// SPDX-License-Identifier: MIT
#include "faults/low_emit.h"

#include "external/low_memory.h"
#include "faults/reporter.h"
#include "lib/minmax.h"
#include "machine/machine.h"

/* Room for all pages; too much for a stack. */
static struct {
    struct low_retest retest;
    struct low_change change[LOW_RETEST_MAX];
    struct low_word word[LOW_RETEST_MAX];
    size_t n;
} low;

static void take_changes(struct low_memory *memory)
{
    low.n = 0;
    while (low.n < LOW_RETEST_MAX && low_memory_drain(memory, &low.change[low.n])) {
        low.word[low.n].addr = low.change[low.n].addr;
        low.n++;
    }
}

/* The pages of a piece, but those given up as aliases: they may be okram's own cells. */
static void add_pages(const struct aliases *aliases, struct low_retest *r, struct span tested)
{
    uint64_t end = min_u64(span_end(tested), PLAN_LOW_END);

    for (uint64_t at = tested.base, next; at < end && r->n_slices < LOW_RETEST_MAX; at = next) {
        next = min_u64(align_down(at, PAGE_SIZE) + PAGE_SIZE, end);
        if (!aliases_has_page(aliases, at))
            r->slice[r->n_slices++] = share_slice((struct span){ at, next - at });
    }
}

static void list_memory(const struct run *run, struct low_retest *r)
{
    const struct pieces *ram = &run->plan.ram;

    r->ops = run->selection.ops;
    r->has_clflushopt = machine.cpu.clflushopt;
    r->n_slices = 0;
    for (size_t i = 0; i < ram->n; i++) {
        if (!ram->piece[i].why)
            add_pages(&run->found.aliases, r, ram->piece[i].span);
    }
}

void low_emit_judge(struct run *run,
                    void (*written)(const struct run *run, const struct low_change *change))
{
    take_changes(&run->found.low);
    if (!low.n)
        return;
    list_memory(run, &low.retest);
    low_retest(&low.retest, low.word, low.n);
    for (size_t i = 0; i < low.n; i++) {
        const struct low_change *change = &low.change[i];

        if (low.word[i].wrong_bits)
            reporter_log_word(run, change->place, change->addr, change->expected, change->found);
        else
            written(run, change);
    }
}
