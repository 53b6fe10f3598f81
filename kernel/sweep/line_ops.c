// SPDX-License-Identifier: MIT
#include "sweep/line_ops.h"

#include "lib/string.h"

struct line_features line_features_both(struct line_features a, struct line_features b)
{
    return (struct line_features){
        .avx512 = a.avx512 && b.avx512,
        .avx2 = a.avx2 && b.avx2,
        .clflushopt = a.clflushopt && b.clflushopt,
    };
}

size_t line_ops_list(struct line_features features, const struct line_ops *ret_ops[LINE_OPS_MAX])
{
    size_t n = 0;

    if (features.avx512)
        ret_ops[n++] = &line_ops_avx512;
    if (features.avx2)
        ret_ops[n++] = &line_ops_avx2;
    ret_ops[n++] = &line_ops_sse2;
    ret_ops[n++] = &line_ops_scalar;
    return n;
}

const struct line_ops *line_ops_choose(struct line_features features, const char *name)
{
    const struct line_ops *ops[LINE_OPS_MAX];
    size_t n = line_ops_list(features, ops);

    for (size_t i = 0; i < n; i++) {
        if (!name || !*name || strcmp(ops[i]->name, name) == 0)
            return ops[i];
    }
    return NULL;
}

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

void line_ops_report(const struct line_faults *faults, const struct data *data, uint64_t phys,
                     bool complement, const struct line *diff)
{
    if (faults->take_line && faults->take_line(faults->ctx, phys, complement, diff))
        return;
    for (size_t i = 0; i < 8; i++) {
        uint64_t addr = phys + i * sizeof(uint64_t), expected;

        if (!diff->word[i])
            continue;
        expected = data_word(data, addr) ^ (complement ? ~UINT64_C(0) : 0);
        faults->report(faults->ctx, addr, expected, expected ^ diff->word[i]);
    }
}
