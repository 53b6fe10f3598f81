// SPDX-License-Identifier: MIT
/* The kernel's entry, for the loaders' start-up code. */
#pragma once

#include "boot/boot_info.h"

_Noreturn void kernel_main(struct boot_info *boot);
