// SPDX-License-Identifier: MIT
/*
 * What is known of the starts of cycles= (options/cycles.h) over a start: in the UEFI variable
 * OkramCycles, with the options that a person chose in the menu. Before each start it says that
 * this one gave no result; that it did, and what, is in its report. So a start that hangs is
 * counted. 64-bit firmware only (ia32/unsigned.c).
 */
#pragma once

#include "options/options.h"

/*
 * asked: all options without these. jsonl: the last report's records, or NULL. Adds the options of
 * the next start to the command line, if further starts are wanted, and cycles= still asks for as
 * many; forgets them if not. Prints what there is.
 */
void cycles_kept_restore(const struct options *asked, const char *jsonl, char *cmdline,
                         size_t size);

/*
 * Once all options are known: keeps that this start begins, and adds its word to the command line;
 * or forgets the starts, if it is none of them. A start that cannot be kept has a word without a
 * number (`id`), by which the kernel knows that it must not restart.
 */
void cycles_kept_begin(const struct options *options, char *cmdline, size_t size);
