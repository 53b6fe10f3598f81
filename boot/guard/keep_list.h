// SPDX-License-Identifier: MIT
/* Writes a list to where the guard finds it at the next boot. */
#pragma once

#include <efi.h>
#include <stdbool.h>

#include "source.h"

/*
 * Replaces the list that came from *origin: there, or where it does not fit, in the other place. If
 * Secure Boot is on, only in the variable. What was written is read back; after an error the former
 * list is there.
 */
EFI_STATUS guard_list_keep(const EFI_LOADED_IMAGE *driver, bool is_secure_boot, const void *list,
                           UINTN bytes, enum guard_origin *origin);
