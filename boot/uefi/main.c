// SPDX-License-Identifier: MIT
/*
 * okram.efi, started by UEFI firmware, a boot manager or a shell: gathers what boot_info.h asks
 * for, places the kernel that it carries, leaves firmware and enters the kernel.
 */
#include <efi.h>
#include <efilib.h>

#include "boot/boot_info.h"
#include "boot/check/image_copies.h"
#include "boot/place/early_tables.h"
#include "boot/place/settle.h"
#include "blocks.h"
#include "cpu.h"
#include "efi_map.h"
#include "firmware_tables.h"
#include "framebuffer.h"
#include "kernel_blob.h"
#include "lib/string.h"
#include "load_options.h"
#include "volume.h"

#define EXIT_TRIES 8

static EFI_STATUS refuse(EFI_STATUS status, const CHAR16 *why)
{
    Print(L"okram: %s (%r). Nothing was tested.\r\n", why, status);
    return status;
}

/* Both copies of the kernel lie in memory that nobody has tested. */
static EFI_STATUS open_kernel(struct image_copies *kernel)
{
    const struct image_copy copy[] = {
        { kernel_blob, kernel_blob_size },
        { kernel_blob_second, kernel_blob_size },
    };

    return image_copies_open(copy, 2, kernel) == STATUS_OK ? EFI_SUCCESS : EFI_LOAD_ERROR;
}

static bool kernel_is_whole(const struct image_copies *kernel)
{
    uint32_t page = 0;

    while (page < kernel->check->n_pages && image_copies_page(kernel, page))
        page++;
    return page == kernel->check->n_pages;
}

/* As the kernel will see it: at its virtual address, its pages wherever they lie. */
struct image {
    const struct image_check *check;
    struct collection pages; /* behind the image's own: the buffer for firmware's memory map */
    uint64_t root;           /* what CR3 is to hold */
};

/* A page of boot_info, as long as firmware's page tables are on. */
static void *info_page(const struct image *image, uint32_t page)
{
    return page_pointer(image->pages.page[image->check->boot_info + page]);
}

static void *virtual_page(uint32_t page)
{
    return (void *)(BOOT_KERNEL_VIRT + page * (uint64_t)IMAGE_PAGE);
}

/* Five levels are as firmware left them. */
static void make_tables(struct image *image)
{
    const uint64_t *firmware = page_pointer((uint32_t)(cpu_cr3() >> PAGE_SHIFT));

    image->root = early_tables_fill(image->pages.page, image->pages.n, image->check->early_tables,
                                    firmware, cpu_has_five_levels());
}

static void tell_where(const struct collection *pages)
{
    uint32_t pieces = 1;

    for (uint32_t i = 1; i < pages->n; i++)
        pieces += pages->page[i] != pages->page[i - 1] + 1;
    Print(L"okram: the kernel is at 0x%lx", (uint64_t)pages->page[0] << PAGE_SHIFT);
    if (pieces > 1)
        Print(L" and elsewhere, in %d pieces", pieces);
    Print(L".\r\n");
}

/* The image in sound memory, the tables that make one of it, and the first of boot_info. */
static EFI_STATUS place_kernel(const struct image_copies *kernel, struct image *image)
{
    static struct bad_pages bad;
    struct blocks blocks;
    uint64_t map_bytes;
    EFI_STATUS status = efi_map_bytes(&map_bytes);

    if (EFI_ERROR(status))
        return status;
    image->check = kernel->check;
    image->pages = (struct collection){ .bad = &bad };
    image->pages.wanted = kernel->check->n_memory_pages + (uint32_t)EFI_SIZE_TO_PAGES(map_bytes);
    if (image->pages.wanted > BOOT_KERNEL_PAGES_MAX)
        return EFI_BUFFER_TOO_SMALL;
    blocks_begin(&blocks, &image->pages);
    if (settle(kernel, &image->pages, &blocks.source) != STATUS_OK) {
        Print(
            L"okram: of the memory below 4 GiB only %d KiB are without holes; okram needs %d.\r\n",
            image->pages.n * 4, image->pages.wanted * 4);
        return EFI_OUT_OF_RESOURCES;
    }
    make_tables(image);
    bad_pages_tell(&bad, info_page(image, BOOT_INFO_HEAD));
    tell_where(&image->pages);
    return EFI_SUCCESS;
}

