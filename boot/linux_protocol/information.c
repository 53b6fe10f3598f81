// SPDX-License-Identifier: MIT
#include "boot/linux_protocol/information.h"

#include <stdbool.h>

#include "boot/boot_info.h"
#include "boot/multiboot2/tag.h"
#include "lib/string.h"
#include "options/words.h"

#define MIB           0x100000u
#define LOADER_FAMILY 4 /* loader_type: the lower bits are a version */

#define LOADER_KEXEC 0xd

enum { FRAMEBUFFER_RGB = 1 };

struct writer {
    uint8_t *bytes;
    uint32_t size;
};

static void put(struct writer *w, const void *bytes, uint32_t n)
{
    memcpy(w->bytes + w->size, bytes, n);
    w->size += n;
}

static void put_text(struct writer *w, const char *text)
{
    put(w, text, (uint32_t)strlen(text));
}

/* A tag is begun, filled, and ended: then its size is known. */
static struct tag *begin(struct writer *w, uint32_t type)
{
    struct tag tag = { type, 0 };

    put(w, &tag, sizeof(tag));
    return (struct tag *)(void *)(w->bytes + w->size - sizeof(tag));
}

static void end(struct writer *w, struct tag *tag)
{
    tag->size = (uint32_t)(w->bytes + w->size - (uint8_t *)tag);
    while (w->size % 8)
        w->bytes[w->size++] = 0;
}

static uint32_t entries(const struct zero_page *zero)
{
    return zero->n_entries < ZERO_PAGE_ENTRIES ? zero->n_entries : ZERO_PAGE_ENTRIES;
}

/* Kibibytes from `base` on to the first hole. */
static uint32_t kib_from(const struct zero_page *zero, uint32_t base)
{
    for (uint32_t i = 0; i < entries(zero); i++) {
        const struct e820_entry *e = &zero->entry[i];
        uint64_t end = e->base + e->size;

        if (e->type == MEMORY_MAP_AVAILABLE && e->base <= base && end > base)
            return (uint32_t)(((end > UINT32_MAX ? UINT32_MAX : end) - base) / 1024);
    }
    return 0;
}

static void put_memory(struct writer *w, const struct zero_page *zero)
{
    const uint32_t kib[] = { kib_from(zero, 0), kib_from(zero, MIB) };
    const uint32_t entry_size_and_version[] = { sizeof(struct memory_map_entry), 0 };
    struct tag *tag = begin(w, TAG_MEMORY);

    put(w, kib, sizeof(kib));
    end(w, tag);
    if (!zero->n_entries)
        return; /* boot/multiboot2 says that there is no map */
    tag = begin(w, TAG_MEMORY_MAP);
    put(w, entry_size_and_version, sizeof(entry_size_and_version));
    for (uint32_t i = 0; i < entries(zero); i++) {
        const struct memory_map_entry e = { zero->entry[i].base, zero->entry[i].size,
                                            zero->entry[i].type, 0 };

        put(w, &e, sizeof(e));
    }
    end(w, tag);
}

/* The words as options/words.h separates them: blanks in quotes do not. */
static void put_command_line(struct writer *w, const char *text)
{
    struct tag *tag = begin(w, TAG_CMDLINE);
    bool skips = false, separates = true; /* the character before */
    char quote = 0;

    for (uint32_t i = 0; i < LINUX_COMMAND_LINE_MAX && text[i]; i++) {
        if (separates)
            skips = word_is_for_linux(text + i, LINUX_COMMAND_LINE_MAX - i);
        if (quote ? text[i] == quote : text[i] == '"' || text[i] == '\'')
            quote = quote ? 0 : text[i];
        separates = !quote && (unsigned char)text[i] <= ' ';
        if (!skips)
            put(w, text + i, 1);
    }
    put(w, "", 1);
    end(w, tag);
}

/* Of the text in UTF-16, with a byte order mark, as much as makes BOOT_CONF_MAX characters. */
#define UTF16_MAX (2 * (BOOT_CONF_MAX + 1))

/* One byte more than the kernel keeps, so that it says that the rest is ignored. */
static void put_conf(struct writer *w, char *text, uint32_t size)
{
    struct tag *tag = begin(w, TAG_CONF);
    uint32_t n = 0;

    size = size < UTF16_MAX ? size : UTF16_MAX;
    size = (uint32_t)conf_text_make(text, size);
    while (n < size && n < BOOT_CONF_MAX && text[n])
        n++;
    put(w, text, n);
    end(w, tag);
}

