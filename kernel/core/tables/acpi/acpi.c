// SPDX-License-Identifier: MIT
#include "acpi/acpi.h"

#include "lib/string.h"

struct rsdp {
    char signature[8];
    uint8_t checksum; /* of the first 20 bytes */
    char oem_id[6];
    uint8_t revision; /* 0: ACPI 1.0, which ends after rsdt */
    uint32_t rsdt;
    uint32_t length;
    uint64_t xsdt;
    uint8_t extended_checksum; /* of all length bytes */
    uint8_t reserved[3];
} __attribute__((packed));
_Static_assert(sizeof(struct rsdp) == 36, "ACPI 6.5, 5.2.5.3");

#define RSDP_V1_BYTES  20u
#define RSDP_MAX_BYTES 4096u

/* ACPI 6.5, 5.2.5.1: the first KiB of the EBDA, then the BIOS read-only area, every 16 bytes. */
#define BDA_EBDA_SEGMENT 0x40eu
#define EBDA_SEARCHED    1024u
#define BIOS_AREA_BASE   0xe0000u
#define BIOS_AREA_END    0x100000u
#define RSDP_ALIGNMENT   16u

/* Whether bytes 20 on are as they must be: r is a copy, of all but the bytes after its end. */
static bool extended_ok(const struct phys_reader *reader, uint64_t phys, const struct rsdp *r)
{
    const uint8_t *bytes = (const uint8_t *)r, *all;
    uint8_t sum = 0;

    if (r->length < sizeof(*r) || r->length > RSDP_MAX_BYTES)
        return false;
    all = phys_map(reader, phys, r->length);
    if (!all)
        return false;
    for (uint32_t i = 0; i < r->length; i++)
        sum += i < sizeof(*r) ? bytes[i] : all[i];
    return sum == 0;
}

/*
 * What is checked is a copy, and the copy is what is used: another CPU, or firmware, may write
 * where the RSDP is. Where the extended part is invalid, the copy has no XSDT; a warning says so
 * unless warnings is NULL.
 */
static enum status rsdp_read(const struct phys_reader *reader, uint64_t phys,
                             const struct warnings *warnings, struct rsdp *ret_rsdp)
{
    const uint8_t *at = phys_map(reader, phys, RSDP_V1_BYTES);
    struct rsdp r = { 0 };

    if (!at)
        return STATUS_NOT_FOUND;
    memcpy(&r, at, RSDP_V1_BYTES);
    if (memcmp(r.signature, "RSD PTR ", sizeof(r.signature)) != 0 ||
        !checksum_ok(&r, RSDP_V1_BYTES))
        return STATUS_NOT_FOUND;
    if (r.revision >= 2) {
        at = phys_map(reader, phys, sizeof(r));
        if (at)
            memcpy((uint8_t *)&r + RSDP_V1_BYTES, at + RSDP_V1_BYTES, sizeof(r) - RSDP_V1_BYTES);
        if (!extended_ok(reader, phys, &r)) {
            r.xsdt = 0;
            if (warnings)
                warn_print(warnings,
                           "ACPI RSDP at 0x%lx: its extended part is invalid; the RSDT is used",
                           (unsigned long)phys);
        }
    }
    *ret_rsdp = r;
    return STATUS_OK;
}

/* 0: there is none. */
static uint64_t rsdp_search(const struct phys_reader *reader, uint64_t base, uint64_t end)
{
    struct rsdp r;

    for (uint64_t phys = base; phys < end; phys += RSDP_ALIGNMENT) {
        if (rsdp_read(reader, phys, NULL, &r) == STATUS_OK)
            return phys;
    }
    return 0;
}

static uint64_t rsdp_search_bios(const struct phys_reader *reader)
{
    const uint8_t *segment = phys_map(reader, BDA_EBDA_SEGMENT, 2);
    uint64_t ebda = segment ? (uint64_t)(segment[0] | segment[1] << 8) << 4 : 0;
    uint64_t found = 0;

    if (ebda)
        found = rsdp_search(reader, ebda, ebda + EBDA_SEARCHED);
    return found ? found : rsdp_search(reader, BIOS_AREA_BASE, BIOS_AREA_END);
}

/* The RSDP that the loader has given, or else the first one in the BIOS areas. */
static enum status rsdp_find(const struct phys_reader *reader, const struct warnings *warnings,
                             uint64_t *phys, struct rsdp *ret_rsdp)
{
    if (*phys && rsdp_read(reader, *phys, warnings, ret_rsdp) == STATUS_OK)
        return STATUS_OK;
    if (*phys)
        warn_print(warnings,
                   "ACPI: no valid RSDP at 0x%lx, as given by the loader; "
                   "the BIOS area is searched",
                   (unsigned long)*phys);
    *phys = rsdp_search_bios(reader);
    return *phys ? rsdp_read(reader, *phys, warnings, ret_rsdp) : STATUS_NOT_FOUND;
}

