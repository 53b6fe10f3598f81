/* The events that say what the run is about: its start, the machine, the nodes, and the result. */
#pragma once

#include "boot/boot_info.h"

void tell_start(const struct boot_info *boot, const char *cmdline);

/* Machine and nodes. After selection_make. */
void tell_machine(void);

/* What was never told yet, the final cover and the result. Returns how to leave: 0 clean, 1 holes
 * found, 2 when nothing could be tested. */
int tell_result(void);
