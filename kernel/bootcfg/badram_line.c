// SPDX-License-Identifier: MIT
#include "bootcfg/badram_line.h"

void badram_line_pairs(struct fmt_buffer *out, const struct cover *cover)
{
    for (size_t i = 0; i < cover->n_patterns; i++)
        fmt_append(out, "%s0x%lx,0x%lx", i ? "," : "", cover->pattern[i].addr,
                   cover->pattern[i].mask);
}

void badram_line_append(struct fmt_buffer *out, const struct cover *cover)
{
    if (cover->n_patterns)
        fmt_append(out, "badram=");
    badram_line_pairs(out, cover);
}
