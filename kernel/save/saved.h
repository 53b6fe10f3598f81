// SPDX-License-Identifier: MIT
/*
 * The report that okram keeps in UEFI variables, for the next boot of its loader and for a tool on
 * the running system (tools/okramlib/saved.py reads the same format).
 *
 * Variables of vendor SAVED_GUID, with SAVED_ATTRIBUTES:
 *
 *   OkramState           one struct saved_state: how far the run is or how it ended
 *   OkramReport0 to F    the parts of the report, each a struct saved_part and its bytes, 1 KiB at
 *                        most together
 *
 * A state is one variable, which firmware replaces as a whole (UEFI 2.10, 8.2). The parts are
 * written before the state that counts them, so that a power cut leaves either the old state, whose
 * run did not finish, or the whole report. Names are used again by the next run: a part belongs to
 * a state if its run_id is the same. A variable that breaks these rules is somebody else's or
 * damaged: it is reported, not believed and not deleted.
 *
 * The report is UTF-8 text: first JSON lines (docs/jsonl.schema.json) of jsonl_bytes, then the same
 * for people, lines that end with \n. Numbers are little-endian. CRCs are CRC-32C (lib/crc32c.h).
 */
#pragma once

#include <stdint.h>

/* d8ab0d1c-6f2f-4f0c-9c5e-6f6b72616d31 as the bytes of an EFI_GUID. */
#define SAVED_GUID                                                                                 \
    {                                                                                              \
        0xd8ab0d1c, 0x6f2f, 0x4f0c,                                                                \
        {                                                                                          \
            0x9c, 0x5e, 0x6f, 0x6b, 0x72, 0x61, 0x6d, 0x31                                         \
        }                                                                                          \
    }

#define SAVED_ATTRIBUTES   7 /* non-volatile, boot services' and runtime access */
#define SAVED_STATE_NAME   "OkramState"
#define SAVED_PART_NAME    "OkramReport" /* and one hexadecimal digit, capital */
#define SAVED_PARTS_MAX    16
#define SAVED_VARIABLE_MAX 1024       /* bytes of a variable's data */
#define SAVED_STATE_MAGIC  "okramSAV" /* 8 bytes, without a NUL */
#define SAVED_PART_MAGIC   "okramPRT"
#define SAVED_VERSION      1

enum saved_phase {
    SAVED_STARTED = 1,  /* the kernel runs, no test has ended */
    SAVED_TESTING = 2,  /* at least one test has ended */
    SAVED_FINISHED = 3, /* the result is known: n_parts parts are the report */
};

enum saved_verdict { /* as the result record's status; 0 until finished */
                     SAVED_PASS = 1,
                     SAVED_FAIL = 2,
                     SAVED_STOPPED = 3,
                     SAVED_ERROR = 4,
};

/* Strings end with a NUL and are ASCII. Counters are of the whole run so far. */
struct saved_state {
    char magic[8];
    uint16_t version;
    uint16_t bytes; /* sizeof(struct saved_state) */
    uint32_t crc;   /* of the struct, this field taken as 0 */
    uint64_t run_id;
    int64_t started, written; /* seconds since 1970 by the machine's clock, its zone unknown; 0: no
                                 clock */
    uint8_t phase;            /* enum saved_phase */
    uint8_t verdict;          /* enum saved_verdict */
    uint16_t n_parts;
    uint32_t report_bytes, jsonl_bytes;
    uint32_t report_crc; /* of all parts' bytes, one after the other */
    uint32_t pass;       /* from 1 */
    uint32_t cpu, cpus;  /* the CPU that wrote this, and how many test */
    uint32_t seconds;    /* since kernel entry */
    uint64_t tested_bytes, swept_bytes, ram_bytes;
    uint64_t faults, bad_pages;
    char test[24];  /* that runs or ran last, or "" */
    char board[64]; /* SMBIOS: maker and product, or "" */
    char okram[24]; /* version */
};

struct saved_part {
    char magic[8];
    uint64_t run_id;
    uint16_t index, n; /* from 0, of n */
    uint32_t bytes;    /* that follow */
    uint32_t crc;      /* of this struct with this field 0, and of the bytes */
    uint32_t reserved; /* 0 */
};

#define SAVED_PART_BYTES_MAX (SAVED_VARIABLE_MAX - sizeof(struct saved_part))

_Static_assert(sizeof(struct saved_state) == 8 + 8 + 8 + 16 + 4 + 12 + 4 * 4 + 24 + 16 + 112,
               "no padding");
_Static_assert(sizeof(struct saved_part) == 32, "no padding");
