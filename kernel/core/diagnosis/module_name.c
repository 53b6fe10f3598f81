// SPDX-License-Identifier: MIT
#include "diagnosis/module_name.h"

#include <stddef.h>

#include "lib/minmax.h"
#include "lib/string.h"

#define SLOTS_MAX     64
#define WORDS_MIN     8 /* for each module, of faults in all modules */
#define EVEN_SHARE    4 /* the part of an even share of the words that each then has */
#define NO_CONTROLLER 0xffu

/* Controller and channel of a slot, as firmware's texts name them. */
struct label {
    uint8_t controller; /* NO_CONTROLLER: they do not name one */
    char channel;       /* a letter */
};

struct board {
    unsigned n;
    const struct smbios_slot *slot[SLOTS_MAX];
    struct label label[SLOTS_MAX];
};

/* Sizes of a channel's modules, the larger first. */
struct sizes {
    uint8_t controller;
    uint64_t large, small;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* In lower case; 0: it is none. */
static char letter_of(char c)
{
    unsigned lower = ascii_lower((unsigned char)c);

    return lower >= 'a' && lower <= 'z' ? (char)lower : 0;
}

/* What follows a word of small letters in a text, in whatever case; NULL: the text does not have
 * it. */
static const char *after(const char *text, const char *word)
{
    for (; *text; text++) {
        size_t i = 0;

        while (word[i] && letter_of(text[i]) == word[i])
            i++;
        if (!word[i])
            return text + i;
    }
    return NULL;
}

/* "ChannelA", "CHANNEL A", "Channel-B": one letter, which ends there. */
static char letter_after_channel(const char *text)
{
    const char *c = after(text, "channel");

    while (c && (*c == ' ' || *c == '_' || *c == '-'))
        c++;
    return c && !letter_of(c[1]) ? letter_of(*c) : 0;
}

/* "DIMM_A1", "DIMMB2", "DDR4_A1", "A2": a letter with a digit behind it, at the end of the text. */
static char letter_before_digit(const char *text)
{
    size_t n = strlen(text);
    char before;

    if (n < 2 || !is_digit(text[n - 1]) || !letter_of(text[n - 2]))
        return 0;
    before = n > 2 ? text[n - 3] : 0;
    if (letter_of(before) && !(n >= 6 && after(text + n - 6, "dimm") == text + n - 2))
        return 0; /* the last letter of a word */
    return letter_of(text[n - 2]);
}

static struct label label_of(const struct smbios_slot *slot)
{
    const char *controller = after(slot->locator, "controller");
    struct label label = { NO_CONTROLLER, letter_after_channel(slot->locator) };

