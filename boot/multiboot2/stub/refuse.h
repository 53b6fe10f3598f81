/* The stub's last words. */
#pragma once

#include <stdint.h>

/*
 * Writes the sentence to the VGA text screen and to COM1, '#' in it as the address in hexadecimal,
 * and stops. As after a panic, the screen is left to be read, whatever exit= says, but for
 * exit=qemu: then with okram's exit code for a run that failed. info: what GRUB handed over.
 */
_Noreturn void refuse(const uint32_t *info, const char *why, uint32_t addr);
