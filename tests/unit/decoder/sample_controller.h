// SPDX-License-Identifier: MIT
/* Memory controllers for tests of reports and screens: one channel of two has a module. */
#pragma once

#include "decoder/registers.h"

static const struct decoded_controller sample_controller = {
    .family = "AMD Zen 4",
    .n_channels = 2,
    .channel = { { .ecc = DECODED_ECC_OFF,
                   .dimm = { { .bytes = UINT64_C(16) << 30,
                               .ranks = 1,
                               .device_width = 8,
                               .banks = 32,
                               .rows = 65536 } },
                   .timing = { .cl = 40,
                               .rcd = 39,
                               .rp = 39,
                               .ras = 77,
                               .command_rate = 1,
                               .mts = 5200 } },
                 { .node = 1, .controller = 2, .number = 1 } },
};
static const struct register_list sample_registers = {
    .cpu = { CPU_VENDOR_AMD, 25, 97, 2 },
    .n = 2,
    .at = { { { REGISTER_SMN, 0, 0x50000 }, 1 }, { { REGISTER_DF, 0, 0x7e04 }, 0xffffffff } },
};
static const struct decoded_controller unknown_controller = { .unknown = "nobody knows" };
static const struct register_list no_registers = { .is_cut = true };
