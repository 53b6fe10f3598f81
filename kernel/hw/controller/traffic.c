// SPDX-License-Identifier: MIT
#include "controller/traffic.h"

#include <stddef.h>

#include "arch/cpu.h"
#include "arch/cpuid.h"
#include "controller/controllers.h"
#include "cpudata/cpu_kind.h"
#include "lib/bits.h"
#include "lib/minmax.h"

/* AMD's. */
#define LEAF_COUNTERS 0x80000022u
#define HAS_COUNTERS  1u /* EAX */

#define MSR_FIRST   0xc0010800u
#define CONTROL_ON  (UINT64_C(1) << 31)
#define READS       UINT64_C(0x10a) /* event 0Ah, mask 1 */
#define UMCS_ACTIVE 32

/* Of the data fabric; event bits 11:8 are bits 35:32 of the control. */
#define LEAF_FEATURES  0x80000001u
#define HAS_FABRIC     (UINT32_C(1) << 24) /* ECX */
#define FABRIC_FIRST   0xc0010240u
#define FABRIC_ON      (UINT64_C(1) << 22)
#define FABRIC_DATA    UINT64_C(0x3807)
#define FABRIC_EACH    0x40u
#define FABRIC_HIGH(n) ((uint64_t)(n) >> 8 << 32)
/* Of a channel of Xeon Scalable: four counters in a function. */
#define PMON_COUNTERS   4u
#define PMON_COUNT      8u /* bytes of each */
#define PMON_CONTROL(i) (0xd8 + 4 * (i))
#define PMON_BOX        0xf4
#define BOX_FROZEN      (UINT32_C(1) << 8)
#define PMON_ON         (UINT32_C(1) << 22)
#define PMON_READS      UINT32_C(0x304) /* event 04h, mask 3: with those before partial writes */
#define PMON_FIELDS     UINT32_C(0xffc4ffff) /* event, mask, edge, on, inverted, threshold */

#define COUNT_BITS ((UINT64_C(1) << 48) - 1)
#define NO_COUNT   UINT64_MAX /* it could not be read */

static const char silent[] = "a counter of reads does not answer";
static const char frozen[] = "a counter of reads is frozen";
static const char in_use[] = "the counters of reads are in use";
static const char ignores[] = "a counter of reads does not keep what is written to it";
static const char missing[] = "a channel has no counter of reads";

/* The number of a controller's first counter: those of each active one follow each other. */
static bool counter_of(const uint32_t leaf[4], unsigned controller, uint32_t *ret_msr)
{
    uint32_t active = leaf[2], counters = leaf[1] >> 16 & 0x3f;
    unsigned n = bits_count(active);

    if (controller >= UMCS_ACTIVE || !(active >> controller & 1) || counters < n)
        return false;
    *ret_msr =
        MSR_FIRST + 2 * bits_count(active & ((UINT32_C(1) << controller) - 1)) * (counters / n);
    return true;
}

/* on: the bit of the control by which it counts. */
static const char *program_msrs(struct traffic_counter *c, uint32_t msr, uint64_t event,
                                uint64_t on)
{
    uint64_t now;

    if (!msr_try_read(msr, &c->old_control) || !msr_try_read(msr + 1, &c->old_count))
        return silent;
    if (c->old_control & on)
        return in_use;
    if (!msr_try_write(msr, event | on))
        return ignores;
    c->msr = msr;
    return msr_try_read(msr, &now) && (now & (event | on)) == (event | on) ? NULL : ignores;
}

static bool read_half(const struct traffic *traffic, struct register_id id, uint32_t at,
                      uint32_t *ret)
{
    const struct register_source *s = &traffic->source;

    id.offset = at;
    return s->read(s->ctx, id, ret);
}

/* Registers of 32 bits, of a count that goes on. False: nothing answers. */
static bool read_count(const struct traffic *traffic, struct register_id id, uint64_t *ret)
{
    uint32_t at = id.offset, high, low, again;

    if (!read_half(traffic, id, at + 4, &high) || !read_half(traffic, id, at, &low) ||
        !read_half(traffic, id, at + 4, &again) ||
        (again != high && !read_half(traffic, id, at, &low)))
        return false;
    *ret = (uint64_t)again << 32 | low;
    return ~*ret;
}

static void write_half(struct register_id id, uint32_t at, uint32_t value)
{
    pci_write(controller_function(id), (uint8_t)at, value);
}

