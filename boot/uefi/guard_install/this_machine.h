// SPDX-License-Identifier: MIT
/* This machine as firmware describes it now: the guard's list is checked against it. */
#pragma once

#include <efi.h>

#include "guardlist/fingerprint.h"

EFI_STATUS this_machine_fingerprint(struct guard_fingerprint *ret_machine);
