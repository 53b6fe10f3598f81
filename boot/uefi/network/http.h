// SPDX-License-Identifier: MIT
/* A file next to the loader, by HTTP or HTTPS (UEFI 2.10, 24.7 and 29.6). */
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
