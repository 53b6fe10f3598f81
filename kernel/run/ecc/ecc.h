// SPDX-License-Identifier: MIT
/*
 * The errors of memory in this run that ECC corrected or detected, whoever reports them. Boot CPU
 * only.
 */
#pragma once

#include "log/ecc_count.h"
#include "log/fault_log.h"
#include "mce/mca_decode.h"

/* Each of them is an error of the log, too (docs/manual.md, "Almost stable settings"). */
void ecc_add(struct fault_log *log, const struct ecc_error *error);

/* Counts a machine check, if it is of memory. */
void ecc_add_machine_check(struct fault_log *log, const struct mca_record *record);

/* The page of n errors that were added without a page has been found. */
void ecc_find_page(uint64_t n_errors);

/* "node 0, UMC 3" or "node 1, bank 7, channel 2"; "": the bank names no channel. */
void ecc_channel_name(const struct mca_record *record, char ret[ECC_CHANNEL_SIZE]);

/* The counts so far. */
const struct ecc_count *ecc_so_far(void);
