// SPDX-License-Identifier: MIT
/*
 * Who made the machine and its firmware: SMBIOS types 0, 1 and 2 (DMTF DSP0134 3.7, 7.1 to 7.3).
 * Serial numbers, UUID and asset tag, which name one person's machine, are not read.
 */
#pragma once

#include <stdint.h>

#include "firmware/smbios.h"

#define SMBIOS_NAME_MAX 48

/* Printable ASCII, cut; "": SMBIOS does not say. */
struct smbios_names {
    uint8_t major, minor; /* of SMBIOS; 0.0: there is none */
    struct {
        char vendor[SMBIOS_NAME_MAX], version[SMBIOS_NAME_MAX], date[SMBIOS_NAME_MAX];
    } firmware;
    struct smbios_maker {
        char maker[SMBIOS_NAME_MAX], product[SMBIOS_NAME_MAX], version[SMBIOS_NAME_MAX];
    } system, board; /* the first of each */
};

void smbios_names_read(const struct smbios *smbios, struct smbios_names *ret_names);

/* "ASUS X1": maker and product of the board, or else of the system, as far as there is room. */
void smbios_names_board(const struct smbios_names *names, char *ret_name, size_t size);
