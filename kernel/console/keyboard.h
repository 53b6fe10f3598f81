// SPDX-License-Identifier: MIT
/*
 * The keyboard behind the i8042 controller (or behind firmware's emulation of one), polled. Its
 * configuration stays as firmware left it, except that the keyboard is enabled. Where there is no
 * controller there are no keys; nothing waits for one.
 */
#pragma once

#include "lib/status.h"

/* STATUS_NOT_FOUND: there is no controller. */
enum status keyboard_init(void);

/* The next key that went down, as scancode_key gives it, or KEY_NONE. Does not wait. */
int keyboard_read(void);
