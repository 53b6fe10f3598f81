// SPDX-License-Identifier: MIT
/* A WDAT. */
#include "acpi/wdat.h"

#include <stdlib.h>

#include "fuzz.h"

static void check(const struct wdat_step *s)
{
    uint64_t last = s->reg.space == ACPI_SPACE_IO ? UINT16_MAX : UINT64_MAX;

    CHECK(s->instruction <= WDAT_WRITE_VALUE);
    CHECK(s->bytes == 1 || s->bytes == 2 || s->bytes == 4);
    CHECK(s->reg.space == ACPI_SPACE_IO || s->reg.space == ACPI_SPACE_MEMORY);
    CHECK(s->reg.address && s->reg.address <= last - (s->bytes - 1));
    CHECK((wdat_value(s, UINT32_MAX) & ~s->mask) == 0);
    wdat_written(s, UINT32_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct acpi_header *table = fuzz_table(bytes, size);
    struct fuzz_warnings counted;
    struct warnings warnings = fuzz_warnings(&counted);
    struct wdat wdat;
    enum status status = table ? wdat_read(table, &warnings, &wdat) : STATUS_NOT_FOUND;

    if (table)
        CHECK(counted.n == (status == STATUS_INVALID));
    for (unsigned a = 0; status == STATUS_OK && a < WDAT_ACTIONS; a++) {
        CHECK(wdat.action[a].n <= WDAT_STEPS_MAX && (wdat.action[a].n || a == WDAT_COUNTDOWN));
        for (size_t i = 0; i < wdat.action[a].n; i++)
            check(&wdat.action[a].step[i]);
    }
    free(table);
    return 0;
}
