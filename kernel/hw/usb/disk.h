// SPDX-License-Identifier: MIT
/*
 * Storage devices of the USB controllers as disks (run_file/disk.h). Boot CPU only. Each call waits
 * until its command has ended, and drives the controllers meanwhile, so that keys are still read.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpus/cpu_pool.h"
#include "run_file/disk.h"
#include "usb_formats/storage.h"

struct controller;
struct usb_device;

struct usb_disk {
    struct disk disk;
    struct controller *c;
    struct usb_device *d;
    uint32_t serial; /* of the device: it is gone when another is there */
    unsigned sense;  /* of the last command that was refused: STORAGE_SENSE_... */

    /* What is done meanwhile; from `deadline` on (tsc_now) no command is begun. */
    const struct cpu_poll *poll;
    uint64_t deadline;
};

/*
 * The next disk after `*position`, 0 at first. False: there are no more. Those that are not ready,
 * or have blocks of a size that okram does not know, are left out. ret_disk->poll and ->deadline
 * hold for this, too.
 */
bool usb_disk_next(size_t *position, struct usb_disk *ret_disk);

/* Whether it is still attached. */
bool usb_disk_is_here(const struct usb_disk *disk);

/* Has it keep what was written, even if it loses power. A disk that needs no such command refuses
 * it. */
void usb_disk_flush(struct usb_disk *disk);

/* Whether one may still come: until `by` (tsc_now) wherever a controller runs; from then on, while
 * something is being attached, or begun. */
bool usb_disk_may_come(uint64_t by);
