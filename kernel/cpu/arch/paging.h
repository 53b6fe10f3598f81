// SPDX-License-Identifier: MIT
/*
 * okram's own page tables: 4 levels (Intel SDM vol. 3A, 4.5), W^X.
 *
 * - direct map: all RAM and firmware tables at DIRECT_BASE + physical, 2 MiB and 1 GiB pages,
 *   no-execute
 * - arena (memory/arena.h): what okram allocates, at ARENA_BASE, 4 KiB pages, no-execute
 * - image: the kernel at BOOT_KERNEL_VIRT, 4 KiB pages, text read-execute, rodata read, data
 *   read-write
 *
 * From ARENA_BASE up, all is okram's own memory, which can move page by page; nothing below is.
 *
 * Until paging_init has switched, the early tables of boot/ are on: the first 4 GiB of the direct
 * map, 512 GiB where the CPU has pages of 1 GiB, and the image.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/span.h"
#include "lib/status.h"

#define DIRECT_BASE UINT64_C(0xffff800000000000)
#define DIRECT_SIZE (UINT64_C(1) << 46)
#define ARENA_BASE  UINT64_C(0xffffff0000000000)

static inline void *direct(uint64_t phys)
{
    return (void *)(DIRECT_BASE + phys);
}

enum paging_flags {
    PAGING_WRITE = 1 << 0,
    PAGING_EXECUTE = 1 << 1,
    PAGING_UNCACHED = 1 << 2,        /* device registers */
    PAGING_WRITE_COMBINING = 1 << 3, /* framebuffers */
    PAGING_SMALL_PAGES = 1 << 4,     /* 4 KiB only: each can be moved */
};

/* PAT entries 0-3 as at reset (WB, WT, UC-, UC), entry 4 write-combining (SDM vol. 3A, 11.12.4). */
#define PAGING_PAT UINT64_C(0x0007040100070406)

/*
 * Takes over the early tables, and adds what pages of 1 GiB reach: firmware may have put a
 * framebuffer or registers there. Before anything else here.
 */
void paging_begin(void);

/*
 * Makes new tables with the image, whose pages have the numbers image_page[0] and on, and the
 * direct map of `spans`, and switches to them. new_page gives the physical address of a page for a
 * table, now and at every later mapping: below 4 GiB, any content. Spans beyond DIRECT_SIZE are the
 * caller's to leave out.
 */
void paging_init(const struct span *spans, size_t n_spans, const uint32_t *image_page,
                 uint64_t (*new_page)(void));

/* The physical address of the fourth level, for the CR3 of CPUs that start. */
uint64_t paging_root(void);

/* Maps phys (any size, page-aligned) at virt by the largest pages that fit. It may be remapped. */
void paging_map(uint64_t virt, uint64_t phys, uint64_t size, unsigned flags);

/* The physical address that a mapped one translates to now. */
uint64_t paging_translate(uint64_t virt);

/* The direct map's address of a device's or firmware's range, mapped first with the flags. */
void *paging_map_direct(uint64_t phys, uint64_t size, unsigned flags);

/*
 * For a call into firmware: makes tables that have okram's own memory where it is now, and in the
 * lowest 512 GiB what a table of the third level at the physical address `low` says. Returns what
 * CR3 is to hold during the call, on the boot CPU or another.
 */
uint64_t paging_firmware_root(bool boot_cpu, uint64_t low);

/* Whether the whole range is reachable through the direct map. */
bool paging_is_mapped(uint64_t phys, uint64_t size);

/* Where one of okram's own pages, a table or another, will be. Its own address if it stays. */
typedef uint64_t (*paging_new_address)(uint64_t phys);

/* What CR3 holds: boot_cpu where firmware left the boot CPU five levels, others on all others. */
struct paging_roots {
    uint64_t boot_cpu, others;
};

/* Of the tables that are on. */
struct paging_roots paging_roots(void);

/*
 * Copies the tables that are on to the addresses that `moved` gives, which is unused memory. The
 * copies map okram's own pages to where `moved` says, all else as before. They are not turned on.
 * All is read back from memory: STATUS_INVALID when the table at ret_differs is not what was
 * written.
 */
enum status paging_clone(paging_new_address moved, struct paging_roots *ret_roots,
                         uint64_t *ret_differs);

/* CR3 has been loaded with a clone's roots, on all CPUs: from now on these are the tables. */
void paging_moved(struct paging_roots roots);
