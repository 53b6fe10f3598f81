// SPDX-License-Identifier: MIT
/*
 * A node's cells as text, for a record: of each run of equal cells how many they are, if not one,
 * and a letter. "300t4oX-": 300 tested, four of okram's, a bad one, and one that was left out.
 */
#pragma once

#include "lib/fmt.h"
#include "lib/status.h"
#include "picture/ram_view.h"

/* Of the longest, with its end: all cells differ. */
#define RAM_CELLS_TEXT_SIZE (RAM_PICTURE_CELLS_MAX + 1)

/* . to do, t tested, - left out, o okram's, s being swept, X bad. */
void ram_cells_append(struct fmt_buffer *b, const struct ram_view *view,
                      struct ram_picture_node node);

/*
 * Adds a node with the cells of such a text. STATUS_INVALID: it is not one; STATUS_NO_SPACE: the
 * view has no room for it. The view is then as it was.
 */
enum status ram_cells_read(const char *text, struct ram_view *view);
