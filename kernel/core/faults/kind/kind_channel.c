// SPDX-License-Identifier: MIT
#include "kind/kind_channel.h"

#include "lib/bits.h"
#include "lib/string.h"

static unsigned bits_of(uint8_t type)
{
    switch (type) {
    case SMBIOS_DDR:
    case SMBIOS_DDR2:
    case SMBIOS_DDR3:
    case SMBIOS_DDR4: return 64;
    case SMBIOS_DDR5: return 32;
    default: return 0;
    }
}

unsigned kind_bus_bits(const struct smbios_memory *slots)
{
    unsigned bits = 0;

    for (uint32_t i = 0; slots && i < slots->n_slot; i++) {
        const struct smbios_slot *slot = &slots->slot[i];

        if (!slot->is_populated || !slot->is_ordinary)
            continue;
        if (!bits_of(slot->memory_type) || (bits && bits != bits_of(slot->memory_type)))
            return 0;
        bits = bits_of(slot->memory_type);
    }
    return bits;
}

bool kind_bus_has_lanes(const struct smbios_memory *slots)
{
    for (uint32_t i = 0; slots && i < slots->n_slot; i++) {
        if (slots->slot[i].is_populated && smbios_is_lpddr(slots->slot[i].memory_type))
            return false;
    }
    return true;
}

unsigned kind_channel_of(const struct kind_channels *c, uint64_t addr)
{
    unsigned channel = 0;

    for (size_t i = 0; i < c->n_bits; i++)
        channel |= (bits_count(addr & c->bits[i]) & 1) << i;
    return channel;
}

bool kind_channels_slots_fit(const struct kind_channels *c)
{
    unsigned n = 1;

    for (const char *p = c->slots; *p; p++)
        n += *p == ',';
    return n == kind_channels_count(c);
}

/* The slots of a channel, and how many characters these are. */
static const char *slots_of(const struct kind_channels *c, unsigned channel, size_t *ret_length)
{
    const char *p = c->slots, *end;

    for (; channel; channel--)
        p = strchr(p, ',') + 1;
    end = strchr(p, ',');
    *ret_length = end ? (size_t)(end - p) : strlen(p);
    return p;
}

void kind_channel_append(struct fmt_buffer *b, const struct kind_channels *c, unsigned channel)
{
    size_t length;
    const char *slots;

    fmt_append(b, "channel %u", channel);
    if (!*c->slots || !kind_channels_slots_fit(c))
        return;
    slots = slots_of(c, channel, &length);
    fmt_append(b, " (%.*s)", (int)length, slots);
}

void kind_channels_append(struct fmt_buffer *b, const struct kind_channels *c,
                          const struct kind_words *words)
{
    size_t n[1 << KIND_CHANNEL_BITS_MAX] = { 0 };

    for (size_t i = 0; i < words->n; i++)
        n[kind_channel_of(c, words->word[i].addr)]++;
    for (unsigned channel = 0; channel < kind_channels_count(c); channel++) {
        fmt_append(b, "%s", channel ? ", " : "");
        kind_channel_append(b, c, channel);
        fmt_append(b, ": %zu", n[channel]);
    }
    fmt_append(b, " of %zu faulty word%s, computed with your bits", words->n, fmt_plural(words->n));
}
