// SPDX-License-Identifier: MIT
/* Where the loaders' story ends and the run's begins. */
#pragma once

#include "boot/boot_info.h"

_Noreturn void kernel_main(const struct boot_info *boot);
