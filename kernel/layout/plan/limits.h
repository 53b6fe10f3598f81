// SPDX-License-Identifier: MIT
/* The limits of the badram line, and the memory map to which GRUB applies it. */
#pragma once

#include "boot/boot_info.h"
#include "options/options.h"

/* Fills plan.limits. Takes memory of the arena. */
void limits_make(const struct boot_info *boot, const struct options *options);
