// SPDX-License-Identifier: MIT
/* The module facts that the advice depends on. Pure. */
#pragma once

#include "advice/advice.h"
#include "spd/modules.h"

/*
 * Sets n_modules, has_soldered, only, fast_mt_s and jedec_mt_s. The strings of `only` are those of
 * `modules`; place: room for its name.
 *
 * Memory may be faster than it is sure to work where a module runs above its JEDEC speed, or as
 * fast as its fastest profile, which may be tighter than JEDEC's timings of the same speed.
 */
void advice_take_modules(const struct modules *modules, char place[SMBIOS_NAME_SIZE],
                         struct advice_facts *facts);
