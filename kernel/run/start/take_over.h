// SPDX-License-Identifier: MIT
/*
 * The machine is taken over from the loader and from firmware, and looked at. Boot CPU, once, in
 * this order.
 */
#pragma once

#include "boot/boot_info.h"
#include "options/options.h"

/* This CPU: page tables, and exceptions, NMIs and machine checks, which are reported from here on.
 */
void take_over_cpu(const struct boot_info *boot);

/*
 * The other CPUs, devices that write to memory, and memory for okram, as range= leaves it. From
 * here on ACPI's list of tables can be read.
 */
void take_over_memory(const struct boot_info *boot, const struct options *options);

/* By firmware's tables, clocks and modules; sends which run of which machine this is. */
void explore_machine(const struct boot_info *boot, const struct options *options);
