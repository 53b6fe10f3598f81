// SPDX-License-Identifier: MIT
/*
 * Where the list comes from: the variable OkramGuard; else, unless Secure Boot is on, the file
 * okram\guard.list in the driver's folder. The first one that is whole and made for this machine
 * counts; it is measured (boot/uefi/measure.h).
 */
#pragma once

#include <efi.h>
#include <stdbool.h>

#include "guardlist/guard_list.h"
#include "patrol.h"

enum guard_state {
    GUARD_NONE,    /* there is no list */
    GUARD_INVALID, /* it is damaged, or may not be used */
    GUARD_STALE,   /* it was made for other hardware */
    GUARD_MASKED,  /* it was found, and its pages are masked */
    GUARD_STOPPED, /* it was found, and its pages, or some, are not masked */
};

enum guard_origin { GUARD_NOWHERE, GUARD_VARIABLE, GUARD_FILE };

struct guard_source {
    enum guard_state state; /* GUARD_MASKED: the list is good */
    enum guard_origin origin;
    char why[128];          /* half a sentence, or "" */
    struct guard_list list; /* if good or stale */
};

void guard_source_find(const EFI_LOADED_IMAGE *driver, const struct guard_fingerprint *machine,
                       bool is_secure_boot, struct guard_source *ret_source);

/*
 * Adds what the patrol has found (add_found.c). The list in memory then has the pages, and is the
 * one for the next boot as well. Where it cannot be written, source->why says so, and the pages are
 * masked at this boot only.
 */
void guard_add_found(const EFI_LOADED_IMAGE *driver, bool is_secure_boot,
                     const struct guard_fingerprint *machine, struct guard_patrol *patrol,
                     struct guard_source *source);
