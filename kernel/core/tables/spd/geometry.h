// SPDX-License-Identifier: MIT
/*
 * Whether modules are what their SPDs state: their sizes, ranks and rows against what the memory
 * controllers are set to, and against addresses that reach the same cells.
 *
 * A module with an SPD that states more than it has answers at twice as many addresses as it has
 * cells: forged to be sold, or to reach encrypted memory (BadRAM: De Meulemeester et al., IEEE S&P
 * 2025). A broken address line does the same. If it is the highest one of the module, nothing but
 * another module in the slot tells the two apart; any other is no matter of the SPD.
 */
#pragma once

#include <stdint.h>

#include "decoder/decoder.h"
#include "spd/modules.h"

enum geometry_finding {
    GEOMETRY_NONE,       /* they agree, or not enough is known */
    GEOMETRY_CONTROLLER, /* the controllers are set otherwise than the SPDs state */
    GEOMETRY_SPD,        /* a module has less than its SPD states, or its highest line is broken */
    GEOMETRY_FINDINGS,
};

/* Pages in pairs that reach the same cells, as many as differ in the same address bits. */
struct geometry_alias {
    uint64_t pages;            /* pairs; 0: there are none */
    uint64_t address, partner; /* of one of them */
    uint64_t bits;             /* in which the addresses of each pair differ; 0: in various ones */
};

struct geometry_facts {
    const struct modules *modules;
    const struct decoded_controller *controller;
    uint64_t ram_bytes, tested_bytes;
    struct geometry_alias alias;
};

#define GEOMETRY_TEXT_SIZE 400

struct geometry {
    uint8_t finding;             /* enum geometry_finding */
    const struct module *module; /* NULL: it is not known which */
    uint64_t stated_bytes;       /* of the module, or of all, by SPD, else by firmware */
    uint64_t
        controller_bytes; /* GEOMETRY_CONTROLLER: what the controllers have for it, or in all */
    uint64_t alias_bytes; /* of addresses that reach the cells of others; 0: none */
    char text[GEOMETRY_TEXT_SIZE]; /* for people, a sentence without a full stop; "": no finding */
};

void geometry_find(const struct geometry_facts *facts, struct geometry *ret);

/* "controller", "spd"; NULL: none. */
const char *geometry_word(enum geometry_finding finding);
