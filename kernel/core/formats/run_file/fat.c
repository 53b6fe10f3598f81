// SPDX-License-Identifier: MIT
#include "run_file/fat.h"

#include "lib/div_up.h"
#include "lib/string.h"

#define PARTITIONS_AT    446
#define PARTITION_BYTES  16
#define TYPE_FAT32       0x0b
#define TYPE_FAT32_LBA   0x0c
#define TYPE_EFI         0xef
#define FAT32_CLUSTERS   65525 /* fewer: it is FAT12 or FAT16 */
#define CLUSTERS_MAX     0x0ffffff5u
#define LAST_OF_CHAIN    0x0ffffff8u
#define ENTRY_BYTES      32
#define FOLDER_BLOCKS    512  /* that are searched */
#define ATTRIBUTE_FILE   0x01 /* read-only */
#define ATTRIBUTE_VOLUME 0x08
#define ATTRIBUTE_FOLDER 0x10
#define NOT_MIRRORED     0x80

static uint32_t get16(const uint8_t *from)
{
    return from[0] | (uint32_t)from[1] << 8;
}

static uint32_t get32(const uint8_t *from)
{
    return get16(from) | get16(from + 2) << 16;
}

static bool read_block(const struct disk *d, uint64_t at, uint8_t *to)
{
    return d->read(d->ctx, at / DISK_BLOCK, 1, to);
}

static bool is_signed(const uint8_t *sector)
{
    return sector[510] == 0x55 && sector[511] == 0xaa;
}

/* The boot sector's numbers, in sectors (FAT specification, 3). */
struct layout {
    uint64_t reserved, fat, data, n_sectors, cluster;
    uint32_t root;
};

static bool read_layout(const uint8_t *b, struct layout *ret)
{
    uint32_t n_fats = b[16];

    *ret = (struct layout){
        .cluster = b[13],
        .reserved = get16(b + 14),
        .n_sectors = get32(b + 32),
        .fat = get32(b + 36),
        .root = get32(b + 44),
    };
    ret->data = ret->reserved + n_fats * ret->fat;
    return is_signed(b) && get16(b + 11) == DISK_BLOCK && ret->cluster &&
           !(ret->cluster & (ret->cluster - 1)) && ret->reserved && (n_fats == 1 || n_fats == 2) &&
           !get16(b + 17) /* no root folder of a fixed size */ && !get16(b + 22) &&
           !(b[40] & NOT_MIRRORED) && ret->data < ret->n_sectors;
}

enum status fat_find_partition(struct disk *disk, unsigned i, struct fat_partition *ret_partition)
{
    const uint8_t *entry = disk->data + PARTITIONS_AT + i * PARTITION_BYTES;
    struct fat_partition p;

    if (!read_block(disk, 0, disk->data) || !is_signed(disk->data) ||
        (entry[4] != TYPE_FAT32 && entry[4] != TYPE_FAT32_LBA && entry[4] != TYPE_EFI))
        return STATUS_NOT_FOUND;
    p = (struct fat_partition){ get32(entry + 8), get32(entry + 12) };
    if (!p.first || p.first + p.n > disk->n_blocks)
        return STATUS_NOT_FOUND;
    *ret_partition = p;
    return STATUS_OK;
}

enum status fat_open(struct disk *disk, struct fat_partition p, struct fat_volume *ret_volume)
{
    struct layout l;
    uint64_t clusters;

    disk->fat_at = 0;
    if (!read_block(disk, p.first * DISK_BLOCK, disk->data) || !read_layout(disk->data, &l) ||
        l.n_sectors > p.n)
        return STATUS_NOT_FOUND;
    clusters = (l.n_sectors - l.data) / l.cluster;
    if (clusters < FAT32_CLUSTERS || clusters > CLUSTERS_MAX ||
        div_up((clusters + 2) * 4, DISK_BLOCK) > l.fat || l.root < 2 || l.root >= clusters + 2)
        return STATUS_NOT_FOUND;
    *ret_volume = (struct fat_volume){
        .disk = disk,
        .base = p.first * DISK_BLOCK,
        .fat_at = (p.first + l.reserved) * DISK_BLOCK,
        .data_at = (p.first + l.data) * DISK_BLOCK,
        .cluster_bytes = (uint32_t)l.cluster * DISK_BLOCK,
        .end_cluster = (uint32_t)clusters + 2,
        .root = l.root,
    };
    return STATUS_OK;
}

static bool is_cluster(const struct fat_volume *v, uint32_t cluster)
{
    return cluster >= 2 && cluster < v->end_cluster;
}

static uint64_t cluster_at(const struct fat_volume *v, uint32_t cluster)
{
    return v->data_at + (uint64_t)(cluster - 2) * v->cluster_bytes;
}

/* What follows a cluster: another, LAST_OF_CHAIN or more, or 0: that is not known. */
static uint32_t after(const struct fat_volume *v, uint32_t cluster)
{
    struct disk *d = v->disk;
    uint64_t at = v->fat_at + (uint64_t)cluster * 4, block = at - at % DISK_BLOCK;

    if (d->fat_at != block && !read_block(d, block, d->fat)) {
        d->fat_at = 0;
        return 0;
    }
    d->fat_at = block;
    return get32(d->fat + (at - block)) & 0x0fffffff;
}

/* Of a block of a folder. ret_end: the folder ends here. */
static bool search_block(const uint8_t *block, const char *name, struct fat_file *ret,
                         bool *ret_end)
{
    for (const uint8_t *e = block; e < block + DISK_BLOCK; e += ENTRY_BYTES) {
        if (!e[0]) {
            *ret_end = true;
            return false;
        }
        if (!(e[11] & ATTRIBUTE_VOLUME) && memcmp(e, name, FAT_NAME_BYTES) == 0) {
            *ret = (struct fat_file){
                .cluster = get16(e + 26) | get16(e + 20) << 16,
                .bytes = get32(e + 28),
                .is_folder = e[11] & ATTRIBUTE_FOLDER,
                .is_read_only = e[11] & ATTRIBUTE_FILE,
            };
            return true;
        }
    }
    return false;
}

enum status fat_find(const struct fat_volume *v, uint32_t folder, const char *name,
                     struct fat_file *ret_file)
{
    uint8_t *block = v->disk->data;
    uint32_t cluster = folder;
    bool end = false;

    for (unsigned blocks = 0; is_cluster(v, cluster); cluster = after(v, cluster)) {
        for (uint32_t at = 0; at < v->cluster_bytes; at += DISK_BLOCK) {
            if (blocks++ == FOLDER_BLOCKS ||
                !read_block(v->disk, cluster_at(v, cluster) + at, block))
                return STATUS_NOT_FOUND;
            if (search_block(block, name, ret_file, &end))
                return STATUS_OK;
            if (end)
                return STATUS_NOT_FOUND;
        }
    }
    return STATUS_NOT_FOUND;
}

enum status fat_place(const struct fat_volume *v, const struct fat_file *file, uint64_t *ret_at)
{
    uint64_t n = div_up(file->bytes, v->cluster_bytes);

    if (!n || !is_cluster(v, file->cluster) || n > v->end_cluster - file->cluster)
        return STATUS_UNSUPPORTED;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t next = after(v, file->cluster + i);

        if (i + 1 < n ? next != file->cluster + i + 1 : next < LAST_OF_CHAIN)
            return STATUS_UNSUPPORTED;
    }
    *ret_at = cluster_at(v, file->cluster);
    return STATUS_OK;
}
