// SPDX-License-Identifier: MIT
#include "testing/translations.h"

#include "lib/span.h"

#define ROOM_FIRST    (256 * PAGE_SIZE)
#define DOUBLINGS_MAX 14

bool translations_swept(struct translations *t, uint64_t bytes)
{
    t->swept += bytes;
    if (t->doublings == DOUBLINGS_MAX || t->swept < ROOM_FIRST << t->doublings)
        return false;
    t->swept = 0;
    t->doublings++;
    return true;
}
