// SPDX-License-Identifier: MIT
#include "arch/paging.h"

#include "arch/cpu.h"
#include "arch/cpuid.h"
#include "arch/image.h"
#include "boot/boot_info.h"
#include "lib/panic.h"
#include "lib/string.h"

#define PTE_PRESENT   (UINT64_C(1) << 0)
#define PTE_WRITE     (UINT64_C(1) << 1)
#define PTE_PWT       (UINT64_C(1) << 3)
#define PTE_PCD       (UINT64_C(1) << 4)
#define PTE_ACCESSED  (UINT64_C(1) << 5) /* the CPU itself sets these two */
#define PTE_DIRTY     (UINT64_C(1) << 6)
#define PTE_LARGE     (UINT64_C(1) << 7) /* at levels 2 and 3 */
#define PTE_PAT       (UINT64_C(1) << 7) /* at level 1 */
#define PTE_PAT_LARGE (UINT64_C(1) << 12)
#define PTE_NX        (UINT64_C(1) << 63)
#define PTE_ADDR      UINT64_C(0x000ffffffffff000)
#define ENTRIES       512

/* Set once at start, read by all. */
static uint64_t root;
static uint64_t fifth; /* the fifth level above root, where firmware left the boot CPU one; or 0 */
static unsigned largest_level; /* 3: 1 GiB pages, 2: 2 MiB */
static uint64_t no_execute;    /* PTE_NX where the CPU has it */
static uint64_t (*page_source)(void);

/* The bytes that one entry maps at a level: 1: 4 KiB, 2: 2 MiB, 3: 1 GiB, 4: 512 GiB. */
static uint64_t entry_bytes(unsigned level)
{
    return UINT64_C(1) << (PAGE_SHIFT + 9 * (level - 1));
}

static uint64_t *table_entry(uint64_t table, uint64_t virt, unsigned level)
{
    return (uint64_t *)direct(table) + (virt / entry_bytes(level)) % ENTRIES;
}

static uint64_t table_new(void)
{
    uint64_t table = page_source();

    memset(direct(table), 0, PAGE_SIZE);
    return table;
}

static bool is_leaf(uint64_t entry, unsigned level)
{
    return level == 1 || entry & PTE_LARGE;
}

static uint64_t leaf_bits(unsigned flags, unsigned level)
{
    uint64_t bits = PTE_PRESENT;

    if (flags & PAGING_WRITE)
        bits |= PTE_WRITE;
    if (!(flags & PAGING_EXECUTE))
        bits |= no_execute;
    if (flags & PAGING_UNCACHED)
        bits |= PTE_PCD | PTE_PWT;
    if (flags & PAGING_WRITE_COMBINING)
        bits |= level == 1 ? PTE_PAT : PTE_PAT_LARGE;
    if (level > 1)
        bits |= PTE_LARGE;
    return bits;
}

/* Breaks a large page into 512 smaller ones with the same mapping. */
static void split(uint64_t *entry, unsigned level)
{
    uint64_t table = table_new(), old = *entry;
    uint64_t phys = old & PTE_ADDR & ~(entry_bytes(level) - 1);
    uint64_t bits = old & ~PTE_ADDR;

    if (level == 2) {
        bits &= ~PTE_LARGE;
        if (old & PTE_PAT_LARGE)
            bits |= PTE_PAT;
    } else {
        bits |= old & PTE_PAT_LARGE;
    }
    for (unsigned i = 0; i < ENTRIES; i++)
        ((uint64_t *)direct(table))[i] = (phys + i * entry_bytes(level - 1)) | bits;
    *entry = table | PTE_PRESENT | PTE_WRITE;
}

/* The entry for virt at a level, its tables made where they are missing. */
static uint64_t *entry_for(uint64_t virt, unsigned level)
{
    uint64_t table = root;

    for (unsigned at = 4; at > level; at--) {
        uint64_t *entry = table_entry(table, virt, at);

        if (!(*entry & PTE_PRESENT))
            *entry = table_new() | PTE_PRESENT | PTE_WRITE;
        else if (is_leaf(*entry, at))
            split(entry, at);
        table = *entry & PTE_ADDR;
    }
    return table_entry(table, virt, level);
}

