// SPDX-License-Identifier: MIT
/*
 * A sweep of all the memory that Linux has left to give, from inside: stores every word's address
 * and then its complement everywhere, and reads each back. For each page that has lost something
 *
 *     sweep: bad page 0x12345000
 *
 * with its physical address, by /proc/self/pagemap, which takes root; at the end
 *
 *     sweep: done 52428800 bytes
 *
 * Runs alone in a guest of QEMU: it takes what there is, but for a little to run on.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE_SIZE  4096
#define PAGE_WORDS (PAGE_SIZE / sizeof(uint64_t))
#define BLOCK_SIZE ((size_t)1 << 20)
#define BLOCKS_MAX 65536
#define LEFT_KIB   8192

/* Documentation/admin-guide/mm/pagemap.rst: bits 0-54 are the page frame number. */
#define PAGEMAP_FRAME (((uint64_t)1 << 55) - 1)

static uint64_t *block[BLOCKS_MAX];
static size_t n_blocks;

static void fail(const char *why)
{
    perror(why);
    exit(1);
}

/* MemAvailable leaves out what Linux keeps back for itself: whoever takes that is killed. */
static bool memory_is_left(void)
{
    FILE *in = fopen("/proc/meminfo", "re");
    unsigned long kib = 0;
    char line[128];

    if (in == NULL)
        fail("sweep: meminfo");
    while (fgets(line, sizeof(line), in) != NULL && sscanf(line, "MemAvailable: %lu", &kib) != 1)
        ;
    fclose(in);
    return kib > LEFT_KIB;
}

static void take_memory(void)
{
    while (n_blocks < BLOCKS_MAX && memory_is_left()) {
        void *at = mmap(NULL, BLOCK_SIZE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

        if (at == MAP_FAILED)
            return;
        block[n_blocks++] = at;
    }
}

static void store_all(uint64_t flip)
{
    for (size_t b = 0; b < n_blocks; b++)
        for (size_t i = 0; i < BLOCK_SIZE / sizeof(uint64_t); i++)
            block[b][i] = (uint64_t)(uintptr_t)&block[b][i] ^ flip;
}

static bool page_holds(const uint64_t *page, uint64_t flip)
{
    uint64_t lost = 0;

    for (size_t i = 0; i < PAGE_WORDS; i++)
        lost |= page[i] ^ (uint64_t)(uintptr_t)&page[i] ^ flip;
    return lost == 0;
}

static void say_bad(int pagemap, const uint64_t *page)
{
    off_t entry_at = (off_t)((uintptr_t)page / PAGE_SIZE * sizeof(uint64_t));
    uint64_t entry;

    if (pread(pagemap, &entry, sizeof(entry), entry_at) != sizeof(entry))
        fail("sweep: pagemap");
    printf("sweep: bad page 0x%llx\n", (unsigned long long)(entry & PAGEMAP_FRAME) * PAGE_SIZE);
}

static void read_all(int pagemap, uint64_t flip)
{
    for (size_t b = 0; b < n_blocks; b++)
        for (size_t i = 0; i < BLOCK_SIZE / sizeof(uint64_t); i += PAGE_WORDS)
            if (!page_holds(block[b] + i, flip))
                say_bad(pagemap, block[b] + i);
}

int main(void)
{
    static const uint64_t flips[] = { 0, ~UINT64_C(0) };
    int pagemap = open("/proc/self/pagemap", O_RDONLY);

    if (pagemap < 0)
        fail("sweep: pagemap");
    take_memory();
    for (size_t i = 0; i < sizeof(flips) / sizeof(flips[0]); i++) {
        store_all(flips[i]);
        /* What was stored is read again, whatever the compiler knows. */
        __asm__ volatile("" ::: "memory");
        read_all(pagemap, flips[i]);
    }
    printf("sweep: done %zu bytes\n", n_blocks * BLOCK_SIZE);
    return 0;
}
