// SPDX-License-Identifier: MIT
#include "machine/error_sources.h"

#include "acpi/error_block.h"
#include "acpi/hest.h"
#include "arch/paging.h"
#include "event/notices.h"
#include "io/ports.h"
#include "lib/fmt.h"
#include "lib/minmax.h"
#include "lib/string.h"
#include "machine/machine.h"
#include "machine/tables.h"
#include "mce/error_count.h"
#include "memory/arena.h"

#define REGISTER_BYTES sizeof(uint64_t) /* at most */

struct source {
    const struct hest_source *hest;
    uint64_t block; /* 0: firmware has not named one yet */
    struct error_watch watch;
    bool is_off, has_told;
};

static struct hest hest;
static struct source *sources;
static size_t n_sources;
static uint8_t *copy; /* of a block */

/* Memory that firmware keeps, or no memory by its map: registers of a device may be there. */
static bool is_firmwares(struct span s)
{
    for (size_t i = 0; i < machine.map.n_regions; i++) {
        const struct memory_region *r = &machine.map.region[i];

        if (!span_intersect(r->span, s).size)
            continue;
        if (r->kind != BOOT_REGION_ACPI_RECLAIM && r->kind != BOOT_REGION_ACPI_NVS &&
            r->kind != BOOT_REGION_RUNTIME && r->kind != BOOT_REGION_RESERVED &&
            r->kind != BOOT_REGION_MMIO)
            return false;
    }
    return tables_is_reachable(s.base, s.size);
}

/* Never tested, and always mapped. */
static bool is_always_there(struct span s)
{
    const struct memory_region *r = memory_map_at(&machine.map, s.base);

    return r && (r->kind == BOOT_REGION_ACPI_NVS || r->kind == BOOT_REGION_RUNTIME) &&
           s.size <= span_end(r->span) - s.base && tables_is_reachable(s.base, s.size);
}

static struct span pages_of(uint64_t phys, uint64_t bytes)
{
    uint64_t first = align_down(phys, PAGE_SIZE);

    return (struct span){ first, align_up(phys + bytes, PAGE_SIZE) - first };
}

/* Pages that hold RAM are mapped already, and stay as they are. */
static void map_page(uint64_t page)
{
    const struct span s = { page, PAGE_SIZE };
    unsigned flags = PAGING_WRITE | PAGING_UNCACHED;

    for (size_t i = 0; i < machine.map.n_regions; i++) {
        const struct memory_region *r = &machine.map.region[i];

        if (!span_intersect(r->span, s).size)
            continue;
        if (memory_kind_is_ram(r->kind) && paging_is_mapped(page, PAGE_SIZE))
            return;
        if (r->kind == BOOT_REGION_RESERVED)
            flags = PAGING_WRITE;
    }
    paging_map_direct(page, PAGE_SIZE, flags);
}

/* NULL: it is not firmware's. */
static volatile void *map(uint64_t phys, uint64_t bytes)
{
    struct span pages;

    if (!is_firmwares((struct span){ phys, bytes }))
        return NULL;
    pages = pages_of(phys, bytes);
    for (uint64_t page = pages.base; page < span_end(pages); page += PAGE_SIZE)
        map_page(page);
    return direct(phys);
}

static const void *map_to_read(void *ctx, uint64_t phys, size_t length)
{
    return (const void *)map(phys, length);
}

static const struct phys_reader reader = { .map = map_to_read };

/* Of an error that the verdict does not count. */
static void describe(struct fmt_buffer *b, const struct cper_memory *m)
{
    fmt_append(b, "%s, ", cper_severity_name(m->severity));
    if (m->has_addr)
        fmt_append(b, "address 0x%lx", m->addr);
    else
        fmt_append(b, "no address");
    if (m->given || m->fru[0])
        fmt_append(b, ", ");
    cper_append_module(b, m);
}

