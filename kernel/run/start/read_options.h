// SPDX-License-Identifier: MIT
/* The options of a run, from wherever they are given. Boot CPU, once. */
#pragma once

#include "boot/boot_info.h"
#include "options/options.h"

/* All words that were given, without comments and line ends, for the report. */
#define ALL_WORDS_MAX (BOOT_CONF_MAX + 2 * BOOT_CMDLINE_MAX)

/*
 * okram.conf, then the boot command line, then `okram run`'s: later ones win. Warns of wrong words.
 * Returns how many of them nobody has been shown yet.
 */
unsigned read_options(const struct boot_info *boot, struct options *ret,
                      char ret_words[ALL_WORDS_MAX]);
