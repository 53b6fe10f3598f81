// SPDX-License-Identifier: MIT
#include "list_make.h"

#include <efilib.h>

#include "guardlist/guard_merge.h"

#define LIST_MAX (UINTN)(64 << 10)

static bool join(const struct guard_list *before, const struct guard_list *found,
                 struct made_list *made)
{
    struct guard_list list;
    const char *why;

    made->size = guard_merge(before, found, made->bytes, LIST_MAX);
    if (!made->size || guard_list_open(made->bytes, made->size, &list, &why) != STATUS_OK ||
        !guard_list_holds(&list, found))
        return false;
    made->n_pages = list.head.n_pages;
    return true;
}

bool list_make(const struct install_state *state, struct made_list *ret_list,
               struct fmt_buffer *message)
{
    const struct guard_list *found = &state->found.list;
    const struct guard_list *before = state->installed.is_valid ? &state->installed.list : NULL;
    const struct guard_fingerprint *here = &state->here;
    const char *why;

    if (!state->found.is_valid) {
        fmt_append(message, "No bad memory is known. Run a test first.");
        return false;
    }
    if (!state->has_here) {
        fmt_append(message, "Firmware does not give its memory map.");
        return false;
    }
    why = guard_fingerprint_differs(&found->head.machine, here);
    if (why) {
        fmt_append(
            message,
            "The list of the last run is not used: %s changed since it was made. Test again.", why);
        return false;
    }
    if (before && guard_fingerprint_differs(&before->head.machine, here))
        before = NULL;
    ret_list->bytes = AllocatePool(LIST_MAX);
    if (ret_list->bytes && join(before, found, ret_list))
        return true;
    fmt_append(message, "The list takes more than %lu KiB, or memory here is faulty.",
               (unsigned long)(LIST_MAX >> 10));
    return false;
}
