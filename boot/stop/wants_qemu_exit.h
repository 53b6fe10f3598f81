// SPDX-License-Identifier: MIT
/* The one option that a loader obeys when it cannot go on: whether QEMU is to exit. Pure. */
#pragma once

#include <stdbool.h>

/*
 * Whether exit=qemu holds after these options (options/words.h), where `before` says whether it
 * held until then: the last exit= counts, and one that is malformed changes nothing.
 */
bool wants_qemu_exit(const char *options, bool before);