/* By the identifiers of boot.rst, type_of_loader. */
static const char *loader_name(uint8_t type)
{
    switch (type >> LOADER_FAMILY) {
    case 3: return "Syslinux, ";
    case 4: return "iPXE, ";
    case 7: return "GRUB, ";
    case 0xb: return "QEMU, ";
    case LOADER_KEXEC: return "kexec, ";
    default: return "";
    }
}

static void put_loader(struct writer *w, uint8_t type)
{
    struct tag *tag = begin(w, TAG_LOADER);

    put_text(w, loader_name(type));
    put_text(w, "Linux boot protocol");
    put(w, "", 1);
    end(w, tag);
}

static void put_rsdp(struct writer *w, const void *rsdp)
{
    struct tag *tag;

    if (!rsdp || memcmp(rsdp, "RSD PTR ", 8) != 0)
        return;
    tag = begin(w, TAG_RSDP_NEW);
    put(w, rsdp, LINUX_RSDP_BYTES);
    end(w, tag);
}

static void put_efi(struct writer *w, const struct zero_page *zero)
{
    bool is_64 = zero->efi_loader == EFI_LOADER_64;
    uint32_t address[] = { zero->efi_system_table, zero->efi_system_table_high };
    struct tag *tag;

    if (!is_64 && zero->efi_loader != EFI_LOADER_32)
        return;
    if (zero->loader_type >> LOADER_FAMILY == LOADER_KEXEC)
        memset(address, 0, sizeof(address));
    tag = begin(w, is_64 ? TAG_EFI64 : TAG_EFI32);
    put(w, address, is_64 ? sizeof(address) : sizeof(address[0]));
    end(w, tag);
}

static void put_module(struct writer *w, const struct linux_module *copy)
{
    struct tag *tag = begin(w, TAG_MODULE);

    put(w, copy, sizeof(*copy));
    put(w, "", 1);
    end(w, tag);
}

static void put_framebuffer(struct writer *w, const struct screen_info *s)
{
    const uint64_t base = s->base;
    const uint32_t geometry[] = { s->pitch, s->width, s->height };
    const uint8_t kind[] = { (uint8_t)s->depth, FRAMEBUFFER_RGB, 0, 0 };
    const uint8_t colours[] = { s->red_position, s->red_bits,      s->green_position,
                                s->green_bits,   s->blue_position, s->blue_bits };
    struct tag *tag;

    if (s->kind != SCREEN_VESA)
        return;
    tag = begin(w, TAG_FRAMEBUFFER);
    put(w, &base, sizeof(base));
    put(w, geometry, sizeof(geometry));
    put(w, kind, sizeof(kind));
    put(w, colours, sizeof(colours));
    end(w, tag);
}

uint32_t linux_information(const struct zero_page *zero, const struct linux_texts *texts,
                           const struct linux_module *copy, void *info)
{
    struct writer w = { info, TAGS_START };

    if (texts->command_line)
        put_command_line(&w, texts->command_line);
    if (texts->conf)
        put_conf(&w, texts->conf, texts->conf_bytes);
    put_loader(&w, zero->loader_type);
    put_memory(&w, zero);
    put_module(&w, copy);
    put_rsdp(&w, texts->rsdp);
    put_efi(&w, zero);
    put_framebuffer(&w, &zero->screen);
    end(&w, begin(&w, TAG_END));
    memcpy(info, &(uint32_t[]){ w.size, 0 }, TAGS_START);
    return w.size;
}

__attribute__((section(".text.linux_start"))) void
linux_start(const struct zero_page *zero, uint32_t copy, uint32_t copy_end, void *info)
{
    const struct linux_module module = { copy, copy_end };
    const struct linux_texts texts = {
        .command_line = (const char *)(uintptr_t)zero->command_line,
        .conf = (char *)(uintptr_t)zero->ramdisk,
        .conf_bytes = zero->ramdisk_bytes,
        .rsdp = zero->rsdp <= UINT32_MAX - LINUX_RSDP_BYTES ? (const void *)(uintptr_t)zero->rsdp
                                                            : NULL,
    };

    linux_information(zero, &texts, &module, info);
}
