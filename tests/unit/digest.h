// SPDX-License-Identifier: MIT
/*
 * A digest of all that code says about very many inputs. It notices any change of the code, however
 * small, also of a row in a table that no example has; the examples say what is right. After a
 * change that was meant, the failed assertion shows the new digest.
 */
#pragma once

#include <stdint.h>

#include "lib/splitmix.h"

static inline void digest_add(uint64_t *digest, uint64_t value)
{
    *digest = splitmix_mix(*digest + value);
}

/* Of NULL: as of no text. */
static inline void digest_add_text(uint64_t *digest, const char *text)
{
    for (; text && *text; text++)
        digest_add(digest, (unsigned char)*text);
    digest_add(digest, 0);
}
