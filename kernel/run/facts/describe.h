// SPDX-License-Identifier: MIT
/*
 * Gathers what a bug report needs (machine_facts/support.h), and sends it as an event: for the
 * screen's page, and with support=on for the report. Boot CPU only.
 */
#pragma once

#include "boot/boot_info.h"
#include "calibration/selection.h"
#include "options/options.h"

/* A step of the start has been done; name stays valid. */
void describe_step(const char *name);

/* What firmware's tables say, while they are intact: after tables_read, before the tests. */
void describe_firmware(const struct boot_info *boot);

/* What was chosen for this CPU; sends all. After selection_make and EVENT_MACHINE. */
void describe_send(const struct options *options, const struct selection *selection);
