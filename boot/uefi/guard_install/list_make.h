// SPDX-License-Identifier: MIT
/* The list to install: that of the last run, joined with the installed one. */
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
 * False: there is no list of the last run, or it is another machine's or too long; `message` says
 * why. An installed list of another machine is left out.
 */
bool list_make(const struct install_state *state, struct made_list *ret_list,
               struct fmt_buffer *message);