    if (!label.channel)
        label.channel = letter_after_channel(slot->bank);
    if (!label.channel)
        label.channel = letter_before_digit(slot->locator);
    if (controller && is_digit(*controller) && !is_digit(controller[1]))
        label.controller = (uint8_t)(*controller - '0');
    return label;
}

static bool is_same_label(struct label a, struct label b)
{
    return a.controller == b.controller && a.channel == b.channel;
}

static bool is_same_name(const struct smbios_slot *a, const struct smbios_slot *b)
{
    return !strcmp(a->locator, b->locator) && !strcmp(a->bank, b->bank);
}

/* NULL: the texts distinguish all slots, and name the channel of each. */
static const char *read_board(const struct smbios_memory *memory, struct board *board)
{
    for (uint32_t i = 0; memory && i < memory->n_slot; i++) {
        const struct smbios_slot *s = &memory->slot[i];

        if (!s->is_ordinary)
            continue;
        if (s->is_soldered)
            return "the memory is soldered";
        if (board->n == SLOTS_MAX || memory->n_slot < memory->slots)
            return "firmware lists too many slots";
        board->slot[board->n] = s;
        board->label[board->n++] = label_of(s);
    }
    if (!board->n)
        return "firmware lists no slots";
    for (unsigned i = 0; i < board->n; i++) {
        if (!board->label[i].channel)
            return "firmware's names of the slots do not say the channel";
        if (board->slot[i]->is_populated && !board->slot[i]->size_bytes)
            return "firmware does not say the size of each module";
        for (unsigned j = 0; j < i; j++) {
            if (is_same_name(board->slot[i], board->slot[j]))
                return "firmware has one name for several slots";
        }
    }
    return NULL;
}

static struct sizes sizes_of(uint8_t controller, uint64_t a, uint64_t b)
{
    return a > b ? (struct sizes){ controller, a, b } : (struct sizes){ controller, b, a };
}

/* Of the channel that a slot is in. False: it has more slots than a controller's channel. */
static bool sizes_at(const struct board *board, unsigned slot, struct sizes *ret)
{
    uint64_t size[DRAM_DIMMS_MAX] = { 0 };
    unsigned n = 0;

    for (unsigned i = 0; i < board->n; i++) {
        if (!is_same_label(board->label[i], board->label[slot]))
            continue;
        if (n == DRAM_DIMMS_MAX)
            return false;
        size[n++] = board->slot[i]->size_bytes;
    }
    *ret = sizes_of(board->label[slot].controller, size[0], size[1]);
    return true;
}

static struct sizes sizes_in(const struct decoded_channel *channel, bool with_controller)
{
    return sizes_of(with_controller ? channel->controller : NO_CONTROLLER, channel->dimm[0].bytes,
                    channel->dimm[1].bytes);
}

static bool is_same_sizes(struct sizes a, struct sizes b)
{
    return a.controller == b.controller && a.large == b.large && a.small == b.small;
}

static bool is_first_of_channel(const struct board *board, unsigned slot)
{
    for (unsigned i = 0; i < slot; i++) {
        if (is_same_label(board->label[i], board->label[slot]))
            return false;
    }
    return true;
}

/* Number of channels with these sizes on the board, less those of the controller. */
static int surplus_of(const struct board *board, const struct decoded_controller *controller,
                      struct sizes sizes, bool with_controller)
{
    struct sizes s;
    int n = 0;

