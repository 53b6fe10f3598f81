// SPDX-License-Identifier: MIT
/* A writer that keeps all that it is given, to be compared. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "lib/fmt.h"

struct capture {
    char *text; /* always terminated, once something was written */
    size_t length, size;
};

static inline void capture_write(void *ctx, const char *text, size_t n)
{
    struct capture *c = ctx;

    if (c->length + n >= c->size) {
        c->size = 2 * (c->length + n + 1);
        c->text = realloc(c->text, c->size);
    }
    memcpy(c->text + c->length, text, n);
    c->length += n;
    c->text[c->length] = 0;
}

static inline struct writer capture_writer(struct capture *c)
{
    return (struct writer){ capture_write, c };
}

static inline void capture_free(struct capture *c)
{
    free(c->text);
    *c = (struct capture){ 0 };
}
