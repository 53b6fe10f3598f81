// SPDX-License-Identifier: MIT
/* Modules that events are about: one in a slot, one with an SPD that is wrong, one by its slot
 * alone. */
#pragma once

#include "spd/geometry.h"
#include "spd/modules.h"

static const struct smbios_slot sample_slots[] = {
    { .locator = "DIMM_A1",
      .bank = "BANK 0",
      .is_populated = true,
      .memory_type = 0x1a,
      .configured_mv = 1350 },
    { .locator = "DIMM_B1", .is_populated = true, .memory_type = 0x1a },
};

static const uint8_t sample_bytes[] = { 0x23, 0x11, 0x0c, 0x02, 0x85, 0x21, 0x00, 0x08, 0,
                                        0,    0,    0,    0x01, 0x03, 0,    0,    0,    0,
                                        0x06, 0x0d, 0xf8, 0x0f, 0,    0,    0x6e, 0x6e, 0x6e,
                                        0x11, 0,    0x6e, 0x6e, 0x6e, 0xff };

static const struct module_spd sample_spds[] = {
    { .address = 0x50,
      .spd = { .type = SPD_DDR4,
               .form = 2,
               .size_bytes = UINT64_C(8) << 30,
               .ranks = 1,
               .device_bits = 8,
               .channels = 1,
               .data_bits = 64,
               .ecc_bits = 8,
               .mt_s = 2666,
               .timings = { 19, 20, 21, 43 },
               .maker = 0x21e,
               .dram_maker = 0x4e,
               .year = 2019,
               .week = 12,
               .profile = { { false, 1, 3200, { 16, 18, 19, 36 } }, { true, 2, 3000, { 0 } } },
               .n_profiles = 2 },
      .byte = sample_bytes,
      .n_bytes = sizeof(sample_bytes) },
    { .address = 0x51,
      .spd = { .type = SPD_DDR5, .problems = 1u << SPD_BASE_CRC | 1u << SPD_SERIAL },
      .byte = sample_bytes,
      .n_bytes = 2 },
};

static const struct modules sample_modules = {
    .module = { { .slot = &sample_slots[0],
                  .slot_by = MODULE_SLOT_BY_SERIAL,
                  .spd = &sample_spds[0],
                  .maker = "Corsair",
                  .part = "CMK16GX4",
                  .serial = "0000002A",
                  .size_bytes = UINT64_C(8) << 30,
                  .jedec_mt_s = 2666,
                  .profile_mt_s = 3200,
                  .configured_mt_s = 3200,
                  .running = { 16, 18, 19, 36, 2, 0, 3200 },
                  .temperature = { true, 38250, 41500, 43000, 0 } },
                { .spd = &sample_spds[1], .temperature = { true, -1500, -1500, -1500, 0 } },
                { .slot = &sample_slots[1],
                  .slot_by = MODULE_SLOT_ITSELF,
                  .size_bytes = UINT64_C(4) << 30 } },
    .n = 3,
};

static const struct temperature sample_cpu = { true, 45000, 63125, 71000, 0, false };

static const struct geometry sample_geometry = { .finding = GEOMETRY_SPD,
                                                 .module = &sample_modules.module[0],
                                                 .stated_bytes = UINT64_C(8) << 30,
                                                 .alias_bytes = UINT64_C(4) << 30,
                                                 .text = "The module DIMM_A1 states too much" };
