// SPDX-License-Identifier: MIT
#include "bootcfg/badram_line.h"

void badram_line_pairs(struct fmt_buffer *out, const struct cover *cover)
{
    for (size_t i = 0; i < cover->n_patterns; i++)
        fmt_append(out, "%s0x%llx,0x%llx", i ? "," : "", (unsigned long long)cover->pattern[i].addr,
                   (unsigned long long)cover->pattern[i].mask);
}

void badram_line_append(struct fmt_buffer *out, const struct cover *cover)
{
    if (cover->n_patterns)
        fmt_append(out, "badram=");
    badram_line_pairs(out, cover);
}
