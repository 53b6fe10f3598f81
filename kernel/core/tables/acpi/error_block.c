// SPDX-License-Identifier: MIT
#include "acpi/error_block.h"

#include "lib/minmax.h"
#include "lib/string.h"

struct status_block {
    uint32_t status;
    uint32_t raw_offset, raw_bytes, data_bytes;
    uint32_t severity;
} __attribute__((packed));
_Static_assert(sizeof(struct status_block) == ERROR_BLOCK_HEADER_BYTES, "ACPI 6.5, 18.3.2.7.1");

struct data_entry {
    uint8_t kind[16];
    uint32_t severity;
    uint16_t revision;
    uint8_t valid;
    uint8_t flags;
    uint32_t bytes;
    uint8_t fru_id[16];
    char fru[ERROR_FRU_BYTES];
} __attribute__((packed));
_Static_assert(sizeof(struct data_entry) == 64, "ACPI 6.5, 18.3.2.7.1");

#define VALID_FRU          (1u << 1)
#define REVISION_WITH_TIME 0x300 /* a time stamp follows */
#define TIME_BYTES         8u

/* 0: the entry does not fit. */
static size_t entry_head(const uint8_t *at, size_t left)
{
    const struct data_entry *e = (const void *)at;
    size_t head;

    if (left < sizeof(*e))
        return 0;
    head = sizeof(*e) + (e->revision >= REVISION_WITH_TIME ? TIME_BYTES : 0);
    return left < head || e->bytes > left - head ? 0 : head;
}

static bool are_whole(const uint8_t *pos, const uint8_t *end)
{
    while (pos < end) {
        size_t head = entry_head(pos, (size_t)(end - pos));

        if (!head)
            return false;
        pos += head + ((const struct data_entry *)(const void *)pos)->bytes;
    }
    return true;
}

enum status error_block_open(const void *bytes, size_t size, struct error_block *ret_block)
{
    const struct status_block *b = bytes;
    const uint8_t *data = (const uint8_t *)bytes + sizeof(*b);
    uint64_t end;

    if (size < sizeof(*b))
        return STATUS_INVALID;
    if (!b->status)
        return STATUS_NOT_FOUND;
    end = sizeof(*b) + (uint64_t)b->data_bytes;
    if (end > size || (b->raw_bytes && b->raw_offset < end))
        return STATUS_INVALID;
    if (b->raw_bytes)
        end = (uint64_t)b->raw_offset + b->raw_bytes;
    if (end > size || !are_whole(data, data + b->data_bytes))
        return STATUS_INVALID;
    *ret_block = (struct error_block){ end, data, data + b->data_bytes };
    return STATUS_OK;
}

/* As far as it is text. */
static void copy_fru(char ret[ERROR_FRU_BYTES + 1], const struct data_entry *e)
{
    size_t n = 0;

    while (e->valid & VALID_FRU && n < ERROR_FRU_BYTES && e->fru[n] >= ' ' && e->fru[n] <= '~') {
        ret[n] = e->fru[n];
        n++;
    }
    while (n && ret[n - 1] == ' ')
        n--;
    ret[n] = 0;
}

bool error_block_next(struct error_block *block, struct error_section *ret_section)
{
    const struct data_entry *e = (const void *)block->pos;
    size_t head = entry_head(block->pos, (size_t)(block->end - block->pos));

    if (!head)
        return false;
    memcpy(ret_section->kind, e->kind, sizeof(e->kind));
    ret_section->severity = e->severity;
    copy_fru(ret_section->fru, e);
    ret_section->data = block->pos + head;
    ret_section->bytes = e->bytes;
    block->pos += head + e->bytes;
    return true;
}

/* A5BC1114-6F64-4EDE-B863-3E83ED7C83B1 and 61EC04FC-48E6-D813-25C9-8DAA44750B12. */
static const uint8_t first_kind[16] = { 0x14, 0x11, 0xbc, 0xa5, 0x64, 0x6f, 0xde, 0x4e,
                                        0xb8, 0x63, 0x3e, 0x83, 0xed, 0x7c, 0x83, 0xb1 };
