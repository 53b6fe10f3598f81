// SPDX-License-Identifier: MIT
/*
 * Warnings of the whole run, from any part of okram. Kept from the start, and sent as events from
 * notices_emit on. Boot CPU only.
 */
#pragma once

#include <stddef.h>

#include "lib/warn.h"

#define NOTICES_MAX 64 /* kept for the machine event; later ones are sent, but not kept */

/* The sink that all readers of firmware and options are given. */
extern const struct warnings notices;

/* printf's way (lib/fmt.h): one of okram's own. */
#define notice(...) warn_print(&notices, __VA_ARGS__)

/* Events are received now: sends what was kept, and from now on each as it comes. */
void notices_emit(void);

/* The texts kept so far. */
size_t notices_list(const char *const **ret_texts);
