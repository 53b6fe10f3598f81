// SPDX-License-Identifier: MIT
/* The name of the machine, of SMBIOS types 1 and 2 (DMTF DSP0134 3.7, 7.2 and 7.3). */
#pragma once

#include <stddef.h>

#include "firmware/smbios.h"

/*
 * Maker and product of the board, or of the system where it does not name its board; "" if it does
 * not say. Printable ASCII, cut to size - 1 characters.
 */
void smbios_board_read(const struct smbios *smbios, char *ret_name, size_t size);
