// SPDX-License-Identifier: MIT
#include "loop/keys.h"

#include <stdbool.h>

#include "console/console.h"
#include "event/notices.h"
#include "machine/machine.h"
#include "usb/usb.h"

static void say_that_none_works(void)
{
    notice("no keyboard will work: okram drives USB keyboards on xHCI controllers alone, and this "
           "machine's USB controllers are older; %s",
           power_button_works(&machine.power_button)
               ? "a short press of the power button ends the run"
               : "to end the run early, switch the machine off");
}

void keys_begin(const struct boot_info *boot, const struct options *options)
{
    bool answers = !machine.no_8042 && console_find_keyboard();
    bool firmware_may_help =
        options->usb == OPTION_USB_AUTO && boot->firmware == BOOT_BIOS && answers;
    enum usb_found found;

    if (options->usb == OPTION_USB_OFF)
        return;
    found = usb_begin(firmware_may_help);
    if (found == USB_DRIVEN)
        console_add_keyboard(usb_read_key);
    else if (found == USB_OLDER && !answers)
        say_that_none_works();
}
