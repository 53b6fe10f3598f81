// SPDX-License-Identifier: MIT
#include "self/unsteady.h"

#include <stddef.h>

#include "lib/minmax.h"

#define SUSPECTS_MAX 8

static uint64_t suspect[SUSPECTS_MAX];
static size_t n_suspects;

static uint64_t unsteady_page[UNSTEADY_MAX];
static size_t n_unsteady;

/* Those that were not taken yet. */
static struct unsteady_word seen[UNSTEADY_MAX];
static size_t n_seen;

struct unsteady_part unsteady_cut(struct span piece)
{
    struct unsteady_part part = { piece.size, false };

    for (size_t i = 0; i < n_unsteady; i++) {
        uint64_t page = unsteady_page[i];

        if (page == align_down(piece.base, PAGE_SIZE))
            return (struct unsteady_part){ min_u64(piece.size, page + PAGE_SIZE - piece.base),
                                           true };
        if (page > piece.base)
            part.bytes = min_u64(part.bytes, page - piece.base);
    }
    return part;
}

static bool was_suspect(uint64_t addr)
{
    for (size_t i = 0; i < n_suspects; i++) {
        if (suspect[i] == addr)
            return true;
    }
    return false;
}

bool unsteady_note(struct unsteady_word word)
{
    if (!word.addr)
        return false;
    if (!was_suspect(word.addr)) {
        if (n_suspects < SUSPECTS_MAX)
            suspect[n_suspects++] = word.addr;
        return false;
    }
    if (n_unsteady == UNSTEADY_MAX)
        return false;
    unsteady_page[n_unsteady++] = align_down(word.addr, PAGE_SIZE);
    if (n_seen < UNSTEADY_MAX)
        seen[n_seen++] = word;
    return true;
}

void unsteady_moved(void)
{
    n_suspects = n_unsteady = 0;
}

bool unsteady_take(struct unsteady_word *ret)
{
    if (!n_seen)
        return false;
    *ret = seen[--n_seen];
    return true;
}
