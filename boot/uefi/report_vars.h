// SPDX-License-Identifier: MIT
/* The UEFI variables in which the kernel keeps its report (save/saved.h), by runtime services. */
#pragma once

#include <efi.h>

#include "save/saved_read.h"

struct report_vars {
    struct saved_variables variables;
    uint8_t bytes[1 + SAVED_PARTS_MAX][SAVED_VARIABLE_MAX];
    char
        others[128]; /* names with okram's GUID that okram does not use, separated by ", ", or "" */
};

void report_vars_read(struct report_vars *ret_vars);

/*
 * Deletes the state, and then the parts that keep okram's rules. The state is first: a power cut
 * then leaves all, or parts without a state, which are no report and are written over by the next
 * run. The other way round a state would be left that counts parts which are gone. After an error
 * with the state nothing was deleted.
 */
EFI_STATUS report_vars_delete(const struct report_vars *vars, const struct saved_report *report);
