// SPDX-License-Identifier: MIT
/* Adds what the patrol has found to the list. */
#pragma once

#include <efi.h>
#include <stdbool.h>

#include "patrol.h"
#include "source.h"

/*
 * The list in memory then has the pages, and is the one for the next boot as well. Where it cannot
 * be written, source->why says so, and the pages are masked at this boot only.
 */
void guard_add_found(const EFI_LOADED_IMAGE *driver, bool is_secure_boot,
                     const struct guard_fingerprint *machine, struct guard_patrol *patrol,
                     struct guard_source *source);
