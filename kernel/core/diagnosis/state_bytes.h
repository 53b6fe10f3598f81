// SPDX-License-Identifier: MIT
/*
 * The state of a diagnosis as bytes, for the UEFI variable OkramDiagnosis and for the file
 * \okram\diagnosis.bin on the volume that okram was started from.
 *
 *   0  "OKDI"
 *   4  version, 2
 *   5  bytes of all, 2
 *   7  CRC-32C of what follows, 4
 *  11  fields, in the order of state_bytes.c: numbers little-endian, a text as its length, 1 (of
 *      a march 2), and its characters
 *
 * The variable is one of boot services alone (VARIABLE_KEPT), which no operating system can read
 * or write, so it has no signature; nor has the file, which a person may carry around: at worst a
 * forged one gives wrong advice.
 */
#pragma once

#include "diagnosis/diagnosis.h"
#include "lib/status.h"

#define DIAGNOSIS_VARIABLE   "OkramDiagnosis"
#define DIAGNOSIS_BYTES_MAX  1600 /* any state fits; of one without a march 1040 are enough */
#define DIAGNOSIS_BYTES_HEAD 11

/* Returns the bytes. */
size_t diagnosis_write(const struct diagnosis *d, uint8_t out[DIAGNOSIS_BYTES_MAX]);

/*
 * Nothing in them is believed before it is checked. STATUS_INVALID: *ret_why says what is wrong, as
 * the end of a sentence.
 */
enum status diagnosis_read(const void *bytes, size_t size, struct diagnosis *ret_diagnosis,
                           const char **ret_why);

/*
 * Whether a state can be: numbers in their bounds, each slot with one module at most, and a march
 * that is one.
 */
bool diagnosis_is_sane(const struct diagnosis *d);
