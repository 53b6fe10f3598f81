// SPDX-License-Identifier: MIT
/*
 * The management controller (BMC) of a server, where SMBIOS says that it has one with a KCS
 * interface: how it is reached, and its event log. Boot CPU only.
 */
#pragma once

#include "bmc/kcs.h"
#include "firmware/ipmi.h"
#include "lib/status.h"

/* How long a controller may take (IPMI 2.0, 9.18: it has five seconds at most). */
#define BMC_ANSWER_US 5000000

/* NULL: it can be asked; else why not, such as "SMBIOS lists none". */
const char *bmc_find(struct kcs *ret_kcs);

/* In words, what kcs_ask returned other than STATUS_OK. */
const char *bmc_reason(enum status status);

/*
 * Adds the verdict to its event log (sel=on). What keeps it from that is said in one notice, after
 * a few seconds at most.
 */
void bmc_log(const struct sel_verdict *verdict);
