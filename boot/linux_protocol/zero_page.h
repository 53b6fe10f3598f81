// SPDX-License-Identifier: MIT
/*
 * What a loader or image.asm passes by the Linux/x86 boot protocol: the "zero page"
 * (Documentation/arch/x86/zero-page.rst and boot.rst, screen_info.h; Linux 6.12). What okram reads
 * of it.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define ZERO_PAGE_ENTRIES 128

/* efi_loader_signature: "EL32" and "EL64". */
#define EFI_LOADER_32 0x32334c45
#define EFI_LOADER_64 0x34364c45

enum { SCREEN_VESA = 0x23 }; /* orig_video_isVGA: a linear framebuffer by VESA */

struct e820_entry {
    uint64_t base, size;
    uint32_t type;
} __attribute__((packed));

struct screen_info {
    uint8_t skipped_1[0x0f];
    uint8_t kind; /* orig_video_isVGA */
    uint8_t skipped_2[2];
    uint16_t width, height, depth;
    uint32_t base, size;
    uint8_t skipped_3[4];
    uint16_t pitch;
    uint8_t red_bits, red_position, green_bits, green_position, blue_bits, blue_position;
} __attribute__((packed));

struct zero_page {
    struct screen_info screen;
    uint8_t skipped_1[0x70 - sizeof(struct screen_info)];
    uint64_t rsdp; /* acpi_rsdp_addr; 0: none */
    uint8_t skipped_2[0x1c0 - 0x78];
    uint32_t efi_loader, efi_system_table; /* efi_info */
    uint8_t skipped_3[0x1d8 - 0x1c8];
    uint32_t efi_system_table_high;
    uint8_t skipped_4[0x1e8 - 0x1dc];
    uint8_t n_entries;
    uint8_t skipped_5[0x210 - 0x1e9];
    uint8_t loader_type;
    uint8_t skipped_6[0x218 - 0x211];
    uint32_t ramdisk, ramdisk_bytes; /* its address; 0: none */
    uint8_t skipped_7[0x228 - 0x220];
    uint32_t command_line; /* its address; 0: none */
    uint8_t skipped_8[0x2d0 - 0x22c];
    struct e820_entry entry[ZERO_PAGE_ENTRIES];
} __attribute__((packed));
_Static_assert(offsetof(struct screen_info, pitch) == 0x24 &&
                   offsetof(struct zero_page, rsdp) == 0x70 &&
                   offsetof(struct zero_page, efi_loader) == 0x1c0 &&
                   offsetof(struct zero_page, efi_system_table_high) == 0x1d8 &&
                   offsetof(struct zero_page, n_entries) == 0x1e8 &&
                   offsetof(struct zero_page, loader_type) == 0x210 &&
                   offsetof(struct zero_page, ramdisk) == 0x218 &&
                   offsetof(struct zero_page, command_line) == 0x228 &&
                   sizeof(struct zero_page) == 0xcd0,
               "boot.rst, zero-page.rst");
