// SPDX-License-Identifier: MIT
/* The UEFI variables in which the kernel keeps its report (saved/saved.h), by runtime services. */
#pragma once

#include <efi.h>

#include "saved/saved_read.h"

struct report_vars {
    struct saved_variables variables;
    uint8_t bytes[SAVED_PARTS_MAX][SAVED_VARIABLE_MAX];
    char
        others[128]; /* names with okram's GUID that okram does not use, separated by ", ", or "" */
};

void report_vars_read(struct report_vars *ret_vars);

/*
 * Deletes the parts that the report was read from, OkramReport00 first: a power cut then leaves
 * all, or parts without the first, which are not a report and are overwritten by the next run. The
 * other way round a head would be left that counts parts that are gone. After an error with the
 * first nothing was deleted.
 */
EFI_STATUS report_vars_delete(const struct saved_report *report);
