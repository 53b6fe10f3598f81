// SPDX-License-Identifier: MIT
/*
 * What the loader fetches from the server that firmware's network boot has fetched it from: files
 * next to it (http.c, tftp.c), and its options (conf.c).
 */
#pragma once

#include <efi.h>

/* By HTTP or HTTPS (UEFI 2.10, 24.7 and 29.6). */

/*
 * device: that the loader was loaded from; its path says by which address, and from where (24.7.3).
 * Reads at most `size` bytes. EFI_UNSUPPORTED: not by HTTP boot over IPv4; EFI_NOT_FOUND: the
 * server answers 403, 404 or 410; EFI_TIMEOUT: it does not answer within 10 seconds;
 * EFI_PROTOCOL_ERROR: any other answer but 200 (no redirect is followed), or a body without a
 * Content-Length.
 */
EFI_STATUS http_read_sibling(EFI_HANDLE device, const char *name, char *out, UINTN size,
                             UINTN *ret_size);

/*
 * Sends a file by PUT. EFI_SUCCESS: the server has answered 2xx. EFI_PROTOCOL_ERROR: another
 * answer, whose number is in ret_code, else 0; the rest as above.
 */
EFI_STATUS http_put_sibling(EFI_HANDLE device, const char *name, const void *bytes, UINTN size,
                            unsigned *ret_code);

/* By TFTP: EFI_PXE_BASE_CODE_PROTOCOL (UEFI 2.10, 24.3). */

/*
 * device: that the loader was loaded from. Reads at most `size` bytes; what is longer than 64 KiB
 * is not read. EFI_UNSUPPORTED: not by PXE over IPv4; EFI_NOT_FOUND: the server does not give it.
 */
EFI_STATUS tftp_read_sibling(EFI_HANDLE device, const char *name, char *out, UINTN size,
                             UINTN *ret_size);

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
