#include "boot/uefi/kernel_image.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "boot/boot_info.h"

#define LENGTH(a)  (sizeof(a) / sizeof((a)[0]))
#define VIRT       BOOT_KERNEL_VIRT
#define SEGMENTS   4
#define DATA_BYTES 0x300 /* behind the headers */

/* A kernel: text, data with bss behind a gap, and what is not loaded. */
static struct file {
    Elf64_Ehdr head;
    Elf64_Phdr segment[SEGMENTS];
    uint8_t data[DATA_BYTES];
} file;

#define DATA_OFFSET offsetof(struct file, data)

static void make(void)
{
    memset(&file, 0, sizeof(file));
    memcpy(file.head.e_ident, ELFMAG, SELFMAG);
    file.head.e_ident[EI_CLASS] = ELFCLASS64;
    file.head.e_ident[EI_DATA] = ELFDATA2LSB;
    file.head.e_ident[EI_VERSION] = EV_CURRENT;
    file.head.e_type = ET_EXEC;
    file.head.e_machine = EM_X86_64;
    file.head.e_version = EV_CURRENT;
    file.head.e_entry = VIRT + 0x30;
    file.head.e_phoff = sizeof(Elf64_Ehdr);
    file.head.e_ehsize = sizeof(Elf64_Ehdr);
    file.head.e_phentsize = sizeof(Elf64_Phdr);
    file.head.e_phnum = SEGMENTS;
    file.segment[0] = (Elf64_Phdr){ .p_type = PT_LOAD,
                                    .p_offset = DATA_OFFSET,
                                    .p_vaddr = VIRT,
                                    .p_filesz = 0x100,
                                    .p_memsz = 0x100 };
    file.segment[1] = (Elf64_Phdr){ .p_type = PT_NOTE, .p_offset = UINT64_MAX, .p_filesz = 1 };
    file.segment[2] = (Elf64_Phdr){ .p_type = PT_LOAD,
                                    .p_offset = DATA_OFFSET + 0x100,
                                    .p_vaddr = VIRT + 0x2080,
                                    .p_filesz = 0x200,
                                    .p_memsz = 0x1100 };
    file.segment[3] = (Elf64_Phdr){ .p_type = PT_GNU_STACK };
    for (size_t i = 0; i < DATA_BYTES; i++)
        file.data[i] = (uint8_t)(1 + i % 255);
}

/* From a heap block of exactly that size; on success the image is placed as well, and returned. */
static enum status open_cut(size_t size, struct kernel_image *ret_image, uint8_t **ret_placed)
{
    struct kernel_image untouched;
    uint8_t *copy = malloc(size ? size : 1);
    enum status status;

    assert_non_null(copy);
    memcpy(copy, &file, size);
    memset(ret_image, 0xaa, sizeof(*ret_image));
    untouched = *ret_image;
    *ret_placed = NULL;
    status = kernel_image_open(copy, size, ret_image);
    if (status != STATUS_OK) {
        assert_memory_equal(ret_image, &untouched, sizeof(untouched));
    } else {
        assert_ptr_equal(ret_image->file, copy);
        if (ret_image->size_bytes <= 1 << 20) {
            *ret_placed = malloc(ret_image->size_bytes ? ret_image->size_bytes : 1);
            memset(*ret_placed, 0xaa, ret_image->size_bytes);
            kernel_image_place(ret_image, *ret_placed);
        }
    }
    free(copy);
    return status;
}

static enum status try(size_t size)
{
    struct kernel_image image;
    uint8_t *placed;
    enum status status = open_cut(size, &image, &placed);

    free(placed);
    return status;
}

static void opened_and_placed(void **state)
{
    struct kernel_image image;
    uint8_t *placed;

    make();
    assert_int_equal(open_cut(sizeof(file), &image, &placed), STATUS_OK);
    assert_int_equal(image.size_bytes, 0x4000); /* 0x3180, rounded up */
    assert_int_equal(image.entry, 0x30);
    for (size_t i = 0; i < image.size_bytes; i++) {
        uint8_t want = i < 0x100                    ? file.data[i]
                       : i - 0x2080 < (size_t)0x200 ? file.data[0x100 + i - 0x2080]
                                                    : 0;

        assert_int_equal(placed[i], want);
    }
    free(placed);
}

static void sizes_are_whole_pages(void **state)
{
    static const struct {
        uint64_t vaddr, memory, want;
    } cases[] = {
        { 0x2000, 0x1000, 0x3000 },
        { 0x2000, 0x1001, 0x4000 },
        { 0x2001, 0x1000, 0x4000 },
        { 0x2000, 0x200, 0x3000 },
    };

    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct kernel_image image;
        uint8_t *placed;

        make();
        file.segment[2].p_vaddr = VIRT + cases[i].vaddr;
        file.segment[2].p_memsz = cases[i].memory;
        assert_int_equal(open_cut(sizeof(file), &image, &placed), STATUS_OK);
        assert_int_equal(image.size_bytes, cases[i].want);
        free(placed);
    }
}

