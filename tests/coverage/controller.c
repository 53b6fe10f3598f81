// SPDX-License-Identifier: MIT
#include "tests/coverage/controller.h"

#include <stdlib.h>
#include <string.h>

#include "lib/panic.h"

#define NO_LINE UINT32_MAX

void controller_make(struct controller *c, struct dram *dram, enum controller_kind kind,
                     uint32_t capacity)
{
    void *lines = NULL;

    ASSERT(kind == CONTROLLER_NONE || capacity);
    ASSERT(posix_memalign(&lines, sizeof(struct line), dram->n_lines * sizeof(struct held_line)) ==
           0);
    *c = (struct controller){ .dram = dram, .kind = kind, .capacity = capacity, .line = lines };
    controller_reset(c);
}

void controller_free(struct controller *c)
{
    free(c->line);
}

void controller_reset(struct controller *c)
{
    memset(c->line, 0, c->dram->n_lines * sizeof(*c->line));
    c->oldest = c->newest = NO_LINE;
    c->n = 0;
}

static void take_out(struct controller *c, uint32_t line)
{
    struct held_line *h = &c->line[line];

    if (h->older == NO_LINE)
        c->oldest = h->newer;
    else
        c->line[h->older].newer = h->newer;
    if (h->newer == NO_LINE)
        c->newest = h->older;
    else
        c->line[h->newer].older = h->older;
    h->is_held = false;
    c->n--;
}

static void put_in(struct controller *c, uint32_t line)
{
    struct held_line *h = &c->line[line];

    h->older = c->newest;
    h->newer = NO_LINE;
    if (c->newest == NO_LINE)
        c->oldest = line;
    else
        c->line[c->newest].newer = line;
    c->newest = line;
    h->is_held = true;
    c->n++;
}

static void let_out(struct controller *c)
{
    uint32_t line = c->oldest;

    take_out(c, line);
    if (c->line[line].dirty)
        dram_write(c->dram, line, &c->line[line].data);
}

void controller_drain(struct controller *c)
{
    while (c->n)
        let_out(c);
}

static void hold(struct controller *c, uint32_t line, const struct line *data, bool dirty)
{
    if (c->n == c->capacity)
        let_out(c);
    c->line[line].data = *data;
    c->line[line].dirty = dirty;
    put_in(c, line);
}

/* In a side cache it becomes the newest. */
static void use(struct controller *c, uint32_t line)
{
    if (c->kind == CONTROLLER_QUEUE)
        return;
    take_out(c, line);
    put_in(c, line);
}

void controller_write(struct controller *c, uint32_t line, const struct line *data)
{
    if (c->kind == CONTROLLER_NONE) {
        dram_write(c->dram, line, data);
    } else if (!c->line[line].is_held) {
        hold(c, line, data, true);
    } else {
        c->line[line].data = *data;
        c->line[line].dirty = true;
        use(c, line);
    }
}

struct line controller_read(struct controller *c, uint32_t line)
{
    struct line data;

    if (c->line[line].is_held) {
        use(c, line);
        return c->line[line].data;
    }
    data = dram_read(c->dram, line);
    if (c->kind == CONTROLLER_SIDE_CACHE)
        hold(c, line, &data, false);
    return data;
}
