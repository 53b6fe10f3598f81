// SPDX-License-Identifier: MIT
/*
 * Latency and bandwidth of memory as reported by firmware: the HMAT (ACPI 6.5, 5.2.28). Only the
 * values of memory itself are read, not those of memory side caches, nor which initiator a memory
 * domain is attached to.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "acpi/acpi.h"
#include "lib/status.h"
#include "lib/warn.h"

/* Each kind of latency and bandwidth, and once more for small or scattered transfers. */
#define HMAT_LOCALITIES_MAX 24u
#define HMAT_CACHES_MAX     128u

/* As the table numbers them (table 5.150). */
enum hmat_data {
    HMAT_ACCESS_LATENCY, /* the same for reads and writes */
    HMAT_READ_LATENCY,
    HMAT_WRITE_LATENCY,
    HMAT_ACCESS_BANDWIDTH,
    HMAT_READ_BANDWIDTH,
    HMAT_WRITE_BANDWIDTH,
    HMAT_DATA_KINDS,
};

/* A matrix, row by row, in the table's own memory; nothing in it is aligned. */
struct hmat_locality {
    enum hmat_data data;
    uint32_t n_initiators, n_targets;
    uint64_t unit;             /* what an entry counts: ps or MB/s; tenths of ns or MB/s before
                                  revision 2 */
    const uint8_t *initiators; /* proximity domains, 32 bits each */
    const uint8_t *targets;    /* proximity domains, 32 bits each */
    const uint8_t *entries;    /* 16 bits each: a row an initiator */
};

/* A memory side cache in front of the memory of a domain (5.2.28.5). */
struct hmat_cache {
    uint32_t domain;
    uint64_t size_bytes;
};

/* All zeros: no table, nothing is known. */
struct hmat {
    uint32_t revision;
    size_t n_localities, n_caches;
    struct hmat_locality locality[HMAT_LOCALITIES_MAX];
    struct hmat_cache cache[HMAT_CACHES_MAX]; /* in firmware's order */
};

enum hmat_access { HMAT_READ, HMAT_WRITE };

/*
 * Reads a table returned by acpi_find, which must stay where it is. Malformed structures, those of
 * unknown types and those beyond the limits are ignored; each kind gives one warning.
 * STATUS_INVALID, with a warning: the table is too short for its own header.
 */
enum status hmat_read(const struct acpi_header *table, const struct warnings *warnings,
                      struct hmat *ret_hmat);

/*
 * For accesses of CPUs of one proximity domain to another's memory. 0: not reported, or not
 * reachable.
 */
uint64_t hmat_latency_ps(const struct hmat *hmat, enum hmat_access access, uint32_t from,
                         uint32_t to);
uint64_t hmat_bandwidth_mb_s(const struct hmat *hmat, enum hmat_access access, uint32_t from,
                             uint32_t to);

/* Of the largest memory side cache of a domain; 0: it has none. */
uint64_t hmat_side_cache_bytes(const struct hmat *hmat, uint32_t domain);
