// SPDX-License-Identifier: MIT
/* In a file of its own: who uses one table only does not link the others. */
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
