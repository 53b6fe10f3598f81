// SPDX-License-Identifier: MIT
/* The option send=: the last run's report goes to the server that the loader is from, by HTTP PUT.
 */
#pragma once

#include <efi.h>
#include <stdbool.h>

#include "boot/uefi/last_report/last_report.h"
#include "options/options.h"

/*
 * To the folder `reports` next to the loader there (docs/collecting.md); three attempts, of 10
 * seconds at most each. last: or NULL; device: that the loader is from. Prints what was done.
 *
 * False: okram is to return to firmware, with nothing tested, because send=leave and the report is
 * signed with this machine's key, or because the server does not take the report, which the next
 * run would replace. If the loader was not started by UEFI's HTTP boot, nothing is sent.
 */
bool send_report(const struct last_report *last, enum option_send send, EFI_HANDLE device);
