// SPDX-License-Identifier: MIT
#include "loop/keys.h"

#include <stdint.h>

#include "arch/tsc.h"
#include "console/console.h"
#include "event/events.h"
#include "event/notices.h"
#include "io/serial.h"
#include "machine/platform.h"
#include "usb/usb.h"

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

void keys_begin(const struct boot_info *boot, const struct options *options)
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

void keys_poll(void)
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
