// SPDX-License-Identifier: MIT
/*
 * Channels and modules of addresses: by the memory controller's registers (diagnosis/module_name.h)
 * where a measurement has confirmed them; else by channel.bits= and slot.order= as a person gives
 * them (kind/kind_channel.h). Boot CPU.
 */
#pragma once

#include <stdint.h>

#include "diagnosis/diagnosis.h"
#include "diagnosis/module_name.h"
#include "kind/kind_evidence.h"
#include "options/options.h"

/* Before the tests; warns where the two options do not fit each other. The options stay. */
void channels_begin(const struct options *options);

/* The outcome of the measurements. Until then there are the registers alone. */
void channels_set_confirmed(struct map_confirmed confirmed);

/* The controller's map, of DRAM addresses below *ret_below; NULL: no measurement confirms it. */
const struct dram_map *channels_confirmed_map(uint64_t *ret_below);

/* The modules that faulty words are in; NULL: it is not known. Valid until the next call. */
const struct modules_with_words *channels_modules(const struct kind_words *words);

/*
 * The slots that the faulty words can be in (diagnosis/module_name.h), also by registers that no
 * measurement has confirmed; 0: not known, or they were contradicted.
 */
uint32_t channels_suspects(const struct kind_words *words, enum diagnosis_suspicion *ret);

/*
 * "channel 1, module 0, rank 0, bank 5, row 0x48d1, column 0x170", by the controller's registers,
 * also before a measurement has confirmed them; NULL: they do not say, or were contradicted. Valid
 * until the next call.
 */
const char *channels_place_of(uint64_t addr);

/* As a person gives them; NULL: not given. */
const struct kind_channels *channels_given(void);

/*
 * "channel 1 (DIMM_B1)", the channel of an address; and how many faulty words are in which. Both
 * are valid until the next call. NULL: neither is known.
 */
const char *channels_of(uint64_t addr);
const char *channels_with_words(const struct kind_words *words);
