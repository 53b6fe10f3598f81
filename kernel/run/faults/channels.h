// SPDX-License-Identifier: MIT
/* Channels of addresses by channel.bits= and slot.order= (kind/kind_channel.h). Boot CPU. */
#pragma once

#include <stdint.h>

#include "kind/kind_evidence.h"
#include "options/options.h"

/* Before the tests; warns where the two options do not fit each other. The options stay. */
void channels_begin(const struct options *options);

/*
 * "channel 1 (DIMM_B1)", the channel of an address; and how many faulty words are in which. Both
 * are valid until the next call. NULL: no bits were given.
 */
const char *channels_of(uint64_t addr);
const char *channels_with_words(const struct kind_words *words);
