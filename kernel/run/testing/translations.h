// SPDX-License-Identifier: MIT
/*
 * Room for the translations of addresses. QEMU's TCG keeps them in a table for each CPU, for 256
 * pages at first, and doubles it, up to 2^22 pages, if it is full when they are dropped
 * (accel/tcg/cputlb.c). In a smaller table each page's first access walks the page tables in every
 * sweep. On a real processor this has no effect.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* One CPU's; zero at first. */
struct translations {
    uint64_t swept;     /* bytes since the table was dropped */
    uint32_t doublings; /* of the table */
};

/* The CPU has swept `bytes` more bytes. True: the table is full, and the CPU must drop it now. */
bool translations_swept(struct translations *t, uint64_t bytes);
