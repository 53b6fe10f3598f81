// SPDX-License-Identifier: MIT
/* The one option that the stub obeys: whether QEMU is to be left. Pure. */
#pragma once

#include <stdbool.h>

/*
 * Whether exit=qemu holds after these options (options/words.h), where `before` says whether it
 * held until then: the last exit= counts, and one that is malformed changes nothing.
 */
bool exit_asked(const char *options, bool before);
