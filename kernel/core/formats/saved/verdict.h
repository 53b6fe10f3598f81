// SPDX-License-Identifier: MIT
/* The verdict of a run, the reason of an error, and their words, as in records ("pass"). */
#pragma once

/* `status` of a result. */
enum verdict {
    VERDICT_NONE, /* the run has not ended */
    VERDICT_PASS,
    VERDICT_FAIL,
    VERDICT_CORRECTED, /* no fault, but ECC corrected errors */
    VERDICT_STOPPED,   /* before one pass was completed, and no bad page was found until then */
    VERDICT_ERROR,
    VERDICTS,
};

/* Of VERDICT_ERROR. */
enum reason {
    REASON_NONE, /* not known, as after an exception */
    REASON_INTERNAL_ERROR,
    REASON_NOTHING_TESTED,
    REASON_OWN_MEMORY, /* too much of what okram needs is faulty or missing */
    REASON_CPU,        /* one has failed, and it is most likely not memory */
    REASONS,
};

/* "pass"; NULL for VERDICT_NONE and REASON_NONE. */
const char *verdict_word(enum verdict verdict);
const char *reason_word(enum reason reason);

/* "no bad page found", for people; of a reason that is not known, as if nothing was tested. */
const char *verdict_sentence(enum verdict verdict);
const char *reason_sentence(enum reason reason);
