// SPDX-License-Identifier: MIT
#pragma once

#include <efi.h>
#include <stdbool.h>

#include "guardlist/guard_options.h"

/*
 * The options: of the driver's load options, then, unless Secure Boot is on, of okram\guard.conf in
 * its folder. True: some are ignored, because any operating system can write load options.
 */
bool guard_read_options(const EFI_LOADED_IMAGE *driver, bool is_secure_boot,
                        struct guard_options *ret_options);
