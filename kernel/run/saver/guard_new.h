// SPDX-License-Identifier: MIT
/*
 * The bad pages of the run as a list for the guard (guardlist/guard_list.h), which the loader's
 * menu takes from the UEFI variable OkramGuardNew. Boot CPU only.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define GUARD_NEW_NAME "OkramGuardNew"

/* The longest variable that firmware is known to take: OVMF. */
#define GUARD_NEW_MAX 0x8400u

/* Of all pages that are in the fault log; signed, if there is a key (memory/sign_key.h). */
struct guard_new {
    const uint8_t *bytes; /* okram's own memory */
    size_t n;             /* 0: there is no bad page, or they do not fit */
    uint64_t n_pages;
};

/* made: seconds since 1970; 0: unknown. */
struct guard_new guard_list_from_log(int64_t made);