    for (unsigned i = 0; i < board->n; i++)
        n += is_first_of_channel(board, i) && sizes_at(board, i, &s) && is_same_sizes(s, sizes);
    for (unsigned i = 0; i < controller->n_channels; i++)
        n -= is_same_sizes(sizes_in(&controller->channel[i], with_controller), sizes);
    return n;
}

/* NULL: the channels that have modules are as many, with the same sizes, on both sides. */
static const char *compare(const struct board *board, const struct decoded_controller *controller,
                           bool with_controller)
{
    static const char *const differ = "the controller's registers and firmware's list of modules "
                                      "have other sizes";
    struct sizes s;

    for (unsigned i = 0; i < board->n; i++) {
        if ((board->label[i].controller != NO_CONTROLLER) != with_controller)
            return "firmware names the controllers of some slots alone";
        if (!sizes_at(board, i, &s))
            return "firmware's names put more slots into a channel than a channel has";
        if (s.large && surplus_of(board, controller, s, with_controller))
            return differ;
    }
    for (unsigned i = 0; i < controller->n_channels; i++) {
        s = sizes_in(&controller->channel[i], with_controller);
        if (s.large && surplus_of(board, controller, s, with_controller))
            return differ;
    }
    return NULL;
}

static void add(struct module_name *name, const struct smbios_slot *slot)
{
    if (name->n_candidates < sizeof(name->candidate) / sizeof(name->candidate[0]))
        name->candidate[name->n_candidates] = slot;
    name->n_candidates++;
}

/*
 * By its size alone: then no channel has to be known. NULL: firmware or the registers list several
 * of that size, or they do not list as much memory in all.
 */
static const struct smbios_slot *only_of_size(const struct decoded_controller *controller,
                                              const struct smbios_memory *memory, uint64_t bytes)
{
    const struct smbios_slot *found = NULL;
    uint64_t in_slots = 0, in_registers = 0;
    unsigned n = 0;

    for (uint32_t i = 0; memory && i < memory->n_slot; i++) {
        const struct smbios_slot *s = &memory->slot[i];

        if (!s->is_ordinary || !s->is_populated)
            continue;
        if (!s->size_bytes || s->is_soldered || (found && s->size_bytes == bytes))
            return NULL;
        if (s->size_bytes == bytes)
            found = s;
        in_slots += s->size_bytes;
    }
    for (unsigned i = 0; i < DRAM_DIMMS_MAX * controller->n_channels; i++) {
        uint64_t size = controller->channel[i / DRAM_DIMMS_MAX].dimm[i % DRAM_DIMMS_MAX].bytes;

        n += size == bytes;
        in_registers += size;
    }
    return n == 1 && in_slots == in_registers ? found : NULL;
}

static void append_slot_name(struct fmt_buffer *b, const struct smbios_slot *slot)
{
    bool is_alone = letter_before_digit(slot->locator) || letter_after_channel(slot->locator);

    fmt_append(b, "%s%s%s", is_alone ? "" : slot->bank, is_alone || !slot->bank[0] ? "" : " ",
               slot->locator);
}

/* Whether what is known of the board's slots excludes this one from a place. */
static bool is_excluded(const struct board_slots *known, const struct smbios_slot *slot,
                        unsigned channel, unsigned dimm)
{
    bool is_any = dimm == DRAM_DIMM_UNKNOWN;

    for (size_t i = 0; known && i < known->n; i++) {
        const struct board_slot *k = &known->at[i];
        bool is_there = k->channel == channel && (is_any || k->dimm == dimm);

        if (k->slot == slot)
            return !is_there;
        if ((is_there && !is_any) ||
            is_same_label(label_of(k->slot), label_of(slot)) != (k->channel == channel))
            return true;
    }
    return false;
}

/* NULL: it is not known, or what is there has another size. */
static const struct smbios_slot *known_at(const struct board_slots *known, unsigned channel,
                                          unsigned dimm, uint64_t bytes)
{
    for (size_t i = 0; known && i < known->n; i++) {
        const struct board_slot *k = &known->at[i];

        if (k->channel == channel && k->dimm == dimm && k->slot->size_bytes == bytes)
            return k->slot;
    }
    return NULL;
}

/*
 * channel: index of the controller's; dimm: its number in the channel, or DRAM_DIMM_UNKNOWN. memory
 * NULL: firmware lists no slots.
 */
static struct module_name module_name_of(const struct decoded_controller *controller,
                                         const struct smbios_memory *memory,
                                         struct map_confirmed confirmed, unsigned channel,
                                         unsigned dimm)
{
    const enum map_evidence evidence = confirmed.evidence;
    const struct decoded_channel *c = &controller->channel[channel];
    bool is_any = dimm == DRAM_DIMM_UNKNOWN;
    uint64_t bytes = c->dimm[is_any ? 0 : dimm].bytes;
    struct module_name name = { .answer = MODULE_UNKNOWN };
    struct board board = { 0 };
    bool with_controller;
    struct sizes wanted, s;

    if (is_any && !(c->dimm[0].bytes && c->dimm[1].bytes)) {
        is_any = false;
        dimm = c->dimm[1].bytes != 0;
        bytes = max_u64(c->dimm[0].bytes, c->dimm[1].bytes);
    }
    if (evidence < MAP_BY_TIMING || !bytes) {
        name.why = evidence == MAP_CONTRADICTED ? "the registers contradict what was measured"
                   : bytes                      ? "no measurement has confirmed the registers"
                                                : "the registers list no module there";
        return name;
    }
    name.answer = MODULE_PLACE;
    name.why = read_board(memory, &board);
    with_controller = board.n && board.label[0].controller != NO_CONTROLLER;
    if (!name.why)
        name.why = compare(&board, controller, with_controller);
    name.slot = known_at(confirmed.known, channel, dimm, bytes);
    if (name.slot) {
        name.answer = MODULE_SLOT;
        name.why = NULL;
        return name;
    }
    if (name.why) {
        name.slot = board.n == 0 || is_any ? NULL : only_of_size(controller, memory, bytes);
        return name;
    }
    wanted = sizes_in(&controller->channel[channel], with_controller);
    for (unsigned i = 0; i < board.n; i++) {
        if ((is_any || board.slot[i]->size_bytes == bytes) && sizes_at(&board, i, &s) &&
            is_same_sizes(s, wanted) && !is_excluded(confirmed.known, board.slot[i], channel, dimm))
            add(&name, board.slot[i]);
    }
    name.answer = name.n_candidates == 1 ? MODULE_SLOT
                  : name.n_candidates    ? MODULE_ONE_OF
                                         : MODULE_PLACE;
    if (name.n_candidates == 1)
        name.slot = name.candidate[0];
    else
        name.why = name.n_candidates ? "modules of the same size leave several possibilities"
                                     : "slot.order= does not fit what is fitted";
    return name;
}

void board_slots_find(const struct decoded_controller *controller,
                      const struct smbios_memory *memory, struct board_slots *ret)
{
    const struct map_confirmed by_sizes = { MAP_BY_TIMING, 0, NULL };

    ret->n = 0;
    for (unsigned i = 0; i < 2 * controller->n_channels; i++) {
        struct module_name name;

        if (!controller->channel[i / 2].dimm[i % 2].bytes)
            continue;
        name = module_name_of(controller, memory, by_sizes, i / 2, i % 2);
        if (name.answer == MODULE_SLOT)
            ret->at[ret->n++] = (struct board_slot){ (uint8_t)(i / 2), i % 2, name.slot };
    }
}

void board_slot_name(const struct smbios_slot *slot, char ret[BOARD_SLOT_NAME])
{
    struct fmt_buffer b = fmt_buffer_make(ret, BOARD_SLOT_NAME);

    append_slot_name(&b, slot);
    for (char *c = ret; *c; c++) {
        if (*c == ' ')
            *c = '_';
    }
}

/* NULL: no slot has the name, or several have. */
static const struct smbios_slot *slot_named(const struct smbios_memory *memory, const char *word,
                                            size_t n)
{
    const struct smbios_slot *found = NULL;

    for (uint32_t i = 0; i < memory->n_slot; i++) {
        const struct smbios_slot *s = &memory->slot[i];
        char name[BOARD_SLOT_NAME];

        board_slot_name(s, name);
        if (!s->is_ordinary || strlen(name) != n || memcmp(name, word, n) != 0)
            continue;
        if (found)
            return NULL;
        found = s;
    }
    return found;
}

bool board_slots_read(const char *order, const struct smbios_memory *memory,
                      struct board_slots *ret)
{
    unsigned channel = 0, dimm = 0;

