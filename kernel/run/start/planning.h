// SPDX-License-Identifier: MIT
/*
 * What is tested, and how, by which CPUs: the steps between the machine that was found and the
 * first test. Boot CPU, once, in this order.
 */
#pragma once

#include "boot/boot_info.h"
#include "run/run.h"

/* What is tested. All memory that okram needs is taken now, and none later. */
void planning_take_memory(struct run *run, const struct boot_info *boot);

/* Where okram is while it is tested, and what all CPUs have. */
void planning_settle(struct run *run);

/* Tests and instructions, by measurement. */
void planning_choose(struct run *run);

/* The machine and all that was chosen are sent. */
void planning_announce(struct run *run);
