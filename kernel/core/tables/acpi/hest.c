// SPDX-License-Identifier: MIT
#include "acpi/hest.h"

struct hest_table {
    struct acpi_header header;
    uint32_t n_sources;
} __attribute__((packed));
_Static_assert(sizeof(struct hest_table) == 40, "ACPI 6.5, 18.3.2");

enum source_type {
    TYPE_MACHINE_CHECK = 0,
    TYPE_CORRECTED = 1,
    TYPE_NMI = 2,
    TYPE_PCIE_ROOT = 6,
    TYPE_PCIE_DEVICE = 7,
    TYPE_PCIE_BRIDGE = 8,
    TYPE_GENERIC = 9,
    TYPE_GENERIC_2 = 10,
    TYPE_DEFERRED = 11,
    TYPE_WITH_LENGTH = 12, /* and all above: their second field is the length */
};

struct source_head {
    uint16_t type;
    uint16_t id; /* or the length */
} __attribute__((packed));

/* What the three sources of machine checks begin with; banks of 28 bytes each follow. */
struct machine_check {
    struct source_head head;
    uint16_t reserved;
    uint8_t flags;
    uint8_t enabled;
} __attribute__((packed));

#define FLAG_FIRMWARE_FIRST (1u << 0)
#define BANK_BYTES          28u
#define EXCEPTION_BANKS_AT  32u
#define EXCEPTION_BYTES     40u
#define POLLED_BANKS_AT     44u
#define POLLED_BYTES        48u

struct notification {
    uint8_t type;
    uint8_t length;
    uint16_t writable;
    uint32_t poll_ms, vector;
    uint32_t polling_errors, polling_ms, limit_errors, limit_ms;
} __attribute__((packed));
_Static_assert(sizeof(struct notification) == 28, "ACPI 6.5, 18.3.2.9");

struct generic {
    struct source_head head;
    uint16_t related;
    uint8_t flags;
    uint8_t enabled;
    uint32_t records, max_sections, max_raw_bytes;
    struct acpi_register status;
    struct notification notification;
    uint32_t block_bytes;
} __attribute__((packed));
_Static_assert(sizeof(struct generic) == 64, "ACPI 6.5, 18.3.2.7");

struct generic_2 {
    struct generic first;
    struct acpi_register ack;
    uint64_t preserve, write;
} __attribute__((packed));
_Static_assert(sizeof(struct generic_2) == 92, "ACPI 6.5, 18.3.2.8");

enum defect { DEFECT_REGISTER, DEFECT_ACK, DEFECT_BLOCK, DEFECT_MANY, DEFECT_CUT, DEFECTS };

static const char *const defect_text[DEFECTS] = {
    [DEFECT_REGISTER] = "error sources whose status block has no usable address, ignored",
    [DEFECT_ACK] = "error sources whose acknowledge register cannot be used, ignored",
    [DEFECT_BLOCK] = "error sources whose status block is too short for a report, ignored",
    [DEFECT_MANY] = "more error sources than can be read during the run, ignored",
    [DEFECT_CUT] = "error sources after one of an unknown type or length, ignored",
};

/* An access size that is too small for the register is a known mistake: the width is right then. */
unsigned hest_register_bytes(const struct acpi_register *r)
{
    unsigned bits;

    if (r->access_size > 4)
        return 0;
    bits = r->access_size ? 4u << r->access_size : r->bit_width;
    if (!r->bit_offset && bits < r->bit_width)
        bits = r->bit_width;
    if (r->bit_offset >= bits || r->bit_width > bits - r->bit_offset)
        return 0;
    return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? bits / 8 : 0;
}

uint64_t hest_block_address(const struct hest_source *source, uint64_t shown)
{
    unsigned bits = source->status.bit_width;

    return bits && bits < 64 ? shown & ((UINT64_C(1) << bits) - 1) : shown;
}

uint64_t hest_ack_value(const struct hest_source *source, uint64_t old)
{
    unsigned shift = source->ack.bit_offset;

    return (old & source->ack_preserve << shift) | source->ack_write << shift;
}

