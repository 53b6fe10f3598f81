// SPDX-License-Identifier: MIT
/* Block move (sweep/block_move.h): each CPU on its share, not in step with the others. */
#pragma once

#include "faults/reporter.h"
#include "sweep/data.h"

void block_moving_run(struct run *run, const struct data *data, struct test_place place);
