/*
 * The kernel as an ELF file (System V ABI, ELF-64 Object File Format 1.5), and its way into memory.
 *
 * Every segment lies at one place relative to the image's base: p_vaddr - BOOT_KERNEL_VIRT, as
 * boot_info.h promises the kernel. So the image is one block that may start at any page.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/status.h"

struct kernel_image {
    const uint8_t *file;
    uint64_t size_bytes; /* in memory, bss included; a multiple of 4 KiB */
    uint64_t entry;      /* offset of the first instruction from the image's base */
};

/*
 * Reads and checks the headers of the file of `size` bytes.
 * STATUS_INVALID: not a static x86-64 executable linked at BOOT_KERNEL_VIRT, or cut short.
 */
enum status kernel_image_open(const uint8_t *file, size_t size, struct kernel_image *ret_image);

/* Copies the segments to `to`, which has room for size_bytes, and zeroes everything between. */
void kernel_image_place(const struct kernel_image *image, uint8_t *to);
