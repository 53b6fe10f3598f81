// SPDX-License-Identifier: MIT
#include "boot/multiboot2/tags.h"

#include "boot/multiboot2/tag.h"
#include "firmware/region_kind.h"
#include "lib/string.h"

enum { FRAMEBUFFER_RGB = 1, FRAMEBUFFER_TEXT = 2 };

struct tag_framebuffer {
    struct tag head;
    uint64_t base;
    uint32_t pitch, width, height;
    uint8_t bits_per_pixel, type;
    uint16_t reserved;
    uint8_t red_position, red_bits, green_position, green_bits, blue_position, blue_bits;
} __attribute__((packed));
_Static_assert(sizeof(struct tag_framebuffer) == 38, "Multiboot2 2.0, 3.6.12");

/* The text after the tag's head, which the tag's size bounds, terminated or not. */
static void read_string(const struct tag *t, char *to, size_t to_size, struct boot_info *info)
{
    const char *from = (const char *)(t + 1);
    size_t max = t->size - sizeof(*t), n = 0;

    while (n < max && from[n])
        n++;
    if (n >= to_size) {
        n = to_size - 1;
        info->truncated = 1;
    }
    memcpy(to, from, n);
    to[n] = 0;
}

static void read_memory_map(const struct tag *t, struct boot_info *info)
{
    const struct tag_memory_map *map = (const void *)t;
    struct memory_map_entry e;

    if (t->size < sizeof(*map) || map->entry_size < sizeof(e))
        return;
    for (size_t at = sizeof(*map); at + sizeof(e) <= t->size; at += map->entry_size) {
        memcpy(&e, (const char *)t + at, sizeof(e));
        if (info->n_regions == BOOT_REGIONS_MAX) {
            info->regions_lost++;
            continue;
        }
        info->region[info->n_regions++] = (struct boot_region){
            .base = e.base,
            .size = e.size,
            .kind = region_kind_of_e820(e.type),
            .firmware_type = e.type,
        };
    }
}

static uint32_t colour_mask(uint8_t position, uint8_t bits)
{
    return bits < 32 && position < 32 ? ((1u << bits) - 1) << position : 0;
}

static void read_framebuffer(const struct tag *t, struct boot_info *info)
{
    const struct tag_framebuffer *fb = (const void *)t;

    if (t->size < offsetof(struct tag_framebuffer, red_position))
        return;
    if (fb->type == FRAMEBUFFER_TEXT)
        info->vga_text = 1;
    if (fb->type != FRAMEBUFFER_RGB || t->size < sizeof(*fb))
        return;
    info->framebuffer = (struct boot_framebuffer){
        .base = fb->base,
        .width = fb->width,
        .height = fb->height,
        .pitch = fb->pitch,
        .bits_per_pixel = fb->bits_per_pixel,
        .red_mask = colour_mask(fb->red_position, fb->red_bits),
        .green_mask = colour_mask(fb->green_position, fb->green_bits),
        .blue_mask = colour_mask(fb->blue_position, fb->blue_bits),
    };
}

#define RSDP_OLD_BYTES 20
#define RSDP_NEW_BYTES 36

#define SMBIOS_VERSION_BYTES 8  /* before what the tag holds */
#define SMBIOS_ENTRY_BYTES   24 /* the shortest entry point, version 3's */

/* The loader passes a copy of the RSDP: its address is taken. */
static void read_rsdp(const struct tag *t, size_t bytes, uint64_t *ret_phys)
{
    if (t->size >= sizeof(*t) + bytes)
        *ret_phys = (uintptr_t)(t + 1);
}

/*
 * GRUB 2.06 makes no such tag. By the specification it holds the structures, without the entry
 * point that firmware/smbios.h reads; loaders that make one put the entry point there, and that is
 * taken.
 */
static void read_smbios(const struct tag *t, uint64_t *ret_phys)
{
    const char *entry = (const char *)(t + 1) + SMBIOS_VERSION_BYTES;

    if (t->size >= sizeof(*t) + SMBIOS_VERSION_BYTES + SMBIOS_ENTRY_BYTES &&
        (memcmp(entry, "_SM_", 4) == 0 || memcmp(entry, "_SM3_", 5) == 0))
        *ret_phys = (uintptr_t)entry;
}

static void read_address(const struct tag *t, size_t bytes, uint64_t *ret)
{
    if (t->size >= sizeof(*t) + bytes)
        memcpy(ret, t + 1, bytes);
}

enum status multiboot2_read(const void *bytes, size_t size, struct boot_info *info)
{
    const struct tag *t;
    size_t at = TAGS_START;
    bool any_framebuffer = false;

    info->magic = BOOT_INFO_MAGIC;
    info->version = BOOT_INFO_VERSION;
    info->size = sizeof(*info);
    info->firmware = BOOT_BIOS;
    while ((t = tag_next(bytes, size, &at))) {
        switch (t->type) {
        case TAG_END:
            info->vga_text |= !any_framebuffer && info->firmware == BOOT_BIOS;
            return STATUS_OK;
        case TAG_CMDLINE: read_string(t, info->cmdline, sizeof(info->cmdline), info); break;
        case TAG_CONF: read_string(t, info->conf, sizeof(info->conf), info); break;
        case TAG_LOADER: read_string(t, info->loader, sizeof(info->loader), info); break;
        case TAG_MEMORY_MAP: read_memory_map(t, info); break;
        case TAG_FRAMEBUFFER:
            any_framebuffer = true;
            read_framebuffer(t, info);
            break;
        case TAG_EFI32: /* 32-bit firmware: its runtime cannot be called from long mode */
            info->firmware = BOOT_UEFI;
            info->secure_boot = BOOT_SECURE_UNKNOWN;
            break;
        case TAG_EFI64:
            info->firmware = BOOT_UEFI;
            info->secure_boot = BOOT_SECURE_UNKNOWN;
            read_address(t, sizeof(info->efi_system_table), &info->efi_system_table);
            info->efi_services = UINT32_MAX;
            break;
        case TAG_SMBIOS: read_smbios(t, &info->smbios); break;
        case TAG_RSDP_OLD:
            if (!info->rsdp)
                read_rsdp(t, RSDP_OLD_BYTES, &info->rsdp);
            break;
        case TAG_RSDP_NEW: read_rsdp(t, RSDP_NEW_BYTES, &info->rsdp); break;
        }
    }
    return STATUS_INVALID;
}

bool multiboot2_efi(const void *bytes, size_t size, uint64_t *ret_system_table, bool *ret_is_64)
{
    uint64_t narrow = 0, wide = 0;
    const struct tag *t;
    size_t at = TAGS_START;

    while ((t = tag_next(bytes, size, &at)) && t->type != TAG_END) {
        if (t->type == TAG_EFI32)
            read_address(t, sizeof(uint32_t), &narrow);
        else if (t->type == TAG_EFI64)
            read_address(t, sizeof(uint64_t), &wide);
    }
    if (!narrow && !wide)
        return false;
    *ret_system_table = wide ? wide : narrow;
    *ret_is_64 = wide != 0;
    return true;
}
