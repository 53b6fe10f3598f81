#include "efi_map.h"

#include <efilib.h>

#include "firmware/region_kind.h"

/* Each allocation, of ours or of a firmware event, may split a range in three. */
#define SPARE_DESCRIPTORS 64

EFI_STATUS efi_map_allocate(struct efi_map *map)
{
    UINTN size = 0, key, descriptor_bytes;
    UINT32 version;
    EFI_STATUS status = BS->GetMemoryMap(&size, NULL, &key, &descriptor_bytes, &version);

    if (status != EFI_BUFFER_TOO_SMALL)
        return EFI_ERROR(status) ? status : EFI_LOAD_ERROR;
    map->capacity_bytes = size + SPARE_DESCRIPTORS * descriptor_bytes;
    return BS->AllocatePool(EfiLoaderData, map->capacity_bytes, (void **)&map->buffer);
}

EFI_STATUS efi_map_read(struct efi_map *map)
{
    UINT32 version;

    map->size_bytes = map->capacity_bytes;
    return BS->GetMemoryMap(&map->size_bytes, (EFI_MEMORY_DESCRIPTOR *)map->buffer, &map->key,
                            &map->descriptor_bytes, &version);
}

static void add_region(struct boot_info *info, struct boot_region r)
{
    struct boot_region *last = info->n_regions ? &info->region[info->n_regions - 1] : NULL;

    if (r.size == 0)
        return;
    if (last && last->kind == r.kind && last->firmware_type == r.firmware_type &&
        last->base + last->size == r.base)
        last->size += r.size;
    else if (info->n_regions < BOOT_REGIONS_MAX)
        info->region[info->n_regions++] = r;
    else
        info->regions_lost++;
}

void efi_map_tell(const struct efi_map *map, struct span arena, struct boot_info *info)
{
    for (UINTN at = 0; at < map->size_bytes; at += map->descriptor_bytes) {
        const EFI_MEMORY_DESCRIPTOR *d = (const void *)(map->buffer + at);
        struct span whole = { d->PhysicalStart, d->NumberOfPages << PAGE_SHIFT };
        struct span ours = span_intersect(whole, arena);
        struct boot_region r = {
            .base = whole.base,
            .size = whole.size,
            .kind = region_kind_of_efi(d->Type, d->Attribute),
            .firmware_type = d->Type,
        };

        if (ours.size) {
            r.size = ours.base - whole.base;
            add_region(info, r);
            add_region(info, (struct boot_region){ ours.base, ours.size, BOOT_REGION_ARENA,
                                                   r.firmware_type });
            r.base = span_end(ours);
            r.size = span_end(whole) - span_end(ours);
        }
        add_region(info, r);
    }
}
