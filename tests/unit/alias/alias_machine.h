// SPDX-License-Identifier: MIT
/* For the tests of aliases: a machine, and no alias in it yet. */
#pragma once

#include "alias/aliases.h"
#include "badram/machine.h"

#define LOW  (1 * MIB)
#define HIGH (33 * MIB)

static struct machine *m;
static struct aliases aliases;
static void *bitmap;

static inline void aliases_start(const struct span *ram)
{
    m = machine_make(ram);
    bitmap = malloc(aliases_bitmap_bytes(&m->space));
    aliases_init(&aliases, &m->log, bitmap);
}

static int end(void **state)
{
    free(bitmap);
    machine_free(m);
    return 0;
}
