// SPDX-License-Identifier: MIT
/*
 * Host tool: stamps the linked kernel with the checksums of its pages (image_check.h).
 *
 *   stamp LINKED.elf STAMPED.elf IMAGE.bin
 *
 * IMAGE.bin is the image as it is in memory, without bss. Exits with 1 and a sentence when the
 * file is not such a kernel.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boot/boot_info.h"
#include "boot/check/image_check.h"
#include "lib/crc32c.h"

struct file {
    uint8_t *bytes;
    size_t size;
};

static _Noreturn void fail(const char *path, const char *why)
{
    fprintf(stderr, "stamp: %s: %s\n", path, why);
    exit(1);
}

static struct file read_file(const char *path)
{
    struct file f = { NULL, 0 };
    FILE *stream = fopen(path, "rb");
    long size;

    if (!stream || fseek(stream, 0, SEEK_END) || (size = ftell(stream)) < 0)
        fail(path, "cannot be read");
    rewind(stream);
    f.size = (size_t)size;
    f.bytes = malloc(f.size + 1);
    if (!f.bytes || fread(f.bytes, 1, f.size, stream) != f.size)
        fail(path, "cannot be read");
    fclose(stream);
    return f;
}

static void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *stream = fopen(path, "wb");

    if (!stream || fwrite(bytes, 1, size, stream) != size || fclose(stream))
        fail(path, "cannot be written");
}

static const Elf64_Phdr *segments(const struct file *elf, const char *path)
{
    const Elf64_Ehdr *head = (const void *)elf->bytes;

    if (elf->size < sizeof(*head) || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_phentsize != sizeof(Elf64_Phdr) ||
        head->e_phoff + head->e_phnum * sizeof(Elf64_Phdr) > elf->size)
        fail(path, "is not a 64-bit ELF file");
    return (const void *)(elf->bytes + head->e_phoff);
}

/* The image as it is in memory, all that the file holds of it. */
static struct file load(const struct file *elf, const char *path)
{
    const Elf64_Phdr *segment = segments(elf, path);
    struct file image = { calloc(IMAGE_CHECK_PAGES_MAX, IMAGE_PAGE), 0 };

    for (size_t i = 0; i < ((const Elf64_Ehdr *)elf->bytes)->e_phnum; i++) {
        uint64_t at = segment[i].p_vaddr - BOOT_KERNEL_VIRT;

        if (segment[i].p_type != PT_LOAD)
            continue;
        if (at + segment[i].p_filesz > IMAGE_CHECK_PAGES_MAX * IMAGE_PAGE ||
            segment[i].p_offset + segment[i].p_filesz > elf->size)
            fail(path, "its segments are not inside the image");
        memcpy(image.bytes + at, elf->bytes + segment[i].p_offset, segment[i].p_filesz);
        if (at + segment[i].p_filesz > image.size)
            image.size = at + segment[i].p_filesz;
    }
    return image;
}

static void fill(struct image_check *check, const struct file *image, const char *path)
{
    if (check->magic != IMAGE_CHECK_MAGIC || check->n_pages * (size_t)IMAGE_PAGE != image->size)
        fail(path, "its first page is not a table of checksums for it");
    for (uint32_t page = 1; page < check->n_pages; page++)
        check->crc[page] = crc32c(image->bytes + page * IMAGE_PAGE, IMAGE_PAGE);
    check->own_crc = crc32c(check, offsetof(struct image_check, own_crc));
    if (image_check_pages(check, image->bytes, check->n_pages, NULL, 0))
        fail(path, "its checksums do not hold");
}

int main(int argc, char **argv)
{
    if (argc != 4)
        fail("use", "stamp LINKED.elf STAMPED.elf IMAGE.bin");
    struct file elf = read_file(argv[1]);
    struct file image = load(&elf, argv[1]);

    fill((void *)image.bytes, &image, argv[1]);
    /* The first segment is the one that begins with the table. */
    memcpy(elf.bytes + segments(&elf, argv[1])->p_offset, image.bytes, IMAGE_PAGE);
    write_file(argv[2], elf.bytes, elf.size);
    write_file(argv[3], image.bytes, image.size);
    free(elf.bytes);
    free(image.bytes);
    return 0;
}
