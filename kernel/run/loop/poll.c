// SPDX-License-Identifier: MIT
#include "loop/poll.h"

#include "arch/tsc.h"
#include "console/console.h"
#include "cover/cover_emit.h"
#include "ecc/cper_emit.h"
#include "ecc/mce_emit.h"
#include "event/events.h"
#include "event/notices.h"
#include "event/stop.h"
#include "facts/heating.h"
#include "faults/fault_emit.h"
#include "interrupt/idle.h"
#include "io/serial.h"
#include "machine/platform.h"
#include "progress/progress.h"
#include "saver/saving.h"
#include "self/self_check.h"
#include "usb/usb.h"
#include "watchdog/watchdog.h"

/* By then USB keyboards behind hubs are attached, even those that need a second attempt. */
#define ATTACHED_US 5000000

static struct {
    bool answers;      /* the PS/2 keyboard */
    bool sent;         /* of the last event; before one, keys are taken to be heard */
    uint64_t attached; /* until then, a USB keyboard may still come */
} keys;

static void say_that_none_works(void)
{
    notice("no keyboard will work: okram drives USB keyboards on xHCI controllers alone, and this "
           "machine's USB controllers are older; %s",
           power_button_works(&platform.power_button)
               ? "a short press of the power button ends the run"
               : "to end the run early, switch the machine off");
}

void poll_find_keys(const struct boot_info *boot, const struct options *options)
{
    bool answers = console_find_keyboard(platform.no_8042);
    bool firmware_may_help =
        options->usb == OPTION_USB_AUTO && boot->firmware == BOOT_BIOS && answers;
    enum usb_found found;

    keys.answers = answers;
    keys.sent = true;
    if (options->usb == OPTION_USB_OFF)
        return;
    found = usb_begin(
        (struct usb_wanted){ .disks = options->save, .leave_firmwares = firmware_may_help });
    if (found == USB_DRIVEN || found == USB_FIRMWARES)
        console_add_keyboard(usb_read_key); /* of those left to firmware, once they are taken */
    if (found == USB_DRIVEN) {
        keys.attached = tsc_now() + tsc_from_us(ATTACHED_US);
    } else if (found == USB_OLDER && !answers) {
        say_that_none_works();
    }
}

/* Sends an event when no keyboard answers, and when one does again. After each read. */
static void keys_poll(void)
{
    bool answers = keys.answers || usb_has_keyboard();

    if (answers == keys.sent || (!answers && tsc_now() < keys.attached))
        return;
    keys.sent = answers;
    events_send(
        &(struct event){ .type = EVENT_KEYS,
                         .keys = { .answers = answers,
                                   .power_button = power_button_works(&platform.power_button),
                                   .serial = serial_is_present() } });
}

#define POLL_EVERY_US 20000
#define FAULTS_US     5000 /* at a time */

#define KEY_RESTART 'x'
#define KEY_STAY    'q' /* and, in the run, the end of the tests */

void poll_begin(struct poll *poll, poll_key_source key, poll_report_hook ask)
{
    poll->key = key;
    poll->ask = ask;
}

static void stop_by_person(struct poll *poll)
{
    stop_request();
    poll->stay_asked = true;
}

static void handle_key(struct poll *poll)
{
    int key = poll->key();

    if (key == KEY_STAY) {
        stop_by_person(poll);
    } else if (key == 'n') {
        stop_request_skip();
    } else if (key == 'r') {
        poll->ask();
        progress_send(poll->run);
        cover_emit_now(poll->run);
    } else if (key == 'l') {
        cover_emit_next_line(poll->run);
    }
    keys_poll();
}

/* The report is complete: a line is only shown. */
static void handle_key_after_result(struct poll *poll)
{
    int key = poll->key();

    if (key == 'l')
        cover_emit_next_line(poll->run);
    else if (key == KEY_RESTART)
        poll->restart_asked = true;
    else if (key == KEY_STAY)
        poll->stay_asked = true;
    keys_poll();
}

/* beep=fault: once, as soon as there is a fault. */
static void beep_at_fault(struct poll *poll)
{
    if (poll->has_beeped || poll->run->options.beep != OPTION_BEEP_FAULT ||
        !fault_log_bad_pages(&poll->run->found.log))
        return;
    poll->has_beeped = true;
    console_beep(CONSOLE_BEEP_FAIL);
}

/* Each part looks whether it has anything to do. */
static void poll_parts(struct run *run)
{
    self_check_poll(&run->found.log);
    fault_emit(run, FAULTS_US);
    mce_emit_poll(&run->found.log);
    cper_emit_poll(&run->found.log);
    heating_poll(run);
    saving_poll(run->saver);
    cover_emit_when_due(run);
    progress_send_when_due(run);
}

/* The poll of a run; cheap when nothing is due. */
static void poll_due(void *ctx)
{
    struct poll *poll = ctx;

    if (!poll->key || tsc_now() < poll->next)
        return;
    poll->next = tsc_now() + tsc_from_us(POLL_EVERY_US);
    watchdog_feed();
    if (poll->is_over) {
        handle_key_after_result(poll);
        return;
    }
    if (progress_time_is_up())
        stop_request();
    if (power_button_pressed(&platform.power_button))
        stop_by_person(poll);
    handle_key(poll);
    poll_parts(poll->run);
    beep_at_fault(poll);
}

void poll_prepare(struct poll *poll, struct run *run, struct saver *saver, struct stick *stick)
{
    poll->run = run;
    run->poll = (struct cpu_poll){ poll_due, poll };
    run->saver = saver;
    run->stick = stick;
}

void poll_for(struct poll *poll, uint64_t us)
{
    uint64_t deadline = tsc_now() + tsc_from_us(us);

    while (tsc_now() < deadline && !stop_is_requested()) {
        idle_wait(POLL_EVERY_US);
        poll_due(poll);
    }
}

void poll_take_restart(struct poll *poll)
{
    poll->is_over = true;
}

bool poll_leaves(struct poll *poll, uint64_t us)
{
    uint64_t deadline = tsc_now() + tsc_from_us(us);

    while (tsc_now() < deadline && !poll->restart_asked && !poll->stay_asked) {
        idle_wait(POLL_EVERY_US);
        handle_key_after_result(poll);
        poll->stay_asked |= power_button_pressed(&platform.power_button);
    }
    return !poll->stay_asked;
}

void poll_until_restart(struct poll *poll)
{
    while (!poll->restart_asked) {
        idle_wait(POLL_EVERY_US);
        handle_key_after_result(poll);
    }
}
