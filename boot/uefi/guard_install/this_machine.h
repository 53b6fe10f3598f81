// SPDX-License-Identifier: MIT
/* What the guard's list is checked against: this machine, as firmware describes it now. */
#pragma once

#include <efi.h>

#include "guardlist/fingerprint.h"

EFI_STATUS this_machine_fingerprint(struct guard_fingerprint *ret_machine);
