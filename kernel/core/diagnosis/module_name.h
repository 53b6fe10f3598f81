// SPDX-License-Identifier: MIT
/*
 * Which module of the board a memory controller's channel and module number mean.
 *
 * A controller counts channels and modules; the letter on the board is a fact of the board: channel
 * 0 is B on all boards with AM4 that somebody has tried, and A on one with AM5. So a slot has a
 * name only if sizes leave one possibility: each slot's channel is read from firmware's texts
 * (SMBIOS type 17, Device Locator and Bank Locator), and channels of the controller and of the
 * board are the same where they have modules of the same sizes. Neither the order of slots nor a
 * locator alone, nor type 20 counts.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "decoder/decoder.h"
#include "firmware/smbios_memory.h"
#include "kind/kind_evidence.h"
#include "lib/fmt.h"

/* How it is known that the controller's map is this machine's. */
enum map_evidence {
    MAP_CONTRADICTED, /* by timing or by counting */
    MAP_BY_REGISTERS, /* alone */
    MAP_BY_TIMING,    /* timing agrees with the registers */
    MAP_BY_GROUPS,    /* and each channel's lines were counted together, it is not known where */
    MAP_BY_COUNT,     /* reads were counted at that channel */
};

/* Slots of which it is known where in the controllers they are: a fact of the board. */
#define BOARD_SLOTS_MAX (DRAM_CHANNELS_MAX * DRAM_DIMMS_MAX)

struct board_slots {
    size_t n;
    struct board_slot {
        uint8_t channel, dimm;
        const struct smbios_slot *slot;
    } at[BOARD_SLOTS_MAX];
};

struct map_confirmed {
    enum map_evidence evidence;
    uint64_t below;                  /* holds for DRAM addresses (decoder/dram_map.h) below this */
    const struct board_slots *known; /* from earlier runs on this board; or NULL */
};

enum module_answer {
    MODULE_UNKNOWN, /* the registers are not confirmed, or list no module there */
    MODULE_PLACE,   /* the controller's channel, and perhaps the size */
    MODULE_ONE_OF,  /* one of some slots */
    MODULE_SLOT,    /* one slot */
};

struct module_name {
    enum module_answer answer;
    const struct smbios_slot *slot; /* MODULE_SLOT, or the only one of its size */
    unsigned n_candidates;
    const struct smbios_slot *candidate[8]; /* the first ones */
    const char *why;                        /* not MODULE_SLOT: a reason */
};

/*
 * What is fitted shows where slots are, if sizes leave one possibility: in a search for the bad
 * module, the one that is in alone. The board is the same in later runs.
 */
void board_slots_find(const struct decoded_controller *controller,
                      const struct smbios_memory *memory, struct board_slots *ret);

/* As slot.order= names it, with the bank where the locator alone does not say the channel. */
#define BOARD_SLOT_NAME (2 * SMBIOS_NAME_SIZE)
void board_slot_name(const struct smbios_slot *slot, char ret[BOARD_SLOT_NAME]);

/*
 * As a person hands in what earlier runs have shown (slot.order=): the names of each channel's
 * slots in turn, "DIMM_B1+DIMM_B2,-+DIMM_A2", spaces as _, - where it is not known. False: it is
 * none of this board, whose slots have these names once each.
 */
bool board_slots_read(const char *order, const struct smbios_memory *memory,
                      struct board_slots *ret);

/*
 * "DIMM_A2: 16 GiB, part F4-3600, serial 01A2" or "memory channel 1, 16 GiB; on the board it is
 * DIMM_A2 or DIMM_B2: exchange the two modules, or take one out, and test again to see which".
 * Nothing with MODULE_UNKNOWN.
 */
void module_name_append(struct fmt_buffer *b, const struct decoded_controller *controller,
                        const struct module_name *name, unsigned channel, unsigned dimm);

/* Of each channel its modules, and those words whose module is not known. */
#define MODULES_WITH_WORDS_MAX (DRAM_CHANNELS_MAX * (DRAM_DIMMS_MAX + 1))

/* Faulty words of each module that has some. */
struct modules_with_words {
    const char *evidence;  /* "timing", "count" */
    bool channels_counted; /* which lines share a channel is confirmed by counting, too */
    unsigned n_fitted;     /* modules that the registers list, faulty or not */
    size_t n, words;
    struct module_with_words {
        uint8_t channel, dimm;
        size_t words;
        struct module_name name;
    } module[MODULES_WITH_WORDS_MAX];
};

/* False: no measurement has confirmed the map for each of the words, or it has no place for one. */
bool modules_with_words_make(const struct decoded_controller *controller,
                             const struct smbios_memory *memory, struct map_confirmed confirmed,
                             const struct kind_words *words, struct modules_with_words *ret);

/*
 * Whether faults are in all modules, of two or more, and many of them: 8 words for each, and none
 * has less than a quarter of an even share. What modules have in common causes that, not they.
 */
bool modules_with_words_are_all(const struct modules_with_words *modules);

/*
 * The slots that these can be in, as bits, in the order of diagnosis_list() (diagnosis/observe.h);
 * 0: that is not known of each.
 */
uint32_t modules_with_words_slots(const struct modules_with_words *modules,
                                  const struct smbios_memory *memory);

/* "in DIMM_A2: 16 GiB, part ..., serial ..."; "in 2 of 8 modules: DIMM_A2, DIMM_C1"; "in both
 * modules". */
void modules_with_words_append_short(struct fmt_buffer *b,
                                     const struct decoded_controller *controller,
                                     const struct modules_with_words *modules);

/*
 * "all 12 faulty words are in DIMM_A2: 16 GiB; by the memory controller's registers, which timing
 * confirms", or "faults in both modules: 5 of 12 words in DIMM_A2: 16 GiB; ...".
 */
void modules_with_words_append(struct fmt_buffer *b, const struct decoded_controller *controller,
                               const struct modules_with_words *modules);
