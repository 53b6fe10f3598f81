// SPDX-License-Identifier: MIT
/* An SPCR table. */
#include "acpi/uart_place.h"

#include "fuzz.h"

FUZZ_TABLE(table, warnings, counted)
{
    struct uart_place place;

    switch (spcr_read(table, warnings, &place)) {
    case STATUS_OK:
        CHECK(counted->n <= 1);
        CHECK(place.address && place.address + uart_place_bytes(&place) > place.address);
        CHECK(place.in_memory || uart_io_is_possible(place.address));
        CHECK(place.width && place.width <= place.stride && place.stride <= 4);
        break;
    case STATUS_INVALID: CHECK(counted->n == 1); break;
    default: CHECK(counted->n == 0);
    }
}
