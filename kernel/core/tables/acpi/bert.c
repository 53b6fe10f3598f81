// SPDX-License-Identifier: MIT
#include "acpi/bert.h"

#include "lib/minmax.h"

struct bert_table {
    struct acpi_header header;
    uint32_t region_bytes;
    uint64_t region;
} __attribute__((packed));
_Static_assert(sizeof(struct bert_table) == 48, "ACPI 6.5, 18.3.1");

static void count_section(struct bert *bert, const struct error_section *section)
{
    struct cper_memory memory;

    if (section->severity == ERROR_INFORMATION)
        return;
    if (section->severity == ERROR_CORRECTED)
        bert->corrected++;
    else
        bert->uncorrected++;
    if (cper_memory_read(section, &memory) == STATUS_OK && !bert->of_memory++)
        bert->memory = memory;
}

/* One block after the other, until one is empty. */
static enum status read_region(const uint8_t *region, size_t bytes, struct bert *bert)
{
    enum status status = STATUS_NOT_FOUND;

    for (size_t at = 0; bytes - at >= ERROR_BLOCK_HEADER_BYTES;) {
        struct error_block block;
        struct error_section section;

        status = error_block_open(region + at, bytes - at, &block);
        if (status != STATUS_OK)
            break;
        while (error_block_next(&block, &section))
            count_section(bert, &section);
        at += block.bytes;
    }
    return bert->corrected || bert->uncorrected ? STATUS_OK
           : status == STATUS_INVALID           ? STATUS_INVALID
                                                : STATUS_NOT_FOUND;
}

enum status bert_read(const struct phys_reader *reader, const struct acpi_header *table,
                      const struct warnings *warnings, struct bert *ret_bert)
{
    const struct bert_table *t = (const void *)table;
    struct bert bert = { 0 };
    const uint8_t *region;
    enum status status;
    uint32_t bytes;

    if (!acpi_table_holds(table, sizeof(*t), "BERT", warnings))
        return STATUS_INVALID;
    bytes = (uint32_t)min_u64(t->region_bytes, BERT_REGION_MAX);
    if (bytes < ERROR_BLOCK_HEADER_BYTES)
        return STATUS_NOT_FOUND;
    region = phys_map(reader, t->region, bytes);
    if (!region) {
        warn_print(warnings,
                   "BERT: errors are recorded at 0x%lx, which is not memory that firmware keeps; "
                   "it is ignored",
                   (unsigned long)t->region);
        return STATUS_INVALID;
    }
    status = read_region(region, bytes, &bert);
    if (status == STATUS_INVALID)
        warn_print(warnings, "BERT: the data at 0x%lx are not an error report; ignored",
                   (unsigned long)t->region);
    if (status == STATUS_OK)
        *ret_bert = bert;
    return status;
}
