// SPDX-License-Identifier: MIT
#include "tests/coverage/cache.h"

#include <stdlib.h>
#include <string.h>

#include "lib/panic.h"

#define ALL_BYTES UINT64_MAX

void cache_make(struct cache *c, struct dram *dram, struct cache_model model)
{
    void *lines = NULL;

    ASSERT(posix_memalign(&lines, sizeof(struct line), dram->n_lines * sizeof(struct cache_line)) ==
           0);
    *c = (struct cache){
        .model = model,
        .line = lines,
        .pending = calloc(dram->n_lines, sizeof(uint32_t)),
    };
    ASSERT(c->pending);
    controller_make(&c->controller, dram, model.controller, model.controller_lines);
    cache_reset(c);
}

void cache_free(struct cache *c)
{
    free(c->line);
    free(c->pending);
    controller_free(&c->controller);
}

void cache_reset(struct cache *c)
{
    memset(c->line, 0, c->controller.dram->n_lines * sizeof(*c->line));
    controller_reset(&c->controller);
    c->at_hand = c->n_pending = c->n_prefetched = 0;
    c->epoch = 1;
    c->broken = NULL;
}

static void write_back(struct cache *c, uint32_t line)
{
    struct cache_line *l = &c->line[line];

    if (l->dirty)
        controller_write(&c->controller, line, &l->data);
    l->cached = l->dirty = l->flushing = l->prefetched = false;
}

/* A full buffer goes to DRAM before another line's turn. */
static void send(struct cache *c, uint32_t line)
{
    struct cache_line *l = &c->line[line];

    if (l->buffer != BUFFER_FULL)
        return;
    if (!l->sent_before || memcmp(&l->sent, &l->buffered, sizeof(l->sent)) != 0)
        controller_write(&c->controller, line, &l->buffered);
    l->buffer = BUFFER_SENT;
    l->sent_before = true;
    l->sent = l->buffered;
}

static void await_fence(struct cache *c, uint32_t line)
{
    if (!c->line[line].pending)
        c->pending[c->n_pending++] = line;
    c->line[line].pending = true;
}

static struct cache_line *touch(struct cache *c, uint32_t line)
{
    if (line != c->at_hand) {
        send(c, c->at_hand);
        if (c->model.forgetful)
            write_back(c, c->at_hand);
    }
    c->at_hand = line;
    return &c->line[line];
}

/* By hardware. */
static void prefetch(struct cache *c, uint32_t line)
{
    uint32_t *place = &c->prefetched[c->n_prefetched % PREFETCHED_MAX];
    struct cache_line *l = &c->line[line], *oldest = &c->line[*place];

    if (l->cached || l->buffer != BUFFER_NONE)
        return;
    if (c->n_prefetched++ >= PREFETCHED_MAX && oldest->prefetched)
        oldest->cached = oldest->flushing = oldest->prefetched = false;
    *place = line;
    l->data = controller_read(&c->controller, line);
    l->cached = l->prefetched = true;
}

static void fill(struct cache *c, uint32_t line)
{
    struct cache_line *l = touch(c, line);

    if (l->buffer == BUFFER_PART)
        c->broken = "a line was loaded that was not completely written";
    l->prefetched = false;
    if (l->cached)
        return;
    l->cached = true;
    if (l->buffer != BUFFER_NONE) {
        l->data = l->buffered;
        return;
    }
    l->data = controller_read(&c->controller, line);
    if (c->model.prefetches && line)
        prefetch(c, line - 1);
}

const struct line *cache_load(struct cache *c, uint32_t line)
{
    struct cache_line *l = &c->line[line];

    fill(c, line);
    l->flushing = false;
    l->load_epoch = c->epoch;
    return &l->data;
}

void cache_prefetch(struct cache *c, uint32_t line)
{
    cache_load(c, line);
}

void cache_store(struct cache *c, uint32_t line, uint32_t offset, uint32_t size, const void *from)
{
    struct cache_line *l = &c->line[line];

    fill(c, line);
    memcpy((char *)&l->data + offset, from, size);
    l->dirty = true;
    l->flushing = false;
}

void cache_stream(struct cache *c, uint32_t line, uint32_t offset, uint32_t size, const void *from)
{
    struct cache_line *l = touch(c, line);
    uint64_t mask = (size == 64 ? ALL_BYTES : (UINT64_C(1) << size) - 1) << offset;

    write_back(c, line);
    await_fence(c, line);
    if (l->buffer != BUFFER_PART)
        l->bytes = 0;
    memcpy((char *)&l->buffered + offset, from, size);
    l->bytes |= mask;
    l->buffer = l->bytes == ALL_BYTES ? BUFFER_FULL : BUFFER_PART;
}

void cache_flush(struct cache *c, uint32_t line)
{
    struct cache_line *l = touch(c, line);

    l->flushing = l->load_epoch != c->epoch;
    await_fence(c, line);
}

/* False: the line still waits for a fence. */
static bool fence_line(struct cache *c, uint32_t line, enum fence fence)
{
    struct cache_line *l = &c->line[line];

    if (fence == FENCE_ALL && l->flushing)
        write_back(c, line);
    if (l->buffer == BUFFER_PART)
        c->broken = "a line was not completely written when its buffer was drained";
    send(c, line);
    l->buffer = BUFFER_NONE;
    l->sent_before = false;
    l->pending = l->flushing;
    return !l->pending;
}

void cache_fence(struct cache *c, enum fence fence)
{
    uint32_t n = c->n_pending;

    if (fence != FENCE_STORES)
        c->epoch++;
    if (fence == FENCE_LOADS)
        return;
    c->n_pending = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t line = c->pending[i];

        if (!fence_line(c, line, fence))
            c->pending[c->n_pending++] = line;
    }
}

void cache_evict(struct cache *c)
{
    if (c->model.forgetful)
        write_back(c, c->at_hand);
}
