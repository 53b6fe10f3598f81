// SPDX-License-Identifier: MIT
#include "findings/unseen.h"

#include <stddef.h>

#include "lib/minmax.h"

#define MIB      (UINT64_C(1) << 20)
#define GIB      (UINT64_C(1) << 30)
#define FOUR_GIB (4 * GIB)

#define LOCK      1u         /* bit 0 of each: it cannot be changed any more */
#define TAKEN_MAX (16 * GIB) /* stolen memory has 4 GiB at most, the rest far less */

/* Words from DRAM_TOP_FIRST on; the first two registers have 64 bits. */
enum { TOM = 0, TOUUD = 2, BDSM = 4, BGSM, TSEGMB, TOLUD };

static uint64_t wide(const uint32_t *word)
{
    return (uint64_t)word[1] << 32 | (word[0] & ~LOCK);
}

static bool are_whole_mib(const uint32_t word[DRAM_TOP_WORDS])
{
    for (unsigned i = 0; i < DRAM_TOP_WORDS; i++) {
        bool is_high_half = i == TOM + 1 || i == TOUUD + 1;

        if (!is_high_half && (word[i] & ~LOCK) % MIB)
            return false;
    }
    return true;
}

/* The bytes that are not left to programs. */
static uint64_t dram_top_taken(const struct dram_top *top)
{
    return top->total_bytes - top->usable[0].size - top->usable[1].size;
}

bool dram_top_decode(const uint32_t word[DRAM_TOP_WORDS], struct dram_top *ret_top)
{
    uint64_t tom = wide(&word[TOM]), touud = wide(&word[TOUUD]);
    uint64_t tseg = word[TSEGMB] & ~LOCK, gtt = word[BGSM] & ~LOCK;
    uint64_t stolen = word[BDSM] & ~LOCK, low_end = word[TOLUD] & ~LOCK;
    struct dram_top top = { .total_bytes = tom, .usable[0] = { 0, tseg } };

    if (!are_whole_mib(word) || !tseg || tseg > gtt || gtt > stolen || stolen > low_end)
        return false;
    if (touud > FOUR_GIB)
        top.usable[1] = (struct span){ FOUR_GIB, touud - FOUR_GIB };
    if (tom < top.usable[0].size + top.usable[1].size || dram_top_taken(&top) > TAKEN_MAX)
        return false;
    *ret_top = top;
    return true;
}

/* Memory that firmware keeps without listing it, where no register says how much. */
#define FIRMWARE_MIN_BYTES    (16 * MIB)
#define FIRMWARE_BYTES        (256 * MIB)
#define FIRMWARE_FRACTION     64 /* of large machines */
#define FIRMWARE_FRACTION_MAX 16 /* of small ones */

/* The same for graphics in the CPU. */
#define GRAPHICS_MAX_BYTES (2 * GIB)
#define GRAPHICS_FRACTION  4

/* A PCI hole that memory is not moved out of begins here at the lowest. */
#define HOLE_MIN_BASE (5 * GIB / 2)

/* A mirror takes half, and firmware keeps less than this part of a module. */
#define MIRROR_FRACTION 4

/* Modules by one source. */
struct inventory {
    uint64_t bytes, smallest, largest;
    uint32_t n;
};

static void add(struct inventory *v, uint64_t bytes)
{
    v->smallest = v->n ? min_u64(v->smallest, bytes) : bytes;
    v->largest = max_u64(v->largest, bytes);
    v->bytes += bytes;
    v->n++;
}

/*
 * Whether all memory of its modules should be in the map: persistent memory, HBM and that on a CXL
 * card need not be. Graphics may have most of soldered memory; only registers say how much.
 */
static bool is_comparable(const struct unseen_facts *f)
{
    for (uint32_t i = 0; f->slots && i < f->slots->n_slot; i++) {
        const struct smbios_slot *slot = &f->slots->slot[i];

        if (slot->is_populated &&
            (!slot->is_ordinary || (smbios_is_lpddr(slot->memory_type) && !f->top.total_bytes)))
            return false;
    }
    return true;
}

/* Empty where a size is unknown, or not all slots could be kept. */
static struct inventory by_smbios(const struct smbios_memory *m)
{
    struct inventory v = { 0 };

    if (!m || m->unknown || m->n_slot != m->slots)
        return v;
    for (uint32_t i = 0; i < m->n_slot; i++) {
        if (m->slot[i].is_populated && !m->slot[i].size_bytes)
            return (struct inventory){ 0 };
        if (m->slot[i].is_populated)
            add(&v, m->slot[i].size_bytes);
    }
    return v;
}

/* 0: it has no SPD, or none that could be believed. */
static uint64_t capacity(const struct module *m)
{
    return m->spd && !(m->spd->spd.problems >> SPD_BASE_CRC & 1) ? m->spd->spd.size_bytes : 0;
}

static struct inventory by_spd(const struct modules *modules)
{
    struct inventory v = { 0 };

