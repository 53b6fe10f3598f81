#include "kernel_image.h"

#include "boot/boot_info.h"
#include "lib/span.h"
#include "lib/string.h"

#define ELF_CLASS64       2
#define ELF_LITTLE_ENDIAN 1
#define ELF_EXECUTABLE    2
#define ELF_X86_64        62
#define SEGMENT_LOAD      1

/* The kernel is linked into the last 2 GiB of the address space. */
#define IMAGE_MAX_BYTES (UINT64_C(1) << 31)

struct elf_header {
    uint8_t magic[4];
    uint8_t class, byte_order, version, os_abi;
    uint8_t padding[8];
    uint16_t type, machine;
    uint32_t version2;
    uint64_t entry, segments_offset, sections_offset;
    uint32_t flags;
    uint16_t header_size, segment_size, n_segments;
    uint16_t section_size, n_sections, names_section;
} __attribute__((packed));
_Static_assert(sizeof(struct elf_header) == 64, "ELF-64 1.5, figure 2");

struct elf_segment {
    uint32_t type, flags;
    uint64_t offset, vaddr, paddr, file_bytes, memory_bytes, align;
} __attribute__((packed));
_Static_assert(sizeof(struct elf_segment) == 56, "ELF-64 1.5, figure 6");

static const struct elf_segment *segments(const uint8_t *file)
{
    const struct elf_header *elf = (const void *)file;

    return (const void *)(file + elf->segments_offset);
}

static bool header_ok(const struct elf_header *elf, size_t size)
{
    return size >= sizeof(*elf) && memcmp(elf->magic, "\177ELF", 4) == 0 &&
           elf->class == ELF_CLASS64 && elf->byte_order == ELF_LITTLE_ENDIAN &&
           elf->type == ELF_EXECUTABLE && elf->machine == ELF_X86_64 &&
           elf->segment_size == sizeof(struct elf_segment) && elf->segments_offset <= size &&
           elf->n_segments <= (size - elf->segments_offset) / sizeof(struct elf_segment);
}

static bool segment_ok(const struct elf_segment *s, size_t size)
{
    return s->offset <= size && s->file_bytes <= size - s->offset &&
           s->file_bytes <= s->memory_bytes && s->memory_bytes <= IMAGE_MAX_BYTES &&
           s->vaddr - BOOT_KERNEL_VIRT <= IMAGE_MAX_BYTES - s->memory_bytes;
}

enum status kernel_image_open(const uint8_t *file, size_t size, struct kernel_image *ret_image)
{
    const struct elf_header *elf = (const void *)file;
    uint64_t end = 0;
    bool has_entry = false;

    if (!header_ok(elf, size))
        return STATUS_INVALID;
    for (size_t i = 0; i < elf->n_segments; i++) {
        const struct elf_segment *s = &segments(file)[i];

        if (s->type != SEGMENT_LOAD)
            continue;
        if (!segment_ok(s, size))
            return STATUS_INVALID;
        if (s->vaddr - BOOT_KERNEL_VIRT + s->memory_bytes > end)
            end = s->vaddr - BOOT_KERNEL_VIRT + s->memory_bytes;
        if (elf->entry - s->vaddr < s->file_bytes)
            has_entry = true;
    }
    if (!has_entry)
        return STATUS_INVALID;
    *ret_image = (struct kernel_image){
        .file = file,
        .size_bytes = align_up(end, PAGE_SIZE),
        .entry = elf->entry - BOOT_KERNEL_VIRT,
    };
    return STATUS_OK;
}

void kernel_image_place(const struct kernel_image *image, uint8_t *to)
{
    const struct elf_header *elf = (const void *)image->file;

    memset(to, 0, image->size_bytes);
    for (size_t i = 0; i < elf->n_segments; i++) {
        const struct elf_segment *s = &segments(image->file)[i];

        if (s->type == SEGMENT_LOAD)
            memcpy(to + (s->vaddr - BOOT_KERNEL_VIRT), image->file + s->offset, s->file_bytes);
    }
}
