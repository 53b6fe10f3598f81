// SPDX-License-Identifier: MIT
/* What was found where a watchdog may be. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum watchdog_state {
    WATCHDOG_OFF,     /* there is none, or it would do nothing */
    WATCHDOG_STOPPED, /* it was running */
    WATCHDOG_RUNS,    /* it cannot be stopped */
};

struct watchdog_found {
    enum watchdog_state state;
    bool has_time;
    uint32_t seconds_left; /* when it was found */
    const char *effect;    /* "reset the machine": what it is to do then */
};

/* Registers at a physical address; NULL: there cannot be any. */
typedef volatile void *watchdog_map(uint64_t phys, uint64_t bytes);
