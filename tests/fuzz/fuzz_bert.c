// SPDX-License-Identifier: MIT
/* The length of a region in two bytes, the region, which is at 7000h, then a BERT. */
#include "acpi/error_block.h"

#include "fuzz.h"

#define REGION 0x7000

static struct phys_reader reader;

static void check(const struct acpi_header *table, const struct warnings *warnings,
                  const struct fuzz_warnings *counted)
{
    struct bert bert;
    enum status status = bert_read(&reader, table, warnings, &bert);

    CHECK(counted->n == (status == STATUS_INVALID));
    if (status == STATUS_OK) {
        CHECK(bert.corrected || bert.uncorrected);
        CHECK(bert.of_memory <= bert.corrected + bert.uncorrected);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_input in = { bytes, size };
    struct fuzz_memory memory = { 0 };
    size_t n;
    const uint8_t *region = fuzz_bytes(&in, fuzz_number(&in, 2), &n);

    fuzz_memory_add(&memory, REGION, region, n);
    reader = fuzz_memory_reader(&memory);
    fuzz_table(in.bytes, in.left, check);
    fuzz_memory_free(&memory);
    return 0;
}
