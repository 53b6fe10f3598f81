/*
 * The first C code: makes the kernel's own copy of the boot information, by whichever way okram was
 * started, and calls kernel_main. Runs on the boot stack and the early page tables.
 */
#include "arch/image.h"
#include "arch/paging.h"
#include "boot/boot_info.h"
#include "boot/multiboot2/tags.h"
#include "boot/place/bad_pages.h"
#include "kernel.h"
#include "lib/string.h"
#include "lib/panic.h"

_Noreturn void boot_start(uint32_t from, uint64_t info_phys, uint32_t image_phys,
                          uint64_t bad_pages_phys);

enum {
    FROM_LOADER = 0,
    FROM_GRUB = 1,
};

static struct boot_info boot_info;

/*
 * GRUB's copies of the RSDP and of the SMBIOS entry point lie in its boot information, in memory
 * that will be tested: they are kept here.
 */
static _Alignas(16) uint8_t rsdp_copy[36], smbios_copy[32];

static void keep_table(uint64_t *phys, void *copy, size_t size)
{
    if (!*phys)
        return;
    memcpy(copy, (const void *)(uintptr_t)*phys, size);
    *phys = (uintptr_t)copy - BOOT_KERNEL_VIRT + boot_info.kernel_base;
}

/* GRUB's map does not know that the image is there. */
static void keep_image(void)
{
    if (boot_info.n_regions == BOOT_REGIONS_MAX) {
        boot_info.n_regions--;
        boot_info.regions_lost++;
    }
    boot_info.region[boot_info.n_regions++] = (struct boot_region){
        .base = boot_info.kernel_base,
        .size = boot_info.kernel_size,
        .kind = BOOT_REGION_ARENA,
    };
}

_Noreturn void boot_start(uint32_t from, uint64_t info_phys, uint32_t image_phys,
                          uint64_t bad_pages_phys)
{
    if (from == FROM_GRUB) {
        const uint32_t *info = direct(info_phys);

        boot_info.kernel_base = image_phys;
        multiboot2_read(info, info[0], &boot_info);
        keep_table(&boot_info.rsdp, rsdp_copy, sizeof(rsdp_copy));
        keep_table(&boot_info.smbios, smbios_copy, sizeof(smbios_copy));
        boot_info.kernel_size = (uintptr_t)image_end - (uintptr_t)image_start;
        keep_image();
        bad_pages_tell(direct(bad_pages_phys), &boot_info);
    } else {
        const struct boot_info *info = direct(info_phys);

        ASSERT(info->magic == BOOT_INFO_MAGIC && info->version == BOOT_INFO_VERSION &&
               info->size == sizeof(*info));
        boot_info = *info;
    }
    kernel_main(&boot_info);
}
