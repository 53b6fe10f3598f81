// SPDX-License-Identifier: MIT
/*
 * The menu's page on the guard: what it does on this machine, what can be changed, what that would
 * write; and does it.
 */
#pragma once

#include <efi.h>

#include "boot/uefi/menu/menu_model.h"

struct guard_menu;

/*
 * own: the volume that okram was started from, own_path: its file there, or NULL; has_found: the
 * last report has bad pages. Reads variables. NULL: there is too little memory. Never freed.
 */
struct guard_menu *guard_menu_begin(EFI_HANDLE own, const CHAR16 *own_path, bool has_found);

/* For the menu; it changes with guard_menu_act(). */
const struct menu_guard *guard_menu_shown(const struct guard_menu *menu);

/* MENU_OPENS_GUARD, MENU_ASKS_GUARD, MENU_CHANGES_GUARD. Appends what is to be said of it. */
void guard_menu_act(struct guard_menu *menu, enum menu_action action, unsigned choice,
                    struct fmt_buffer *message);
