// SPDX-License-Identifier: MIT
/* How a broken invariant ends the driver, or its work after its entry point has returned. */
#pragma once

#include <efi.h>
#include <stdbool.h>

/* Before anything else: the driver's own handle. */
void guard_attempt_begin(EFI_HANDLE own_image);

/* Does the work, when nothing can end the driver any more. False: a panic ended it. */
bool guard_attempt(void (*work)(void));
