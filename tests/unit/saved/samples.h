// SPDX-License-Identifier: MIT
/* Variables as the kernel leaves them (saved/saved.h), for tests of those who read them. */
#pragma once

#include <string.h>

#include "lib/crc32c.h"
#include "lib/fmt.h"
#include "lib/string.h"
#include "saved/saved_read.h"

#define SAMPLE_LINE  "badram=0x5000000,0xffffffffff000"
#define SAMPLE_BOARD "QEMU Standard PC (Q35 + ICH9, 2009)"

/* The first record; `counts` are those of faults and bad pages. */
#define SAMPLE_STATE_OF(board, counts)                                                             \
    "{\"t\":90,\"type\":\"state\",\"started\":\"2026-11-22T13:14:34\","                            \
    "\"written\":\"2026-11-22T13:16:04\",\"board\":\"" board "\",\"test\":\"march-c-\","           \
    "\"pass\":1,\"cpu\":3,\"cpus\":8,\"tested_bytes\":1610612736,\"swept_bytes\":5368709120,"      \
    "\"ram_bytes\":4294967296," counts "}\n"
#define SAMPLE_STATE SAMPLE_STATE_OF(SAMPLE_BOARD, "\"faults\":0,\"bad_pages\":0")

#define SAMPLE_START                                                                                \
    "{\"t\":0.1,\"type\":\"start\",\"version\":\"1.0\",\"boot\":\"uefi\",\"loader\":\"okram.efi\"," \
    "\"cmdline\":\"\"}\n"

#define SAMPLE_JSONL                                                                               \
    SAMPLE_START                                                                                   \
    "{\"t\":3.0,\"type\":\"test\",\"pass\":1,\"test\":\"address\",\"seconds\":1.5,"                \
    "\"swept_bytes\":4096,\"faults\":0}\n"                                                         \
    "{\"t\":9.0,\"type\":\"test\",\"pass\":1,\"test\":\"march-c-\",\"seconds\":5.5,"               \
    "\"swept_bytes\":4096,\"faults\":2}\n"                                                         \
    "{\"t\":9.1,\"type\":\"badram\",\"bad_pages\":1,\"patterns\":[[\"0x5000000\","                 \
    "\"0xffffffffff000\"]],\"sacrificed_pages\":1,\"ranges\":1,\"line\":\"" SAMPLE_LINE "\"}\n"

struct sample {
    unsigned n_parts;
    char jsonl[SAVED_JSONL_MAX];
    char part[SAVED_PARTS_MAX][SAVED_VARIABLE_MAX];
    struct saved_variables variables;
};

/* A head and n bytes, as they are, in parts of part_bytes each. */
static inline void sample_split(struct sample *s, const char *head, const char *bytes, size_t n,
                                size_t part_bytes)
{
    char whole[SAVED_PARTS_MAX * SAVED_VARIABLE_MAX];
    size_t size = string_copy(whole, head, sizeof(whole));

    memcpy(whole + size, bytes, n);
    size += n;
    memset(&s->variables, 0, sizeof(s->variables));
    s->n_parts = 0;
    for (size_t at = 0; at < size; at += part_bytes) {
        size_t left = size - at, in_part = left < part_bytes ? left : part_bytes;

        memcpy(s->part[s->n_parts], whole + at, in_part);
        s->variables.part[s->n_parts] =
            (struct saved_variable){ s->part[s->n_parts], in_part, SAVED_ATTRIBUTES };
        s->n_parts++;
    }
}

/* The head of n bytes. */
static inline void sample_head(char out[SAVED_HEAD_MAX], const char *state, const char *bytes,
                               size_t n)
{
    fmt_print(out, SAVED_HEAD_MAX,
              SAVED_HEAD_BEGIN "\"version\":1,\"state\":\"%s\",\"bytes\":%zu,\"crc32c\":"
                               "\"0x%08x\"}\n",
              state, n, crc32c(bytes, n));
}

static inline void sample_put(struct sample *s, const char *state, const char *bytes, size_t n,
                              size_t part_bytes)
{
    char head[SAVED_HEAD_MAX];

    sample_head(head, state, bytes, n);
    memcpy(s->jsonl, bytes, n);
    s->jsonl[n] = 0;
    sample_split(s, head, bytes, n, part_bytes);
}

/* A run that is under way. */
static inline void sample_started(struct sample *s)
{
    static const char records[] = SAMPLE_STATE SAMPLE_START;

    sample_put(s, "running", records, sizeof(records) - 1, SAVED_VARIABLE_MAX);
}

/* One that has ended, with these records between that of its state and its result. */
static inline void sample_finished(struct sample *s, enum verdict verdict, const char *records,
                                   size_t part_bytes)
{
    char whole[SAVED_JSONL_MAX];
    size_t n = fmt_print(whole, sizeof(whole),
                         "%s%s{\"t\":90.0,\"type\":\"result\",\"status\":"
                         "\"%s\"}\n",
                         verdict == VERDICT_FAIL
                             ? SAMPLE_STATE_OF(SAMPLE_BOARD, "\"faults\":2,\"bad_pages\":1")
                             : SAMPLE_STATE,
                         records, verdict ? verdict_word(verdict) : "");

    sample_put(s, "done", whole, n, part_bytes);
}

/* How much of the longest report is records, SAVED_VARIABLE_MAX in each part. */
#define SAMPLE_RECORDS_MAX (SAVED_PARTS_MAX * SAVED_VARIABLE_MAX - 512)
