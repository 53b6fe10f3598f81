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

void ecc_append_errors(uint64_t corrected, uint64_t uncorrected, uint64_t with_page,
                       uint64_t bad_pages, struct fmt_buffer *out)
{
    uint64_t last = uncorrected ? uncorrected : corrected;

    fmt_append(out, "ECC ");
    if (corrected)
        fmt_append(out, "corrected %llu", (unsigned long long)corrected);
    if (corrected && uncorrected)
        fmt_append(out, " error%s, and ", fmt_plural(corrected));
    if (uncorrected)
        fmt_append(out, "could not correct %llu", (unsigned long long)uncorrected);
    if (!corrected || !uncorrected)
        fmt_append(out, " error%s", fmt_plural(last));
    if (!with_page)
        return;
    if (with_page < corrected + uncorrected)
        fmt_append(out, " (%llu of them in %llu page%s)", (unsigned long long)with_page,
                   (unsigned long long)bad_pages, fmt_plural(bad_pages));
    else
        fmt_append(out, " in %llu page%s", (unsigned long long)bad_pages, fmt_plural(bad_pages));
}
