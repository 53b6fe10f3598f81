// SPDX-License-Identifier: MIT
/*
 * Keys of USB keyboards on xHCI controllers, after firmware's drivers have ended. Boot CPU only.
 * Nothing that happens here ends a run: where it does not work, there are no keys.
 */
#pragma once

/*
 * Looks for controllers, and takes memory for them that is not tested and does not move
 * (arena_fixed). Before plan_make.
 */
void usb_begin(void);

/*
 * The next key that went down (lib/keys.h), or KEY_NONE. To be called often: it drives all
 * controllers, a millisecond at a time at most. Without any, it costs nothing.
 */
int usb_read_key(void);

/* Halts all controllers: they write to memory no longer. */
void usb_end(void);

/* Those that usb_end has halted run again, and their keyboards are attached anew. */
void usb_resume(void);
