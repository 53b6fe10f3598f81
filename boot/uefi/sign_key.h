// SPDX-License-Identifier: MIT
/*
 * The key with which okram signs what it leaves in UEFI variables: the list for the guard and the
 * report. It is in the variable OkramKey, non-volatile and for boot services only: a running system
 * can neither read nor write it (UEFI 2.10, 8.2.1), so that nothing written by the system has a
 * valid signature. The loader makes the key and hands it to the kernel.
 *
 * 64-bit firmware only (ia32/unsigned.c): with other firmware the kernel writes no variables.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "boot/boot_info.h"
#include "saved/saved_read.h"

#define SIGN_KEY_BYTES BOOT_SIGN_KEY_BYTES

/* False: there is none, or an operating system can have written it. */
bool sign_key_read(uint8_t ret_key[SIGN_KEY_BYTES]);

/*
 * Reads the key, or makes one if there is none. False: firmware's store has no room for it, or
 * refuses. A key is made of random numbers from EFI_RNG_PROTOCOL and the CPU, as far as there are
 * any, and of the time that firmware's services take.
 */
bool sign_key_get(uint8_t ret_key[SIGN_KEY_BYTES]);

/* Whether the report was signed with this machine's key. */
bool sign_key_signed(const struct saved_report *report);
