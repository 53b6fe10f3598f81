// SPDX-License-Identifier: MIT
#include "faults/channels.h"

#include "controller/controllers.h"
#include "event/notices.h"
#include "kind/kind_channel.h"
#include "machine/board.h"

#define CHANNEL_SIZE  (OPTIONS_SLOTS_MAX + 16)
#define PLACE_SIZE    80
#define CHANNELS_SIZE (OPTIONS_SLOTS_MAX + 1200)

static struct kind_channels channels;
static struct map_confirmed confirmed;
static struct board_slots known;

/* As an earlier run on this board has shown it. */
static void take_board(const char *order)
{
    if (!controllers_get()->decoded.family)
        notice(
            "slot.order= is ignored because channel.bits= is missing, and the memory controllers "
            "of this machine are not known");
    else if (!board.slots || !board_slots_read(order, board.slots, &known))
        notice("slot.order= is ignored: firmware lists no slots of these names, or several of one "
               "name");
    else
        confirmed.known = &known;
}

void channels_begin(const struct options *options)
{
    confirmed = (struct map_confirmed){ MAP_BY_REGISTERS, UINT64_MAX, NULL };
    channels = (struct kind_channels){ .n_bits = options->n_channel_bits, .slots = options->slots };
    for (size_t i = 0; i < options->n_channel_bits; i++)
        channels.bits[i] = options->channel_bits[i];
    if (*options->slots && !channels.n_bits)
        take_board(options->slots);
    else if (*options->slots && !kind_channels_slots_fit(&channels))
        notice("slot.order= is ignored: it does not have one entry for each of the %u channels "
               "of channel.bits=",
               kind_channels_count(&channels));
}

void channels_set_confirmed(struct map_confirmed of)
{
    confirmed.evidence = of.evidence;
    confirmed.below = of.below;
}

const struct dram_map *channels_confirmed_map(uint64_t *ret_below)
{
    const struct decoded_controller *c = &controllers_get()->decoded;

    *ret_below = confirmed.below;
    return confirmed.evidence >= MAP_BY_TIMING && !c->unknown ? &c->map : NULL;
}

const struct modules_with_words *channels_modules(const struct kind_words *words)
{
    static struct modules_with_words modules;

    return modules_with_words_make(&controllers_get()->decoded, board.slots, confirmed, words,
                                   &modules)
               ? &modules
               : NULL;
}

uint32_t channels_suspects(const struct kind_words *words, enum diagnosis_suspicion *ret)
{
    static struct modules_with_words modules;
    struct map_confirmed as_if = confirmed;

    *ret = confirmed.evidence == MAP_BY_REGISTERS ? DIAGNOSIS_BY_REGISTERS : DIAGNOSIS_MEASURED;
    if (confirmed.evidence == MAP_BY_REGISTERS)
        as_if.evidence = MAP_BY_TIMING;
    if (!board.slots ||
        !modules_with_words_make(&controllers_get()->decoded, board.slots, as_if, words, &modules))
        return 0;
    return modules_with_words_slots(&modules, board.slots);
}

const char *channels_place_of(uint64_t addr)
{
    static char text[PLACE_SIZE];
    const struct decoded_controller *c = &controllers_get()->decoded;
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));
    struct dram_place p;

    if (confirmed.evidence == MAP_CONTRADICTED || !c->family || c->unknown ||
        !dram_map_locate(&c->map, addr, &p))
        return NULL;
    fmt_append(&b, "channel %u", p.channel);
    if (p.dimm != DRAM_DIMM_UNKNOWN)
        fmt_append(&b, ", module %u", p.dimm);
    if (c->map.channel[p.channel].dimm[p.dimm].n_banks)
        fmt_append(&b, ", rank %u, bank %u, row 0x%x, column 0x%x", p.rank, p.bank, p.row,
                   p.column);
    return text;
}

const struct kind_channels *channels_given(void)
{
    return channels.n_bits ? &channels : NULL;
}

const char *channels_of(uint64_t addr)
{
    static char text[CHANNEL_SIZE];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    if (!channels.n_bits)
        return NULL;
    kind_channel_append(&b, &channels, kind_channel_of(&channels, addr));
    return text;
}

const char *channels_with_words(const struct kind_words *words)
{
    static char text[CHANNELS_SIZE];
    const struct modules_with_words *modules = channels_modules(words);
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    if (modules) {
        modules_with_words_append(&b, &controllers_get()->decoded, modules);
        return text;
    }
    if (!channels.n_bits)
        return NULL;
    kind_channels_append(&b, &channels, words);
    return text;
}