    for (size_t i = 0; i < modules->n; i++) {
        if (capacity(&modules->module[i]))
            add(&v, capacity(&modules->module[i]));
    }
    return v;
}

static bool is_memory(const struct memory_region *r)
{
    return memory_kind_is_ram(r->kind) || r->kind == BOOT_REGION_UNACCEPTED;
}

/* Whether it is at the end of RAM, or before RAM; not at 4 GiB, below which are devices and ROM. */
static bool adjoins_ram(const struct memory_map *map, size_t i)
{
    const struct memory_region *r = &map->region[i];
    bool follows = i > 0 && is_memory(r - 1) && span_end(r[-1].span) == r->span.base;
    bool precedes =
        i + 1 < map->n_regions && is_memory(r + 1) && r[1].span.base == span_end(r->span);

    return (follows && r->span.base != FOUR_GIB) || (precedes && r[1].span.base != FOUR_GIB);
}

/* Reserved memory that is likely RAM: within the registers' limits, or beside RAM. */
static uint64_t reserved_bytes(const struct unseen_facts *f, size_t i)
{
    const struct memory_region *r = &f->map->region[i];

    if (r->kind != BOOT_REGION_RESERVED)
        return 0;
    if (f->top.total_bytes)
        return span_intersect(r->span, f->top.usable[0]).size +
               span_intersect(r->span, f->top.usable[1]).size;
    return adjoins_ram(f->map, i) ? r->span.size : 0;
}

/* The memory that the map and the registers account for. */
static uint64_t present_bytes(const struct unseen_facts *f)
{
    uint64_t bytes = f->top.total_bytes ? dram_top_taken(&f->top) : 0;

    for (size_t i = 0; i < f->map->n_regions; i++)
        bytes += is_memory(&f->map->region[i]) ? f->map->region[i].span.size : reserved_bytes(f, i);
    return bytes;
}

/*
 * A chipset that reaches 4 GiB loses the memory behind PCI's addresses; where RAM ends far below
 * them, that is not the reason.
 */
static uint64_t hole_bytes(const struct memory_map *map, uint64_t installed)
{
    uint64_t top = 0;

    for (size_t i = 0; i < map->n_regions; i++) {
        if (is_memory(&map->region[i]))
            top = span_end(map->region[i].span);
    }
    return installed <= FOUR_GIB && top >= HOLE_MIN_BASE && top < FOUR_GIB ? FOUR_GIB - top : 0;
}

/* How much firmware and graphics may take without listing it. */
static uint64_t allowance(const struct unseen_facts *f, uint64_t installed)
{
    uint64_t bytes = max_u64(min_u64(installed / FIRMWARE_FRACTION_MAX, FIRMWARE_BYTES),
                             max_u64(installed / FIRMWARE_FRACTION, FIRMWARE_MIN_BYTES));

    if (f->top.total_bytes)
        return bytes;
    if (f->has_graphics)
        bytes += min_u64(installed / GRAPHICS_FRACTION, GRAPHICS_MAX_BYTES);
    return bytes + hole_bytes(f->map, installed);
}

static void count_modules(const struct inventory *v, uint64_t missing, uint64_t allowed,
                          struct unseen *u)
{
    uint64_t half = v->bytes / 2, far = missing > half ? missing - half : half - missing;

    u->of = v->n;
    if (missing + allowed < v->smallest)
        return;
    u->at_least = v->smallest != v->largest;
    u->modules = u->at_least ? 1 : (uint32_t)min_u64((missing + allowed) / v->smallest, v->n);
    u->may_be_mirrored = !u->at_least && v->n > 1 && far < v->smallest / MIRROR_FRACTION;
}

/* Those that SMBIOS has no slot for. */
static void name_modules(const struct modules *modules, uint64_t missing, uint64_t allowed,
                         struct unseen *u)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < modules->n; i++) {
        const struct module *m = &modules->module[i];

        if (m->slot || !capacity(m))
            continue;
        bytes += capacity(m);
        u->at[u->n_at++] = m->spd->address;
    }
    if (bytes && bytes <= missing + allowed) { /* all of them */
        u->modules = u->n_at;
        u->at_least = false;
    }
}

struct unseen unseen_find(const struct unseen_facts *f)
{
    struct inventory listed = by_smbios(f->slots), read = by_spd(f->modules);
    bool is_by_spd = read.bytes > listed.bytes;
    const struct inventory *v = is_by_spd ? &read : &listed;
    uint64_t present = present_bytes(f), allowed = allowance(f, v->bytes), missing;
    struct unseen unseen = { 0 };

    if (!is_comparable(f) || v->bytes <= present || v->bytes - present <= allowed)
        return unseen;
    missing = v->bytes - present;
    unseen.missing_bytes = missing;
    unseen.installed_bytes = v->bytes;
    count_modules(v, missing, allowed, &unseen);
    if (is_by_spd)
        name_modules(f->modules, missing, allowed, &unseen);
    return unseen;
}
