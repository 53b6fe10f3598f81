// SPDX-License-Identifier: MIT
/*
 * Keys of USB keyboards on xHCI controllers, after firmware's drivers have ended, and the way to
 * storage devices there. Boot CPU only.
 * Nothing that happens here ends a run: where it does not work, there are no keys.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum usb_found {
    USB_NONE,      /* no USB controller */
    USB_DRIVEN,    /* at least one */
    USB_FIRMWARES, /* those that could be driven are left to firmware */
    USB_OLDER,     /* only older ones: EHCI, OHCI, UHCI */
};

/* What is driven. */
struct usb_wanted {
    bool disks; /* storage devices (usb/disk.h), too */
    /* Not controllers that firmware's system management mode drives, to make PS/2 keys of a USB
     * keyboard's; with disks, these get memory, too, for usb_take_left. */
    bool leave_firmwares;
};

/*
 * Looks for controllers, and takes memory for them that is not tested and does not move
 * (arena_fixed). Before plan_make.
 */
enum usb_found usb_begin(struct usb_wanted wanted);

/* Takes what was left to firmware. Returns whether there was anything. */
bool usb_take_left(void);

/*
 * The next key that went down (lib/keys.h), or KEY_NONE. To be called often: it drives all
 * controllers, a millisecond at a time at most. Without any, it costs nothing.
 */
int usb_read_key(void);

/* Whether a keyboard is attached, and listened to. */
bool usb_has_keyboard(void);

/* Drives all controllers, `us` microseconds at most, which usb_read_key does, too. */
void usb_poll(uint64_t us);

/* The controllers, for usb/disk.h. */
struct controller *usb_controllers(size_t *ret_n);

/* Halts all controllers: they write to memory no longer. */
void usb_end(void);

/* Those that usb_end has halted run again, and their keyboards are attached anew. */
void usb_resume(void);
