// SPDX-License-Identifier: MIT
/*
 * The state of a diagnosis as a word: its one form between two starts. A person can type it as
 * diagnosis=..., on the command line or in okram.conf, for machines without memory over restarts
 * (BIOS); the loader gives it to the kernel, and keeps a longer one, with names, in the UEFI
 * variable OkramDiagnosis.
 *
 * Groups of four characters of base 32 with hyphens between (Crockford's digits: no i, l, o, u; a
 * typed i or l counts as 1, o as 0; either case). The bits, the highest first:
 *
 *   3 version: 2 to be typed, 4 with names; where there are suspects 5 to be typed, 6 with names
 *   2 kind of fault   2 settings_stayed   5 slots, less 1   3 modules, less 1
 *   7 first speed     7 JEDEC's, both in hundreds of MT/s
 *   for each module: 16 id, 6 size (2 x log2 of MiB, and 1 for 1.5 times that, plus 1; 0 unknown)
 *   version 5 and 6: 1 for each module, whether it is a suspect; 1 how sure that is
 *   4 runs, less 1; for each: 1 raised, 1 not started, 1 a page was always bad again,
 *                             8 passes, 3 faulty ones (all ones: 16 more, with the number),
 *                             for each module 5 its slot (31: absent)
 *   version 4 and 6: 1 offered; tests, march, each slot's name, each module's serial number and
 * part: 7 a character, the last one 0 unless the text is as long as it can be 20 of the CRC-32C of
 * all before, each bit as a byte; and zeros up to a whole digit
 *
 * Without names they come from the machine (observe.h), and the tests from tests=. A variable is
 * one of boot services alone (VARIABLE_KEPT), which no operating system can read or write, so it
 * has no signature: at worst a forged one gives wrong advice.
 */
#pragma once

#include "diagnosis/diagnosis.h"
#include "lib/fmt.h"

/* With the NUL; any state fits. */
#define DIAGNOSIS_CODE_MAX 408
#define DIAGNOSIS_KEPT_MAX 2560 /* with names */

void diagnosis_append_code(const struct diagnosis *d, bool with_names, struct fmt_buffer *out);

/*
 * Of any version; nothing in it is believed before it is checked. Returns NULL, or why it is not
 * such a word: the end of a sentence.
 */
const char *diagnosis_read_code(const char *code, struct diagnosis *ret_diagnosis);
