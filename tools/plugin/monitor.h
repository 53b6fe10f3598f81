// SPDX-License-Identifier: MIT
/*
 * Reads that ECC had to correct, reported to who gives QEMU's monitor the command for the machine
 * check. The CPU that reads waits for the answer, so that the bank is filled when the read is done,
 * as it is in hardware.
 *
 * Over a connected Unix socket: the CPU's number and a newline, then one byte back.
 */
#pragma once

#include <stdbool.h>

/* False, with a message on stderr, if nothing listens there. */
bool monitor_connect(const char *path);

/* From a CPU's thread. Waits a few seconds at most; once there was no answer, no more. */
void monitor_report(unsigned vcpu);
