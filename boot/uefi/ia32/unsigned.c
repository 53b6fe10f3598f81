// SPDX-License-Identifier: MIT
/*
 * What 32-bit firmware does not have: the guard, which is a 64-bit driver, and, because the kernel
 * cannot write variables there, signatures, the guided diagnosis and QR codes in reports.
 */
#include "boot/uefi/diagnosis/diagnosis_menu.h"
#include "boot/uefi/guard_install/guard_menu.h"
#include "boot/uefi/last_report/report_code.h"
#include "boot/uefi/sign_key.h"

struct guard_menu *guard_menu_begin(EFI_HANDLE own, const CHAR16 *own_path, bool has_found)
{
    return NULL;
}

const struct menu_guard *guard_menu_shown(const struct guard_menu *menu)
{
    return NULL;
}

void guard_menu_act(struct guard_menu *menu, enum menu_action action, unsigned choice,
                    struct fmt_buffer *message)
{
}

struct diagnosis_menu *diagnosis_menu_begin(EFI_HANDLE own, const char *jsonl)
{
    return NULL;
}

const struct menu_diagnosis *diagnosis_menu_shown(const struct diagnosis_menu *menu)
{
    return NULL;
}

void diagnosis_menu_act(struct diagnosis_menu *menu, enum menu_action action, unsigned choice,
                        struct fmt_buffer *message)
{
}

bool sign_key_get(uint8_t ret_key[SIGN_KEY_BYTES])
{
    return false;
}

bool sign_key_signed(const struct saved_report *report)
{
    return false;
}

void report_append_code(const char *text, struct fmt_buffer *out)
{
}