/* Whether a large page may be put there: it holds nothing, or another large page. */
static bool may_be_large(uint64_t virt, unsigned level)
{
    uint64_t *entry = entry_for(virt, level);

    return !(*entry & PTE_PRESENT) || is_leaf(*entry, level);
}

void paging_map(uint64_t virt, uint64_t phys, uint64_t size, unsigned flags)
{
    ASSERT((virt | phys | size) % PAGE_SIZE == 0);
    while (size) {
        unsigned level = flags & PAGING_SMALL_PAGES ? 1 : largest_level;

        while (level > 1 && ((virt | phys) % entry_bytes(level) || size < entry_bytes(level) ||
                             !may_be_large(virt, level)))
            level--;
        *entry_for(virt, level) = phys | leaf_bits(flags, level);
        cpu_invalidate_page(virt);
        virt += entry_bytes(level);
        phys += entry_bytes(level);
        size -= entry_bytes(level);
    }
}

static void map_image(const uint32_t *page, const char *start, const char *end, unsigned flags)
{
    for (uint64_t virt = (uint64_t)start; virt < (uint64_t)end; virt += PAGE_SIZE) {
        uint64_t phys = (uint64_t)page[(virt - BOOT_KERNEL_VIRT) >> PAGE_SHIFT] << PAGE_SHIFT;

        paging_map(virt, phys, PAGE_SIZE, flags | PAGING_SMALL_PAGES);
    }
}

void paging_begin(void)
{
    struct cpu_features f = cpu_features_read();
    uint64_t *third;

    root = cr3_read() & PTE_ADDR;
    if (cr4_read() & CR4_LA57)
        root = *table_entry(root, DIRECT_BASE, 5) & PTE_ADDR;
    if (!f.pages_1g)
        return;
    third = direct(*table_entry(root, DIRECT_BASE, 4) & PTE_ADDR);
    for (uint64_t i = 4; i < ENTRIES && i * entry_bytes(3) >> f.physical_bits == 0; i++)
        third[i] = i * entry_bytes(3) | PTE_PRESENT | PTE_WRITE | PTE_LARGE;
}

void paging_init(const struct span *spans, size_t n_spans, const uint32_t *image_page,
                 uint64_t (*new_page)(void))
{
    struct cpu_features f = cpu_features_read();

    page_source = new_page;
    largest_level = f.pages_1g ? 3 : 2;
    no_execute = f.nx ? PTE_NX : 0;
    root = table_new();
    map_image(image_page, image_start, image_text_end, PAGING_EXECUTE);
    map_image(image_page, image_text_end, image_rodata_end, 0);
    map_image(image_page, image_rodata_end, image_end, PAGING_WRITE);
    for (size_t i = 0; i < n_spans; i++) {
        uint64_t base = align_down(spans[i].base, PAGE_SIZE);

        paging_map(DIRECT_BASE + base, base, align_up(span_end(spans[i]), PAGE_SIZE) - base,
                   PAGING_WRITE);
    }
    if (cr4_read() & CR4_LA57) {
        /* Firmware left five levels on: 48-bit addresses are the fifth's first or its last. */
        fifth = table_new();
        *table_entry(fifth, 0, 1) = *table_entry(fifth, 511 * PAGE_SIZE, 1) =
            root | PTE_PRESENT | PTE_WRITE;
        cr3_write(fifth);
    } else {
        cr3_write(root);
    }
}

uint64_t paging_root(void)
{
    return root;
}

bool paging_is_mapped(uint64_t phys, uint64_t size)
{
    uint64_t end = DIRECT_BASE + phys + size;

    if (phys >= DIRECT_SIZE || size > DIRECT_SIZE - phys)
        return false;
    for (uint64_t virt = align_down(DIRECT_BASE + phys, PAGE_SIZE); virt < end;) {
        uint64_t table = root, *entry;
        unsigned level = 5;

        do {
            entry = table_entry(table, virt, --level);
            if (!(*entry & PTE_PRESENT))
                return false;
            table = *entry & PTE_ADDR;
        } while (!is_leaf(*entry, level));
        virt = align_down(virt, entry_bytes(level)) + entry_bytes(level);
    }
    return true;
}

