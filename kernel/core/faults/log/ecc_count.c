// SPDX-License-Identifier: MIT
#include "log/ecc_count.h"

#include "lib/minmax.h"
#include "lib/string.h"

static void add(uint64_t *sum, uint64_t n)
{
    *sum = *sum > UINT64_MAX - n ? UINT64_MAX : *sum + n;
}

/* NULL: there is no room for one more. */
static struct ecc_channel *channel_of(struct ecc_count *c, const char *name)
{
    for (size_t i = 0; i < c->n_channels; i++) {
        if (strcmp(c->channel[i].name, name) == 0)
            return &c->channel[i];
    }
    if (c->n_channels == ECC_CHANNELS_MAX)
        return NULL;
    string_copy(c->channel[c->n_channels].name, name, ECC_CHANNEL_SIZE);
    return &c->channel[c->n_channels++];
}

void ecc_count_add(struct ecc_count *c, const struct ecc_error *error)
{
    struct ecc_channel *channel = error->channel[0] ? channel_of(c, error->channel) : NULL;

    add(error->corrected ? &c->corrected : &c->uncorrected, error->count);
    if (error->has_page)
        add(&c->with_page, error->count);
    if (channel)
        add(error->corrected ? &channel->corrected : &channel->uncorrected, error->count);
}

void ecc_count_find_page(struct ecc_count *c, uint64_t count)
{
    uint64_t all = c->corrected;

    add(&all, c->uncorrected);
    add(&c->with_page, count);
    c->with_page = min_u64(c->with_page, all);
}
