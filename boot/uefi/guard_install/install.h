// SPDX-License-Identifier: MIT
/*
 * The guard's installation on this machine, and its removal. Everything is planned and checked
 * first, so that it can be shown; then OkramGuardBackup, the files and the list are written, and
 * last what makes firmware start the guard. Each write is read back. After a failure the earlier
 * steps are undone.
 */
#pragma once

#include <efi.h>
#include <stdbool.h>

#include "lib/fmt.h"
#include "list_make.h"
#include "partitions.h"
#include "place.h"
#include "state.h"

#define INSTALL_OPTION_MAX 512

struct install_plan {
    enum guard_way way;
    struct partition partition;
    struct place_file image, list_file; /* list_file.bytes NULL: the list goes into a variable */
    struct made_list list;
    UINT32 order_attributes;
    uint8_t option[INSTALL_OPTION_MAX]; /* the data of Driver#### */
    size_t option_bytes;                /* 0: no variable is made */
    uint8_t order[BACKUP_ORDER_BYTES + 2];
    size_t order_bytes;
    struct backup backup;
    char line[BACKUP_MAX]; /* of the backup */
    size_t line_bytes;
};

/*
 * Plans what to write on `partition`, from okram's own volume; changes nothing. The list is
 * state->found joined with the installed one. False: it cannot be done; `message` says why. The
 * caller frees the plan.
 */
bool install_plan_make(EFI_HANDLE own, const struct install_state *state, enum guard_way way,
                       const struct partition *partition, struct install_plan *ret_plan,
                       struct fmt_buffer *message);
void install_plan_free(struct install_plan *plan);

/* Whether the guard on okram's own volume has a signature, with any key. */
bool install_is_signed(EFI_HANDLE own);

/* Appends a paragraph for each thing that will be written. */
void install_plan_show(const struct install_plan *plan, struct fmt_buffer *out);

/* Does it; appends how that went. */
bool install_do(const struct install_plan *plan, struct fmt_buffer *message);
