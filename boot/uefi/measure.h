// SPDX-License-Identifier: MIT
/*
 * What is not signed and changes what okram or the guard does (options, the guard's list) is
 * measured into the TPM, by EFI_TCG2_PROTOCOL (TCG EFI Protocol Specification for
 * TPM 2.0, 1.0, 6.6).
 *
 * PCR 12 and EV_IPL: there and so systemd-stub measures a kernel's command line ("kernel-config" in
 * the UAPI group's registry of PCRs). PCR 8, GRUB's, is for GRUB's own commands; 0 to 7 are
 * firmware's, and by these BitLocker and others recognize a machine; 14 is shim's. The hash is over
 * the bytes themselves, and the log has a name for them, and of options the text.
 */
#pragma once

#include <efi.h>

#define MEASURE_PCR 12

/*
 * Without a TPM 2.0 they do nothing. If the TPM refuses, they print a line and return. The texts
 * are ASCII.
 */
void measure_text(const char *name, const char *text);
void measure_bytes(const char *name, const void *bytes, UINTN n);
