// SPDX-License-Identifier: MIT
/* What the badram line is good for, on this machine and by the loader that started okram. */
#pragma once

enum badram_use {
    BADRAM_WORKS,
    BADRAM_IGNORED,          /* Secure Boot is on: GRUB ignores it; the guard works */
    BADRAM_IGNORED_NO_GUARD, /* so it does, and firmware is 32-bit, for which there is no guard */
    BADRAM_FALLS_SHORT,      /* GRUB on BIOS leaves some of the bad pages in use */
};
