// SPDX-License-Identifier: MIT
/*
 * Room for the translations of addresses. QEMU's TCG keeps them in a table of each CPU, for 256
 * pages at first, and makes it twice as large, up to 2^22 pages, when they are dropped and the table
 * was full (accel/tcg/cputlb.c). Without that each page's first access is a walk through the page
 * tables in every sweep. To a processor it is nothing.
 */
#pragma once

#include <stdint.h>

/* The calling CPU has swept so many bytes more. It drops its translations if they fill the table. */
void translations_swept(uint32_t cpu, uint64_t bytes);
