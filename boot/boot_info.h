// SPDX-License-Identifier: MIT
/*
 * What a loader passes to the kernel: the only interface between boot/ and kernel/.
 *
 * The loader copies each page of the image to a fault-free page below 4 GiB and fills the page
 * tables that are part of the image (boot/load/early_tables.h), which map them as one image at
 * BOOT_KERNEL_VIRT. It fills the struct boot_info that is part of the image
 * (boot/check/image_check.h says where), and jumps to the kernel's entry at its virtual address, in
 * 64-bit mode. All addresses are physical. Strings are NUL-terminated; a longer one is cut and
 * `truncated` is set.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BOOT_INFO_MAGIC   0x6d61726b6fULL /* "okram" */
#define BOOT_INFO_VERSION 8

/* The kernel image's virtual base. */
#define BOOT_KERNEL_VIRT 0xffffffff80000000ULL

/* The pages that the early page tables have room for: of the image, and the loader's own. */
#define BOOT_KERNEL_PAGES_MAX 1024

enum boot_firmware { BOOT_BIOS = 1, BOOT_UEFI = 2 };

enum boot_secure_boot {
    BOOT_SECURE_OFF,     /* or BIOS */
    BOOT_SECURE_ON,      /* UEFI starts only what is signed */
    BOOT_SECURE_UNKNOWN, /* UEFI does not say, or the loader */
};

/* What a range of the firmware's memory map is. Values are part of the interface. */
enum boot_region_kind {
    BOOT_REGION_USABLE = 1,       /* free RAM, boot services' memory and the image included */
    BOOT_REGION_ACPI_RECLAIM = 2, /* RAM holding ACPI tables */
    BOOT_REGION_ACPI_NVS = 3,     /* RAM firmware needs */
    BOOT_REGION_RUNTIME = 4,      /* RAM: UEFI runtime services code and data */
    BOOT_REGION_RESERVED = 5,     /* anything firmware keeps; may or may not be RAM */
    BOOT_REGION_BAD = 6,          /* RAM that firmware reports as faulty */
    BOOT_REGION_MMIO = 7,         /* device memory */
    BOOT_REGION_PERSISTENT = 8,   /* NVDIMM: never written */
    BOOT_REGION_SPECIFIC = 9,     /* RAM for a purpose of its own: CXL, high bandwidth */
    BOOT_REGION_UNACCEPTED = 10,  /* a confidential guest's, not given yet: never touched */
};

struct boot_region {
    uint64_t base;
    uint64_t size;
    uint32_t kind;          /* enum boot_region_kind */
    uint32_t firmware_type; /* the e820 or EFI type it was made from */
};

/* A linear RGB framebuffer, or none when base is 0. Masks are over one 32-bit pixel. */
struct boot_framebuffer {
    uint64_t base;
    uint32_t width, height; /* pixels */
    uint32_t pitch;         /* bytes a row */
    uint32_t bits_per_pixel;
    uint32_t red_mask, green_mask, blue_mask;
    uint32_t reserved;
};

#define BOOT_PAGE          4096
#define BOOT_REGIONS_MAX   2048
#define BOOT_BAD_PAGES_MAX 64
#define BOOT_CONF_MAX      4096
#define BOOT_CMDLINE_MAX   2048
#define BOOT_LOADER_MAX    64

#define BOOT_SIGN_KEY_BYTES 32

#define BOOT_MACS_MAX  16
#define BOOT_MAC_BYTES 6

struct boot_info {
    uint64_t magic;
    uint32_t version;
    uint32_t size;     /* sizeof(struct boot_info) */
    uint32_t firmware; /* enum boot_firmware */
    uint32_t truncated;

    uint64_t rsdp;             /* ACPI RSDP, or 0: the kernel looks in the BIOS area */
    uint64_t smbios;           /* SMBIOS 2.x or 3.x entry point, or 0 */
    uint64_t efi_system_table; /* or 0 */
    uint64_t efi_services;     /* EFI_RT_PROPERTIES_TABLE's, all ones without one */

    struct boot_framebuffer framebuffer;
    uint32_t vga_text;    /* 1: the 80x25 VGA text screen at 0xb8000 is on */
    uint32_t secure_boot; /* enum boot_secure_boot */

    uint32_t wrong_is_shown; /* 1: a person has seen in the menu that options are wrong */

    /* What the kernel writes to UEFI variables is signed with it; it takes the key out of here. */
    uint32_t has_sign_key; /* 1: there is one */
    uint8_t sign_key[BOOT_SIGN_KEY_BYTES];

    /* Addresses of network cards, as far as they are known without asking a card: identity=full. */
    uint32_t n_macs;
    uint8_t mac[BOOT_MACS_MAX][BOOT_MAC_BYTES];

    uint32_t n_regions;
    uint64_t regions_lost; /* entries that did not fit into region[] */

    uint64_t more_reliable_bytes; /* of RAM, EFI_MEMORY_MORE_RELIABLE: a part of it is mirrored */

    /*
     * Bad pages that the loader found while it searched for good ones. They are in regions like any
     * others; those beyond BOOT_BAD_PAGES_MAX are not listed.
     */
    uint32_t n_bad_pages;
    uint64_t bad_page[BOOT_BAD_PAGES_MAX];

    char loader[BOOT_LOADER_MAX];   /* e.g. "GRUB 2.06-13", "okram.efi" */
    char cmdline[BOOT_CMDLINE_MAX]; /* options given at boot, or empty */

    /* The page number (address >> 12) of each page of the image, bss included. */
    _Alignas(BOOT_PAGE) uint32_t kernel_page[BOOT_KERNEL_PAGES_MAX];

    _Alignas(BOOT_PAGE) char conf[BOOT_CONF_MAX]; /* okram.conf as found, or empty */

    struct boot_region region[BOOT_REGIONS_MAX]; /* firmware's memory map: n_regions of it */
};

/* The pages of struct boot_info: a loader that has no page tables fills the first ones as such. */
enum {
    BOOT_INFO_HEAD,        /* all but the arrays after it */
    BOOT_INFO_KERNEL_PAGE, /* the kernel_page array */
    BOOT_INFO_CONF,        /* okram.conf */
};
_Static_assert(offsetof(struct boot_info, kernel_page) == BOOT_INFO_KERNEL_PAGE * BOOT_PAGE &&
                   offsetof(struct boot_info, conf) == BOOT_INFO_CONF * BOOT_PAGE &&
                   BOOT_KERNEL_PAGES_MAX * sizeof(uint32_t) == BOOT_PAGE &&
                   BOOT_CONF_MAX == BOOT_PAGE,
               "each is a page of its own");

/* The kernel's entry, for the loaders' start-up code. */
_Noreturn void kernel_main(struct boot_info *boot);
