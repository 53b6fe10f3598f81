// SPDX-License-Identifier: MIT
/* The stub's last words. */
#pragma once

#include <stdint.h>

/*
 * Writes the sentence with its values (say.h) to the VGA text screen and to COM1, and stops. As
 * after a panic, the screen is left to be read, whatever exit= says, but for exit=qemu: then with
 * okram's exit code for a run that failed. info: what GRUB handed over.
 */
_Noreturn void refuse(const uint32_t *info, const char *why, const uint32_t *values);