/*
 * Behind the image. Where its pages lie apart, firmware writes to them by the kernel's tables, in
 * which its own half is as in its own.
 */
static void make_map_buffer(const struct image *image, struct efi_map *map)
{
    uint32_t first = image->check->n_memory_pages, last = image->pages.n - 1;
    const uint32_t *page = image->pages.page;
    bool adjoin = true;

    for (uint32_t i = first; i < last; i++)
        adjoin &= page[i] + 1 == page[i + 1];
    map->buffer = adjoin ? page_pointer(page[first]) : virtual_page(first);
    map->capacity_bytes = (last + 1 - first) * (uint64_t)IMAGE_PAGE;
    if (!adjoin)
        cpu_set_cr3(image->root);
}

/*
 * What can be told while firmware is there: the first page of boot_info, and okram.conf. The memory
 * map comes last, when firmware has been left.
 */
static void fill_boot_info(struct boot_info *info, char *conf, const EFI_LOADED_IMAGE *loader)
{
    CHAR16 *own_path = volume_own_path(loader);

    info->magic = BOOT_INFO_MAGIC;
    info->version = BOOT_INFO_VERSION;
    info->size = sizeof(*info);
    info->firmware = BOOT_UEFI;
    info->rsdp = firmware_tables_rsdp();
    info->smbios = firmware_tables_smbios();
    info->efi_system_table = (uint64_t)ST;
    string_copy(info->loader, "okram.efi", sizeof(info->loader));
    if (!volume_read_conf(loader, own_path, conf, BOOT_CONF_MAX))
        info->truncated = 1;
    if (!load_options_text(loader->LoadOptions, loader->LoadOptionsSize, own_path, info->cmdline,
                           sizeof(info->cmdline)))
        info->truncated = 1;
    info->framebuffer = framebuffer_set_up();
}

/*
 * Firmware's own events may change the map between reading it and leaving; then the key is stale
 * and the map is read again (UEFI 2.10, 7.4.6). Nothing else may be called in between.
 */
static EFI_STATUS leave_firmware(EFI_HANDLE image, struct efi_map *map)
{
    EFI_STATUS status = EFI_INVALID_PARAMETER;

    for (int i = 0; i < EXIT_TRIES && status == EFI_INVALID_PARAMETER; i++) {
        status = efi_map_read(map);
        if (!EFI_ERROR(status))
            status = BS->ExitBootServices(image, map->key);
    }
    return status;
}

/* Called by the start-up code of gnu-efi. */
EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table);

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    struct image_copies kernel;
    struct image placed;
    struct efi_map map;
    EFI_LOADED_IMAGE *loader;
    EFI_STATUS status;

    InitializeLib(image, system_table);
    /* Firmware resets the machine when a loader has not left it after five minutes. */
    BS->SetWatchdogTimer(0, 0, 0, NULL);
    Print(L"okram %a: starting\r\n", OKRAM_VERSION);

    status = BS->HandleProtocol(image, &LoadedImageProtocol, (void **)&loader);
    if (EFI_ERROR(status))
        return refuse(status, L"firmware does not say how the loader was started");
    status = open_kernel(&kernel);
    if (EFI_ERROR(status) || !kernel_is_whole(&kernel))
        return refuse(EFI_LOAD_ERROR, L"the kernel inside okram.efi is damaged, in both copies: by "
                                      L"holes in the memory where okram.efi is, or in the file");
    status = place_kernel(&kernel, &placed);
    if (EFI_ERROR(status))
        return refuse(status, L"there is not enough free memory without holes below 4 GiB");
    fill_boot_info(info_page(&placed, BOOT_INFO_HEAD), info_page(&placed, BOOT_INFO_CONF), loader);

    make_map_buffer(&placed, &map);
    status = leave_firmware(image, &map);
    if (EFI_ERROR(status))
        return refuse(status, L"firmware does not let go of the machine");
    cpu_set_cr3(placed.root);
    efi_map_tell(&map, virtual_page(placed.check->boot_info));
    cpu_enter(BOOT_KERNEL_VIRT + placed.check->entry);
}
