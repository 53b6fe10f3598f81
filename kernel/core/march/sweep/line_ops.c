// SPDX-License-Identifier: MIT
#include "sweep/line_ops.h"

void line_ops_flush(const struct line_run *run, bool has_clflushopt)
{
    const struct line *line = run->first;

    for (uint64_t n = run->n_lines; n; n--) {
        if (has_clflushopt)
            __asm__ volatile("clflushopt %0" : : "m"(*line) : "memory");
        else
            __asm__ volatile("clflush %0" : : "m"(*line) : "memory");
        line += run->down ? -1 : 1;
    }
    line_ops_fence();
}

static bool is_zero(const struct line *diff)
{
    uint64_t any = 0;

    for (size_t i = 0; i < 8; i++)
        any |= diff->word[i];
    return !any;
}

void line_ops_report(const struct line_faults *faults, const struct data *data, uint64_t phys,
                     bool complement, const struct line *diff)
{
    if (is_zero(diff))
        return;
    if (faults->on_bad_line && faults->on_bad_line(faults->ctx, phys, complement, diff))
        return;
    for (size_t i = 0; i < 8; i++) {
        uint64_t addr = phys + i * sizeof(uint64_t), expected;

        if (!diff->word[i])
            continue;
        expected = data_word(data, addr) ^ (complement ? ~UINT64_C(0) : 0);
        faults->report(faults->ctx, addr, expected, expected ^ diff->word[i]);
    }
}
