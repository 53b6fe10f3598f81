// SPDX-License-Identifier: MIT
/*
 * HMAC-SHA-256 (RFC 2104, FIPS 180-4), by BearSSL as the distribution has compiled it: hmac.c alone
 * knows it. It allocates nothing and calls no system.
 *
 * The library's code expects a stack guard at FS:0x28. The kernel's CPUs have one (arch/percpu.h);
 * the UEFI programs call by boot/uefi/x86_64/library_call.c, which makes one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HMAC_BYTES 32

struct hmac_part {
    const void *bytes;
    size_t n;
};

/* Of the n parts, one after the other. What was computed from the key does not stay in memory. */
void hmac_sha256(const void *key, size_t key_bytes, const struct hmac_part *part, size_t n,
                 uint8_t ret_mac[HMAC_BYTES]);

/* Takes as long for equal ones as for others. */
bool hmac_equals(const uint8_t a[HMAC_BYTES], const uint8_t b[HMAC_BYTES]);

#define RUN_ID_SIZE 33 /* hexadecimal digits, with the NUL */

/*
 * The number of a run, which distinguishes its report from all others: 128 random bits. Of n bytes,
 * which no other run has: the first half of an HMAC-SHA-256.
 */
void run_id_make(const void *bytes, size_t n, char ret_id[RUN_ID_SIZE]);
