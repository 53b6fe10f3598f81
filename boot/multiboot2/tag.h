// SPDX-License-Identifier: MIT
/* The tags of Multiboot2 boot information (Multiboot2 specification 2.0, 3.6), one by one. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define TAGS_START 8 /* after total_size and the reserved word */

enum {
    TAG_END = 0,
    TAG_CMDLINE = 1,
    TAG_LOADER = 2,
    TAG_MODULE = 3,
    TAG_MEMORY = 4,
    TAG_MEMORY_MAP = 6,
    TAG_FRAMEBUFFER = 8,
    TAG_EFI32 = 11,
    TAG_EFI64 = 12,
    TAG_SMBIOS = 13,
    TAG_RSDP_OLD = 14,
    TAG_RSDP_NEW = 15,
    TAG_CONF = 0x6f6b726d, /* okram.lkrn's own: the text of an okram.conf */
};

struct tag {
    uint32_t type;
    uint32_t size; /* with this head, without the padding to 8 bytes */
};

struct tag_module {
    struct tag head;
    uint32_t start, end; /* physical addresses; end is exclusive */
};

struct tag_memory_map {
    struct tag head;
    uint32_t entry_size;
    uint32_t entry_version;
};

struct memory_map_entry {
    uint64_t base, size;
    uint32_t type, zero;
} __attribute__((packed));
_Static_assert(sizeof(struct memory_map_entry) == 24, "Multiboot2 2.0, 3.6.8");

#define MEMORY_MAP_AVAILABLE 1

/*
 * The tag at *at of size bytes of boot information, and *at moved after it; NULL when it runs past
 * the end. Begin with TAGS_START; TAG_END is the last one.
 */
static inline const struct tag *tag_next(const void *info, size_t size, size_t *at)
{
    const struct tag *t = (const void *)((const char *)info + *at);

    if (*at > size || size - *at < sizeof(*t) || t->size < sizeof(*t) || t->size > size - *at)
        return NULL;
    *at += t->size + (-t->size & 7);
    return t;
}
