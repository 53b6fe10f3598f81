// SPDX-License-Identifier: MIT
/* The report in UEFI variables, for `okram report --efivars`. */
#pragma once

/*
 * Reads variables on standard input: of each its number, a byte, its attributes and its size, 32
 * bits little endian, and its data. Writes a JSON object on a line, then the report's own lines.
 * Returns the exit status.
 */
int saved_show(void);
