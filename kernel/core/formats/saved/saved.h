// SPDX-License-Identifier: MIT
/*
 * The report that okram keeps in UEFI variables, for the next boot of its loader and for a tool on
 * the running system (tools/okramlib/saved.py has it read by this code, in build/guardlist).
 *
 * Variables OkramReport00, OkramReport01, ... of vendor SAVED_GUID, with SAVED_ATTRIBUTES, at most
 * SAVED_VARIABLE_MAX bytes each. Their data, joined in order, are text: a head, one JSON object on
 * a line,
 *
 *   {"type":"saved","version":1,"state":"started","bytes":N,"crc32c":"0x…","hmac":"…"}
 *
 * then N bytes of JSON lines (docs/jsonl.schema.json), some of which stand for several records
 * (saved/saved_lines.h), over which the CRC-32C is. "state" is started, running or done. "hmac", 64
 * hexadecimal digits, says that okram wrote the report (saved/saved_read.h); without a key it is
 * omitted. The first record is of type "state": how far the run was when this was written, with its
 * date and the machine's name. What comes after the N bytes is ignored.
 *
 * A report that is not done is in OkramReport00 alone, which firmware replaces as a whole (UEFI
 * 2.10, 8.2). Once the result is known OkramReport00 is replaced by a report in state done that is
 * in this part alone: the verdict, with the bad pages as far as they fit. Then the guard's list and
 * the other parts of the whole report are written, and its OkramReport00 last: a power cut leaves
 * the report that there was, or the verdict, or the whole report. Parts that the head does not
 * count are left from such a cut, and the next run deletes them. Where the store has no room an
 * older report is deleted, so that no old verdict is left after a new one.
 *
 * Variables that break these rules are somebody else's or damaged: they are reported, not believed
 * and not deleted. A report ends before such a name.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "saved/verdict.h"

/* 6f6b7261-6d52-4a4d-9e15-b5250297c0de as the fields of an EFI_GUID. */
#define SAVED_GUID                                                                                 \
    {                                                                                              \
        0x6f6b7261, 0x6d52, 0x4a4d,                                                                \
        {                                                                                          \
            0x9e, 0x15, 0xb5, 0x25, 0x02, 0x97, 0xc0, 0xde                                         \
        }                                                                                          \
    }

#define SAVED_ATTRIBUTES   7             /* non-volatile, boot services' and runtime access */
#define SAVED_PART_NAME    "OkramReport" /* and two hexadecimal digits, capitals */
#define SAVED_PARTS_MAX    16            /* that okram writes; readers take 16, too */
#define SAVED_VARIABLE_MAX 1024          /* bytes of a variable's data */
#define SAVED_HEAD_BEGIN   "{\"type\":\"saved\","
#define SAVED_HEAD_MAX     192 /* bytes of the head, with its \n */
#define SAVED_VERSION      1

enum saved_phase {                /* "state" of the head */
                   SAVED_STARTED, /* the kernel runs, no test has ended */
                   SAVED_RUNNING, /* at least one test has ended */
                   SAVED_DONE,    /* the result is known, and a record of the report */
};

#define SAVED_DATE_MAX 20 /* "2026-11-22T13:14:34", with the NUL */

/*
 * The record of type "state", by the same names; t is `seconds`. Strings end with a NUL and are
 * printable ASCII. Counters are of the whole run so far, swept_bytes of its tests that have ended.
 *
 *   {"t":90,"type":"state","started":"2026-11-22T13:14:34","written":"2026-11-22T13:16:04",
 *    "board":"Maker Product","test":"march-c-","pass":1,"cpu":3,"cpus":4,"tested_bytes":…,
 *    "swept_bytes":…,"ram_bytes":…,"faults":0,"bad_pages":0}
 *
 * Where there is room for little, the result record may be left out; its status is here, too.
 */
struct saved_state {
    uint32_t seconds;                                      /* since kernel entry */
    char started[SAVED_DATE_MAX], written[SAVED_DATE_MAX]; /* by the machine's clock, its zone
                                                              unknown; "" (null): it has none */
    char board[64];                                        /* SMBIOS: maker and product, or "" */
    char test[24];                                         /* that runs or ran last, or "" */
    uint32_t pass;                                         /* from 1; 0: before the first */
    uint32_t cpu, cpus; /* the CPU that wrote this, and how many test */
    uint64_t tested_bytes, swept_bytes, ram_bytes;
    uint64_t faults, bad_pages;
    enum verdict verdict; /* `status`, which is absent for VERDICT_NONE */
    bool complete;        /* then: all memory that there is was tested */
};
