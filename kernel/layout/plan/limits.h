// SPDX-License-Identifier: MIT
/* What the badram line may cost, and the memory map that its GRUB applies it to. */
#pragma once

#include "boot/boot_info.h"
#include "options/options.h"

/* Fills plan.limits. Takes memory of the arena. */
void limits_make(const struct boot_info *boot, const struct options *options);
