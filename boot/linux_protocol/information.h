// SPDX-License-Identifier: MIT
/*
 * Multiboot2 boot information (Multiboot2 specification 2.0, 3.6) from what the Linux/x86 boot
 * protocol passes, so that okram goes on as if GRUB had loaded it. Pure.
 */
#pragma once

#include "boot/linux_protocol/zero_page.h"

#define LINUX_COMMAND_LINE_MAX 4095 /* longer ones are cut, as the kernel cuts them before that */

/* Enough for all tags: image.asm has as much. */
#define LINUX_INFORMATION_MAX 12288

/* What a loader passes as the kernel's parameters. */
struct linux_texts {
    const char *command_line; /* up to its NUL, or to LINUX_COMMAND_LINE_MAX; NULL: there is none */
    const char *conf;         /* an okram.conf, as the initial RAM disk; NULL: there is none */
    uint32_t conf_bytes;      /* up to a NUL: loaders pad it */
};

/* The second copy of the kernel's image, a module: physical addresses, the end exclusive. */
struct linux_module {
    uint32_t start, end;
};

/*
 * Writes the boot information: the memory map, the loader's name, the command line without the
 * words that loaders add of themselves (BOOT_IMAGE=, BOOTIF=), okram.conf, the module, and the
 * framebuffer if the screen has a linear one. Returns its length, at most LINUX_INFORMATION_MAX.
 *
 * texts: what the zero page's addresses point to. info is aligned to 8 bytes.
 */
uint32_t linux_information(const struct zero_page *zero, const struct linux_texts *texts,
                           const struct linux_module *copy, void *info);
