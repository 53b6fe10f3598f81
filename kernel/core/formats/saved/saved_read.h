// SPDX-License-Identifier: MIT
/*
 * The report in UEFI variables (saved/saved.h), from their bytes. Anybody can write variables:
 * nothing in them is believed before it is checked. By its HMAC it is known whether okram wrote it.
 * Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/warn.h"
#include "saved/saved.h"
#include "sign/hmac.h"

/* The data of a variable; bytes NULL: there is none. More than SAVED_VARIABLE_MAX may be cut. */
struct saved_variable {
    const void *bytes;
    size_t size;
    uint32_t attributes;
};

struct saved_variables {
    struct saved_variable part[SAVED_PARTS_MAX];
};

enum saved_kind {
    SAVED_NOTHING,    /* there is no OkramReport00 */
    SAVED_UNREADABLE, /* OkramReport00 is damaged or somebody else's: `why` */
    SAVED_UNFINISHED, /* the run that wrote it did not reach its end */
    SAVED_INCOMPLETE, /* it did, but parts of the report are missing or damaged: `why` */
    SAVED_WHOLE,      /* it did, and here is the report */
};

#define SAVED_JSONL_MAX (SAVED_PARTS_MAX * SAVED_VARIABLE_MAX + 1)

struct saved_report {
    enum saved_kind kind;
    char why[WARNING_TEXT_MAX]; /* a sentence, or "" */
    uint32_t used_parts;        /* bit n: part n is of this report, and in `jsonl` */
    uint32_t invalid_parts;     /* bit n: part n is there, but cannot be okram's */

    /* From SAVED_UNFINISHED on. */
    enum saved_phase phase;
    enum verdict verdict;     /* if it is done and the result is there */
    bool is_partial;          /* not all memory was tested, by the result record */
    struct saved_state state; /* what is absent or odd is 0 or "" */
    char version[24];         /* of okram, printable ASCII, or "" */
    bool has_hmac;
    uint8_t hmac[HMAC_BYTES]; /* then, as the head has it: saved_is_signed() checks it */

    /*
     * Terminated; any bytes but NUL. Of SAVED_INCOMPLETE: the lines that are whole and printable
     * ASCII, up to the first part that is missing.
     */
    char jsonl[SAVED_JSONL_MAX];
};

void saved_read(const struct saved_variables *variables, struct saved_report *ret_report);

/*
 * By which it is known that okram wrote a report (saved_sign.c): HMAC-SHA-256, with a key that no
 * operating system can read (boot/uefi/sign_key.h), over "okram report" with its NUL, the phase as
 * one byte (enum saved_phase), and the n bytes of JSON lines that the head counts.
 */
void saved_hmac(enum saved_phase phase, const char *lines, size_t n, const uint8_t key[HMAC_BYTES],
                uint8_t ret_hmac[HMAC_BYTES]);

/* Whether okram wrote it: of a report that is unfinished or whole; of any other false. */
bool saved_is_signed(const struct saved_report *report, const uint8_t key[HMAC_BYTES]);
