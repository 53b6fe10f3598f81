// SPDX-License-Identifier: MIT
/* What the guard's list is checked against: this machine, as firmware describes it now. */
#pragma once

#include <efi.h>
#include <stdbool.h>

#include "guardlist/fingerprint.h"

EFI_STATUS here_fingerprint(struct guard_fingerprint *ret_machine);

/* Whether firmware starts signed programs only. */
bool here_is_secure_boot(void);