static void every_truncation(void **state)
{
    make();
    for (size_t size = 0; size < sizeof(file); size++)
        assert_int_equal(try(size), STATUS_INVALID);
    assert_int_equal(try(sizeof(file)), STATUS_OK);
}

/* One field of the file, set to a value that is still good, or no longer. */
static void fields(void **state)
{
    const struct {
        void *field;
        size_t bytes;
        uint64_t value;
        bool good;
    } cases[] = {
        { &file.head.e_ident[0], 1, 'E', false },
        { &file.head.e_ident[3], 1, 'f', false },
        { &file.head.e_ident[EI_CLASS], 1, ELFCLASS32, false },
        { &file.head.e_ident[EI_DATA], 1, ELFDATA2MSB, false },
        { &file.head.e_type, 2, ET_DYN, false },
        { &file.head.e_machine, 2, EM_386, false },
        { &file.head.e_phentsize, 2, sizeof(Elf64_Phdr) - 1, false },
        { &file.head.e_phentsize, 2, sizeof(Elf64_Phdr) + 8, false },
        { &file.head.e_phoff, 8, sizeof(file), false },
        { &file.head.e_phoff, 8, sizeof(file) + 1, false },
        { &file.head.e_phoff, 8, UINT64_MAX, false },
        { &file.head.e_phoff, 8, sizeof(file) - 3 * sizeof(Elf64_Phdr), false },
        { &file.head.e_phnum, 2, 0, false },
        { &file.head.e_phnum, 2, 1, true },
        { &file.head.e_phnum, 2, 0xffff, false },
        /* the entry lies in a segment, in what the file has of it */
        { &file.head.e_entry, 8, VIRT, true },
        { &file.head.e_entry, 8, VIRT - 1, false },
        { &file.head.e_entry, 8, VIRT + 0xff, true },
        { &file.head.e_entry, 8, VIRT + 0x100, false },
        { &file.head.e_entry, 8, VIRT + 0x207f, false },
        { &file.head.e_entry, 8, VIRT + 0x2080 + 0x1ff, true },
        { &file.head.e_entry, 8, VIRT + 0x2080 + 0x200, false },
        { &file.head.e_entry, 8, 0x30, false },
        { &file.segment[0].p_type, 4, PT_NULL, false }, /* its entry is gone */
        { &file.segment[2].p_offset, 8, DATA_OFFSET + 0x101, false },
        { &file.segment[2].p_offset, 8, 0, true },
        { &file.segment[2].p_offset, 8, UINT64_MAX, false },
        { &file.segment[2].p_filesz, 8, 0x201, false },
        { &file.segment[2].p_filesz, 8, 0, true },
        { &file.segment[2].p_filesz, 8, UINT64_MAX, false },
        { &file.segment[2].p_memsz, 8, 0x1ff, false },
        { &file.segment[2].p_memsz, 8, 0x200, true },
        { &file.segment[2].p_memsz, 8, (UINT64_C(1) << 31) - 0x2080, true },
        { &file.segment[2].p_memsz, 8, (UINT64_C(1) << 31) - 0x207f, false },
        { &file.segment[2].p_memsz, 8, UINT64_MAX, false },
        { &file.segment[2].p_vaddr, 8, VIRT, true },
        { &file.segment[2].p_vaddr, 8, VIRT - 1, false },
        { &file.segment[2].p_vaddr, 8, 0x2080, false },
        { &file.segment[2].p_vaddr, 8, UINT64_MAX - 0x1100 + 1, true }, /* ends at 2^64 */
        { &file.segment[2].p_vaddr, 8, UINT64_MAX - 0x1100 + 2, false },
        { &file.segment[1].p_vaddr, 8, 0, true }, /* what is not loaded may be anything */
    };

    for (size_t i = 0; i < LENGTH(cases); i++) {
        make();
        memcpy(cases[i].field, &cases[i].value, cases[i].bytes);
        if ((try(sizeof(file)) == STATUS_OK) != cases[i].good)
            fail_msg("case %zu", i);
    }
}

/* No file makes the loader read or write where it must not. */
static void damaged_headers(void **state)
{
    int opened = 0;

    srand(6);
    for (int round = 0; round < 20000; round++) {
        make();
        for (int i = 1 + rand() % 3; i; i--)
            ((uint8_t *)&file)[(size_t)rand() % DATA_OFFSET] ^= (uint8_t)(1u << rand() % 8);
        opened += try(sizeof(file)) == STATUS_OK;
    }
    assert_in_range(opened, 1, 19999);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opened_and_placed), cmocka_unit_test(sizes_are_whole_pages),
        cmocka_unit_test(every_truncation),  cmocka_unit_test(fields),
        cmocka_unit_test(damaged_headers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
