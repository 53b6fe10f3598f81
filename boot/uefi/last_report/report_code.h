// SPDX-License-Identifier: MIT
/* A QR code in a page. 64-bit firmware only (ia32/unsigned.c): there is no 32-bit library. Pure. */
#pragma once

#include "lib/fmt.h"

/*
 * As SVG, black on white in dark pages, too: any text of QR_CAPACITY_MAX bytes, in 1 to 14 KiB.
 * Nothing if the text is empty or longer.
 */
void report_append_code(const char *text, struct fmt_buffer *out);