/* The first of a channel's counters that nobody uses. */
static const char *pick_pmon(const struct traffic *traffic, struct traffic_counter *c)
{
    uint32_t value;
    unsigned i = 0;

    if (!read_half(traffic, c->id, PMON_BOX, &value) || value == CONTROLLER_NO_ANSWER)
        return silent;
    if (value & BOX_FROZEN)
        return frozen;
    for (; i < PMON_COUNTERS; i++) {
        if (!read_half(traffic, c->id, PMON_CONTROL(i), &value) || value == CONTROLLER_NO_ANSWER)
            return silent;
        if (!(value & PMON_ON))
            break;
    }
    if (i == PMON_COUNTERS)
        return in_use;
    c->id.offset += PMON_COUNT * i;
    c->old_control = value;
    if (!read_count(traffic, c->id, &c->old_count))
        return silent;
    c->control_at = (uint8_t)PMON_CONTROL(i);
    return NULL;
}

static const char *program_pmon(const struct traffic *traffic, struct traffic_counter *c)
{
    const char *unknown = pick_pmon(traffic, c);
    uint32_t now;

    if (unknown)
        return unknown;
    write_half(c->id, c->control_at, PMON_READS | PMON_ON);
    if (!read_half(traffic, c->id, c->control_at, &now) ||
        (now & PMON_FIELDS) != (PMON_READS | PMON_ON))
        return ignores;
    return NULL;
}

static const char *begin_in_registers(struct traffic *traffic, unsigned i,
                                      const struct decoded_channel *channel)
{
    struct traffic_counter *c = &traffic->counter[i];
    uint64_t count;

    if (!decoded_bytes(channel))
        return NULL;
    c->id = channel->reads_counted;
    if (!c->id.offset)
        return missing;
    if (c->id.space == REGISTER_PCI)
        return program_pmon(traffic, c);
    return read_count(traffic, c->id, &count) ? NULL : silent;
}

static bool is_in_registers(const struct decoded_controller *controller)
{
    for (unsigned i = 0; i < controller->n_channels; i++) {
        if (controller->channel[i].reads_counted.offset)
            return true;
    }
    return false;
}

bool traffic_begin(struct traffic *traffic, const struct decoded_controller *controller,
                   const struct register_source *source, const char **ret_unknown)
{
    bool in_registers = is_in_registers(controller);
    uint32_t leaf[4], msr;

    *traffic = (struct traffic){ .source = *source };
    *ret_unknown = NULL;
    if (!in_registers &&
        (!cpuid_ask(cpuid_call, NULL, LEAF_COUNTERS, leaf) || !(leaf[0] & HAS_COUNTERS)))
        return false;
    for (; traffic->n < controller->n_channels && !*ret_unknown; traffic->n++) {
        const struct decoded_channel *c = &controller->channel[traffic->n];

        if (in_registers)
            *ret_unknown = begin_in_registers(traffic, traffic->n, c);
        else if (c->node || !counter_of(leaf, c->controller, &msr))
            *ret_unknown = missing;
        else
            *ret_unknown = program_msrs(&traffic->counter[traffic->n], msr, READS, CONTROL_ON);
    }
    if (*ret_unknown)
        traffic_end(traffic);
    return traffic->n && !*ret_unknown;
}

bool traffic_has_fabric(void)
{
    uint32_t leaf[4];

    return cpuid_ask(cpuid_call, NULL, LEAF_FEATURES, leaf) && leaf[2] & HAS_FABRIC &&
           !(cpuid_ask(cpuid_call, NULL, LEAF_COUNTERS, leaf) && leaf[0] & HAS_COUNTERS);
}

const char *traffic_begin_fabric(struct traffic *traffic, unsigned first)
{
    const char *unknown = NULL;

    *traffic = (struct traffic){ .n = 0 };
    for (; traffic->n < FABRIC_COUNTERS && !unknown; traffic->n++) {
        unsigned number = (first + traffic->n) * FABRIC_EACH;

        unknown = program_msrs(&traffic->counter[traffic->n], FABRIC_FIRST + 2 * traffic->n,
                               FABRIC_DATA | (number & 0xff) | FABRIC_HIGH(number), FABRIC_ON);
    }
    if (unknown)
        traffic_end(traffic);
    return unknown;
}

void traffic_count(const struct traffic *traffic, uint64_t ret[DRAM_CHANNELS_MAX])
{
    for (unsigned i = 0; i < traffic->n; i++) {
        const struct traffic_counter *c = &traffic->counter[i];

        ret[i] = 0;
        if (!(c->msr         ? msr_try_read(c->msr + 1, &ret[i])
              : c->id.offset ? read_count(traffic, c->id, &ret[i])
                             : true))
            ret[i] = NO_COUNT;
    }
}

