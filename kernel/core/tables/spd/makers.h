// SPDX-License-Identifier: MIT
/*
 * Who has which code of JEDEC's list of makers (JEP106): those of modules and of DRAM that are seen
 * most. Each code was compared in two programs that have the list: decode-dimms and memtest86+.
 */
#pragma once

#include <stdint.h>

/* As in struct spd: continuations << 8 | code without parity. "": another one, or 0. */
const char *spd_maker_name(uint16_t maker);
