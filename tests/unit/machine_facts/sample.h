// SPDX-License-Identifier: MIT
/* A machine as a bug report describes it. */
#pragma once

#include "machine_facts/support.h"

static const struct boot_region sample_region[] = {
    { 0, 0x9fc00, BOOT_REGION_USABLE, 1 },
    { 0x9fc00, 0x400, BOOT_REGION_RESERVED, 2 },
    { 0x100000000, 0x40000000, BOOT_REGION_BAD, 5 },
};

static const struct boot_framebuffer sample_framebuffer = {
    .base = 0x80000000,
    .width = 1280,
    .height = 800,
    .pitch = 5120,
    .bits_per_pixel = 32,
    .red_mask = 0xff0000,
    .green_mask = 0xff00,
    .blue_mask = 0xff,
};

static const struct support sample = {
    .is_uefi = true,
    .names = { .major = 2,
               .minor = 8,
               .firmware = { "SeaBIOS", "1.16.2", "04/01/2014" },
               .system = { "QEMU", "Standard \"PC\"", "pc-q35-7.2" } },
    .region = sample_region,
    .n_regions = 3,
    .table = { { "APIC", "BOCHS", "BXPC", 0x7fe1234, 120, 1, 3 } },
    .n_tables = 1,
    .cpu = { { { "flush", "clflushopt" } }, 1 },
    .ports = { { { "COM1", "serial, 0x3f8: used" }, { "COM2", "serial, 0x2f8: no answer" } }, 2 },
    .framebuffer = &sample_framebuffer,
    .entry_seconds = 3.25,
    .step = { { "CPUs are started", 0.5 } },
    .n_steps = 1,
};
