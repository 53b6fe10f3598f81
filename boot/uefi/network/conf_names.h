// SPDX-License-Identifier: MIT
/*
 * Which files may hold the options of a machine that starts from the network. Those of okram.0 are
 * the same: boot/pxe/grub.cfg. Pure.
 */
#pragma once

#include <stdint.h>

#define CONF_NAMES_MAX 3
#define CONF_NAME_SIZE 48 /* "okram.conf-" and a UUID, with the NUL */

struct conf_names {
    char name[CONF_NAMES_MAX][CONF_NAME_SIZE]; /* the first one that the server has is taken */
    uint32_t n;
};

/*
 * okram.conf-UUID, okram.conf-MAC, okram.conf: of this machine alone, of the one with this card,
 * of all. uuid: as SMBIOS has it (firmware/smbios_names.h), or ""; mac: the card's 6 bytes, or
 * NULL. Lower case; the bytes of the MAC are joined by dashes.
 */
void conf_names_make(const char *uuid, const uint8_t *mac, struct conf_names *ret_names);
