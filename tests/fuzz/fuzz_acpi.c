// SPDX-License-Identifier: MIT
/*
 * ACPI's root, its list of tables and every table that okram reads, in a memory of which only some
 * pieces can be read. The input is a list of pieces: address (6 bytes), flags (1), size (2), bytes.
 */
#include "acpi/acpi.h"

#include <stdlib.h>
#include <string.h>

#include "acpi/fadt.h"
#include "acpi/hmat.h"
#include "acpi/madt.h"
#include "acpi/non_ram_ranges.h"
#include "acpi/s5.h"
#include "acpi/srat.h"
#include "acpi/table_ranges.h"
#include "fuzz.h"

#define MEND_TABLE 1u /* its checksum and length are corrected, for else few would be read */
#define MEND_RSDP  2u /* both checksums of an RSDP */
#define IS_RSDP    4u /* the loader says that the RSDP is here */

#define RSDP_V1_BYTES  20u
#define RSDP_V1_SUM    8u
#define RSDP_V2_LENGTH 20u
#define RSDP_V2_BYTES  36u
#define RSDP_V2_SUM    32u

static struct madt madt;
static struct srat srat;
static struct hmat hmat;

static void mend_sum(uint8_t *bytes, size_t size, size_t at)
{
    uint8_t sum = 0;

    bytes[at] = 0;
    for (size_t i = 0; i < size; i++)
        sum = (uint8_t)(sum + bytes[i]);
    bytes[at] = (uint8_t)-sum;
}

static void mend_table(struct fuzz_piece *piece)
{
    struct acpi_header *header = (void *)piece->bytes;

    if (piece->size < sizeof(*header))
        return;
    header->length = (uint32_t)piece->size;
    mend_sum(piece->bytes, piece->size, offsetof(struct acpi_header, checksum));
}

static void mend_rsdp(struct fuzz_piece *piece)
{
    uint32_t length = RSDP_V2_BYTES;

    if (piece->size >= RSDP_V1_BYTES)
        mend_sum(piece->bytes, RSDP_V1_BYTES, RSDP_V1_SUM);
    if (piece->size < RSDP_V2_BYTES)
        return;
    memcpy(piece->bytes + RSDP_V2_LENGTH, &length, sizeof(length));
    mend_sum(piece->bytes, RSDP_V2_BYTES, RSDP_V2_SUM);
}

/* Returns where the loader says that the RSDP is. */
static uint64_t fill(struct fuzz_memory *memory, struct fuzz_input in)
{
    uint64_t rsdp = 0;

    while (in.left) {
        uint64_t phys = fuzz_number(&in, 6);
        uint64_t flags = fuzz_number(&in, 1);
        size_t wanted = fuzz_number(&in, 2), size;
        const uint8_t *bytes = fuzz_bytes(&in, wanted, &size);

        if (!fuzz_memory_add(memory, phys, bytes, size))
            continue;
        if (flags & MEND_TABLE)
            mend_table(&memory->piece[memory->n - 1]);
        if (flags & MEND_RSDP)
            mend_rsdp(&memory->piece[memory->n - 1]);
        if (flags & IS_RSDP)
            rsdp = phys;
    }
    return rsdp;
}

static const struct acpi_header *find(const struct acpi *acpi, const char *signature,
                                      const struct warnings *warnings)
{
    struct fuzz_warnings *counted = warnings->ctx;
    size_t before = counted->n;
    const struct acpi_header *table = NULL;
    enum status status = acpi_find(acpi, signature, warnings, &table);

    CHECK(counted->n - before == (status == STATUS_INVALID));
    if (status != STATUS_OK)
        return NULL;
    CHECK(memcmp(table->signature, signature, 4) == 0 && table->length >= sizeof(*table));
    CHECK(checksum_ok(table, table->length));
    return table;
}

static void read_all(const struct acpi *acpi, const struct warnings *warnings)
{
    const struct acpi_header *table;
    struct slit slit;
    struct fadt fadt;
    struct s5 s5;

    CHECK(acpi->n_entries > 0 && acpi->n_entries <= ACPI_TABLES_MAX);
    if ((table = find(acpi, "APIC", warnings)))
        madt_read(table, warnings, &madt);
    if ((table = find(acpi, "SRAT", warnings)))
        srat_read(table, warnings, &srat);
    if ((table = find(acpi, "SLIT", warnings)))
        slit_read(table, warnings, &slit);
    if ((table = find(acpi, "HMAT", warnings)))
        hmat_read(table, warnings, &hmat);
    if ((table = find(acpi, "FACP", warnings)) && fadt_read(table, warnings, &fadt) == STATUS_OK &&
        s5_find_in_all(acpi, fadt.dsdt, warnings, &s5) == STATUS_OK)
        CHECK(s5.slp_typ_a <= 7 && s5.slp_typ_b <= 7);
}

static void check_ranges(const struct phys_reader *reader, uint64_t rsdp)
{
    static struct span range[TABLE_RANGES_MAX];
    struct spans ranges = { .span = range, .max = TABLE_RANGES_MAX };

    table_ranges_find(reader, rsdp, 0, &ranges);
    CHECK(ranges.n <= TABLE_RANGES_MAX);
    for (size_t i = 0; i < ranges.n; i++) {
        const struct span *s = &range[i];

        CHECK(s->size && (s->base | s->size) % PAGE_SIZE == 0);
        CHECK(i == 0 || span_end(s[-1]) < s->base);
    }
}

/* Each table is after the one before, and the walk ends. */
static void check_memdisks(const struct phys_reader *reader)
{
    uint64_t at = 0, before = 0, disk;

    while (mbft_next(reader, &at, &disk)) {
        CHECK(at > before && at <= 0xa0000);
        before = at;
    }
    CHECK(!mbft_next(reader, &at, &disk));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_memory memory = { 0 };
    uint64_t rsdp = fill(&memory, (struct fuzz_input){ bytes, size });
    struct phys_reader reader = fuzz_memory_reader(&memory);
    struct fuzz_warnings counted;
    struct warnings warnings = fuzz_warnings(&counted);
    struct acpi acpi;

    switch (acpi_open(&reader, rsdp, &warnings, &acpi)) {
    case STATUS_OK: read_all(&acpi, &warnings); break;
    case STATUS_INVALID: CHECK(counted.n > 0); break;
    default: CHECK(counted.n == (rsdp != 0)); /* that the loader was wrong */
    }
    check_memdisks(&reader);
    check_ranges(&reader, rsdp);
    fuzz_memory_free(&memory);
    return 0;
}
