// SPDX-License-Identifier: MIT
/*
 * How the colours of enum colour look: VGA's, changed so that text is readable on its background
 * (WCAG 2.1's contrast of 4.5 and more), and that the backgrounds of results differ for people who
 * confuse red and green. A result is never told by its colour alone.
 */
#pragma once

#include <stdint.h>

extern const uint8_t palette_rgb[16][3]; /* red, green, blue */
