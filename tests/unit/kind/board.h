// SPDX-License-Identifier: MIT
/* A board with two channels of two modules of two ranks each, alike, that take turns by the bits 8
 * (channel), 9 (module) and 10 (rank) of an address. */
#pragma once

#include "kind/kind_spread.h"

#define BOARD_BYTES (UINT64_C(16) << 30)

#define BOARD_CHANNEL (UINT64_C(1) << 8)
#define BOARD_MODULE  (UINT64_C(1) << 9)
#define BOARD_RANK    (UINT64_C(1) << 10)
#define BOARD_BITS    (BOARD_CHANNEL | BOARD_MODULE | BOARD_RANK)

/* Bit 8 is removed. */
#define BOARD_SELECT(module, rank)                                                                 \
    {                                                                                              \
        0, BOARD_BYTES, 3 << 8, ((rank) << 1 | (module)) << 8, (module) << 2 | (rank), { 0 }, 0    \
    }

/* clang-format off */
#define BOARD_SELECTS                                                                              \
    { BOARD_SELECT(0, 0), BOARD_SELECT(0, 1), BOARD_SELECT(1, 0), BOARD_SELECT(1, 1) }
/* clang-format on */

static const struct dram_map board_map = {
    .n_zones = 1,
    .zone = { { .end = BOARD_BYTES,
                .n_functions = 1,
                .function = { BOARD_CHANNEL },
                .channel = { 0, 1 },
                .removed = BOARD_CHANNEL } },
    .n_channels = 2,
    .channel = { { 4, BOARD_SELECTS, { { .n_banks = 1 }, { .n_banks = 1 } } },
                 { 4, BOARD_SELECTS, { { .n_banks = 1 }, { .n_banks = 1 } } } },
};

static const struct kind_board board_of_map = { &board_map, UINT64_MAX, NULL, 64 };
