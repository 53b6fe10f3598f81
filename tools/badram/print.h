// SPDX-License-Identifier: MIT
/* Numbers with their units, on standard output. */
#pragma once

#include <stdint.h>

#include "badram/pattern.h"

/* "1 range", "2 ranges" */
void print_count(uint64_t n, const char *what);

/* "3 pages (12 KiB)" */
void print_pages(uint64_t pages);

/* "0x5000000,0xffffffffff000" */
void print_pair(uint64_t addr, uint64_t mask);

/* "address bits 12-14,20 free": of the bits that RAM's addresses have. */
void print_free_bits(struct pattern p, const struct page_index *space);
