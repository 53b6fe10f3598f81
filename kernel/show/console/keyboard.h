// SPDX-License-Identifier: MIT
/*
 * The keyboard behind the i8042 controller (or behind firmware's emulation of one), polled.
 * Firmware leaves both in any state: so the pointing device's port is turned off, for a touchpad
 * that sends all the time would keep the keyboard waiting; the keyboard is set to scan code set 2,
 * which the controller translates to set 1, and is told to send keys. What does not obey is used as
 * it is. Where there is no controller there are no keys; nothing waits for one.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "lib/keys.h"
#include "lib/status.h"

/*
 * Once, after the clocks have been compared. is_denied: firmware says that there is no controller,
 * which is wrong on many notebooks; it is asked all the same, and heard only if a keyboard answers.
 * STATUS_NOT_FOUND: there is no controller. Each answer is waited for 20 ms at most, all together
 * 100 ms. Whatever comes, the keyboard is on afterwards.
 */
enum status keyboard_init(bool is_denied);

/* Whether a keyboard, or firmware's emulation of one, has acknowledged a command. */
bool keyboard_answers(void);

/*
 * The next key that went down: 'q', 'n', 'r', 'l', 'b', 'c', 's', 'x', 'h', ' ', Enter, Esc, by
 * scan code set 1, or set 2 where the controller does not translate it; or KEY_NONE. Does not wait.
 */
int keyboard_read(void);
