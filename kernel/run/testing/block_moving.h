// SPDX-License-Identifier: MIT
/* Block move (sweep/block_move.h): each CPU on its share, not in step with the others. */
#pragma once

#include "faults/reporter.h"
#include "plan/share.h"
#include "sweep/data.h"

void block_moving_run(const struct shares *shares, const struct data *data,
                      struct test_place place);
