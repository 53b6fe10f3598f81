// SPDX-License-Identifier: MIT
#include "saver/saving_failure.h"

static void warn_of_list(const struct saving_failure *f, const char *why, const struct warnings *to)
{
    if (f->list_status == UEFI_SUCCESS)
        warn_print(to,
                   "the list of bad pages for the guard takes %lu bytes or more, too many for "
                   "UEFI's store of variables, which has %lu bytes left: it is not kept there",
                   f->list_bytes, f->list_remaining);
    else
        warn_print(to,
                   "UEFI's SetVariable %s: the list of bad pages for the guard, %lu bytes, is not "
                   "kept in a variable",
                   why, f->list_bytes);
}

void saving_warn(const struct saving_failure *f, const char *list_why, const char *why,
                 const struct warnings *to)
{
    static const char *const lost[] = {
        [SAVING_REPORT] = "the report is not kept in UEFI variables from now on",
        [SAVING_REST] = "the verdict is kept in UEFI variables, but not the rest of the report",
        [SAVING_DUMP] = "the short report for Linux's pstore is not kept",
        [SAVING_BOOT_NEXT] = "the next start follows the boot order",
    };
    const char *old = f->has_old          ? "; the one there is of an earlier run"
                      : f->old_is_deleted ? "; the one of an earlier run is deleted"
                                          : "";

    if (f->list_bytes)
        warn_of_list(f, list_why, to);
    if (f->service)
        warn_print(to, "UEFI's %s %s: %s%s", f->service, why, lost[f->step], old);
    else if (f->is_lost)
        warn_print(to, "the CPU that writes UEFI variables is lost: %s%s", lost[f->step], old);
    else if (f->is_late)
        warn_print(to, "UEFI takes more than %lu s to write variables: %s%s",
                   (unsigned long)(SAVING_LIMIT_US / 1000000), lost[f->step], old);
    else if (f->external.text[0])
        warn_print(to,
                   "the UEFI variable %s is not okram's: it stays, and the report is not kept "
                   "in UEFI variables%s",
                   f->external.text, old);
    else if (f->is_full)
        warn_print(to,
                   "UEFI's store of variables has %lu bytes left: the report is not kept there%s",
                   f->remaining, old);
    else if (f->is_cut)
        warn_print(to,
                   "UEFI's store of variables has %lu bytes left: the report there is incomplete",
                   f->remaining);
    else if (f->cut_at.text[0])
        warn_print(to,
                   "the UEFI variable %s is not okram's: it stays, and the report in the variables "
                   "before it is incomplete",
                   f->cut_at.text);
    else if (f->is_long)
        warn_print(to,
                   "the report in UEFI variables is shortened to what matters most: it may have "
                   "15 KiB there");
    else if (f->slow_s)
        warn_print(
            to, "UEFI takes %lu s to write a variable: the report in its variables is incomplete",
            f->slow_s);
}