/* 0: unknown. n: how many bytes there are. */
static size_t entry_bytes(const uint8_t *entry, size_t n)
{
    const struct source_head *head = (const void *)entry;

    switch (head->type) {
    case TYPE_MACHINE_CHECK:
        return n < EXCEPTION_BYTES ? 0 : EXCEPTION_BYTES + BANK_BYTES * entry[EXCEPTION_BANKS_AT];
    case TYPE_CORRECTED:
    case TYPE_DEFERRED:
        return n < POLLED_BYTES ? 0 : POLLED_BYTES + BANK_BYTES * entry[POLLED_BANKS_AT];
    case TYPE_NMI: return 20;
    case TYPE_PCIE_ROOT: return 48;
    case TYPE_PCIE_DEVICE: return 44;
    case TYPE_PCIE_BRIDGE: return 56;
    case TYPE_GENERIC: return sizeof(struct generic);
    case TYPE_GENERIC_2: return sizeof(struct generic_2);
    default: return head->type >= TYPE_WITH_LENGTH && head->id >= sizeof(*head) ? head->id : 0;
    }
}

static bool ends_within_memory(const struct acpi_register *r)
{
    return r->address && r->address <= UINT64_MAX - sizeof(uint64_t);
}

/* Ports are 16 bits, accesses to them at most 32. */
static bool is_usable_ack(const struct acpi_register *r)
{
    unsigned bytes = hest_register_bytes(r);

    if (r->space == ACPI_SPACE_IO)
        return bytes && bytes <= 4 && r->address && r->address <= UINT16_MAX;
    return r->space == ACPI_SPACE_MEMORY && bytes && ends_within_memory(r);
}

/* Some firmware gives an address of 32 bits, with an access of a byte. */
static bool is_usable_status(const struct acpi_register *r)
{
    return r->space == ACPI_SPACE_MEMORY && hest_register_bytes(r) >= sizeof(uint32_t) &&
           (!r->bit_width || r->bit_width >= 32) && r->bit_offset == 0 && ends_within_memory(r);
}

static void add_source(const struct generic *g, struct hest *hest, uint64_t defects[DEFECTS])
{
    const struct generic_2 *second =
        g->head.type == TYPE_GENERIC_2 ? (const struct generic_2 *)g : NULL;
    struct hest_source source = {
        .id = g->head.id,
        .notification = g->notification.type,
        .block_bytes = g->block_bytes < HEST_BLOCK_MAX ? g->block_bytes : HEST_BLOCK_MAX,
        .status = g->status,
    };

    if (!g->enabled)
        return;
    if (second) {
        source.has_ack = true;
        source.ack = second->ack;
        source.ack_preserve = second->preserve;
        source.ack_write = second->write;
    }
    if (!is_usable_status(&source.status))
        defects[DEFECT_REGISTER]++;
    else if (source.has_ack && !is_usable_ack(&source.ack))
        defects[DEFECT_ACK]++;
    else if (source.block_bytes < HEST_BLOCK_MIN)
        defects[DEFECT_BLOCK]++;
    else if (hest->n_sources == HEST_SOURCES_MAX)
        defects[DEFECT_MANY]++;
    else
        hest->source[hest->n_sources++] = source;
}

static void add_entry(const uint8_t *entry, struct hest *hest, uint64_t defects[DEFECTS])
{
    const struct source_head *head = (const void *)entry;
    const struct machine_check *check = (const void *)entry;

    switch (head->type) {
    case TYPE_MACHINE_CHECK:
        hest->machine_checks_first |= check->enabled && check->flags & FLAG_FIRMWARE_FIRST;
        break;
    case TYPE_CORRECTED:
        hest->corrected_first |= check->enabled && check->flags & FLAG_FIRMWARE_FIRST;
        break;
    case TYPE_DEFERRED:
        hest->deferred_first |= check->enabled && check->flags & FLAG_FIRMWARE_FIRST;
        break;
    case TYPE_GENERIC:
    case TYPE_GENERIC_2: add_source((const void *)entry, hest, defects); break;
    default: break;
    }
}

enum status hest_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct hest *ret_hest)
{
    const struct hest_table *t = (const void *)table;
    const uint8_t *at = (const uint8_t *)(t + 1), *end = (const uint8_t *)table + table->length;
    uint64_t defects[DEFECTS] = { 0 };

    if (!acpi_table_holds(table, sizeof(*t), "HEST", warnings))
        return STATUS_INVALID;
    *ret_hest = (struct hest){ 0 };
    for (uint32_t i = 0; i < t->n_sources; i++) {
        size_t left = (size_t)(end - at);
        size_t bytes = left < sizeof(struct source_head) ? 0 : entry_bytes(at, left);

        if (!bytes || bytes > left) {
            defects[DEFECT_CUT] = t->n_sources - i;
            break;
        }
        add_entry(at, ret_hest, defects);
        at += bytes;
    }
    warn_counts(warnings, "HEST", defect_text, defects, DEFECTS);
    return STATUS_OK;
}
