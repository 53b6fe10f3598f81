// SPDX-License-Identifier: MIT
/* What a run has found until now. */
#pragma once

#include "alias/aliases.h"
#include "external/external.h"
#include "external/low_memory.h"
#include "kind/fault_sample.h"
#include "log/fault_log.h"

struct found { /* the log first: run/run.h */
    /*
     * The faults, and the pages they are in. What is tested has bits in it, and as much of the
     * other RAM as keeps it small; of the rest it takes some pages (log/log_counts.h).
     */
    struct fault_log log;

    struct fault_sample sample; /* one fault each of bad pages all over the memory */
    struct aliases aliases;     /* pages that reach the same cells as others, no longer tested */

    /* Lines and low memory that a device or firmware may have written to. */
    struct external external;
    struct low_memory low;
};