uint64_t paging_translate(uint64_t virt)
{
    uint64_t table = root, *entry;
    unsigned level = 5;

    do {
        entry = table_entry(table, virt, --level);
        ASSERT(*entry & PTE_PRESENT);
        table = *entry & PTE_ADDR;
    } while (!is_leaf(*entry, level));
    return align_down(table, entry_bytes(level)) + virt % entry_bytes(level);
}

void *paging_map_direct(uint64_t phys, uint64_t size, unsigned flags)
{
    uint64_t base = align_down(phys, PAGE_SIZE);

    paging_map(DIRECT_BASE + base, base, align_up(phys + size, PAGE_SIZE) - base, flags);
    return direct(phys);
}

uint64_t paging_firmware_root(bool boot_cpu, uint64_t low)
{
    static _Alignas(PAGE_SIZE) uint64_t five[ENTRIES], four[ENTRIES];
    const uint64_t bits = PTE_PRESENT | PTE_WRITE;

    memcpy(four + ENTRIES / 2, table_entry(root, DIRECT_BASE, 4), PAGE_SIZE / 2);
    four[0] = low | bits;
    five[0] = five[ENTRIES - 1] = paging_translate((uint64_t)four) | bits;
    return paging_translate((uint64_t)(boot_cpu && fifth ? five : four));
}

struct paging_roots paging_roots(void)
{
    return (struct paging_roots){ .boot_cpu = fifth ? fifth : root, .others = root };
}

/* A clone's entry for virt. */
static uint64_t cloned_entry(uint64_t entry, uint64_t virt, unsigned level,
                             paging_new_address moved)
{
    if (!(entry & PTE_PRESENT) || (is_leaf(entry, level) && virt < ARENA_BASE))
        return entry;
    return (entry & ~PTE_ADDR) | moved(entry & PTE_ADDR);
}

static void flush_table(uint64_t table)
{
    const char *bytes = direct(table);

    for (size_t i = 0; i < PAGE_SIZE; i += LINE_SIZE)
        __asm__ volatile("clflush %0" : : "m"(bytes[i]) : "memory");
    __asm__ volatile("mfence" : : : "memory");
}

/*
 * Writes the clone of a table and of all below it, or (verify) reads it and returns the address of
 * the last that is not what was written; else 0. virt: what the table's first entry is for, the
 * upper half's from DIRECT_BASE up. Five levels deep at most.
 */
static uint64_t clone_table(uint64_t table, uint64_t virt, unsigned level, paging_new_address moved,
                            bool verify)
{
    uint64_t clone = moved(table), differs = 0;
    uint64_t *from = direct(table), *to = direct(clone);

    if (verify)
        flush_table(clone);
    for (unsigned i = 0; i < ENTRIES; i++) {
        uint64_t entry = from[i], at = virt + i * entry_bytes(level), wanted, below = 0;

        if (level == 4 && i >= ENTRIES / 2)
            at = DIRECT_BASE + (i - ENTRIES / 2) * entry_bytes(level);
        wanted = cloned_entry(entry, at, level, moved);
        if (!verify)
            to[i] = wanted;
        else if ((to[i] ^ wanted) & ~(PTE_ACCESSED | PTE_DIRTY))
            differs = clone;
        if (entry & PTE_PRESENT && !is_leaf(entry, level))
            below = clone_table(entry & PTE_ADDR, at, level - 1, moved, verify);
        if (below)
            differs = below;
    }
    return differs;
}

enum status paging_clone(paging_new_address moved, struct paging_roots *ret_roots,
                         uint64_t *ret_differs)
{
    uint64_t top = fifth ? fifth : root, differs;
    unsigned level = fifth ? 5 : 4;

    clone_table(top, 0, level, moved, false);
    differs = clone_table(top, 0, level, moved, true);
    if (differs) {
        *ret_differs = differs;
        return STATUS_INVALID;
    }
    *ret_roots = (struct paging_roots){ .boot_cpu = moved(top), .others = moved(root) };
    return STATUS_OK;
}

void paging_moved(struct paging_roots roots)
{
    root = roots.others;
    if (fifth)
        fifth = roots.boot_cpu;
}
