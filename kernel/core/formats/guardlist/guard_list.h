// SPDX-License-Identifier: MIT
/*
 * The list of bad pages that okram-guard.efi takes out of the memory map, as it is in the UEFI
 * variable OkramGuard and in the file guard.list: docs/guard-forms.md has the form.
 *
 * A head of GUARD_LIST_HEAD bytes, little endian (a list of version 1: GUARD_LIST_HEAD_1, up to the
 * salt), then for each run of bad pages two numbers in
 * LEB128 (7 bits a byte, the lowest first, bit 7: more follow): the good pages since the end of the
 * run before (of the first run: since address 0), and the pages of the run less one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guardlist/fingerprint.h"
#include "lib/status.h"
#include "sign/hmac.h"

#define GUARD_LIST_MAGIC   "OkramGrd"
#define GUARD_LIST_VERSION 2
#define GUARD_LIST_HEAD    128u
#define GUARD_LIST_HEAD_1  80u                 /* of version 1, which is read, too */
#define GUARD_LIST_MAX     (UINT32_C(1) << 20) /* bytes of a whole list */

/* No address is 2^52 or more. */
#define GUARD_LIST_PAGES (UINT64_C(1) << 40)

struct guard_list_head {
    char magic[8];
    uint32_t crc32c; /* of the bytes after this field, up to `bytes` */
    uint16_t version;
    uint16_t head_bytes;
    uint32_t bytes; /* of the whole list */
    uint32_t n_runs;
    uint64_t n_pages;
    int64_t made;                     /* seconds since 1970; 0: unknown */
    struct guard_fingerprint machine; /* of version 1: without a salt */
    uint8_t hmac[HMAC_BYTES];         /* guard_list_sign; all 0, and in version 1: not signed */
};

_Static_assert(sizeof(struct guard_list_head) == GUARD_LIST_HEAD, "no padding");
_Static_assert(offsetof(struct guard_list_head, machine.salt) == GUARD_LIST_HEAD_1, "version 1");

struct guard_run {
    uint64_t first; /* page number */
    uint64_t n;     /* pages, at least 1 */
};

/* A list that is whole. It points into the bytes that it was opened from. */
struct guard_list {
    struct guard_list_head head;
    const uint8_t *runs, *end;
};

/*
 * STATUS_OK only if all of it is right: magic, version, lengths, CRC, and runs that ascend, do not
 * touch, end below GUARD_LIST_PAGES, and are as many runs and pages as the head says. Bytes after
 * the list are ignored. Otherwise *ret_why is half a sentence: "its CRC-32C is wrong".
 */
enum status guard_list_open(const void *bytes, size_t size, struct guard_list *ret_list,
                            const char **ret_why);

struct guard_reader {
    const uint8_t *at, *end;
    uint64_t next_page;
};

struct guard_reader guard_list_read(const struct guard_list *list);

/* False: there are no more. */
bool guard_reader_next(struct guard_reader *reader, struct guard_run *ret_run);

/* The same runs from the last to the first. */
struct guard_back_reader {
    const uint8_t *begin, *at;
    uint64_t end_page; /* after the run that comes next */
};

struct guard_back_reader guard_list_read_back(const struct guard_list *list);

/* False: there are no more. */
bool guard_back_reader_next(struct guard_back_reader *reader, struct guard_run *ret_run);

/* Writes a list into bytes of the caller's. */
struct guard_writer {
    uint8_t *bytes;
    size_t size, used;
    uint64_t next_page, n_pages;
    uint32_t n_runs;
    struct guard_run last; /* not written yet */
    bool is_full;          /* or a run was wrong */
};

struct guard_writer guard_writer_begin(void *bytes, size_t size);

/*
 * Runs ascend; one that touches or meets the one before is joined with it. One that begins before
 * that, or ends beyond GUARD_LIST_PAGES, makes guard_writer_end return 0.
 */
void guard_writer_add(struct guard_writer *writer, struct guard_run run);

/*
 * Returns the bytes of the list, in which the board's UUID is hidden (guardlist/fingerprint.h), and
 * which is not signed; 0: it does not fit, or a run was not as it has to be.
 */
size_t guard_writer_end(struct guard_writer *writer, const struct guard_fingerprint *machine,
                        int64_t made);

/*
 * Writes the pages of both, with the second one's machine and date; `first` may be NULL. Returns
 * the bytes of the list; 0: it does not fit.
 */
size_t guard_merge(const struct guard_list *first, const struct guard_list *second, void *out,
                   size_t size);

/* Whether each page of `part` is in `whole`. */
bool guard_list_holds(const struct guard_list *whole, const struct guard_list *part);

/*
 * Signs the list in these bytes, which guard_writer_end has made: HMAC-SHA-256, with a key that no
 * operating system can read (boot/uefi/sign_key.h), over "okram guard list" with its NUL and all
 * bytes of the list from `version` on, those of the HMAC as 0.
 */
void guard_list_sign(uint8_t *bytes, const uint8_t key[HMAC_BYTES]);

/* Of a list that is open. */
bool guard_list_is_signed(const struct guard_list *list, const uint8_t key[HMAC_BYTES]);
