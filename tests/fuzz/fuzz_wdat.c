// SPDX-License-Identifier: MIT
/* A WDAT. */
#include "acpi/wdat.h"

#include "fuzz.h"

static void check_step(const struct wdat_step *s)
{
    uint64_t last = s->reg.space == ACPI_SPACE_IO ? UINT16_MAX : UINT64_MAX;

    CHECK(s->instruction <= WDAT_WRITE_VALUE);
    CHECK(s->bytes == 1 || s->bytes == 2 || s->bytes == 4);
    CHECK(s->reg.space == ACPI_SPACE_IO || s->reg.space == ACPI_SPACE_MEMORY);
    CHECK(s->reg.address && s->reg.address <= last - (s->bytes - 1));
    CHECK((wdat_value(s, UINT32_MAX) & ~s->mask) == 0);
    wdat_written(s, UINT32_MAX);
}

FUZZ_TABLE(table, warnings, counted)
{
    struct wdat wdat;
    enum status status = wdat_read(table, warnings, &wdat);

    CHECK(counted->n == (status == STATUS_INVALID));
    for (unsigned a = 0; status == STATUS_OK && a < WDAT_ACTIONS; a++) {
        CHECK(wdat.action[a].n <= WDAT_STEPS_MAX && (wdat.action[a].n || a == WDAT_COUNTDOWN));
        for (size_t i = 0; i < wdat.action[a].n; i++)
            check_step(&wdat.action[a].step[i]);
    }
}
