// SPDX-License-Identifier: MIT
/* The options from the server that firmware's network boot has fetched the loader from. */
#pragma once

#include <efi.h>

#define CONF_NAME_SIZE 48 /* "okram.conf-" and a UUID, with the NUL */

/*
 * Asks the server for okram.conf-UUID of this machine, okram.conf-MAC of this card and okram.conf
 * in the loader's folder there, until it has one. Those of okram.0 are the same: boot/pxe/grub.cfg.
 * By TFTP, with firmware's own deadline, if firmware started the loader by PXE over IPv4; by HTTP
 * or HTTPS, within seconds, if it did so by HTTP boot over IPv4. A server that does not answer is
 * not asked again. Reads at most `size` bytes, not terminated; ret_name has room for
 * CONF_NAME_SIZE.
 *
 * EFI_NOT_FOUND: the server has no such file, or the loader is not from the network.
 */
EFI_STATUS network_conf_read(const EFI_LOADED_IMAGE *loader, char *out, UINTN size, UINTN *ret_size,
                             char *ret_name);
