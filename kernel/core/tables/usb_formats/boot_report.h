// SPDX-License-Identifier: MIT
/* What a keyboard sends in the boot protocol: HID 1.11, appendix B.1 and F. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/keys.h"

#define BOOT_REPORT_KEYS 6 /* that can be down at once */

/* The keys that are down, as the report before said; all 0 at first. */
struct boot_keys {
    uint8_t usage[BOOT_REPORT_KEYS];
};

/*
 * Takes a report of n bytes. Returns how many keys went down, and writes them as lib/keys.h names
 * them: 'q', 'r', 'l', 'b', 'c', 'x', ' ', KEY_ENTER, KEY_ESCAPE; others are left out. Modifiers
 * make no difference. A report that says that too many keys are down, or is too short, changes
 * nothing.
 */
size_t boot_report_keys(struct boot_keys *keys, const uint8_t *report, size_t n,
                        int ret_key[BOOT_REPORT_KEYS]);
