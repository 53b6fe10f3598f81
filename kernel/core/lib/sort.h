// SPDX-License-Identifier: MIT
/* Sorting in place. Elements that neither comes before the other end up in any order. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SORT_SIZE_MAX 64

/* Whether a comes before b. */
typedef bool sort_before(const void *ctx, const void *a, const void *b);

/* Sorts n elements of `size` bytes each, at most SORT_SIZE_MAX. */
void sort(void *array, size_t n, size_t size, sort_before *before, const void *ctx);

/* From the smallest up. */
void sort_numbers(uint32_t *number, size_t n);