    ret->n = 0;
    while (*order) {
        size_t n = 0;
        const struct smbios_slot *slot;
        bool is_unknown;

        while (order[n] && order[n] != ',' && order[n] != '+')
            n++;
        slot = slot_named(memory, order, n);
        is_unknown = n == 1 && *order == '-';
        if ((!slot && !is_unknown) || dimm == DRAM_DIMMS_MAX || channel == DRAM_CHANNELS_MAX)
            return false;
        if (!is_unknown)
            ret->at[ret->n++] = (struct board_slot){ (uint8_t)channel, (uint8_t)dimm, slot };
        channel += order[n] == ',';
        dimm = order[n] == ',' ? 0 : dimm + 1;
        order += n + (order[n] != 0);
    }
    return ret->n;
}

/* What is written on it. */
static void append_label(struct fmt_buffer *b, const struct smbios_slot *slot, const char *before)
{
    if (slot->part[0])
        fmt_append(b, "%spart %s", before, slot->part);
    if (slot->serial[0])
        fmt_append(b, "%sserial %s", slot->part[0] ? ", " : before, slot->serial);
}

static void append_place(struct fmt_buffer *b, const struct decoded_controller *controller,
                         unsigned channel, unsigned dimm, bool is_only)
{
    const struct decoded_channel *c = &controller->channel[channel];

    fmt_append(b, "memory channel %u", channel);
    if (c->dimm[0].bytes && c->dimm[1].bytes && dimm == DRAM_DIMM_UNKNOWN) {
        fmt_append(b, ", one of its two modules");
        return;
    }
    if (c->dimm[0].bytes && c->dimm[1].bytes)
        fmt_append(b, ", its %s module", dimm ? "second" : "first");
    fmt_append(b, ", %s%s", is_only ? "the only module of " : "",
               FMT_SIZE(dimm == DRAM_DIMM_UNKNOWN ? max_u64(c->dimm[0].bytes, c->dimm[1].bytes)
                                                  : c->dimm[dimm].bytes));
}

/* Of a module that is in one of some slots. */
static const char *how_to_find(unsigned n)
{
    return n == 2 ? ": exchange the two modules, or take one out, and test again to see which"
                  : ": take modules out, and test again to see which";
}

static void append_name(struct fmt_buffer *b, const struct decoded_controller *controller,
                        const struct module_name *name, unsigned channel, unsigned dimm)
{
    unsigned n = name->n_candidates;

    if (name->answer == MODULE_UNKNOWN)
        return;
    if (name->answer == MODULE_SLOT) {
        append_slot_name(b, name->slot);
        fmt_append(b, ": %s", FMT_SIZE(name->slot->size_bytes));
        append_label(b, name->slot, ", ");
        return;
    }
    append_place(b, controller, channel, dimm, name->slot);
    if (name->slot)
        append_label(b, name->slot, ": ");
    if (name->answer != MODULE_ONE_OF || n > sizeof(name->candidate) / sizeof(name->candidate[0]))
        return;
    fmt_append(b, "; on the board it is ");
    for (unsigned i = 0; i < n; i++) {
        fmt_append(b, "%s", !i ? "" : i + 1 < n ? ", " : " or ");
        append_slot_name(b, name->candidate[i]);
    }
}

void module_name_append(struct fmt_buffer *b, const struct decoded_controller *controller,
                        const struct module_name *name, unsigned channel, unsigned dimm)
{
    append_name(b, controller, name, channel, dimm);
    if (name->answer == MODULE_ONE_OF)
        fmt_append(b, "%s", how_to_find(name->n_candidates));
}

static void count_word(struct modules_with_words *modules, const struct dram_place *place)
{
    struct module_with_words *m = modules->module;

    while (m < modules->module + modules->n &&
           (m->channel != place->channel || m->dimm != place->dimm))
        m++;
    if (m == modules->module + modules->n) {
        *m = (struct module_with_words){ .channel = place->channel, .dimm = place->dimm };
        modules->n++;
    }
    m->words++;
}

bool modules_with_words_make(const struct decoded_controller *controller,
                             const struct smbios_memory *memory, struct map_confirmed confirmed,
                             const struct kind_words *words, struct modules_with_words *ret)
{
    ret->n = ret->n_fitted = 0;
    ret->words = words->n;
    ret->evidence = confirmed.evidence == MAP_BY_COUNT ? "count" : "timing";
    ret->channels_counted = confirmed.evidence >= MAP_BY_GROUPS;
    if (confirmed.evidence < MAP_BY_TIMING || controller->unknown)
        return false;
    for (unsigned i = 0; i < controller->n_channels; i++) {
        for (unsigned d = 0; d < DRAM_DIMMS_MAX; d++)
            ret->n_fitted += controller->channel[i].dimm[d].bytes != 0;
    }
    for (size_t i = 0; i < words->n; i++) {
        uint64_t addr = words->word[i].addr;
        struct dram_place place;

        if (!dram_map_locate_below(&controller->map, confirmed.below, addr, &place))
            return false;
        count_word(ret, &place);
    }
    for (size_t i = 0; i < ret->n; i++) {
        struct module_with_words *m = &ret->module[i];

        m->name = module_name_of(controller, memory, confirmed, m->channel, m->dimm);
        if (m->name.answer == MODULE_UNKNOWN)
            return false;
    }
    return ret->n;
}

bool modules_with_words_are_all(const struct modules_with_words *modules)
{
    for (size_t i = 0; i < modules->n; i++) {
        if (modules->module[i].words * modules->n * EVEN_SHARE < modules->words)
            return false;
    }
    return modules->n > 1 && modules->n == modules->n_fitted &&
           modules->words >= modules->n * WORDS_MIN;
}

/* Its number among the slots that can be changed. */
static unsigned number_of_slot(const struct smbios_memory *memory, const struct smbios_slot *slot)
{
    unsigned n = 0;

    for (const struct smbios_slot *s = memory->slot; s != slot; s++)
        n += s->is_ordinary && !s->is_soldered;
    return n;
}

uint32_t modules_with_words_slots(const struct modules_with_words *modules,
                                  const struct smbios_memory *memory)
{
    uint32_t slots = 0;

    for (size_t i = 0; i < modules->n; i++) {
        const struct module_name *name = &modules->module[i].name;
        unsigned n = name->slot ? 1 : name->n_candidates;

        if (!n || n > sizeof(name->candidate) / sizeof(name->candidate[0]))
            return 0;
        for (unsigned k = 0; k < n; k++) {
            unsigned slot = number_of_slot(memory, name->slot ? name->slot : name->candidate[k]);

            if (slot >= 32)
                return 0;
            slots |= UINT32_C(1) << slot;
        }
    }
    return slots;
}

static void append_which(struct fmt_buffer *b, const struct modules_with_words *modules)
{
    if (modules->n < modules->n_fitted)
        fmt_append(b, "in %zu of %u modules", modules->n, modules->n_fitted);
    else
        fmt_append(b, modules->n == 2 ? "in both modules" : "in all %zu modules", modules->n);
}

void modules_with_words_append_short(struct fmt_buffer *b,
                                     const struct decoded_controller *controller,
                                     const struct modules_with_words *modules)
{
    const struct module_with_words *m = modules->module, *end = m + modules->n;
    const char *between = ": ";

    if (modules->n == 1) {
        fmt_append(b, "in ");
        append_name(b, controller, &m->name, m->channel, m->dimm);
        return;
    }
    append_which(b, modules);
    for (; m < end && modules->n < modules->n_fitted; m++) {
        fmt_append(b, "%s", between);
        between = m->name.answer == MODULE_SLOT ? ", " : "; "; /* places have commas */
        if (m->name.answer == MODULE_SLOT)
            append_slot_name(b, m->name.slot);
        else
            append_place(b, controller, m->channel, m->dimm, false);
    }
}

void modules_with_words_append(struct fmt_buffer *b, const struct decoded_controller *controller,
                               const struct modules_with_words *modules)
{
    const struct module_with_words *m = modules->module;

    if (modules->n == 1) {
        fmt_append(b,
                   modules->words == 1 ? "the faulty word is in " : "all %zu faulty words are in ",
                   modules->words);
        module_name_append(b, controller, &m->name, m->channel, m->dimm);
    } else {
        fmt_append(b, "faults ");
        append_which(b, modules);
        fmt_append(b, ": ");
    }
    for (; modules->n > 1 && m < modules->module + modules->n; m++) {
        fmt_append(b, "%s%zu of %zu words in ", m == modules->module ? "" : "; ", m->words,
                   modules->words);
        append_name(b, controller, &m->name, m->channel, m->dimm);
    }
    fmt_append(b, "; by the memory controller's registers, which %s",
               !strcmp(modules->evidence, "count") ? "counting of reads confirms"
               : modules->channels_counted
                   ? "timing confirms; counting of reads confirms which addresses share a channel"
                   : "timing confirms");
}
