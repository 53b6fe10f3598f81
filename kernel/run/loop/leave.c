// SPDX-License-Identifier: MIT
#include "loop/leave.h"

#include "arch/panic.h"
#include "event/notices.h"
#include "loop/poll.h"
#include "machine/machine.h"
#include "machine/power.h"
#include "machine/uefi_runtime.h"
#include "memory/sign_key.h"
#include "saver/saving.h"
#include "usb/usb.h"

static const struct options *panic_options;

/* A person wants to read why. Only QEMU is left at once: a program waits for that. */
static void leave_after_panic(void)
{
    sign_key_wipe();
    if (panic_options->exit == OPTION_EXIT_QEMU)
        machine_exit_qemu(LEAVE_FAILED);
}

void leave_prepare(const struct options *options)
{
    panic_options = options;
    panic_hooks.leave = leave_after_panic;
}

/* UEFI first: it knows the machine better than the ACPI tables may. */
static void power_off(void)
{
    uefi_power_off();
    notice("cannot power off: %s; switch it off by hand", machine_power_off(&machine.power));
}

_Noreturn void leave(const struct options *options, enum leave_code code)
{
    sign_key_wipe();
    if (options->exit != OPTION_EXIT_WAIT)
        usb_end();
    switch (options->exit) {
    case OPTION_EXIT_QEMU: machine_exit_qemu((uint8_t)code); break;
    case OPTION_EXIT_POWEROFF: power_off(); break;
    case OPTION_EXIT_REBOOT: machine_reboot(&machine.power);
    case OPTION_EXIT_WAIT: break;
    }
    if (options->exit != OPTION_EXIT_WAIT) /* the machine is still on, and a person has to act */
        usb_resume();
    poll_until_restart();
    saving_set_boot_next();
    usb_end();
    machine_reboot(&machine.power);
}
