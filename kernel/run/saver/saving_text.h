// SPDX-License-Identifier: MIT
/* The warnings when UEFI does not keep the report, or not all of it. Touches no hardware. */
#pragma once

#include "lib/warn.h"
#include "saver/saving_failure.h"

/*
 * One warning for the guard's list, and one for the rest, if they failed. list_why and why: how the
 * call of their service ended, as uefi_append_status says it.
 */
void saving_warn(const struct saving_failure *f, const char *list_why, const char *why,
                 const struct warnings *to);
