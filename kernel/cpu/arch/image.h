// SPDX-License-Identifier: MIT
/* The kernel image's borders, from boot/kernel.ld; all page-aligned. */
#pragma once

extern char image_start[], image_text_end[], image_rodata_end[], image_end[];
