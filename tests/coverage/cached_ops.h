// SPDX-License-Identifier: MIT
/*
 * What the shipped line operations would be without their care for the caches: plain loads and
 * stores, nothing flushed. The bench runs a march with them to show that it sees the difference.
 */
#pragma once

#include "sweep/line_ops.h"

extern const struct line_ops cached_ops;
