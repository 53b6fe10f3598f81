// SPDX-License-Identifier: MIT
/*
 * Memory side caches, by the HMAT (ACPI 6.5, 5.2.28). What it says of latency and bandwidth is
 * passed over: okram measures them.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "acpi/acpi.h"
#include "lib/status.h"
#include "lib/warn.h"

#define HMAT_CACHES_MAX 128u

/* A memory side cache in front of the memory of a domain (5.2.28.5). */
struct hmat_cache {
    uint32_t domain;
    uint64_t size_bytes;
};

/* All zeros: no table, nothing is known. */
struct hmat {
    size_t n_caches;
    struct hmat_cache cache[HMAT_CACHES_MAX]; /* in firmware's order */
};

/*
 * Reads a table returned by acpi_find. Malformed structures, those of
 * unknown types and those beyond the limits are ignored; each kind gives one warning.
 * STATUS_INVALID, with a warning: the table is too short for its own header.
 */
enum status hmat_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct hmat *ret_hmat);

/* Of the largest memory side cache of a domain; 0: it has none. */
uint64_t hmat_side_cache_bytes(const struct hmat *hmat, uint32_t domain);
