// SPDX-License-Identifier: MIT
/*
 * Unsigned data that changes what okram or the guard does (options, the guard's list) is measured
 * into the TPM, by EFI_TCG2_PROTOCOL (TCG EFI Protocol Specification for TPM 2.0, 1.0, 6.6).
 *
 * In PCR 12 as EV_IPL, like a kernel's command line by systemd-stub ("kernel-config" in the UAPI
 * group's registry of PCRs). PCR 8 is for GRUB's own commands; 0 to 7 are firmware's, by which
 * BitLocker and others recognize a machine; 14 is shim's. The hash is over the bytes themselves;
 * the log has a name for them, and the text of options.
 */
#pragma once

#include <efi.h>

#define MEASURE_PCR 12

/*
 * No effect without a TPM 2.0. If the TPM refuses, they print a line and return. The texts
 * are ASCII.
 */
void measure_text(const char *name, const char *text);
void measure_bytes(const char *name, const void *bytes, UINTN n);
