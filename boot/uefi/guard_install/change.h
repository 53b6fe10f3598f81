// SPDX-License-Identifier: MIT
/* Changes to an installed guard: adding to its list, and removing it. */
#pragma once

#include <stdbool.h>

#include "lib/fmt.h"
#include "state.h"

/*
 * Whether the last run found pages that the installed list lacks, or that list is another
 * machine's.
 */
bool change_can_add(const struct install_state *state);

/* Appends what would be written or deleted, a paragraph for each. */
void change_show_add(const struct install_state *state, struct fmt_buffer *out);
void change_show_remove(const struct install_state *state, struct fmt_buffer *out);

/*
 * Joins the list of the last run with the installed one, if that is this machine's, in its variable
 * or file. Appends how that went.
 */
bool change_add(const struct install_state *state, struct fmt_buffer *message);

/*
 * Restores what the backup has: the order first, so that firmware no longer starts the guard. The
 * backup is deleted last, and stays if something else could not be deleted.
 */
bool change_remove(const struct install_state *state, struct fmt_buffer *message);