static void read_bert(void)
{
    const struct acpi_header *table;
    struct bert bert;
    char memory[120] = "";
    struct fmt_buffer b = fmt_buffer_make(memory, sizeof(memory));

    if (tables_find("BERT", &table) != STATUS_OK ||
        bert_read(&reader, table, &notices, &bert) != STATUS_OK)
        return;
    if (bert.of_memory) {
        fmt_append(&b, " (%u of memory, the first: ", bert.of_memory);
        describe(&b, &bert.memory);
        fmt_append(&b, ")");
    }
    notice("BERT: firmware recorded %u uncorrected and %u corrected errors before this boot%s: "
           "not part of the verdict",
           bert.uncorrected, bert.corrected, memory);
}

static size_t blocks_named(void)
{
    size_t n = 0;

    for (size_t i = 0; i < n_sources; i++)
        n += sources[i].block != 0;
    return n;
}

static void say_who_is_first(void)
{
    size_t n_blocks = blocks_named();
    char who[80] = "";
    struct fmt_buffer b = fmt_buffer_make(who, sizeof(who));

    if (hest.machine_checks_first)
        fmt_append(&b, "machine-check exceptions");
    if (hest.corrected_first)
        fmt_append(&b, "%scorrected machine checks", b.length ? ", " : "");
    if (hest.deferred_first)
        fmt_append(&b, "%sdeferred errors", b.length ? ", " : "");
    if (!b.length && n_sources)
        fmt_append(&b, "those of its own sources");
    if (!b.length)
        return;
    if (n_blocks)
        notice(
            "HEST: firmware handles hardware errors first (%s): the verdict has the ECC errors "
            "that it passes on in %zu status block%s; the others are only in its event log (SEL)",
            who, n_blocks, fmt_plural(n_blocks));
    else
        notice(
            "HEST: firmware handles hardware errors first (%s) and passes none on: PASS does not "
            "mean that ECC corrected nothing; see its event log (SEL)",
            who);
}

static uint64_t register_read(const struct acpi_register *r)
{
    const volatile void *at = direct(r->address);
    uint16_t port = (uint16_t)r->address;
    bool is_port = r->space == ACPI_SPACE_IO;

    switch (hest_register_bytes(r)) {
    case 1: return is_port ? io_in8(port) : *(const volatile uint8_t *)at;
    case 2: return is_port ? io_in16(port) : *(const volatile uint16_t *)at;
    case 4: return is_port ? io_in32(port) : *(const volatile uint32_t *)at;
    default: return *(const volatile uint64_t *)at;
    }
}

static uint64_t block_named(const struct hest_source *h)
{
    return hest_block_address(h, register_read(&h->status));
}

static bool set_block(struct source *s, uint64_t phys)
{
    if (phys && !map(phys, s->hest->block_bytes))
        return false;
    s->block = phys;
    return true;
}

static bool open_ack(const struct hest_source *h)
{
    return !h->has_ack || h->ack.space == ACPI_SPACE_IO || map(h->ack.address, REGISTER_BYTES);
}

/* False: at *ret_phys nothing of firmware's can be. */
static bool open_source(const struct hest_source *h, struct source *ret, uint64_t *ret_phys)
{
    struct source s = { .hest = h };

    *ret_phys = h->status.address;
    if (!map(h->status.address, hest_register_bytes(&h->status)))
        return false;
    *ret_phys = block_named(h);
    if (!set_block(&s, *ret_phys))
        return false;
    *ret_phys = h->ack.address;
    if (!open_ack(h))
        return false;
    *ret = s;
    return true;
}

static void open_sources(void)
{
    size_t n_bad = 0, block_bytes = 0;
    uint64_t phys, bad_phys = 0;
    uint32_t bad_id = 0;

    n_sources = 0;
    sources = hest.n_sources ? arena_alloc(hest.n_sources * sizeof(*sources)) : NULL;
    for (size_t i = 0; i < hest.n_sources; i++) {
        if (open_source(&hest.source[i], &sources[n_sources], &phys)) {
            n_sources++;
            block_bytes = max_u64(block_bytes, hest.source[i].block_bytes);
        } else if (!n_bad++) {
            bad_id = hest.source[i].id;
            bad_phys = phys;
        }
    }
    copy = block_bytes ? arena_alloc(block_bytes) : NULL;
    if (n_bad)
        notice("HEST: %zu error source%s not used: source %u is at 0x%lx, which is not memory "
               "that firmware keeps",
               n_bad, n_bad == 1 ? " is" : "s are", bad_id, bad_phys);
}

