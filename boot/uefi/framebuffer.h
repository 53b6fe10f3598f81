// SPDX-License-Identifier: MIT
/* The screen that the kernel draws on: Graphics Output Protocol (UEFI 2.10, 12.9). */
#pragma once

#include "boot/boot_info.h"

/*
 * Describes the linear framebuffer of the screen that the firmware's console is on, else of any.
 * A mode below 800x600 is changed to the smallest one from there on, if there is one. base is 0
 * when no screen has a linear framebuffer.
 */
struct boot_framebuffer framebuffer_set_up(void);
