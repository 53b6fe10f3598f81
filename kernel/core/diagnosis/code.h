// SPDX-License-Identifier: MIT
/*
 * The state of a diagnosis as a word that a person can type: diagnosis=... on the command line or
 * in okram.conf, for machines without memory over restarts (BIOS), and from the UEFI loader to the
 * kernel.
 *
 * Groups of four characters of base 32 with hyphens between (Crockford's digits: no i, l, o, u; a
 * typed i or l counts as 1, o as 0; either case). The bits, the highest first:
 *
 *   3 version, 2      2 kind of fault    2 settings_stayed   5 slots, less 1
 *   3 modules, less 1 7 first speed      7 JEDEC's, both in hundreds of MT/s
 *   for each module: 16 id, 6 size (2 x log2 of MiB, and 1 for 1.5 times that, plus 1; 0 unknown)
 *   4 runs, less 1; for each: 1 raised, 1 not started, 1 a page was always bad again,
 *                             8 passes, 3 faulty ones (all ones: 16 more, with the number),
 *                             for each module 5 its slot (31: absent)
 *   20 of the CRC-32C of all before, each bit as a byte; and zeros up to a whole digit
 *
 * Names are not in it: they come from the machine (observe.h). Nor are the tests: tests= has them.
 */
#pragma once

#include "diagnosis/diagnosis.h"
#include "lib/fmt.h"
#include "lib/status.h"

#define DIAGNOSIS_CODE_MAX 404 /* with the NUL */

void diagnosis_append_code(const struct diagnosis *d, struct fmt_buffer *out);

/* STATUS_INVALID: it is not such a word, or mistyped. */
enum status diagnosis_read_code(const char *code, struct diagnosis *ret_diagnosis);

/* Of a word that is not one: why, as the end of a sentence. */
void diagnosis_append_code_fault(const char *code, struct fmt_buffer *out);
