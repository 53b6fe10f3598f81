// SPDX-License-Identifier: MIT
#include "testing/read_counting.h"

#include "arch/cpu.h"
#include "arch/tsc.h"
#include "controller/controllers.h"
#include "event/stop.h"
#include "plan/share.h"
#include "rows/row_agreement.h"

#define READS         100000 /* of a channel, */
#define LINES_READ    2048   /* of as many lines in turn */
#define READS_EACH    20000  /* of a line, which takes some milliseconds */
#define LINES         64     /* that show a function, */
#define OTHERS        32     /* with fewer in a row that are counted otherwise */
#define LINES_GROUPED 16     /* of a channel */
#define TRIES         3      /* of a line whose reads are not counted clearly */
#define NOT_PUBLIC    "the function that selects the controller is not public, and "

bool read_counting_begin(struct read_counting *counting, const char **ret_unknown)
{
    const struct register_source source = controllers_registers();

    return traffic_begin(&counting->traffic, &controllers_get()->decoded, &source, ret_unknown);
}

/* Reads a line of DRAM. */
static void read_line(uint64_t phys)
{
    const volatile uint64_t *word =
        (const void *)share_slice((struct span){ phys, LINE_SIZE }).virt;

    __asm__ volatile("clflush %0\n\tmfence" : : "m"(*word) : "memory");
    (void)*word;
}

/* Lines that the machine's map has in a channel. False: hardly any of the memory are. */
static bool draw_lines(struct read_counting *c, unsigned channel, unsigned n, uint64_t *ret_phys)
{
    const struct dram_map *map = &controllers_get()->decoded.map;
    unsigned found = 0;

    for (unsigned i = 0; i < n * 4 * DRAM_CHANNELS_MAX && found < n; i++) {
        uint64_t phys = row_memory_any_line(c->memory, &c->random);
        struct dram_place place;

        if (dram_map_locate(map, phys, &place) && place.channel == channel)
            ret_phys[found++] = phys;
    }
    return found == n;
}

/* What is counted while n lines are read in turn, and for as long again while not. */
static void measure(struct read_counting *c, const uint64_t *phys, unsigned n, unsigned reads)
{
    uint64_t began = tsc_now(), ended;

    traffic_count(&c->traffic, c->counts.before);
    for (unsigned i = 0; i < reads; i++)
        read_line(phys[i % n]);
    traffic_count(&c->traffic, c->counts.after);
    ended = tsc_now();
    while (tsc_now() - ended < ended - began)
        cpu_relax();
    traffic_count(&c->traffic, c->counts.idle);
    cpu_poll(c->poll);
}

static enum traffic_verdict count_channel(struct read_counting *c, unsigned channel)
{
    static uint64_t phys[LINES_READ]; /* larger than a stack */

    if (stop_is_requested() || !draw_lines(c, channel, LINES_READ, phys))
        return TRAFFIC_UNCLEAR;
    measure(c, phys, LINES_READ, READS);
    return traffic_judge(&c->traffic, &c->counts, channel, READS);
}

enum traffic_verdict read_counting_compare(struct read_counting *counting,
                                           const struct dram_zone *zone)
{
    const struct dram_map *map = &controllers_get()->decoded.map;
    enum traffic_verdict verdict = TRAFFIC_AGREES;

    for (unsigned i = 0; i < map->n_channels && verdict == TRAFFIC_AGREES; i++) {
        if (zone ? dram_zone_has(zone, i) : map->channel[i].n_selects > 0)
            verdict = count_channel(counting, i);
    }
    return verdict;
}

/* Lines of each channel, some. */
struct grouped {
    unsigned n, n_channels;
    uint64_t phys[FABRIC_EVENTS * LINES_GROUPED];
    struct traffic_line line[FABRIC_EVENTS * LINES_GROUPED];
};

/* False: hardly any of the memory are in one of the channels. */
static bool draw_groups(struct read_counting *c, struct grouped *ret)
{
    const struct dram_map *map = &controllers_get()->decoded.map;

    for (unsigned i = 0; i < map->n_channels; i++) {
        if (!map->channel[i].n_selects)
            continue;
        if (!draw_lines(c, i, LINES_GROUPED, ret->phys + ret->n))
            return false;
        for (unsigned k = 0; k < LINES_GROUPED; k++)
            ret->line[ret->n++].channel = (uint8_t)i;
    }
    return true;
}

