// SPDX-License-Identifier: MIT
/*
 * What stands between the instructions and DRAM: write-back caches and write-combining buffers, as
 * kernel/core/march/sweep/line_ops.h describes them, and always to the disadvantage of the code
 * under test. What the architecture does not promise to reach DRAM does not reach it:
 *
 * - A load, and a prefetch, read DRAM only if the line is not in the cache, and then it is. The
 *   cache is as large as memory: it loses a line by a flush or a non-temporal store only.
 * - A plain store reads the line into the cache first and reaches DRAM only by a flush.
 * - CLFLUSH and CLFLUSHOPT take effect at the next MFENCE. They do not if the line was loaded
 * before and no LFENCE or MFENCE came in between, or is loaded again before that MFENCE.
 * - Non-temporal stores of all 64 bytes of a line are one write of DRAM, done before anything that
 *   concerns another line. But before the next MFENCE or SFENCE a load of the line is answered by
 * the buffers, and another such write of the same data is lost in them.
 *
 * The order of operations on different lines is that of the program, unless the model has a
 * hardware prefetcher: after a load of a line from memory it reads the line before it, too, and
 * keeps it for a while. What reaches memory, a controller may hold (coverage/controller.h).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tests/coverage/controller.h"

enum fence {
    FENCE_LOADS,  /* LFENCE */
    FENCE_STORES, /* SFENCE */
    FENCE_ALL,    /* MFENCE */
};

enum buffer {
    BUFFER_NONE,
    BUFFER_PART, /* some bytes of the line were stored */
    BUFFER_FULL, /* all of them, and nothing else happened since */
    BUFFER_SENT, /* written to DRAM, no fence since */
};

/* All zeros: a cache as large as memory, with nothing but DRAM behind it. */
struct cache_model {
    bool forgetful;  /* it holds one line, and writes it back for the next one */
    bool prefetches; /* the line before one that was loaded */
    enum controller_kind controller;
    uint32_t controller_lines;
};

/* Lines that were prefetched and not loaded; one more, and the oldest is dropped. */
#define PREFETCHED_MAX 16

struct cache_line {
    bool cached, dirty, flushing;
    bool prefetched; /* and not loaded yet */
    bool pending;    /* is in cache.pending */
    enum buffer buffer;
    uint64_t bytes;       /* of the line, in the buffer: bit i for byte i */
    uint64_t load_epoch;  /* see cache.epoch; 0: never loaded */
    struct line data;     /* what the cache holds */
    struct line buffered; /* what the buffer holds */
    bool sent_before;     /* since the last fence the buffer went to DRAM, with: */
    struct line sent;
};

struct cache {
    struct cache_model model;
    struct controller controller;
    uint32_t at_hand; /* the last line touched */
    uint64_t epoch;   /* counts what orders loads: LFENCE and MFENCE */
    struct cache_line *line;
    uint32_t *pending, n_pending; /* the lines that a fence may do something with */
    uint32_t prefetched[PREFETCHED_MAX], n_prefetched; /* the last ones, in a ring; all so far */
    const char *broken; /* what the code under test must not do, if it did */
};

void cache_make(struct cache *c, struct dram *dram, struct cache_model model);
void cache_free(struct cache *c);

/* Nothing is in it any more. What was not written back is lost. */
void cache_reset(struct cache *c);

/* The instructions, in program order. line is a number, from 0. */
const struct line *cache_load(struct cache *c, uint32_t line);
void cache_prefetch(struct cache *c, uint32_t line);
void cache_store(struct cache *c, uint32_t line, uint32_t offset, uint32_t size, const void *from);
void cache_stream(struct cache *c, uint32_t line, uint32_t offset, uint32_t size, const void *from);
void cache_flush(struct cache *c, uint32_t line);
void cache_fence(struct cache *c, enum fence fence);

/* Writes back and empties a forgetful cache: another part of memory had its turn. */
void cache_evict(struct cache *c);
