// SPDX-License-Identifier: MIT
/*
 * The keyboard behind the i8042 controller (or behind firmware's emulation of one), polled. Its
 * set-up stays as firmware left it, but for switching the keyboard's line on. Where there is no
 * controller, no key comes; nothing waits for it.
 */
#pragma once

#include "lib/status.h"

/* STATUS_NOT_FOUND: there is no controller. */
enum status keyboard_init(void);

/* The next key that went down, as scancode_key gives it, or KEY_NONE. Does not wait. */
int keyboard_read(void);
