// SPDX-License-Identifier: MIT
/* A HEST table. */
#include "acpi/hest.h"

#include "fuzz.h"

static void check_source(const struct hest_source *s)
{
    CHECK(s->block_bytes >= HEST_BLOCK_MIN && s->block_bytes <= HEST_BLOCK_MAX);
    CHECK(s->status.space == ACPI_SPACE_MEMORY && s->status.address);
    CHECK(s->status.address + 8 > s->status.address);
    CHECK(hest_register_bytes(&s->status) >= 4);
    CHECK(hest_block_address(s, 0) == 0);
    CHECK(s->status.bit_width == 0 || s->status.bit_width >= 32);
    if (!s->has_ack)
        return;
    CHECK(hest_register_bytes(&s->ack) && s->ack.address);
    if (s->ack.space == ACPI_SPACE_IO)
        CHECK(s->ack.address <= UINT16_MAX && hest_register_bytes(&s->ack) <= 4);
    else
        CHECK(s->ack.space == ACPI_SPACE_MEMORY && s->ack.address + 8 > s->ack.address);
    hest_ack_value(s, UINT64_MAX);
}

FUZZ_TABLE(table, warnings, counted)
{
    static struct hest hest;

    if (hest_read(table, warnings, &hest) != STATUS_OK) {
        CHECK(counted->n == 1);
        return;
    }
    CHECK(hest.n_sources <= HEST_SOURCES_MAX && counted->n <= 5);
    for (size_t i = 0; i < hest.n_sources; i++)
        check_source(&hest.source[i]);
}
