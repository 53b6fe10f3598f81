// SPDX-License-Identifier: MIT
/*
 * A CPU that is busy with other work for a while has no share of the memory under test
 * (plan/share.h). Boot CPU only, before the first round of a test.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "plan/share.h"

/*
 * Shares out the same memory without that CPU, and with the one that was busy before; 0: none is
 * busy. False if it is the only worker: then nothing has changed.
 */
bool busy_cpu_drop(uint32_t cpu, struct shares *shares);
