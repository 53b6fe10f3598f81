// SPDX-License-Identifier: MIT
#include "loop/poll.h"

#include <stdbool.h>

#include "arch/tsc.h"
#include "cover/cover_emit.h"
#include "ecc/cper_emit.h"
#include "faults/fault_emit.h"
#include "ecc/mce_emit.h"
#include "progress/progress.h"
#include "facts/temperature_emit.h"
#include "event/stop.h"
#include "interrupt/idle.h"
#include "loop/keys.h"
#include "machine/machine.h"
#include "saver/saving.h"
#include "self/upkeep.h"

#define POLL_EVERY_US 20000
#define FAULTS_US     5000 /* at a time */

#define KEY_RESTART 'x'

static poll_key_source key_source;
static poll_report_hook ask_hook;
static uint64_t next_poll;
static bool is_over, restart_asked;

void poll_begin(poll_key_source key, poll_report_hook ask)
{
    key_source = key;
    ask_hook = ask;
}

static void handle_key(int key)
{
    if (key == 'q') {
        stop_request();
    } else if (key == 'r') {
        ask_hook();
        progress_send();
        cover_emit_now();
    } else if (key == 'l') {
        cover_emit_next_line();
    }
}

/* The report is complete: a line is only shown. */
static void handle_key_after_result(int key)
{
    if (key == 'l')
        cover_emit_next_line();
    else if (key == KEY_RESTART)
        restart_asked = true;
}

void poll_due(void)
{
    if (!key_source || tsc_now() < next_poll)
        return;
    next_poll = tsc_now() + tsc_from_us(POLL_EVERY_US);
    if (is_over) {
        handle_key_after_result(key_source());
        keys_poll();
        return;
    }
    if (progress_time_is_up())
        stop_request();
    if (power_button_pressed(&machine.power_button))
        stop_request();
    handle_key(key_source());
    keys_poll();
    upkeep_poll();
    fault_emit(FAULTS_US);
    mce_emit_poll();
    cper_emit_poll();
    temperature_emit_poll();
    saving_poll();
    cover_emit_when_due();
    progress_send_when_due();
}

void poll_for(uint64_t us)
{
    uint64_t deadline = tsc_now() + tsc_from_us(us);

    while (tsc_now() < deadline && !stop_is_requested()) {
        idle_wait(POLL_EVERY_US);
        poll_due();
    }
}

void poll_take_restart(void)
{
    is_over = true;
}

void poll_until_restart(void)
{
    while (!restart_asked) {
        idle_wait(POLL_EVERY_US);
        handle_key_after_result(key_source());
        keys_poll();
    }
}
