// SPDX-License-Identifier: MIT
#include "efi_map.h"

#include <efilib.h>

#include "firmware/region_kind.h"
#include "lib/span.h"
#include "lib/string.h"

EFI_STATUS efi_map_bytes(UINTN spare, uint64_t *ret_bytes)
{
    UINTN size = 0, key, descriptor_bytes;
    UINT32 version;
    EFI_STATUS status = BS->GetMemoryMap(&size, NULL, &key, &descriptor_bytes, &version);

    if (status != EFI_BUFFER_TOO_SMALL)
        return EFI_ERROR(status) ? status : EFI_LOAD_ERROR;
    *ret_bytes = size + spare * descriptor_bytes;
    return EFI_SUCCESS;
}

EFI_STATUS efi_map_read(struct efi_map *map)
{
    UINT32 version;

    map->size_bytes = map->capacity_bytes;
    return BS->GetMemoryMap(&map->size_bytes, (EFI_MEMORY_DESCRIPTOR *)map->buffer, &map->key,
                            &map->descriptor_bytes, &version);
}

static void add_region(struct boot_info *info, struct boot_region *region, struct boot_region r)
{
    struct boot_region *last = info->n_regions ? &region[info->n_regions - 1] : NULL;

    if (r.size == 0)
        return;
    if (last && last->kind == r.kind && last->firmware_type == r.firmware_type &&
        last->base + last->size == r.base)
        last->size += r.size;
    else if (info->n_regions < BOOT_REGIONS_MAX)
        region[info->n_regions++] = r;
    else
        info->regions_lost++;
}

/* With more pages than there are addresses the range wraps; the kernel drops it with a warning. */
static struct span span_of(const EFI_MEMORY_DESCRIPTOR *d)
{
    if (d->NumberOfPages > UINT64_MAX >> PAGE_SHIFT)
        return (struct span){ .base = UINT64_MAX, .size = UINT64_MAX };
    return (struct span){ .base = d->PhysicalStart, .size = d->NumberOfPages << PAGE_SHIFT };
}

#define MORE_RELIABLE (UINT64_C(1) << 16) /* EFI_MEMORY_MORE_RELIABLE, UEFI 2.10, 7.2.3 */

const struct boot_region *efi_map_convert(const struct efi_map *map, struct boot_info *info)
{
    struct boot_region *region = (void *)map->buffer;
    EFI_MEMORY_DESCRIPTOR d;

    _Static_assert(sizeof(*region) <= sizeof(d), "none is overwritten before it is read");
    if (map->descriptor_bytes < sizeof(d))
        return region;
    for (UINTN left = map->size_bytes; left >= map->descriptor_bytes;
         left -= map->descriptor_bytes) {
        enum boot_region_kind kind;
        struct span s;

        memcpy(&d, map->buffer + (map->size_bytes - left), sizeof(d));
        s = span_of(&d);
        kind = region_kind_of_efi(d.Type, d.Attribute);
        if (d.Attribute & MORE_RELIABLE && kind == BOOT_REGION_USABLE)
            info->more_reliable_bytes += s.size;
        add_region(info, region,
                   (struct boot_region){
                       .base = s.base,
                       .size = s.size,
                       .kind = kind,
                       .firmware_type = d.Type,
                   });
    }
    return region;
}
