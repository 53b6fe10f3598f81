// SPDX-License-Identifier: MIT
/*
 * A disk in memory with one FAT32 volume, which has \okram\run-1.html to run-4.html and next.cfg,
 * marked for PLAYED_KERNEL; each place is there to be broken by a test.
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
    uint32_t fat_blocks, cluster_blocks;
    uint8_t *boot, *fat, *root, *folder; /* the boot sector; the first FAT; the two folders */
    uint8_t *file[STICK_NEXT + 1];
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
    memcpy(to, p->bytes + first * DISK_BLOCK, n * DISK_BLOCK);
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
            memcpy(p->bytes + (first + p->misses + i) * DISK_BLOCK,
                   (const uint8_t *)from + i * DISK_BLOCK, DISK_BLOCK);
    }
    return true;
}

static void played_set_fat(struct played_disk *p, uint32_t cluster, uint32_t next)
{
    put32(p->fat + cluster * 4, next);
}

static void played_add_entry(uint8_t *e, const char *name, uint8_t attributes, uint32_t cluster,
                             uint32_t bytes)
{
    memcpy(e, name, FAT_NAME_BYTES);
    e[11] = attributes;
    put16(e + 20, cluster >> 16);
    put16(e + 26, cluster);
    put32(e + 28, bytes);
}

static uint8_t *played_cluster(struct played_disk *p, uint32_t cluster)
{
    return p->fat + 2 * p->fat_blocks * DISK_BLOCK +
           (size_t)(cluster - 2) * p->cluster_blocks * DISK_BLOCK;
}

static void played_make_boot(struct played_disk *p, uint32_t volume_blocks)
{
    uint8_t *entry = p->bytes + 446;

    entry[4] = 0x0c;
    put32(entry + 8, PLAYED_FIRST);
    put32(entry + 12, volume_blocks);
    put16(p->bytes + 510, 0xaa55);
    p->boot = p->bytes + PLAYED_FIRST * DISK_BLOCK;
    put16(p->boot + 11, DISK_BLOCK);
    p->boot[13] = (uint8_t)p->cluster_blocks;
    put16(p->boot + 14, PLAYED_RESERVED);
    p->boot[16] = 2;
    put32(p->boot + 32, volume_blocks);
    put32(p->boot + 36, p->fat_blocks);
    put32(p->boot + 44, PLAYED_ROOT);
    put16(p->boot + 510, 0xaa55);
}

static void played_make_file(struct played_disk *p, unsigned n, const char *name, uint32_t bytes)
{
    uint32_t cluster_bytes = p->cluster_blocks * DISK_BLOCK;
    uint32_t clusters = (bytes + cluster_bytes - 1) / cluster_bytes;
    uint32_t first = PLAYED_FILES + (n - 1) * (STICK_FILE_BYTES / cluster_bytes);
    uint8_t *base = p->bytes + (size_t)PLAYED_FIRST * DISK_BLOCK;

    played_add_entry(p->folder + (n - 1) * 32, name, 0x20, first, bytes);
    for (uint32_t i = 0; i < clusters; i++)
        played_set_fat(p, first + i, i + 1 < clusters ? first + i + 1 : 0x0fffffff);
    p->file[n] = played_cluster(p, first);
    memset(p->file[n], '.', bytes);
    stick_mark(n, PLAYED_KERNEL, (uint64_t)(p->file[n] - base), (char *)p->file[n]);
}

static void played_make_files(struct played_disk *p)
{
    played_add_entry(p->root, STICK_FOLDER, 0x10, PLAYED_FOLDER, 0);
    for (unsigned n = 1; n <= STICK_FILES; n++) {
        char name[] = "RUN-1~1 HTM";

        name[4] = (char)('0' + n);
        played_make_file(p, n, name, STICK_FILE_BYTES);
        memset(p->file[n] + STICK_STATE_AT, ' ', STICK_END_AT - STICK_STATE_AT);
    }
    played_make_file(p, STICK_NEXT, "NEXT    CFG", STICK_NEXT_BYTES);
}

/* Zeroed memory is not there until it is touched. */
static struct played_disk *played_begin(uint32_t cluster_blocks)
{
    struct played_disk *p = calloc(1, sizeof(*p));
    uint32_t fat_blocks = (PLAYED_CLUSTERS + 2) * 4 / DISK_BLOCK + 1;
    uint32_t volume = PLAYED_RESERVED + 2 * fat_blocks + cluster_blocks * PLAYED_CLUSTERS;

    p->n = (size_t)(PLAYED_FIRST + volume) * DISK_BLOCK;
    p->bytes = calloc(1, p->n);
    p->disk = (struct disk){
        .read = played_read, .write = played_write, .ctx = p, .n_blocks = PLAYED_FIRST + volume
    };
    p->fat_blocks = fat_blocks;
    p->cluster_blocks = cluster_blocks;
    p->sectors_max = UINT32_MAX;
    played_make_boot(p, volume);
    p->fat = p->boot + (size_t)PLAYED_RESERVED * DISK_BLOCK;
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
