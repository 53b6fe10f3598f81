/*
 * okram.efi, started by UEFI firmware, a boot manager or a shell: gathers what boot_info.h asks
 * for, places the kernel that it carries, leaves firmware and enters the kernel.
 */
#include <efi.h>
#include <efilib.h>

#include "boot/boot_info.h"
#include "efi_map.h"
#include "executable.h"
#include "firmware_tables.h"
#include "framebuffer.h"
#include "kernel_blob.h"
#include "kernel_image.h"
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

/*
 * One block for the image and, behind it, boot_info. As code, since some firmware maps memory of
 * the other types no-execute.
 */
static EFI_STATUS allocate_arena(uint64_t size_bytes, struct span *ret_arena)
{
    EFI_PHYSICAL_ADDRESS base = BELOW_4_GIB;
    UINTN n_pages = EFI_SIZE_TO_PAGES(size_bytes);
    EFI_STATUS status = BS->AllocatePages(AllocateMaxAddress, EfiLoaderCode, n_pages, &base);

    if (EFI_ERROR(status))
        return status;
    executable_make(base, n_pages);
    *ret_arena = (struct span){ base, n_pages << PAGE_SHIFT };
    return EFI_SUCCESS;
}

/* What can be told while firmware is there; the memory map comes last, when it has been left. */
static void fill_boot_info(struct boot_info *info, const EFI_LOADED_IMAGE *loader)
{
    CHAR16 *own_path = volume_own_path(loader);

    memset(info, 0, sizeof(*info));
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
    struct kernel_image kernel;
    struct efi_map map;
    struct boot_info *info;
    struct span arena;
    EFI_LOADED_IMAGE *loader;
    EFI_STATUS status;

    InitializeLib(image, system_table);
    /* Firmware resets the machine when a loader has not left it after five minutes. */
    BS->SetWatchdogTimer(0, 0, 0, NULL);
    Print(L"okram %a: starting\r\n", OKRAM_VERSION);

    status = BS->HandleProtocol(image, &LoadedImageProtocol, (void **)&loader);
    if (EFI_ERROR(status))
        return refuse(status, L"firmware does not say how the loader was started");
    if (kernel_image_open(kernel_blob, kernel_blob_size, &kernel) != STATUS_OK)
        return refuse(EFI_LOAD_ERROR, L"the kernel inside okram.efi is damaged");
    status = allocate_arena(kernel.size_bytes + sizeof(*info), &arena);
    if (EFI_ERROR(status))
        return refuse(status, L"there is not enough free memory below 4 GiB");
    kernel_image_place(&kernel, (uint8_t *)arena.base);

    info = (struct boot_info *)(arena.base + kernel.size_bytes);
    fill_boot_info(info, loader);
    info->kernel_base = arena.base;
    info->kernel_size = kernel.size_bytes;

    status = efi_map_allocate(&map);
    if (EFI_ERROR(status))
        return refuse(status, L"the memory map cannot be read");
    status = leave_firmware(image, &map);
    if (EFI_ERROR(status))
        return refuse(status, L"firmware does not let go of the machine");
    efi_map_tell(&map, arena, info);
    enter_kernel(arena.base + kernel.entry, info);
}
