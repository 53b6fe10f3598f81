// SPDX-License-Identifier: MIT
/* The watchdog timer of a management controller (IPMI 2.0, 27), by its KCS interface. Boot CPU
 * only. */
#pragma once

#include "bmc/kcs.h"
#include "lib/status.h"
#include "watchdog/found.h"

/*
 * Stops it if it is running and would do something when its time is over. STATUS_UNSUPPORTED: the
 * controller refuses; else as kcs_ask.
 */
enum status ipmi_watchdog_stop(const struct kcs *kcs, uint64_t answer_us,
                               struct watchdog_found *ret_found);
