// SPDX-License-Identifier: MIT
/* Which checksum of a page of okram's own is right, where not all are the same. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * actual: of the page and of its copy, as they are now. kept: made at the start, in two places. The
 * checksum on which two or more of these four agree; two against two: the kept ones. False: no two
 * agree.
 */
bool page_sum_vote(const uint32_t actual[2], const uint32_t kept[2], uint32_t *ret_sum);
