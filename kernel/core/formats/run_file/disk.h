// SPDX-License-Identifier: MIT
/* A disk of 512-byte blocks, for code that does not know how it is reached. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define DISK_BLOCK    512u
#define DISK_DATA_MAX 4096u /* of a call */

struct disk {
    /* n blocks from `first` on. False: that failed, or there are none such. */
    bool (*read)(void *ctx, uint64_t first, uint32_t n, void *to);
    bool (*write)(void *ctx, uint64_t first, uint32_t n, const void *from);
    void *ctx;
    uint64_t n_blocks;

    /* Room for the code that uses it: a stack has too little. */
    uint8_t data[DISK_DATA_MAX];
    uint8_t fat[DISK_DATA_MAX]; /* a block of the FAT, or what is compared */
    uint64_t fat_at;            /* of the FAT: the one at this byte; 0: none */
};
