// SPDX-License-Identifier: MIT
/*
 * Installing the guard on this machine, adding to its list, and removing it. Each is planned and
 * checked first, so that it can be shown, and then done: tools/okramlib/guard/ways.inc has the
 * order.
 */
#pragma once

#include <efi.h>
#include <stdbool.h>

#include "changes.h"
#include "image.h"
#include "lib/fmt.h"
#include "partitions.h"
#include "state.h"

enum deed { DEED_INSTALL, DEED_ADD, DEED_REMOVE };

#define INSTALL_OPTION_MAX 512

struct install_plan {
    enum deed deed;
    struct backup backup;
    struct changes changes;
    uint64_t n_pages;      /* of the list that is written */
    bool must_be_enrolled; /* before shim starts it */

    /* What is written; bytes of the pool, or NULL. */
    struct image image[IMAGE_KINDS];
    uint8_t *list;
    UINTN list_bytes;
    uint8_t option[INSTALL_OPTION_MAX];
    uint8_t order[BACKUP_ORDER_BYTES + 2];
    char line[BACKUP_MAX]; /* of the backup */
};

/*
 * Plans what to write on `partition`, from okram's own volume. The list is that of the last run.
 * False: it cannot be done; `message` says why. The caller frees the plan. The same for the others.
 */
bool install_plan_make(EFI_HANDLE own, const struct install_state *state,
                       const struct guard_way *way, const struct partition *partition,
                       struct install_plan *ret_plan, struct fmt_buffer *message);

/*
 * Whether the last run found pages that the installed list lacks, or that list is another
 * machine's.
 */
bool install_can_add(const struct install_state *state);

/* The last run's list, joined with the installed one if that is this machine's, in its place. */
bool install_plan_add(const struct install_state *state, struct install_plan *ret_plan,
                      struct fmt_buffer *message);

/* Takes back all that the backup lists. If something cannot be deleted, the backup stays, and
 * removing can be tried again. */
bool install_plan_remove(const struct install_state *state, struct install_plan *ret_plan,
                         struct fmt_buffer *message);

void install_plan_free(struct install_plan *plan);

/* Does it, and appends the outcome. A failed installation or addition is taken back (changes_do).
 */
bool install_do(struct install_plan *plan, struct fmt_buffer *message);