static const uint8_t second_kind[16] = { 0xfc, 0x04, 0xec, 0x61, 0xe6, 0x48, 0x13, 0xd8,
                                         0x25, 0xc9, 0x8d, 0xaa, 0x44, 0x75, 0x0b, 0x12 };

/* What both begin with. */
struct head {
    uint64_t valid, status;
    uint64_t addr, mask;
    uint16_t node, card, module, bank;
} __attribute__((packed));

struct first {
    struct head head;
    uint16_t device, row, column, bit;
    uint64_t requestor, responder, target;
    uint8_t what;
    uint8_t extended; /* from here on UEFI 2.3 */
    uint16_t rank, card_handle, module_handle;
} __attribute__((packed));
_Static_assert(sizeof(struct first) == 80, "UEFI 2.10, N.2.5");
#define FIRST_OLD_BYTES 73u /* UEFI 2.1 ends with `what` */

struct second {
    struct head head;
    uint32_t device, row, column, rank, bit;
    uint8_t chip, what, status, reserved;
    uint64_t requestor, responder, target;
    uint32_t card_handle, module_handle;
} __attribute__((packed));
_Static_assert(sizeof(struct second) == 96, "UEFI 2.10, N.2.6");

/* Bits of `valid`: those of both sections, then those that differ. */
enum {
    VALID_ADDR = 1,
    VALID_MASK = 2,
    VALID_NODE = 3,
    VALID_CARD = 4,
    VALID_MODULE = 5,
    VALID_BANK = 6,
    VALID_DEVICE = 7,
    VALID_ROW = 8,
    VALID_COLUMN = 9,
    FIRST_WHAT = 14,
    FIRST_RANK = 15,
    FIRST_ROW_HIGH = 18,
    FIRST_BANK_GROUP = 19,
    FIRST_BANK_ADDRESS = 20,
    SECOND_RANK = 10,
    SECOND_WHAT = 13,
    SECOND_BANK_GROUP = 20,
    SECOND_BANK_ADDRESS = 21,
};

#define ROW_HIGH(extended) ((uint32_t)((extended)&3) << 16)

/* Physical addresses have 52 bits, pages 12 of them. */
#define PAGE_BITS UINT64_C(0x000ffffffffff000)

static const char *const whats[] = {
    [2] = "single-bit ECC",
    [3] = "multi-bit ECC",
    [4] = "single-symbol chipkill",
    [5] = "multi-symbol chipkill",
    [6] = "master abort",
    [7] = "target abort",
    [8] = "parity",
    [9] = "watchdog timeout",
    [10] = "invalid address",
    [11] = "mirror broken",
    [12] = "memory sparing",
    [13] = "scrub, corrected",
    [14] = "scrub, uncorrected",
    [15] = "memory map event",
};

static const char *const names[CPER_FIELDS] = {
    [CPER_NODE] = "node", [CPER_CARD] = "card",     [CPER_MODULE] = "module",
    [CPER_RANK] = "rank", [CPER_DEVICE] = "device", [CPER_BANK] = "bank",
    [CPER_ROW] = "row",   [CPER_COLUMN] = "column",
};

static bool has(uint64_t valid, unsigned bit)
{
    return valid >> bit & 1;
}

static void give(struct cper_memory *m, enum cper_field field, bool is_given, uint32_t value)
{
    if (!is_given)
        return;
    m->given |= 1u << field;
    m->field[field] = value;
}

static void give_what(struct cper_memory *m, bool is_given, uint8_t what)
{
    m->what = is_given && what < sizeof(whats) / sizeof(whats[0]) ? whats[what] : NULL;
}