/* By the counters of the events from `first` on. NULL: what each line has moved is clear. */
static const char *count_grouped(struct read_counting *c, struct grouped *g, unsigned first)
{
    const char *why = traffic_begin_fabric(&c->traffic, first);

    if (why)
        return why;
    for (unsigned i = 0; i < g->n && !why; i++) {
        unsigned moved = 0, tries = 0;

        do
            measure(c, &g->phys[i], 1, READS_EACH);
        while (!traffic_moved(&c->traffic, &c->counts, READS_EACH, &moved) && ++tries < TRIES);
        g->line[i].moved |= (uint8_t)(moved << first);
        if (tries == TRIES || stop_is_requested())
            why = "the data fabric counts other reads, too, or only a part of okram's";
    }
    traffic_end(&c->traffic);
    return why;
}

/* Channels of the machine's map that the data fabric may count apart; 0: nothing is counted. */
static unsigned channels_to_group(void)
{
    const struct decoded_controller *decoded = &controllers_get()->decoded;
    unsigned n = 0;

    for (unsigned i = 0; i < decoded->n_channels; i++) {
        if (decoded->channel[i].node) /* another socket's are counted there */
            return 0;
        n += decoded->map.channel[i].n_selects != 0;
    }
    return n > 1 && n <= FABRIC_EVENTS && traffic_has_fabric() ? n : 0;
}

enum traffic_verdict read_counting_group(struct read_counting *counting, const char **ret_why)
{
    static const char *const why[] = {
        [TRAFFIC_AGREES] = NULL,
        [TRAFFIC_CONTRADICTS] = "reads of one channel's addresses were counted at several channels",
        [TRAFFIC_STILL] = "the data fabric's counters do not count",
        [TRAFFIC_UNCLEAR] = "the data fabric's counters do not distinguish the channels",
    };
    static struct grouped grouped; /* larger than a stack */
    enum traffic_verdict verdict;

    *ret_why = NULL;
    grouped = (struct grouped){ .n_channels = channels_to_group() };
    if (!grouped.n_channels)
        return TRAFFIC_UNCLEAR;
    if (!draw_groups(counting, &grouped))
        *ret_why = "hardly any of the tested memory is in one of the channels";
    for (unsigned i = 0; i < FABRIC_EVENTS && !*ret_why; i += FABRIC_COUNTERS)
        *ret_why = count_grouped(counting, &grouped, i);
    if (*ret_why)
        return TRAFFIC_UNCLEAR;
    verdict = traffic_judge_lines(grouped.line, grouped.n, grouped.n_channels);
    *ret_why = why[verdict];
    return verdict;
}

/* Lines of the zone, each counted at one controller alone. NULL: there are LINES. */
static const char *count_lines(struct read_counting *c, const struct dram_map *map, uint64_t below,
                               struct counted_line ret[LINES])
{
    const uint8_t *channel = map->zone->channel;

    for (unsigned n = 0, others = 0; n < LINES;) {
        uint64_t phys = row_memory_any_line(c->memory, &c->random);
        uint64_t dram = dram_map_move(map, phys);
        enum traffic_verdict verdict;

        others++;
        if (others == OTHERS || stop_is_requested())
            return NOT_PUBLIC "reads of a line are not counted at one controller alone";
        if (dram >= below)
            continue;
        measure(c, &phys, 1, READS_EACH);
        verdict = traffic_judge(&c->traffic, &c->counts, channel[0], READS_EACH);
        if (verdict == TRAFFIC_STILL)
            return NOT_PUBLIC "the counters of its reads do not count";
        ret[n] = (struct counted_line){ dram, verdict != TRAFFIC_AGREES };
        if (!ret[n].value ||
            traffic_judge(&c->traffic, &c->counts, channel[1], READS_EACH) == TRAFFIC_AGREES) {
            n++;
            others = 0;
        }
    }
    return NULL;
}

/* The function is one of all that are measured, with the bit that is removed if that is known. */
static const char *complete(struct read_counting *c, const struct row_map *timed)
{
    uint64_t below = UINT64_C(2) << (63 - __builtin_clzll(timed->bits | 1)), function;
    const struct dram_map *map = &controllers_get()->decoded.map;
    struct counted_line line[LINES];
    const char *unknown = count_lines(c, map, below, line);
    bool opposite = false;

    if (unknown)
        return unknown;
    function = row_agreement_find(timed, line, LINES, &opposite);
    if (!function || (map->zone->removed && !(function & map->zone->removed)))
        return NOT_PUBLIC "by no function that timing shows reads are counted";
    controllers_set_function(function, opposite);
    return NULL;
}

const char *read_counting_complete(struct read_counting *counting, const struct row_map *timed)
{
    const char *unknown, *why;

    if (!timed)
        unknown = NOT_PUBLIC "timing shows no functions";
    else if (!read_counting_begin(counting, &why))
        unknown = NOT_PUBLIC "no counter of its reads answers";
    else {
        unknown = complete(counting, timed);
        traffic_end(&counting->traffic);
    }
    if (unknown && !stop_is_requested())
        controllers_set_unknown(unknown);
    return unknown;
}
