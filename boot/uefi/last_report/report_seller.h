// SPDX-License-Identifier: MIT
/*
 * A sheet for the seller of a bad memory module: which modules the machine has, what was tested,
 * and which faults were found. Pure.
 */
#pragma once

#include "lib/fmt.h"
#include "saved/saved_read.h"

/*
 * Whether there is something that a seller should know: faults, errors that ECC corrected, or a
 * search that has found the bad module, whatever its last run, perhaps without it, had.
 */
bool report_has_seller(const struct saved_report *report);

/*
 * A section of HTML with the id "seller", of at most one page of A4, with the same in short as a QR
 * code. Everything is escaped.
 */
void report_append_seller(const struct saved_report *report, struct fmt_buffer *out);
