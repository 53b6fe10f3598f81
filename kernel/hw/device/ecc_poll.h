// SPDX-License-Identifier: MIT
/* What all memory controllers of a machine, or all of their channels, say of ECC together. */
#pragma once

#include <stdbool.h>

#include "firmware/memory_ecc.h"

/* A 32-bit register that no hardware answers for. */
#define ECC_NO_ANSWER UINT32_MAX

struct ecc_poll {
    unsigned asked, on;        /* of those that have modules */
    unsigned with_ecc_modules; /* of these, by the controller's word */
    bool is_silent;            /* one could not be read */
};

/* Counts a controller, or a channel, that has modules. */
void ecc_poll_count(struct ecc_poll *poll, bool is_on);

/* Nothing is said when none has modules, when one is silent, and when they differ. */
struct ecc_control ecc_poll_outcome(const struct ecc_poll *poll);
