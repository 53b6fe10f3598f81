#include "faults/lines.h"

void lines_badram(struct fmt_buffer *out, const struct cover *cover)
{
    for (size_t i = 0; i < cover->n_patterns; i++)
        fmt_append(out, "%s0x%lx,0x%lx", i ? "," : "badram=", cover->pattern[i].addr,
                   cover->pattern[i].mask);
}
