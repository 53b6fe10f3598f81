// SPDX-License-Identifier: MIT
/*
 * Checksums of the kernel image, in its first page: one CRC-32C for each 4 KiB page of what the
 * file holds (text, rodata, data), and one for the table itself. The linked ELF file is stamped
 * with them (stamp.c), so every copy of the image can be checked wherever it is:
 *
 *   loaders   before they use a copy, and after they have loaded the kernel: all n_pages
 *   kernel    as it runs: the first n_fixed_pages, which are never written
 *
 * Pure. The same in 32-bit and in 64-bit code.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/status.h"

#define IMAGE_PAGE            4096u
#define IMAGE_CHECK_PAGES_MAX 1014

/* "okramim", and a version that changes with this struct or with what an entry expects. */
#define IMAGE_CHECK_MAGIC UINT64_C(0x026d696d61726b6f)

/* The first page of the image. boot/multiboot2/entry.asm fills in the head. */
struct image_check {
    uint64_t magic;
    uint32_t n_pages;        /* in the file */
    uint32_t n_fixed_pages;  /* of these text and rodata, which come first */
    uint32_t n_memory_pages; /* in memory, bss included */
    uint32_t entry;          /* boot_entry, an offset from the image's base */
    uint32_t boot_info;      /* of struct boot_info, in bss: the number of its first page */
    uint32_t early_tables;   /* of EARLY_TABLES pages, in bss, likewise */
    uint32_t reserved;
    uint32_t crc[IMAGE_CHECK_PAGES_MAX]; /* of each page; the table's own, crc[0], is not used */
    uint32_t own_crc;                    /* of this page up to here */
};
_Static_assert(sizeof(struct image_check) == IMAGE_PAGE, "the table is a page of the image");

/* Whether this is the first page of an image, undamaged. */
bool image_check_valid(const struct image_check *check);

/* Whether `bytes` are page number `page` (0 to n_pages - 1) of the image, undamaged. */
bool image_check_page(const struct image_check *check, const void *bytes, uint32_t page);

/*
 * Checks the first n_pages of the image at `image` (at most check->n_pages) against a valid table,
 * which may be the image's own first page or another copy's. Returns how many are damaged, and the
 * numbers of the first `max` of them.
 */
uint32_t image_check_pages(const struct image_check *check, const void *image, uint32_t n_pages,
                           uint32_t *ret_bad, uint32_t max);

/*
 * One kernel image out of several copies, any of which faulty memory may have damaged: each page is
 * taken from a copy whose checksum is right. Pure.
 */
#define IMAGE_COPIES_MAX 4

struct image_copy {
    const uint8_t *bytes;
    uint64_t size; /* bytes that may be read there */
};

struct image_copies {
    const struct image_check *check; /* a valid one, of the first copy that has it */
    struct image_copy copy[IMAGE_COPIES_MAX];
    uint32_t n_copies;
};

/*
 * Checks n possible copies: those too short for an image are ignored.
 * STATUS_INVALID: none has a valid table.
 */
enum status image_copies_open(const struct image_copy *copy, uint32_t n,
                              struct image_copies *ret_copies);

/* An undamaged copy of that page, of the first copy that has one; NULL: there is none. */
const uint8_t *image_copies_page(const struct image_copies *copies, uint32_t page);

/* The first page that is damaged in every copy; check->n_pages: there is none. */
uint32_t image_copies_first_lost(const struct image_copies *copies);

/*
 * Writes a page of the image (0 to n_memory_pages - 1) to `to`, which is not a part of a copy; bss
 * is zero. False: no copy of it is intact, and nothing is written.
 */
bool image_copies_place(const struct image_copies *copies, uint32_t page, uint8_t *to);
