// SPDX-License-Identifier: MIT
/* Called by image.asm, where the loader has put it, on a stack of its own. 32-bit. */
#include "boot/linux_protocol/information.h"

void linux_start(const struct zero_page *zero, uint32_t copy, uint32_t copy_end, void *info);

__attribute__((section(".text.linux_start"))) void
linux_start(const struct zero_page *zero, uint32_t copy, uint32_t copy_end, void *info)
{
    const struct linux_module module = { copy, copy_end };
    const struct linux_texts texts = {
        .command_line = (const char *)(uintptr_t)zero->command_line,
        .conf = (char *)(uintptr_t)zero->ramdisk,
        .conf_bytes = zero->ramdisk_bytes,
        .rsdp = zero->rsdp <= UINT32_MAX - LINUX_RSDP_BYTES ? (const void *)(uintptr_t)zero->rsdp
                                                            : NULL,
    };

    linux_information(zero, &texts, &module, info);
}
