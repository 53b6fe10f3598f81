// SPDX-License-Identifier: MIT
/*
 * Whether a list was made by okram: HMAC-SHA-256, with a key that no operating system can read
 * (boot/uefi/sign_key.h), over "okram guard list" with its NUL and all bytes of the list from
 * `version` on, those of the HMAC as 0.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "guardlist/guard_list.h"

/* Signs the list in these bytes, which guard_writer_end has made. */
void guard_list_sign(uint8_t *bytes, const uint8_t key[HMAC_BYTES]);

/* Of a list that is open. */
bool guard_list_is_signed(const struct guard_list *list, const uint8_t key[HMAC_BYTES]);
