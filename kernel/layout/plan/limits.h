// SPDX-License-Identifier: MIT
/* The limits of the badram line, and the memory map to which GRUB applies it. */
#pragma once

#include "boot/boot_info.h"
#include "options/options.h"
#include "plan/plan.h"

/* Fills the plan's limits. Takes memory of the arena. */
void limits_make(struct plan *plan, const struct boot_info *boot, const struct options *options);
