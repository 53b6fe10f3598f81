// SPDX-License-Identifier: MIT
/* What can be done where the guard is installed: adding to its list, and removing it. */
#pragma once

#include <stdbool.h>

#include "lib/fmt.h"
#include "state.h"

/* Whether the last run found pages that the installed list lacks, or it is another machine's. */
bool change_can_add(const struct install_state *state);

/* What would be written or deleted, a paragraph for each. */
void change_show_add(const struct install_state *state, struct fmt_buffer *out);
void change_show_remove(const struct install_state *state, struct fmt_buffer *out);

/*
 * Joins the list of the last run with the installed one, if that is this machine's, where it is:
 * the variable or the file. Appends how that went.
 */
bool change_add(const struct install_state *state, struct fmt_buffer *message);

/*
 * Gives back what the backup has: the order first, so that firmware starts the guard no more; the
 * backup itself goes last, and stays where something else could not be deleted.
 */
bool change_remove(const struct install_state *state, struct fmt_buffer *message);
