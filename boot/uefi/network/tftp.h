// SPDX-License-Identifier: MIT
/* A file next to the loader, by TFTP: EFI_PXE_BASE_CODE_PROTOCOL (UEFI 2.10, 24.3). */
#pragma once

#include <efi.h>

/*
 * device: that the loader was loaded from. Reads at most `size` bytes; what is longer than 64 KiB
 * is not read. EFI_UNSUPPORTED: not by PXE over IPv4; EFI_NOT_FOUND: the server does not give it.
 */
EFI_STATUS tftp_read_sibling(EFI_HANDLE device, const char *name, char *out, UINTN size,
                             UINTN *ret_size);
