// SPDX-License-Identifier: MIT
/* The screen that the kernel draws on: Graphics Output Protocol (UEFI 2.10, 12.9). */
#pragma once

#include "boot/boot_info.h"

/*
 * Describes the linear framebuffer of the screen with firmware's console, else of any screen.
 * Another mode is set if the current one has no linear framebuffer, contradicts itself
 * (PixelsPerScanLine below the width) or is below 800x600: the smallest that is not below that,
 * else the largest. If no mode is sound and a row of memory has 800 pixels or more, only these are
 * used. base is 0 if no screen has a linear framebuffer.
 */
struct boot_framebuffer framebuffer_set_up(void);
