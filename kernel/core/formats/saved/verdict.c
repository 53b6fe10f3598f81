// SPDX-License-Identifier: MIT
#include "saved/verdict.h"

#include <stddef.h>

#include "lib/panic.h"

struct words {
    const char *word, *sentence;
};

static const struct words verdicts[VERDICTS] = {
    [VERDICT_NONE] = { NULL, "" },
    [VERDICT_PASS] = { "pass", "no bad page found" },
    [VERDICT_FAIL] = { "fail", "bad pages found" },
    [VERDICT_CORRECTED] = { "corrected", "no bad page found, but ECC corrected errors of memory" },
    [VERDICT_STOPPED] = { "stopped", "stopped before a whole pass, no bad page found" },
    [VERDICT_ERROR] = { "error", "no memory could be tested" },
};

static const struct words reasons[REASONS] = {
    [REASON_NONE] = { NULL, "no memory could be tested" },
    [REASON_INTERNAL_ERROR] = { "internal-error",
                                "internal error of okram, not a result of the memory test" },
    [REASON_NOTHING_TESTED] = { "nothing-tested", "no memory could be tested" },
    [REASON_OWN_MEMORY] = { "own-memory", "too much of the memory that okram itself needs is "
                                          "faulty or missing, or a CPU is faulty" },
    [REASON_CPU] = { "cpu", "a CPU has failed, not a result of the memory test" },
};

const char *verdict_word(enum verdict verdict)
{
    ASSERT(verdict < VERDICTS);
    return verdicts[verdict].word;
}

const char *verdict_sentence(enum verdict verdict)
{
    ASSERT(verdict < VERDICTS);
    return verdicts[verdict].sentence;
}

const char *reason_word(enum reason reason)
{
    ASSERT(reason < REASONS);
    return reasons[reason].word;
}

const char *reason_sentence(enum reason reason)
{
    ASSERT(reason < REASONS);
    return reasons[reason].sentence;
}
