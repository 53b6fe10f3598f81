// SPDX-License-Identifier: MIT
/*
 * What 32-bit firmware does not have: the guard, which is a 64-bit driver, and, because the kernel
 * cannot write variables there, the report of the last run, signatures and the guided diagnosis;
 * nor the loops of the tests, by whose speed the menu says how long they take.
 */
#include "boot/uefi/diagnosis/cycles_kept.h"
#include "boot/uefi/diagnosis/diagnosis_menu.h"
#include "boot/uefi/guard_install/guard_menu.h"
#include "boot/uefi/last_report/last_report.h"
#include "boot/uefi/menu/menu_time.h"
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

struct diagnosis_menu *diagnosis_menu_begin(const char *jsonl)
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

void cycles_kept_restore(const struct options *asked, const char *jsonl, char *cmdline, size_t size)
{
}

void cycles_kept_begin(const struct options *options, char *cmdline, size_t size)
{
}

bool sign_key_get(uint8_t ret_key[SIGN_KEY_BYTES])
{
    return false;
}

struct last_report *last_report_begin(void)
{
    return NULL;
}

void last_report_settle(struct last_report *report, EFI_HANDLE own)
{
}

const struct menu_report *last_report_shown(const struct last_report *report)
{
    return NULL;
}

bool last_report_has_bad_pages(const struct last_report *report)
{
    return false;
}

const char *last_report_jsonl(const struct last_report *report)
{
    return "";
}

void last_report_write(struct last_report *report, unsigned volume, struct fmt_buffer *message)
{
}

bool send_report(const struct last_report *last, enum option_send send, EFI_HANDLE device)
{
    return true;
}

const struct menu_machine *menu_machine_find(void)
{
    return NULL;
}
