// SPDX-License-Identifier: MIT
/* The list that is to be installed: of the last run, joined with the one that is there. */
#pragma once

#include <efi.h>
#include <stdbool.h>

#include "lib/fmt.h"
#include "state.h"

struct made_list {
    uint8_t *bytes; /* from the pool; the caller frees it */
    size_t size;
    uint64_t n_pages;
};

/*
 * False: there is none, it is another machine's or too long; `message` says why. An installed list
 * that is another machine's is left out.
 */
bool list_make(const struct install_state *state, struct made_list *ret_list,
               struct fmt_buffer *message);
