// SPDX-License-Identifier: MIT
#include "kind/kind_names.h"

#include "lib/panic.h"

static const struct {
    const char *name, *word;
} names[KINDS] = {
    [KIND_NONE] = { "no fault", "none" },
    [KIND_UNCLEAR] = { "not clear", "unclear" },
    [KIND_CELL] = { "a single cell", "cell" },
    [KIND_CELLS] = { "a few cells", "cells" },
    [KIND_ROW] = { "1 to 4 rows (word lines)", "row" },
    [KIND_COLUMN] = { "a column (bit line)", "column" },
    [KIND_PIN] = { "a data pin (DQ)", "pin" },
    [KIND_CHIP] = { "a chip", "chip" },
    [KIND_ADDRESS_LINE] = { "an address line", "address-line" },
    [KIND_RETENTION] = { "retention: cells lose their data", "retention" },
    [KIND_COUPLING] = { "coupling: other accesses change cells", "coupling" },
    [KIND_EVERYWHERE] = { "everywhere and changing: settings, voltage or controller",
                          "everywhere" },
};

const char *kind_name(enum kind kind)
{
    ASSERT(kind < KINDS);
    return names[kind].name;
}

const char *kind_word(enum kind kind)
{
    ASSERT(kind < KINDS);
    return names[kind].word;
}

const char *kind_confidence_name(enum kind_confidence confidence)
{
    static const char *const name[KIND_CONFIDENCES] = { "possible", "likely", "sure" };

    ASSERT(confidence < KIND_CONFIDENCES);
    return name[confidence];
}

void kind_append(const struct kind_verdict *verdict, struct fmt_buffer *out)
{
    if (verdict->kind != KIND_UNCLEAR)
        fmt_append(out, "%s: ", kind_confidence_name(verdict->confidence));
    fmt_append(out, "%s", kind_name(verdict->kind));
}
