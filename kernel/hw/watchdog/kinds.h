// SPDX-License-Identifier: MIT
/* The kinds of watchdogs, for watchdog.c: looked for, stopped, started. Boot CPU only. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "acpi/wdat.h"
#include "bmc/bmc.h"
#include "lib/status.h"

/* What was found where a watchdog may be. */
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

/* One that okram runs. */
struct watchdog_timer {
    void (*feed)(const struct watchdog_timer *timer); /* its time begins anew */
    void (*stop)(const struct watchdog_timer *timer);
    uint16_t ports;          /* of Intel's */
    volatile uint32_t *regs; /* of AMD's */
};

/*
 * Starts the timer of Intel's chipsets, so that it resets the machine when it was not fed for
 * about so many seconds, or for as many as it can count (about 1200). False: there is none, or it
 * cannot reset the machine.
 */
bool tco_start(watchdog_map *map, uint32_t seconds, struct watchdog_timer *ret_timer);

/* The same of AMD's and Hygon's chipsets since Hudson. */
bool fch_start(watchdog_map *map, uint32_t seconds, struct watchdog_timer *ret_timer);

/* Halts the timer of Intel's chipsets, the TCO timer, if it can reset the machine. */
struct watchdog_found tco_stop(watchdog_map *map);

/* Stops that of AMD's chipsets, from SP5100 to the FCH in today's processors, and of Hygon's. */
struct watchdog_found fch_stop(watchdog_map *map);

/*
 * Stops that of the ACPI table WDAT, by the accesses that the table lists, if it is running.
 * STATUS_INVALID: one of its registers cannot be where the table says; then nothing is read or
 * written.
 */
enum status wdat_stop(const struct wdat *wdat, watchdog_map *map, struct watchdog_found *ret_found);

/*
 * Stops that of a management controller (IPMI 2.0, 27), by its KCS interface, if it is running and
 * would do something when its time is over. STATUS_UNSUPPORTED: the controller refuses; else as
 * kcs_ask.
 */
enum status ipmi_watchdog_stop(const struct kcs *kcs, uint64_t answer_us,
                               struct watchdog_found *ret_found);
