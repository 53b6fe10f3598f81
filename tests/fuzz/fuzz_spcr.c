// SPDX-License-Identifier: MIT
/* An SPCR table. */
#include "acpi/uart_place.h"

#include <stdlib.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct acpi_header *table = fuzz_table(bytes, size);
    struct fuzz_warnings counted;
    struct warnings warnings = fuzz_warnings(&counted);
    struct uart_place place;

    if (!table)
        return 0;
    switch (spcr_read(table, &warnings, &place)) {
    case STATUS_OK:
        CHECK(counted.n <= 1);
        CHECK(place.address && place.address + uart_place_bytes(&place) > place.address);
        CHECK(place.in_memory || uart_io_is_possible(place.address));
        CHECK(place.width && place.width <= place.stride && place.stride <= 4);
        break;
    case STATUS_INVALID: CHECK(counted.n == 1); break;
    default: CHECK(counted.n == 0);
    }
    free(table);
    return 0;
}
