// SPDX-License-Identifier: MIT
/* QEMU's firmware configuration device (QEMU docs/specs/fw_cfg): how `okram run` hands over
 * options. A real machine may have anything at its ports: they are touched only where CPUID reports
 * a hypervisor, as it does in QEMU, with TCG as well. */
#pragma once

#include <stddef.h>

#include "lib/status.h"

/*
 * Reads the item of that name as a string of at most size - 1 bytes. STATUS_NOT_FOUND where there
 * is no such device or item; STATUS_NO_SPACE when it was cut (the beginning is there then).
 */
enum status fw_cfg_read_string(const char *name, char *to, size_t size);
