// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "boot/load/early_tables.h"

#include <sys/mman.h>

#include "boot/boot_info.h"
#include "boot/load/pages.h"
#include "tests/unit/unit.h"

#define PAGES   BOOT_KERNEL_PAGES_MAX
#define FIRST   700 /* of the tables */
#define ENTRIES 512

static uint32_t page[PAGES];
static uint8_t *memory;

/* Pages that stand in no order, with old content. */
static int make_pages(void **state)
{
    memory = mmap(NULL, PAGES * PAGE_SIZE, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    memset(memory, 0xff, PAGES * PAGE_SIZE);
    for (uint32_t i = 0; i < PAGES; i++)
        page[i] = page_number(memory) + i * 517 % PAGES;
    return 0;
}

static int drop_pages(void **state)
{
    return munmap(memory, PAGES * PAGE_SIZE);
}

/* By the manual: what the CPU makes of a virtual address; -1: nothing. */
static uint64_t translate(uint64_t table, unsigned levels, uint64_t virt)
{
    for (unsigned level = levels;; level--) {
        unsigned shift = 12 + 9 * (level - 1);
        uint64_t entry = ((const uint64_t *)page_pointer(
            (uint32_t)(table >> 12)))[virt >> shift & (ENTRIES - 1)];
        uint64_t addr = entry & 0x000ffffffffff000;

        if (!(entry & 1))
            return UINT64_MAX;
        assert_true(entry & 2);
        assert_int_equal(entry >> 63, 0);
        if (level == 1 || entry & 0x80)
            return (addr & -(UINT64_C(1) << shift)) | (virt & ((UINT64_C(1) << shift) - 1));
        table = addr;
    }
}

static void assert_kernels_half(uint64_t root, unsigned levels, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(translate(root, levels, BOOT_KERNEL_VIRT + i * PAGE_SIZE + 5),
                         (uint64_t)page[i] * PAGE_SIZE + 5);
    assert_int_equal(translate(root, levels, BOOT_KERNEL_VIRT + n * PAGE_SIZE), UINT64_MAX);
    assert_int_equal(translate(root, levels, BOOT_KERNEL_VIRT - 1), UINT64_MAX);
    for (uint64_t at = 0; at < UINT64_C(1) << 32; at += 0x1ffff0)
        assert_int_equal(translate(root, levels, EARLY_DIRECT + at), at);
    assert_int_equal(translate(root, levels, EARLY_DIRECT + (UINT64_C(1) << 32)), UINT64_MAX);
}

TEST(without_firmwares_tables, make_pages, drop_pages)
{
    static const uint32_t counts[] = { 0, 1, 511, 512, 513, PAGES - 1 };

    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        uint64_t root = early_tables_fill(page, counts[i], FIRST, NULL, false);

        assert_kernels_half(root, 4, counts[i]);
        for (uint64_t at = 0; at < UINT64_C(1) << 32; at += 0x1ffff0)
            assert_int_equal(translate(root, 4, at), at);
        assert_int_equal(translate(root, 4, UINT64_C(1) << 32), UINT64_MAX);
    }
}

/* Firmware's half is as it was. */
TEST(with_firmwares_tables, make_pages, drop_pages)
{
    static uint64_t firmware[ENTRIES];

    for (unsigned i = 0; i < ENTRIES; i++)
        firmware[i] = 0x1003 + i * PAGE_SIZE;
    for (unsigned levels = 4; levels <= 5; levels++) {
        uint64_t root = early_tables_fill(page, PAGES - 1, FIRST, firmware, levels == 5);

        assert_kernels_half(root, levels, PAGES - 1);
        assert_memory_equal(page_pointer((uint32_t)(root >> PAGE_SHIFT)), firmware, PAGE_SIZE / 2);
    }
}
