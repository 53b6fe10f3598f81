// SPDX-License-Identifier: MIT
/* The number of a run, which distinguishes its report from all others: 128 random bits. */
#pragma once

#include <stddef.h>

#define RUN_ID_SIZE 33 /* hexadecimal digits, with the NUL */

/* Of n bytes, which no other run has: the first half of an HMAC-SHA-256. */
void run_id_make(const void *bytes, size_t n, char ret_id[RUN_ID_SIZE]);
