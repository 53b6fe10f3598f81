// SPDX-License-Identifier: MIT
/*
 * Where a file lies on a FAT32 volume (Microsoft's FAT specification of 2000). It
 * only reads, and takes nothing for granted that it has read: each number is checked against the
 * volume, and each walk has a bound.
 */
#pragma once

#include "lib/status.h"
#include "run_file/disk.h"

struct fat_volume {
    struct disk *disk;
    uint64_t base;          /* bytes of the disk before it */
    uint64_t fat_at;        /* bytes from the disk's beginning: the first FAT, */
    uint64_t data_at;       /* and cluster 2 */
    uint32_t cluster_bytes; /* a multiple of the disk's blocks */
    uint32_t end_cluster;   /* 1 + the last one's number */
    uint32_t root;          /* the root folder's first cluster */
};

struct fat_file {
    uint32_t cluster, bytes;
    bool is_folder, is_read_only;
};

/* In blocks. */
struct fat_partition {
    uint64_t first, n;
};

/* Partition i of an MBR, below FAT_PARTITIONS, if its type says that it may be FAT32. */
#define FAT_PARTITIONS 4
enum status fat_find_partition(struct disk *disk, unsigned i, struct fat_partition *ret_partition);

/*
 * The FAT32 volume of a partition; its sectors are the disk's blocks. STATUS_NOT_FOUND: there is
 * none, or it is not as it should be.
 */
enum status fat_open(struct disk *disk, struct fat_partition partition,
                     struct fat_volume *ret_volume);

/*
 * A file or folder by its short name, as it is in the folder, filled up with spaces. A new long
 * name gives it a new short one. folder: its first cluster.
 */
#define FAT_NAME_BYTES 11
enum status fat_find(const struct fat_volume *v, uint32_t folder, const char *name,
                     struct fat_file *ret_file);

/*
 * The place of a file's first byte on the disk. STATUS_UNSUPPORTED: its clusters do not follow each
 * other, or are not as many as its length needs.
 */
enum status fat_place(const struct fat_volume *v, const struct fat_file *file, uint64_t *ret_at);
