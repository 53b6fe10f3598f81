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

/* False, with a message on stderr, if nobody listens there. */
bool monitor_connect(const char *path);

/* By the thread of a CPU. Waits a few seconds at most; once nobody has answered, not any more. */
void monitor_report(unsigned vcpu);