enum status acpi_table_at(const struct phys_reader *reader, uint64_t phys, const char *signature,
                          const struct warnings *warnings, const struct acpi_header **ret_table)
{
    const struct acpi_header *table = phys_map(reader, phys, sizeof(*table));
    const char *wrong = NULL;
    uint32_t length;

    if (!table) {
        wrong = "is not in readable memory";
    } else if (memcmp(table->signature, signature, sizeof(table->signature)) != 0) {
        wrong = "has a wrong signature";
    } else {
        length = table->length;
        if (length < sizeof(*table) || length > ACPI_TABLE_MAX_BYTES)
            wrong = "has an impossible length";
        else if (!(table = phys_map(reader, phys, length)))
            wrong = "extends into unreadable memory";
        else if (!checksum_ok(table, length))
            wrong = "has a wrong checksum";
    }
    if (wrong) {
        warn_print(warnings, "ACPI table %.4s at 0x%lx %s; it is ignored", signature,
                   (unsigned long)phys, wrong);
        return STATUS_INVALID;
    }
    *ret_table = table;
    return STATUS_OK;
}

bool acpi_table_holds(const struct acpi_header *table, size_t bytes, const char *name,
                      const struct warnings *warnings)
{
    if (table->length >= bytes)
        return true;
    warn_print(warnings, "%s: %u bytes are too short, at least %lu are needed; it is ignored", name,
               table->length, (unsigned long)bytes);
    return false;
}

uint64_t acpi_address(const struct acpi *acpi, size_t i)
{
    uint64_t phys = 0;

    memcpy(&phys, acpi->entries + i * acpi->entry_size, acpi->entry_size);
    return phys;
}

static void root_check_entries(struct acpi *acpi, const char *signature,
                               const struct warnings *warnings)
{
    size_t unreadable = 0;

    if (acpi->n_entries > ACPI_TABLES_MAX) {
        warn_print(warnings, "ACPI %s lists %lu tables; only the first %u are used", signature,
                   (unsigned long)acpi->n_entries, ACPI_TABLES_MAX);
        acpi->n_entries = ACPI_TABLES_MAX;
    }
    for (size_t i = 0; i < acpi->n_entries; i++) {
        uint64_t phys = acpi_address(acpi, i);

        if (phys && !phys_map(&acpi->reader, phys, sizeof(struct acpi_header)))
            unreadable++;
    }
    if (unreadable)
        warn_print(warnings, "ACPI %s: %lu of %lu tables are in unreadable memory; ignored",
                   signature, (unsigned long)unreadable, (unsigned long)acpi->n_entries);
}

/* acpi: where the list is, and how large its entries are; the rest is filled in. */
static enum status root_open(struct acpi acpi, const char *signature,
                             const struct warnings *warnings, struct acpi *ret_acpi)
{
    const struct acpi_header *root = NULL;
    enum status status = acpi_table_at(&acpi.reader, acpi.list, signature, warnings, &root);

    if (status != STATUS_OK)
        return status;
    acpi.entries = (const uint8_t *)root + sizeof(*root);
    acpi.n_entries = (root->length - sizeof(*root)) / acpi.entry_size;
    if (acpi.n_entries == 0) {
        warn_print(warnings, "ACPI %s at 0x%lx lists no table; it is ignored", signature,
                   (unsigned long)acpi.list);
        return STATUS_INVALID;
    }
    root_check_entries(&acpi, signature, warnings);
    *ret_acpi = acpi;
    return STATUS_OK;
}

enum status acpi_open(const struct phys_reader *reader, uint64_t rsdp,
                      const struct warnings *warnings, struct acpi *ret_acpi)
{
    struct acpi xsdt, rsdt;
    struct rsdp r;

    if (rsdp_find(reader, warnings, &rsdp, &r) != STATUS_OK)
        return STATUS_NOT_FOUND;
    xsdt = (struct acpi){ .reader = *reader, .list = r.xsdt, .entry_size = 8 };
    rsdt = (struct acpi){ .reader = *reader, .list = r.rsdt, .entry_size = 4 };
    if (r.xsdt && root_open(xsdt, "XSDT", warnings, ret_acpi) == STATUS_OK)
        return STATUS_OK;
    if (r.rsdt)
        return root_open(rsdt, "RSDT", warnings, ret_acpi);
    warn_print(warnings, "ACPI RSDP at 0x%lx has no usable list of tables; ACPI is not used",
               (unsigned long)rsdp);
    return STATUS_INVALID;
}

enum status acpi_find_next(const struct acpi *acpi, const char *signature, size_t *i,
                           const struct warnings *warnings, const struct acpi_header **ret_table)
{
    while (*i < acpi->n_entries) {
        uint64_t phys = acpi_address(acpi, (*i)++);
        const struct acpi_header *table;

        table = phys ? phys_map(&acpi->reader, phys, sizeof(*table)) : NULL;
        if (table && memcmp(table->signature, signature, sizeof(table->signature)) == 0)
            return acpi_table_at(&acpi->reader, phys, signature, warnings, ret_table);
    }
    return STATUS_NOT_FOUND;
}

enum status acpi_find(const struct acpi *acpi, const char *signature,
                      const struct warnings *warnings, const struct acpi_header **ret_table)
{
    size_t i = 0;

    return acpi_find_next(acpi, signature, &i, warnings, ret_table);
}

struct acpi_cursor acpi_entries(const struct acpi_header *table, size_t offset)
{
    const uint8_t *bytes = (const uint8_t *)table;

    return (struct acpi_cursor){ .pos = bytes + offset, .end = bytes + table->length };
}

const struct acpi_entry *acpi_next(struct acpi_cursor *c)
{
    const struct acpi_entry *e = (const void *)c->pos;
    size_t left = (size_t)(c->end - c->pos);

    if (left < sizeof(*e) || e->length < sizeof(*e) || e->length > left)
        return NULL;
    c->pos += e->length;
    return e;
}
