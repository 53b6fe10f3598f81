// SPDX-License-Identifier: MIT
/* Options of okram before they are written into a variable, for `okram test`. */
#pragma once

/*
 * Reads options on standard input. Writes a JSON object: what the kernel would warn of, whether a
 * run with these options ends by itself, whether the machine restarts then, and whether a report is
 * kept. Returns the exit status.
 */
int words_show(void);
