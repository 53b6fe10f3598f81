// SPDX-License-Identifier: MIT
/* The picture of all RAM (picture/ram_picture.h) that progress events show. */
#pragma once

#include "lib/span.h"
#include "log/fault_log.h"
#include "picture/ram_picture.h"
#include "plan/plan.h"

/* All RAM, by node, and what of it is tested. Takes memory of the arena. Boot CPU, after plan_make.
 */
void ram_map_begin(const struct plan *plan);

/* A CPU has swept this. For all CPUs. */
void ram_map_swept(struct span span);

/* At the end, when no CPU sweeps: sends the picture, for the report. Nothing before ram_map_begin.
 */
void ram_map_emit(const struct fault_log *log);

/* How it is now; NULL before ram_map_begin. Boot CPU. Looking for bad pages takes 1 % of the time.
 */
const struct ram_view *ram_map_look(const struct fault_log *log);
