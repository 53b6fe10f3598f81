// SPDX-License-Identifier: MIT
/*
 * Whether a report in UEFI variables was written by okram: HMAC-SHA-256, with a key that no
 * operating system can read (boot/uefi/sign_key.h), over "okram report" with its NUL, the phase as
 * one byte (enum saved_phase), and the JSON lines that the head counts.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "saved/saved_read.h"
#include "sign/hmac.h"

/* Of n bytes of JSON lines. */
void saved_hmac(enum saved_phase phase, const char *lines, size_t n, const uint8_t key[HMAC_BYTES],
                uint8_t ret_hmac[HMAC_BYTES]);

/* Of a report that is unfinished or whole; of any other false. */
bool saved_is_signed(const struct saved_report *report, const uint8_t key[HMAC_BYTES]);
