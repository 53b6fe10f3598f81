// SPDX-License-Identifier: MIT
/*
 * The key with which the report and the guard's list are signed, as the loader has handed it over
 * (boot/uefi/sign_key.h). It is in one place of okram's memory, and nowhere else: not in memory
 * that okram has left, during the run or at its end.
 */
#pragma once

#include <stdint.h>

#include "boot/boot_info.h"
#include "memory/page_list.h"

/* Takes it out of the boot information. Once, before okram moves. */
void sign_key_take(struct boot_info *boot);

/* BOOT_SIGN_KEY_BYTES; NULL: there is none (BIOS, save=off, GRUB), or not any more. */
const uint8_t *sign_key(void);

/* Wipes it for good: nothing is signed after that. Also called in a panic. */
void sign_key_wipe(void);

/* Wipes it in a copy of okram that is not in use; data: of that copy's place. */
void sign_key_wipe_in(const struct page_list *data);
