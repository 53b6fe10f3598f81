/*
 * okram.efi, started by UEFI firmware, a boot manager or a shell: gathers what boot_info.h asks
 * for, places the kernel that it carries, leaves firmware and enters the kernel.
 */
#include <efi.h>
#include <efilib.h>

#include "boot/boot_info.h"
#include "boot/check/image_copies.h"
#include "boot/place/settle.h"
#include "efi_map.h"
#include "executable.h"
#include "firmware_tables.h"
#include "framebuffer.h"
#include "kernel_blob.h"
#include "lib/string.h"
#include "load_options.h"
#include "volume.h"

#define BELOW_4_GIB UINT64_C(0xffffffff)
#define EXIT_TRIES  8

static EFI_STATUS refuse(EFI_STATUS status, const CHAR16 *why)
{
    Print(L"okram: %s (%r). Nothing was tested.\r\n", why, status);
    return status;
}

/* Where okram is to live: one block that has passed a march, the image at its start. */
struct arena {
    struct span span;
    struct boot_info *info;
    struct efi_map map;
};

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

/*
 * Takes the highest free block below 4 GiB that is sound, and puts the kernel there. The others are
 * kept until the end, so that nobody is given them again; to the kernel they are free memory, which
 * it tests. As code, since some firmware maps memory of the other types no-execute.
 */
static EFI_STATUS settle(const struct image_copies *kernel, uint64_t size_bytes,
                         struct bad_pages *bad, struct span *ret_span)
{
    UINTN n_pages = EFI_SIZE_TO_PAGES(size_bytes);

    for (;;) {
        EFI_PHYSICAL_ADDRESS base = BELOW_4_GIB;
        EFI_STATUS status = BS->AllocatePages(AllocateMaxAddress, EfiLoaderCode, n_pages, &base);

        if (EFI_ERROR(status))
            return status;
        executable_make(base, n_pages);
        if (settle_at(kernel, (uint8_t *)base, n_pages << PAGE_SHIFT, bad) == 0) {
            *ret_span = (struct span){ base, n_pages << PAGE_SHIFT };
            Print(L"okram: the kernel is at 0x%lx.\r\n", base);
            return EFI_SUCCESS;
        }
        Print(L"okram: there are holes in the memory from 0x%lx on; trying another place.\r\n",
              base);
    }
}

/* Behind the image: boot_info, and the buffer for firmware's memory map. */
static EFI_STATUS make_arena(const struct image_copies *kernel, struct arena *arena)
{
    static struct bad_pages bad;
    uint64_t image_bytes = kernel->check->n_memory_pages * (uint64_t)IMAGE_PAGE;
    uint64_t info_bytes = align_up(sizeof(*arena->info), LINE_SIZE), map_bytes;
    EFI_STATUS status = efi_map_bytes(&map_bytes);

    if (EFI_ERROR(status))
        return status;
    status = settle(kernel, image_bytes + info_bytes + map_bytes, &bad, &arena->span);
    if (EFI_ERROR(status))
        return status;
    arena->info = (struct boot_info *)(arena->span.base + image_bytes);
    arena->map.buffer = (uint8_t *)arena->info + info_bytes;
    arena->map.capacity_bytes = map_bytes;
    memset(arena->info, 0, sizeof(*arena->info));
    arena->info->kernel_base = arena->span.base;
    arena->info->kernel_size = image_bytes;
    bad_pages_tell(&bad, arena->info);
    return EFI_SUCCESS;
}

/* What can be told while firmware is there; the memory map comes last, when it has been left. */
static void fill_boot_info(struct boot_info *info, const EFI_LOADED_IMAGE *loader)
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
    if (!volume_read_conf(loader, own_path, info->conf, sizeof(info->conf)))
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

static _Noreturn void enter_kernel(uint64_t entry, const struct boot_info *info)
{
    __asm__ volatile("cli\n\tcld\n\tjmp *%0" : : "r"(entry), "D"(info) : "memory");
    __builtin_unreachable();
}

/* Called by the start-up code of gnu-efi. */
EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table);

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system_table)
{
    struct image_copies kernel;
    struct arena arena;
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
    status = make_arena(&kernel, &arena);
    if (EFI_ERROR(status))
        return refuse(status, L"there is not enough free memory without holes below 4 GiB");
    fill_boot_info(arena.info, loader);

    status = leave_firmware(image, &arena.map);
    if (EFI_ERROR(status))
        return refuse(status, L"firmware does not let go of the machine");
    efi_map_tell(&arena.map, arena.span, arena.info);
    enter_kernel(arena.span.base + kernel.check->entry, arena.info);
}
