// SPDX-License-Identifier: MIT
/*
 * Warnings of the whole run, from whoever has one. Kept from the start, when nobody listens yet,
 * and told to the listeners as events from notices_emit on. Boot CPU only.
 */
#pragma once

#include <stddef.h>

#include "lib/warn.h"

#define NOTICES_MAX 64 /* kept for the machine event; later ones are told, but not kept */

/* The sink that all readers of firmware and options are given. */
extern const struct warnings notices;

/* Listeners are there now: tells what was kept, and from now on each as it comes. */
void notices_emit(void);

/* The texts kept so far. */
size_t notices_list(const char *const **ret_texts);
