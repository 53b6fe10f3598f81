// SPDX-License-Identifier: MIT
/* Variables as the kernel leaves them (save/saved.h), for tests of those who read them. */
#pragma once

#include <string.h>

#include "lib/crc32c.h"
#include "lib/string.h"
#include "save/saved_read.h"

#define SAMPLE_STARTED INT64_C(1795353274) /* 2026-11-22 13:14:34 */

#define SAMPLE_LINE "badram=0x5000000,0xffffffffff000"

#define SAMPLE_JSONL                                                                                \
    "{\"t\":0.1,\"type\":\"start\",\"version\":\"1.0\",\"boot\":\"uefi\",\"loader\":\"okram.efi\"," \
    "\"cmdline\":\"\"}\n"                                                                           \
    "{\"t\":3.0,\"type\":\"test\",\"pass\":1,\"test\":\"address\",\"seconds\":1.5,"                 \
    "\"swept_bytes\":4096,\"faults\":0}\n"                                                          \
    "{\"t\":9.0,\"type\":\"test\",\"pass\":1,\"test\":\"march-c-\",\"seconds\":5.5,"                \
    "\"swept_bytes\":4096,\"faults\":2}\n"                                                          \
    "{\"t\":9.1,\"type\":\"badram\",\"bad_pages\":1,\"patterns\":[[\"0x5000000\","                  \
    "\"0xffffffffff000\"]],\"sacrificed_pages\":1,\"ranges\":1,\"line\":\"" SAMPLE_LINE "\"}\n"

#define SAMPLE_TEXT "okram: FAIL <1 bad page> & its line\n" SAMPLE_LINE "\n"

struct sample {
    struct saved_state state;
    uint8_t part[SAVED_PARTS_MAX][SAVED_VARIABLE_MAX];
    struct saved_variables variables;
};

static inline void sample_seal(struct sample *s)
{
    s->state.crc = 0;
    s->state.crc = crc32c(&s->state, sizeof(s->state));
    s->variables.state = (struct saved_variable){ &s->state, sizeof(s->state), SAVED_ATTRIBUTES };
}

static inline void sample_seal_part(struct sample *s, unsigned i)
{
    struct saved_part *head = (struct saved_part *)s->part[i];
    size_t n = sizeof(*head) + head->bytes;

    head->crc = 0;
    head->crc = crc32c(s->part[i], n);
    s->variables.part[i] = (struct saved_variable){ s->part[i], n, SAVED_ATTRIBUTES };
}

/* A run that is under way. */
static inline void sample_started(struct sample *s)
{
    memset(s, 0, sizeof(*s));
    s->state = (struct saved_state){ .version = SAVED_VERSION,
                                     .bytes = sizeof(s->state),
                                     .run_id = 0x123456789,
                                     .started = SAMPLE_STARTED,
                                     .written = SAMPLE_STARTED + 90,
                                     .phase = SAVED_TESTING,
                                     .pass = 1,
                                     .cpu = 3,
                                     .cpus = 8,
                                     .seconds = 90,
                                     .tested_bytes = UINT64_C(3) << 29,
                                     .swept_bytes = UINT64_C(5) << 30,
                                     .ram_bytes = UINT64_C(4) << 30,
                                     .test = "march-c-",
                                     .board = "QEMU Standard PC (Q35 + ICH9, 2009)",
                                     .okram = "1.0" };
    memcpy(s->state.magic, SAVED_STATE_MAGIC, sizeof(s->state.magic));
    sample_seal(s);
}

/* One that has ended, with its report in parts of part_bytes each. */
static inline void sample_finished(struct sample *s, enum saved_verdict verdict, const char *jsonl,
                                   const char *text, size_t part_bytes)
{
    char whole[SAVED_PARTS_MAX * SAVED_VARIABLE_MAX];
    size_t n = string_copy(whole, jsonl, sizeof(whole));
    size_t size = n + string_copy(whole + n, text, sizeof(whole) - n);

    sample_started(s);
    s->state.phase = SAVED_FINISHED;
    s->state.verdict = (uint8_t)verdict;
    s->state.faults = verdict == SAVED_FAIL ? 2 : 0;
    s->state.bad_pages = verdict == SAVED_FAIL ? 1 : 0;
    s->state.n_parts = (uint16_t)((size + part_bytes - 1) / part_bytes);
    s->state.report_bytes = (uint32_t)size;
    s->state.jsonl_bytes = (uint32_t)n;
    s->state.report_crc = crc32c(whole, size);
    for (unsigned i = 0; i < s->state.n_parts; i++) {
        size_t left = size - i * part_bytes, bytes = left < part_bytes ? left : part_bytes;
        struct saved_part head = { .run_id = s->state.run_id,
                                   .index = (uint16_t)i,
                                   .n = s->state.n_parts,
                                   .bytes = (uint32_t)bytes };

        memcpy(head.magic, SAVED_PART_MAGIC, sizeof(head.magic));
        memcpy(s->part[i], &head, sizeof(head));
        memcpy(s->part[i] + sizeof(head), whole + i * part_bytes, bytes);
        sample_seal_part(s, i);
    }
    sample_seal(s);
}
