// SPDX-License-Identifier: MIT
/*
 * Room for the translations of addresses. QEMU's TCG keeps them in a table of each CPU, for 256
 * pages at first, and makes it twice as large, up to 2^22 pages, when they are dropped and the
 * table was full (accel/tcg/cputlb.c). Without that each page's first access is a walk through the
 * page tables in every sweep. To a processor it is nothing.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* One CPU's; zero first. */
struct translations {
    uint64_t swept;     /* bytes since they were dropped */
    uint32_t doublings; /* of the table */
};

/* The CPU has swept `bytes` more bytes. True: the table is full, and the CPU must drop it now. */
bool translations_swept(struct translations *t, uint64_t bytes);
