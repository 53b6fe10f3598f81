/* The stub's last words. */
#pragma once

#include <stdint.h>

/*
 * Writes the sentence to the VGA text screen and to COM1, '#' in it as the address in hexadecimal,
 * and stops: under QEMU with okram's exit code for a run that failed.
 */
_Noreturn void refuse(const char *why, uint32_t addr);