void traffic_end(const struct traffic *traffic)
{
    for (unsigned i = 0; i < traffic->n; i++) {
        const struct traffic_counter *c = &traffic->counter[i];

        if (c->msr) {
            msr_try_write(c->msr, c->old_control);
            msr_try_write(c->msr + 1, c->old_count);
        }
        if (c->control_at) {
            write_half(c->id, c->control_at, (uint32_t)c->old_control);
            write_half(c->id, c->id.offset, (uint32_t)c->old_count);
            write_half(c->id, c->id.offset + 4, (uint32_t)(c->old_count >> 32));
        }
    }
}

static bool is_same(const struct traffic_counter *a, const struct traffic_counter *b)
{
    return a->msr == b->msr && a->id.unit == b->id.unit && a->id.offset == b->id.offset;
}

static uint64_t counted(const uint64_t *from, const uint64_t *to, unsigned channel)
{
    return (to[channel] - from[channel]) & COUNT_BITS;
}

/* Whether all could be read, and none ran backwards, as where somebody else sets it. */
static bool are_sound(const struct traffic *traffic, const struct traffic_counts *c)
{
    for (unsigned i = 0; i < traffic->n; i++) {
        if (c->before[i] == NO_COUNT || c->after[i] == NO_COUNT || c->idle[i] == NO_COUNT ||
            counted(c->before, c->after, i) > COUNT_BITS / 2 ||
            counted(c->after, c->idle, i) > COUNT_BITS / 2)
            return false;
    }
    return true;
}

enum traffic_verdict traffic_judge(const struct traffic *traffic,
                                   const struct traffic_counts *counts, unsigned channel,
                                   uint64_t n)
{
    uint64_t own = counted(counts->before, counts->after, channel), all = own;
    uint64_t others = counted(counts->after, counts->idle, channel);
    bool is_own = own >= others + n - n / 10, only = true;

    if (!are_sound(traffic, counts))
        return TRAFFIC_UNCLEAR;
    for (unsigned i = 0; i < traffic->n; i++) {
        uint64_t elsewhere = counted(counts->before, counts->after, i);
        uint64_t without = counted(counts->after, counts->idle, i);

        if (is_same(&traffic->counter[i], &traffic->counter[channel]))
            continue;
        only &= elsewhere < without + n / 10;
        all += elsewhere - min_u64(elsewhere, without);
    }
    if (is_own && only)
        return TRAFFIC_AGREES;
    if (all < n / 10)
        return TRAFFIC_STILL;
    return own < n - n / 10 && all >= n - n / 10 ? TRAFFIC_CONTRADICTS : TRAFFIC_UNCLEAR;
}

bool traffic_moved(const struct traffic *traffic, const struct traffic_counts *counts, uint64_t n,
                   unsigned *ret_moved)
{
    bool clear = are_sound(traffic, counts);

    *ret_moved = 0;
    for (unsigned i = 0; i < traffic->n; i++) {
        uint64_t own = counted(counts->before, counts->after, i);
        uint64_t others = counted(counts->after, counts->idle, i);

        if (own >= others + n - n / 10)
            *ret_moved |= 1u << i;
        else
            clear &= own < others + n / 10 && others < own + n / 10;
    }
    return clear;
}

enum traffic_verdict traffic_judge_lines(const struct traffic_line *line, unsigned n,
                                         unsigned n_channels)
{
    unsigned common = UINT32_MAX, all = 0, n_groups = 0;
    bool apart = true, shared = false;

    for (unsigned i = 0; i < n; i++) {
        common &= line[i].moved;
        all |= line[i].moved;
    }
    for (unsigned i = 0; i < n; i++) {
        unsigned own = line[i].moved & ~common;
        bool is_new = true;

        apart &= own != 0;
        for (unsigned k = 0; k < i; k++) {
            unsigned other = line[k].moved & ~common;

            is_new &= own != other;
            apart &= own == other || !(own & other);
            shared |= own & other && line[i].channel != line[k].channel;
        }
        n_groups += is_new;
    }
    if (!all)
        return TRAFFIC_STILL;
    if (!apart || n_groups < n_channels)
        return TRAFFIC_UNCLEAR;
    if (!shared)
        return TRAFFIC_AGREES;
    return n_groups == n_channels ? TRAFFIC_CONTRADICTS : TRAFFIC_UNCLEAR;
}
