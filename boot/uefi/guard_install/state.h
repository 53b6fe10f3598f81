// SPDX-License-Identifier: MIT
/* What UEFI variables say about the guard: whether it is installed, what it did, and its list. */
#pragma once

#include <stdbool.h>

#include "backup.h"
#include "boot/uefi/variables.h"
#include "guardlist/guard_list.h"
#include "guardlist/ram_use.h"

#define STATE_WORD_MAX 16
#define STATE_WHY_MAX  128

/* A list in a variable. */
struct state_list {
    struct variable variable;
    bool is_valid;
    struct guard_list list; /* if it is valid */
    const char *why;        /* why not, half a sentence; NULL: there is no variable */
    bool is_signed;         /* by okram on this machine: no operating system has written it */
};

struct install_state {
    struct state_list installed; /* OkramGuard */
    struct state_list found;     /* OkramGuardNew: of the last run */
    bool has_here;
    struct guard_fingerprint here; /* this machine; if firmware gives its memory map */
    bool has_backup;               /* installed by okram, which can remove it */
    struct backup backup;
    const char *backup_why; /* half a sentence: the backup cannot be read; or NULL */

    bool has_started;                              /* at this start of the machine */
    char what[STATE_WORD_MAX], why[STATE_WHY_MAX]; /* "masked", or why not; "" */
    struct guard_counts pages; /* of its list at this start; of a refused list all 0 */
};

/* The caller frees it. */
void install_state_read(struct install_state *ret_state);
void install_state_free(struct install_state *state);
