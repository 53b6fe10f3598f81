// SPDX-License-Identifier: MIT
/*
 * The files on the image that the kernel writes into (run_file/stick_file.h).
 *
 *   run_files make HEAD END FOLDER   makes run-1.html ... there, of the viewer's two halves, and
 *                                    next.cfg, unmarked
 *
 *   run_files mark KERNEL VOLUME     marks them in a FAT volume, for that kernel; fails if one of
 *                                    them is not there at one piece
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot/check/image_check.h"
#include "run_file/fat.h"
#include "run_file/stick_file.h"

#define RECORDS "<pre id=\"records\">\n"

struct bytes {
    char *at;
    size_t n;
};

_Noreturn static void fail(const char *path, const char *why)
{
    fprintf(stderr, "%s: %s\n", path, why);
    exit(1);
}

static struct bytes read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct bytes b = { NULL, 0 };
    long size;

    if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0)
        fail(path, "cannot be read");
    rewind(file);
    b.n = (size_t)size;
    b.at = malloc(b.n + 1);
    if (!b.at || fread(b.at, 1, b.n, file) != b.n)
        fail(path, "cannot be read");
    b.at[b.n] = 0;
    fclose(file);
    return b;
}

static void write_file(const char *path, struct bytes b)
{
    FILE *file = fopen(path, "wb");

    if (!file || fwrite(b.at, 1, b.n, file) != b.n || fclose(file))
        fail(path, "cannot be written");
}

/* The page without records: what is between its parts are spaces. */
static struct bytes make_page(const char *head_path, const char *end_path)
{
    struct bytes head = read_file(head_path), end = read_file(end_path);
    struct bytes page = { malloc(STICK_FILE_BYTES), STICK_FILE_BYTES };
    size_t before = head.n - (sizeof(RECORDS) - 1);

    if (head.n < sizeof(RECORDS) || strcmp(head.at + before, RECORDS) != 0)
        fail(head_path, "does not end with " RECORDS);
    if (STICK_MARK_BYTES + head.n > STICK_STATE_AT)
        fail(head_path, "is longer than its place in the file");
    if (end.n > STICK_FILE_BYTES - STICK_END_AT)
        fail(end_path, "is longer than its place in the file");
    memset(page.at, ' ', page.n);
    memcpy(page.at + STICK_MARK_BYTES, head.at, before);
    memcpy(page.at + STICK_STATE_AT - (sizeof(RECORDS) - 1), RECORDS, sizeof(RECORDS) - 1);
    memcpy(page.at + STICK_END_AT, end.at, end.n);
    page.at[STICK_FILE_BYTES - 1] = '\n';
    return page;
}

static void make(char **arg)
{
    struct bytes page = make_page(arg[0], arg[1]);
    char path[4096];

    for (unsigned n = 1; n <= STICK_FILES; n++) {
        char name[STICK_NAME_MAX];

        stick_file_name(n, name);
        snprintf(path, sizeof(path), "%s/%s", arg[2], name);
        write_file(path, page);
    }
    snprintf(path, sizeof(path), "%s/next.cfg", arg[2]);
    memset(page.at, ' ', STICK_NEXT_BYTES - 1);
    page.at[STICK_NEXT_BYTES - 1] = '\n';
    write_file(path, (struct bytes){ page.at, STICK_NEXT_BYTES });
}

static bool read_block(void *ctx, uint64_t first, uint32_t n, void *to)
{
    const struct bytes *volume = ctx;

    if ((first + n) * 512 > volume->n)
        return false;
    memcpy(to, volume->at + first * 512, n * 512);
    return true;
}

static uint32_t checksum_of(const char *path)
{
    const uint64_t magic = IMAGE_CHECK_MAGIC;
    struct bytes kernel = read_file(path);

    for (size_t i = 0; i + IMAGE_PAGE <= kernel.n; i += 8) {
        if (memcmp(kernel.at + i, &magic, sizeof(magic)) == 0 &&
            image_check_valid((const void *)(kernel.at + i)))
            return ((const struct image_check *)(const void *)(kernel.at + i))->own_crc;
    }
    fail(path, "has no table of checksums");
}

static void mark(char **arg)
{
    static struct disk disk = { .read = read_block };
    struct bytes volume = read_file(arg[1]);
    uint32_t kernel = checksum_of(arg[0]);
    struct fat_volume v;

    disk.ctx = &volume;
    disk.n_blocks = volume.n / 512;
    if (fat_open(&disk, (struct fat_partition){ 0, disk.n_blocks }, &v) != STATUS_OK)
        fail(arg[1], "is no FAT32 volume");
    for (unsigned n = 1; n <= STICK_NEXT; n++) {
        struct stick_file f;

        if (stick_place(&v, n, &f) != STATUS_OK)
            fail(arg[1], "lacks a file of okram's, or it is not at one piece");
        stick_mark(n, kernel, f.offset, volume.at + f.at);
    }
    write_file(arg[1], volume);
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "make") == 0)
        make(argv + 2);
    else if (argc == 4 && strcmp(argv[1], "mark") == 0)
        mark(argv + 2);
    else
        fail(argv[0], "make HEAD END FOLDER, or mark KERNEL VOLUME");
    return 0;
}
