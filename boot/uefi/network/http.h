// SPDX-License-Identifier: MIT
/* Files next to the loader on the server that it is from, by HTTP or HTTPS (UEFI 2.10, 24.7
 * and 29.6). */
#pragma once

#include <efi.h>

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
