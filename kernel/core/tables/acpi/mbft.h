// SPDX-License-Identifier: MIT
/*
 * Disks in RAM that Syslinux' memdisk has made before it started okram from one of them. It takes
 * their memory out of what a BIOS says is RAM, and leaves in base memory a table for each in the
 * form of ACPI's, the mBFT (Syslinux 6.04: doc/memdisk.txt, struct mBFT in memdisk/mstructs.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "firmware/phys.h"

/*
 * Where the next disk is: begin with *at = 0. False: there is none any more. For a machine with a
 * BIOS. How large it is the table does not say: it counts sectors, of 512 bytes or of 2048.
 */
bool mbft_next(const struct phys_reader *reader, uint64_t *at, uint64_t *ret_disk);
