// SPDX-License-Identifier: MIT
/* A DBG2 table. */
#include "acpi/uart_place.h"

#include <stdlib.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct acpi_header *table = fuzz_table(bytes, size);
    struct fuzz_warnings counted;
    struct warnings warnings = fuzz_warnings(&counted);
    struct dbg2 dbg2;

    if (!table)
        return 0;
    if (dbg2_read(table, &warnings, &dbg2) == STATUS_OK) {
        CHECK(counted.n <= 1 && dbg2.n_ports <= DBG2_PORTS_MAX);
        for (size_t i = 0; i < dbg2.n_ports; i++) {
            const struct uart_place *p = &dbg2.port[i];

            CHECK(p->address && p->address + uart_place_bytes(p) > p->address);
            CHECK(p->in_memory || uart_io_is_possible(p->address));
        }
    } else {
        CHECK(counted.n == 1);
    }
    free(table);
    return 0;
}
