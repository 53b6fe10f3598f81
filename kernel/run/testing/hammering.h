// SPDX-License-Identifier: MIT
/* Row hammer (sweep/hammer.h) at changing places of the tested memory. */
#pragma once

#include <stdint.h>

#include "emit/reporter.h"
#include "plan/share.h"
#include "sweep/data.h"

/*
 * Hammers for `seconds`: one CPU a node, so that CPUs do not take each other's time in the banks;
 * with all patterns in turn, each at another place of the node's tested memory. Adds the bytes of
 * these places, each counted once, to *ret_bytes.
 */
void hammering_run(const struct shares *shares, uint32_t seconds, const struct data *data,
                   struct test_place place, uint64_t *ret_bytes);
