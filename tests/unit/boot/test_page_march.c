// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "boot/load/page_march.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "boot/load/bad_pages.h"
#include "faulty.h"

#define PAGES                2
#define BIT(page, byte, bit) (((page) * (size_t)PAGE_SIZE + (byte)) * 8 + (bit))

static uint32_t page[64];

/* Marches over the first pages of the memory; in page[] are their numbers then, marked or not. */
static uint32_t march(const uint8_t *memory, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        page[i] = page_number(memory) + i;
    return page_march(page, n);
}

static bool is_marked(uint32_t i)
{
    return page[i] & PAGE_IS_BAD;
}

TEST(sound_memory, NULL, faulty_free_after)
{
    uint8_t *memory = faulty_make(PAGES * PAGE_SIZE, NULL, 0);

    assert_int_equal(march(memory, PAGES), 0);
    for (uint32_t i = 0; i < PAGES; i++) {
        assert_int_equal(page[i], page_number(memory) + i);
        assert_false(page_march_one(memory + i * PAGE_SIZE));
    }
}

/* Each kind of fault, in each page: that page is marked, and no other. */
TEST(one_fault)
{
    static const struct faulty_cell cells[] = {
        { STUCK0, BIT(0, 0, 0), 0 },
        { STUCK1, BIT(1, 4095, 7), 0 },
        { RISE, BIT(0, 64, 1), 0 },
        { FALL, BIT(1, 0, 0), 0 },
        { INVERT, BIT(0, 8, 1), BIT(1, 100, 5) },
        { INVERT, BIT(1, 8, 1), BIT(0, 4000, 5) },
        { INVERT, BIT(1, 8, 1), BIT(1, 72, 1) },
    };

    for (size_t i = 0; i < COUNT(cells); i++) {
        uint8_t *memory = faulty_make(PAGES * PAGE_SIZE, &cells[i], 1);
        size_t victim = cells[i].kind == INVERT ? cells[i].victim : cells[i].at;
        uint32_t bad = (uint32_t)(victim / 8 / PAGE_SIZE);

        assert_int_equal(march(memory, PAGES), 1);
        assert_true(is_marked(bad));
        assert_int_equal(page[bad] & ~PAGE_IS_BAD, page_number(memory) + bad);
        assert_false(is_marked(1 - bad));
        if (cells[i].kind != INVERT)
            assert_true(page_march_one(memory + bad * PAGE_SIZE));
        faulty_free();
    }
}

TEST(faults_in_several_pages, NULL, faulty_free_after)
{
    static const struct faulty_cell cells[] = {
        { FALL, BIT(1, 9, 1), 0 },
        { STUCK0, BIT(0, 9, 1), 0 },
        { STUCK1, BIT(0, 2000, 1), 0 },
    };
    uint8_t *memory = faulty_make(PAGES * PAGE_SIZE, cells, COUNT(cells));

    assert_int_equal(march(memory, PAGES), 2);
    assert_true(is_marked(0) && is_marked(1));
}

/* Two pages that reach the same cells, near and far. */
TEST(aliases)
{
    static const uint32_t pairs[][2] = { { 0, 1 }, { 0, 63 }, { 17, 40 } };

    for (size_t i = 0; i < COUNT(pairs); i++) {
        size_t bytes = 64 * PAGE_SIZE;
        int file = (int)syscall(SYS_memfd_create, "ram", 0);
        uint8_t *memory;

        assert_true(file >= 0 && ftruncate(file, (off_t)bytes) == 0);
        memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_32BIT, file, 0);
        assert_ptr_not_equal(memory, MAP_FAILED);
        assert_ptr_equal(mmap(memory + pairs[i][0] * PAGE_SIZE, PAGE_SIZE, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_FIXED, file, (off_t)(pairs[i][1] * PAGE_SIZE)),
                         memory + pairs[i][0] * PAGE_SIZE);
        assert_int_equal(march(memory, 64), 2);
        assert_true(is_marked(pairs[i][0]) && is_marked(pairs[i][1]));
        page_march_tag(page_number(memory) + pairs[i][0]);
        assert_true(page_march_has_tag(page_number(memory) + pairs[i][0]));
        page_march_tag(page_number(memory) + pairs[i][1]);
        assert_false(page_march_has_tag(page_number(memory) + pairs[i][0]));
        munmap(memory, bytes);
        close(file);
    }
}

TEST(nothing_outside_is_written)
{
    uint8_t *memory = mmap(NULL, 3 * PAGE_SIZE, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

    assert_ptr_not_equal(memory, MAP_FAILED);
    memset(memory, 0x77, 3 * PAGE_SIZE);
    assert_int_equal(march(memory + PAGE_SIZE, 1), 0);
    assert_int_equal(march(memory + PAGE_SIZE, 0), 0);
    for (size_t i = 0; i < PAGE_SIZE; i++) {
        assert_int_equal(memory[i], 0x77);
        assert_int_equal(memory[2 * PAGE_SIZE + i], 0x77);
    }
    munmap(memory, 3 * PAGE_SIZE);
}

TEST(full_list)
{
    struct bad_pages list = { 0 };
    static struct boot_info info;

    for (int round = 0; round < 2; round++) {
        for (uint64_t i = 0; i < BOOT_BAD_PAGES_MAX + 3; i++) {
            bad_pages_add(&list, i * PAGE_SIZE + i * 50);
            assert_int_equal(list.n, round ? BOOT_BAD_PAGES_MAX
                                           : (i < BOOT_BAD_PAGES_MAX ? i + 1 : BOOT_BAD_PAGES_MAX));
        }
    }
    bad_pages_store(&list, &info);
    assert_int_equal(info.n_bad_pages, BOOT_BAD_PAGES_MAX);
    for (uint64_t i = 0; i < BOOT_BAD_PAGES_MAX; i++)
        assert_int_equal(info.bad_page[i], i * PAGE_SIZE);
}
