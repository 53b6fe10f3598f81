// SPDX-License-Identifier: MIT
/*
 * From the loader's machine to one with a screen and a report: it is taken over from the loader and
 * from firmware, and looked at. Boot CPU, once, in this order.
 */
#pragma once

#include "boot/boot_info.h"
#include "options/options.h"

/* This CPU: page tables, and exceptions, NMIs and machine checks, which are reported from here on.
 */
void take_over_cpu(const struct boot_info *boot);

/* All words that were given, without comments and line ends, for the report. */
#define ALL_WORDS_MAX (BOOT_CONF_MAX + 2 * BOOT_CMDLINE_MAX)

/*
 * The options of a run, from wherever they are given: okram.conf, then the boot command line, then
 * `okram run`'s: later ones win; and the tests that they name. Warns of wrong words. Returns how
 * many of them nobody has been shown yet.
 */
unsigned read_options(const struct boot_info *boot, struct options *ret,
                      struct test_list *ret_tests, char ret_words[ALL_WORDS_MAX]);

/*
 * The other CPUs, devices that write to memory, and memory for okram, as range= leaves it. From
 * here on ACPI's list of tables can be read.
 */
void take_over_memory(const struct boot_info *boot, const struct options *options);

/*
 * The screen and the report: opens what the options want, and has it receive all events. After the
 * choice of a serial port.
 */
void open_console(const struct boot_info *boot, const struct options *options);

/* By firmware's tables, clocks and modules; sends which run of which machine this is. */
void explore_machine(const struct boot_info *boot, const struct options *options);
