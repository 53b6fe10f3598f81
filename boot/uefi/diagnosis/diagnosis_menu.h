// SPDX-License-Identifier: MIT
/*
 * The guided diagnosis in the menu: what was kept, what the last report says and what is fitted,
 * from firmware, to guide.h; and what was chosen there, done. 64-bit firmware only
 * (ia32/unsigned.c): with other firmware there is no report, because the kernel writes no
 * variables.
 */
#pragma once

#include "boot/uefi/menu/menu_model.h"

struct diagnosis_menu;

/*
 * jsonl: the last report's records, or NULL. A newer state in these is kept at once. Prints what
 * there is. NULL: nothing is to be shown. Never freed.
 */
struct diagnosis_menu *diagnosis_menu_begin(const char *jsonl);

/* For the menu; it changes with diagnosis_menu_act(). */
const struct menu_diagnosis *diagnosis_menu_shown(const struct diagnosis_menu *menu);

/* MENU_OPENS_DIAGNOSIS or MENU_DIAGNOSES; appends how that went, or nothing. */
void diagnosis_menu_act(struct diagnosis_menu *menu, enum menu_action action, unsigned choice,
                        struct fmt_buffer *message);
