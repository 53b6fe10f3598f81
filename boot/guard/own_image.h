// SPDX-License-Identifier: MIT
#pragma once

#include <efi.h>

/* The driver's own handle, set before anything else. */
extern EFI_HANDLE guard_own_image;
