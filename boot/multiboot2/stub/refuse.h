// SPDX-License-Identifier: MIT
/* How the stub ends when it cannot start okram. */
#pragma once

#include <stdint.h>

/*
 * Writes the sentence with its values (print.h) to the VGA text screen and to COM1, and stops the
 * machine (boot/stop/stop.h). info: the Multiboot2 information.
 */
_Noreturn void refuse(const uint32_t *info, const char *why, const uint32_t *values);
