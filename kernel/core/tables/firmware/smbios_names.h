// SPDX-License-Identifier: MIT
/*
 * Who made the machine and its firmware, and which machine it is: SMBIOS types 0, 1 and 2 (DMTF
 * DSP0134 3.7, 7.1 to 7.3). UUID and serial numbers, which name one machine, are for the record
 * `identity` alone; the asset tag is not read.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "firmware/smbios.h"

#define SMBIOS_NAME_MAX 48
#define SMBIOS_UUID_MAX 37 /* "8-4-4-4-12", with the NUL */

/* Printable ASCII, cut; "": SMBIOS does not say. */
struct smbios_names {
    uint8_t major, minor; /* of SMBIOS; 0.0: there is none */
    struct {
        char vendor[SMBIOS_NAME_MAX], version[SMBIOS_NAME_MAX], date[SMBIOS_NAME_MAX];
    } firmware;
    struct smbios_maker {
        char maker[SMBIOS_NAME_MAX], product[SMBIOS_NAME_MAX], version[SMBIOS_NAME_MAX],
            serial[SMBIOS_NAME_MAX];
    } system, board; /* the first of each */
    /*
     * Of the system, lower case; "": SMBIOS has none, all 0 or all F. The first three fields are
     * little-endian from SMBIOS 2.6 on (7.2.1), and taken in the order of their bytes before that.
     */
    char uuid[SMBIOS_UUID_MAX];
};

void smbios_names_read(const struct smbios *smbios, struct smbios_names *ret_names);

/* "ASUS X1": maker and product of the board, or else of the system, as far as there is room. */
void smbios_names_board(const struct smbios_names *names, char *ret_name, size_t size);

/*
 * Whether a name says nothing: it is empty, a text that the maker of the machine was to replace
 * ("To Be Filled By O.E.M.": systemd's hwdb.d/20-dmi-id.hwdb has such names), or zeros, Fs and the
 * like.
 */
bool smbios_name_is_filler(const char *name);
