// SPDX-License-Identifier: MIT
/*
 * A disk in memory with one FAT32 volume, which has \okram\run-1.html to run-4.html, marked for
 * PLAYED_KERNEL; each place is there to be broken by a test.
 */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "run_file/stick_file.h"

enum {
    PLAYED_KERNEL = 0x1234abcd,
    PLAYED_FIRST = 64, /* the partition's first block */
    PLAYED_RESERVED = 32,
    PLAYED_CLUSTERS = 65600,
    PLAYED_ROOT = 2, /* clusters */
    PLAYED_FOLDER = 3,
    PLAYED_FILES = 10,
};

struct played_disk {
    struct disk disk;
    uint8_t *bytes;
    size_t n;
    uint32_t fat_blocks;
    uint8_t *boot, *fat, *root, *folder; /* the boot sector; the first FAT; the two folders */
    uint8_t *file[STICK_FILES + 1];
    unsigned sectors_written, writes;
    unsigned sectors_max; /* further ones are not written, and the write fails */
    bool forgets;         /* what is written is not there, and no write fails */
    uint32_t misses;      /* where writes go instead, in blocks from there */
};

static void put16(uint8_t *to, uint32_t value)
{
    to[0] = (uint8_t)value;
    to[1] = (uint8_t)(value >> 8);
}

static void put32(uint8_t *to, uint32_t value)
{
    put16(to, value);
    put16(to + 2, value >> 16);
}

static bool played_read(void *ctx, uint64_t first, uint32_t n, void *to)
{
    struct played_disk *p = ctx;

    if (first >= p->disk.n_blocks || n > p->disk.n_blocks - first)
        return false;
    memcpy(to, p->bytes + first * p->disk.block_bytes, n * p->disk.block_bytes);
    return true;
}

static bool played_write(void *ctx, uint64_t first, uint32_t n, const void *from)
{
    struct played_disk *p = ctx;

    if (first >= p->disk.n_blocks || n > p->disk.n_blocks - first)
        return false;
    p->writes++;
    for (uint32_t i = 0; i < n; i++) {
        if (p->sectors_written == p->sectors_max)
            return false;
        p->sectors_written++;
        if (!p->forgets)
            memcpy(p->bytes + (first + p->misses + i) * p->disk.block_bytes,
                   (const uint8_t *)from + i * p->disk.block_bytes, p->disk.block_bytes);
    }
    return true;
}

static void played_set_fat(struct played_disk *p, uint32_t cluster, uint32_t next)
{
    put32(p->fat + cluster * 4, next);
}

/* A long name's entry, then the short one's. */
static void played_add_entry(uint8_t *e, const char *name, const char *short_name,
                             uint8_t attributes, uint32_t cluster, uint32_t bytes)
{
    static const uint8_t at[] = { 1, 3, 5, 7, 9, 14, 16, 18, 20, 22, 24, 28, 30 };
    uint8_t sum = 0;

    for (unsigned i = 0; i < 11; i++)
        sum = (uint8_t)((sum >> 1 | sum << 7) + (uint8_t)short_name[i]);
    memset(e, 0xff, 32);
    for (size_t i = 0; i <= strlen(name); i++)
        put16(e + at[i], (uint8_t)name[i]);
    e[0] = 0x41;
    e[11] = 0x0f;
    e[12] = 0;
    e[13] = sum;
    put16(e + 26, 0);
    memset(e + 32, 0, 32);
    memcpy(e + 32, short_name, 11);
    e[32 + 11] = attributes;
    put16(e + 32 + 20, cluster >> 16);
    put16(e + 32 + 26, cluster);
    put32(e + 32 + 28, bytes);
}

static uint8_t *played_cluster(struct played_disk *p, uint32_t cluster)
{
    return p->fat + 2 * p->fat_blocks * p->disk.block_bytes +
           (cluster - 2) * (size_t)p->disk.block_bytes;
}

static void played_make_boot(struct played_disk *p, uint32_t volume_blocks)
{
    uint32_t block = p->disk.block_bytes;
    uint8_t *entry = p->bytes + 446;

    entry[4] = 0x0c;
    put32(entry + 8, PLAYED_FIRST);
    put32(entry + 12, volume_blocks);
    put16(p->bytes + 510, 0xaa55);
    p->boot = p->bytes + (size_t)PLAYED_FIRST * block;
    put16(p->boot + 11, block);
    p->boot[13] = 1;
    put16(p->boot + 14, PLAYED_RESERVED);
    p->boot[16] = 2;
    put32(p->boot + 32, volume_blocks);
    put32(p->boot + 36, p->fat_blocks);
    put32(p->boot + 44, PLAYED_ROOT);
    put16(p->boot + 510, 0xaa55);
}

static void played_make_files(struct played_disk *p)
{
    uint32_t clusters = STICK_FILE_BYTES / p->disk.block_bytes;
    uint8_t *base = p->bytes + (size_t)PLAYED_FIRST * p->disk.block_bytes;

    played_add_entry(p->root, "okram", "OKRAM      ", 0x10, PLAYED_FOLDER, 0);
    for (unsigned n = 1; n <= STICK_FILES; n++) {
        uint32_t first = PLAYED_FILES + (n - 1) * clusters;
        char name[STICK_NAME_MAX], short_name[] = "RUN-1~1 HTM";

        short_name[4] = (char)('0' + n);
        stick_file_name(n, name);
        played_add_entry(p->folder + (n - 1) * 64, name, short_name, 0x20, first, STICK_FILE_BYTES);
        for (uint32_t i = 0; i < clusters; i++)
            played_set_fat(p, first + i, i + 1 < clusters ? first + i + 1 : 0x0fffffff);
        p->file[n] = played_cluster(p, first);
        memset(p->file[n], '.', STICK_FILE_BYTES);
        memset(p->file[n] + STICK_STATE_AT, ' ', STICK_END_AT - STICK_STATE_AT);
        stick_mark(n, PLAYED_KERNEL, (uint64_t)(p->file[n] - base), (char *)p->file[n]);
    }
}

/* Zeroed memory is not there until it is touched. */
static struct played_disk *played_begin(uint32_t block_bytes)
{
    struct played_disk *p = calloc(1, sizeof(*p));
    uint32_t fat_blocks = (PLAYED_CLUSTERS + 2) * 4 / block_bytes + 1;
    uint32_t volume = PLAYED_RESERVED + 2 * fat_blocks + PLAYED_CLUSTERS;

    p->n = (size_t)(PLAYED_FIRST + volume) * block_bytes;
    p->bytes = calloc(1, p->n);
    p->disk = (struct disk){ .read = played_read,
                             .write = played_write,
                             .ctx = p,
                             .block_bytes = block_bytes,
                             .n_blocks = PLAYED_FIRST + volume };
    p->fat_blocks = fat_blocks;
    p->sectors_max = UINT32_MAX;
    played_make_boot(p, volume);
    p->fat = p->boot + (size_t)PLAYED_RESERVED * block_bytes;
    p->root = played_cluster(p, PLAYED_ROOT);
    p->folder = played_cluster(p, PLAYED_FOLDER);
    played_set_fat(p, PLAYED_ROOT, 0x0fffffff);
    played_set_fat(p, PLAYED_FOLDER, 0x0fffffff);
    played_make_files(p);
    return p;
}

static void played_end(struct played_disk *p)
{
    free(p->bytes);
    free(p);
}
