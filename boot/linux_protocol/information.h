// SPDX-License-Identifier: MIT
/*
 * Multiboot2 boot information (Multiboot2 specification 2.0, 3.6) from what the Linux/x86 boot
 * protocol passes, so that okram goes on as if GRUB had loaded it. Pure.
 */
#pragma once

#include "boot/linux_protocol/zero_page.h"

#define LINUX_RSDP_BYTES 36

#define LINUX_COMMAND_LINE_MAX 4095 /* longer ones are cut, as the kernel cuts them before that */

/* Enough for all tags: image.asm has as much. */
#define LINUX_INFORMATION_MAX 12288

/* The data that the zero page's addresses point to. */
struct linux_texts {
    const char *command_line; /* up to its NUL, or to LINUX_COMMAND_LINE_MAX; NULL: there is none */
    char *conf;               /* an okram.conf, as the initial RAM disk; NULL: there is none. It may
                                 be in UTF-16: then it is changed in place */
    uint32_t conf_bytes;      /* up to a NUL: loaders pad it */
    const void *rsdp;         /* 36 bytes; NULL: none is passed */
};

/* The second copy of the kernel's image, a module: physical addresses, the end exclusive. */
struct linux_module {
    uint32_t start, end;
};

/*
 * Writes the boot information: the memory map, the loader's name, the command line without the
 * words that loaders add for Linux (options/words.h), okram.conf, the module, the RSDP, UEFI's
 * system table, and the framebuffer if the screen has a linear one. Returns its length, at most
 * LINUX_INFORMATION_MAX. info is aligned to 8 bytes.
 *
 * After kexec the system table has no address: its pointers are those of the previous Linux.
 */
uint32_t linux_information(const struct zero_page *zero, const struct linux_texts *texts,
                           const struct linux_module *copy, void *info);

/*
 * Of what the loader has left, on a stack of its own: called by image.asm, in 32-bit mode, wherever
 * the loader has put it. copy: the module.
 */
void linux_start(const struct zero_page *zero, uint32_t copy, uint32_t copy_end, void *info);
