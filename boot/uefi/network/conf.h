// SPDX-License-Identifier: MIT
/* okram.conf from the server that firmware's network boot has fetched the loader from. */
#pragma once

#include <efi.h>

/*
 * Asks the server once for the okram.conf in the loader's folder there: by TFTP, with firmware's
 * own deadline, if firmware started the loader by PXE over IPv4; by HTTP or HTTPS, within seconds,
 * if it did so by HTTP boot over IPv4. Reads at most `size` bytes, not terminated.
 *
 * EFI_NOT_FOUND: the server has no such file, or the loader is not from the network.
 */
EFI_STATUS network_conf_read(const EFI_LOADED_IMAGE *loader, char *out, UINTN size,
                             UINTN *ret_size);
