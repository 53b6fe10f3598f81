// SPDX-License-Identifier: MIT
/* A DBG2 table. */
#include "acpi/uart_place.h"

#include "fuzz.h"

FUZZ_TABLE(table, warnings, counted)
{
    struct dbg2 dbg2;

    if (dbg2_read(table, warnings, &dbg2) != STATUS_OK) {
        CHECK(counted->n == 1);
        return;
    }
    CHECK(counted->n <= 1 && dbg2.n_ports <= DBG2_PORTS_MAX);
    for (size_t i = 0; i < dbg2.n_ports; i++) {
        const struct uart_place *p = &dbg2.port[i];

        CHECK(p->address && p->address + uart_place_bytes(p) > p->address);
        CHECK(p->in_memory || uart_io_is_possible(p->address));
    }
}