/* The bank is one number, or its group and its number within that, in a byte each. */
static void read_head(struct cper_memory *m, const struct head *h, unsigned group, unsigned address)
{
    uint64_t valid = h->valid;

    m->has_addr = has(valid, VALID_ADDR);
    if (m->has_addr) {
        m->addr = h->addr;
        m->has_page = !has(valid, VALID_MASK) || (h->mask & PAGE_BITS) == PAGE_BITS;
    }
    give(m, CPER_NODE, has(valid, VALID_NODE), h->node);
    give(m, CPER_CARD, has(valid, VALID_CARD), h->card);
    give(m, CPER_MODULE, has(valid, VALID_MODULE), h->module);
    give(m, CPER_BANK, has(valid, VALID_BANK) || (has(valid, group) && has(valid, address)),
         h->bank);
}

static void read_first(struct cper_memory *m, const struct first *f, bool is_old)
{
    uint64_t valid = f->head.valid;
    uint32_t high = !is_old && has(valid, FIRST_ROW_HIGH) ? ROW_HIGH(f->extended) : 0;

    read_head(m, &f->head, FIRST_BANK_GROUP, FIRST_BANK_ADDRESS);
    give(m, CPER_DEVICE, has(valid, VALID_DEVICE), f->device);
    give(m, CPER_ROW, has(valid, VALID_ROW) || has(valid, FIRST_ROW_HIGH), high | f->row);
    give(m, CPER_COLUMN, has(valid, VALID_COLUMN), f->column);
    if (!is_old)
        give(m, CPER_RANK, has(valid, FIRST_RANK), f->rank);
    give_what(m, has(valid, FIRST_WHAT), f->what);
}

static void read_second(struct cper_memory *m, const struct second *s)
{
    uint64_t valid = s->head.valid;

    read_head(m, &s->head, SECOND_BANK_GROUP, SECOND_BANK_ADDRESS);
    give(m, CPER_DEVICE, has(valid, VALID_DEVICE), s->device);
    give(m, CPER_ROW, has(valid, VALID_ROW), s->row);
    give(m, CPER_COLUMN, has(valid, VALID_COLUMN), s->column);
    give(m, CPER_RANK, has(valid, SECOND_RANK), s->rank);
    give_what(m, has(valid, SECOND_WHAT), s->what);
}

enum status cper_memory_read(const struct error_section *section, struct cper_memory *ret_memory)
{
    struct cper_memory m = { .severity = section->severity };
    bool is_second = memcmp(section->kind, second_kind, sizeof(second_kind)) == 0;

    if (!is_second && memcmp(section->kind, first_kind, sizeof(first_kind)) != 0)
        return STATUS_NOT_FOUND;
    if (section->bytes < (is_second ? sizeof(struct second) : FIRST_OLD_BYTES))
        return STATUS_INVALID;
    if (is_second)
        read_second(&m, (const void *)section->data);
    else
        read_first(&m, (const void *)section->data, section->bytes < sizeof(struct first));
    string_copy(m.fru, section->fru, sizeof(m.fru));
    *ret_memory = m;
    return STATUS_OK;
}

const char *cper_field_name(enum cper_field field)
{
    return names[field];
}

const char *cper_severity_name(uint32_t severity)
{
    switch (severity) {
    case ERROR_RECOVERABLE: return "uncorrected";
    case ERROR_CORRECTED: return "corrected";
    case ERROR_INFORMATION: return "information";
    default: return "fatal";
    }
}

bool cper_memory_is_same(const struct cper_memory *a, const struct cper_memory *b)
{
    return a->severity == b->severity && a->has_addr == b->has_addr && a->addr == b->addr &&
           a->has_page == b->has_page && a->given == b->given && a->what == b->what &&
           memcmp(a->field, b->field, sizeof(a->field)) == 0 && strcmp(a->fru, b->fru) == 0;
}

void cper_append_module(struct fmt_buffer *b, const struct cper_memory *memory)
{
    const char *between = "";

    for (enum cper_field f = CPER_NODE; f <= CPER_MODULE; f++) {
        if (!(memory->given >> f & 1))
            continue;
        fmt_append(b, "%s%s %u", between, names[f], memory->field[f]);
        between = ", ";
    }
    if (!*between)
        fmt_append(b, "%s", memory->fru);
}

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
