// SPDX-License-Identifier: MIT
/*
 * The management controller (BMC) of a server, where SMBIOS says that it has one with a KCS
 * interface: its event log. Boot CPU only.
 */
#pragma once

#include "sel/sel_record.h"

/*
 * Adds the verdict to its event log (sel=on). What keeps it from that is said in one notice, after
 * a few seconds at most.
 */
void bmc_log(const struct sel_verdict *verdict);
