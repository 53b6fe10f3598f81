// SPDX-License-Identifier: MIT
/*
 * What a report says of the search for the bad module: its record of type diagnosis
 * (docs/jsonl.schema.json), with which the kernel ends a run that found faults or that went on with
 * a diagnosis. The report is from variables that anybody can write: nothing is believed before it
 * is checked. Pure.
 */
#pragma once

#include <stdbool.h>

#include "diagnosis/diagnosis.h"
#include "lib/status.h"

struct found_record {
    bool begun;             /* that run went on with a diagnosis; else one can begin with it */
    struct diagnosis state; /* after that run: without names, with the tests to run */
};

/*
 * Of the last such record in JSON lines. STATUS_NOT_FOUND: there is none; STATUS_INVALID: its code
 * is not one. A list of tests that is too long, or cannot be one option, counts as "": all; what is
 * not a march as none.
 */
enum status found_record_read(const char *jsonl, struct found_record *ret_record);