void error_sources_find(void)
{
    const struct acpi_header *table;

    read_bert();
    if (tables_find("HEST", &table) != STATUS_OK || hest_read(table, &notices, &hest) != STATUS_OK)
        return;
    open_sources();
    say_who_is_first();
}

size_t error_sources_count(void)
{
    return n_sources;
}

uint32_t error_source_id(size_t source)
{
    return sources[source].hest->id;
}

size_t error_source_spans(size_t source, struct span ret[ERROR_SOURCE_SPANS])
{
    const struct source *s = &sources[source];
    size_t n = 0;

    ret[n++] = pages_of(s->hest->status.address, REGISTER_BYTES);
    if (s->block)
        ret[n++] = pages_of(s->block, s->hest->block_bytes);
    if (s->hest->has_ack && s->hest->ack.space == ACPI_SPACE_MEMORY)
        ret[n++] = pages_of(s->hest->ack.address, REGISTER_BYTES);
    return n;
}

static void write_port(uint16_t port, unsigned bytes, uint64_t value)
{
    if (bytes == 1)
        io_out8(port, (uint8_t)value);
    else if (bytes == 2)
        io_out16(port, (uint16_t)value);
    else
        io_out32(port, (uint32_t)value);
}

static void register_write(const struct acpi_register *r, uint64_t value)
{
    volatile void *at = direct(r->address);
    unsigned bytes = hest_register_bytes(r);

    if (r->space == ACPI_SPACE_IO)
        write_port((uint16_t)r->address, bytes, value);
    else if (bytes == 1)
        *(volatile uint8_t *)at = (uint8_t)value;
    else if (bytes == 2)
        *(volatile uint16_t *)at = (uint16_t)value;
    else if (bytes == 4)
        *(volatile uint32_t *)at = (uint32_t)value;
    else
        *(volatile uint64_t *)at = value;
}

/* The block first: firmware that has been answered may write the next report at once. */
static bool clear(const struct source *s, volatile uint32_t *block_status)
{
    const struct acpi_register *ack = &s->hest->ack;
    bool is_empty;

    *block_status = 0;
    is_empty = *block_status == 0;
    if (s->hest->has_ack)
        register_write(ack, hest_ack_value(s->hest, register_read(ack)));
    return is_empty;
}

static enum status give_up(struct source *s, const char *why)
{
    s->is_off = true;
    notice("error source %u of the HEST, status block at 0x%lx: %s; it is ignored", s->hest->id,
           s->block, why);
    return STATUS_NOT_FOUND;
}

static void tell_of_same(struct source *s)
{
    if (!s->has_told)
        notice(
            "error source %u of the HEST, status block at 0x%lx: the same report comes back each "
            "time it is cleared; it is ignored",
            s->hest->id, s->block);
    s->has_told = true;
}

/* Nothing can be mapped any more: another block must be in memory that always is. */
static bool follow_block(struct source *s)
{
    uint64_t phys = block_named(s->hest);

    if (phys == s->block)
        return true;
    s->block = phys;
    error_watch_empty(&s->watch);
    return !phys || is_always_there((struct span){ phys, s->hest->block_bytes });
}

enum status error_source_take(size_t source, struct error_block *ret_block)
{
    struct source *s = &sources[source];
    volatile uint32_t *block_status;
    enum error_news news;

    if (s->is_off)
        return STATUS_NOT_FOUND;
    if (!follow_block(s))
        return give_up(s, "its address has changed to one that cannot be read");
    if (!s->block)
        return STATUS_NOT_FOUND;
    block_status = direct(s->block);
    if (!*block_status) {
        error_watch_empty(&s->watch);
        return STATUS_NOT_FOUND;
    }
    memcpy(copy, (const void *)block_status, s->hest->block_bytes);
    if (error_block_open(copy, s->hest->block_bytes, ret_block) != STATUS_OK)
        return give_up(s, "its content is not an error report");
    news = error_watch_report(&s->watch, copy, ret_block->bytes);
    if (news == ERROR_IGNORED)
        tell_of_same(s);
    error_watch_cleared(&s->watch, clear(s, block_status));
    return news == ERROR_NEWS ? STATUS_OK : STATUS_NOT_FOUND;
}
