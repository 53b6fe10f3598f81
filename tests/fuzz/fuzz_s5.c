// SPDX-License-Identifier: MIT
/* AML: the input is what follows the header of a DSDT. */
#include "acpi/s5.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#define SLP_TYP_MAX 7

static void check(const struct acpi_header *table, const struct warnings *warnings,
                  const struct fuzz_warnings *counted)
{
    struct s5 s5;

    if (s5_find(table, &s5) == STATUS_OK)
        CHECK(s5.slp_typ_a <= SLP_TYP_MAX && s5.slp_typ_b <= SLP_TYP_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct acpi_header header = { .signature = "DSDT", .revision = 2 };
    uint8_t *joined = malloc(sizeof(header) + size);

    CHECK(joined);
    memcpy(joined, &header, sizeof(header));
    if (size)
        memcpy(joined + sizeof(header), bytes, size);
    fuzz_table(joined, sizeof(header) + size, check);
    free(joined);
    return 0;
}
