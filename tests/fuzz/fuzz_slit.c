// SPDX-License-Identifier: MIT
/* A SLIT, and all distances that okram could ask it for. */
#include "acpi/srat.h"

#include "fuzz.h"

/* More domains than most inputs hold. */
#define DOMAINS 24u

static void check_distance(const struct slit *slit, uint32_t from, uint32_t to)
{
    uint32_t distance = slit_distance(slit, from, to);

    CHECK(distance >= SLIT_LOCAL && distance <= UINT8_MAX);
    CHECK(from != to || distance == SLIT_LOCAL);
}

FUZZ_TABLE(table, warnings, counted)
{
    struct slit slit = { 0 };

    if (slit_read(table, warnings, &slit) == STATUS_OK)
        CHECK(counted->n <= 1 && (uint64_t)slit.n_localities * slit.n_localities <= table->length);
    else
        CHECK(counted->n == 1 && slit.n_localities == 0);
    for (uint32_t from = 0; from <= DOMAINS; from++) {
        for (uint32_t to = 0; to <= DOMAINS; to++)
            check_distance(&slit, from, to);
        check_distance(&slit, from, UINT32_MAX);
        check_distance(&slit, slit.n_localities - 1, from);
        check_distance(&slit, UINT32_MAX, from);
    }
}
