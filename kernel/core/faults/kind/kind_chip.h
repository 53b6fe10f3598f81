// SPDX-License-Identifier: MIT
/*
 * Which chip of a module, in words, from the data pins of a fault. Byte lanes are counted from 0,
 * as on the module's edge: DQ0-7 are lane 0 (JEDEC Standard 21-C, 4.20.26, DDR4 UDIMM).
 */
#pragma once

#include "kind/kind_lanes.h"
#include "lib/fmt.h"

/*
 * "byte lane 3 of 8 (bits 24-31)". chip_bits: of the module's chips, 0: unknown. Of DDR5 also which
 * subchannel: that cannot be said. Nothing for KIND_LANE_NONE.
 */
void kind_chip_append(struct fmt_buffer *b, const struct kind_lane *lane, unsigned chip_bits);

/*
 * The chips of a usual module of eight (x8) in a row, as seen from the front, the one of the lane
 * marked: "0 1 2 [3] | 4 5 6 7". Nothing where that is not one of eight chips.
 */
void kind_chip_append_picture(struct fmt_buffer *b, const struct kind_lane *lane,
                              unsigned chip_bits);
