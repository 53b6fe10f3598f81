// SPDX-License-Identifier: MIT
#include "controller/traffic.h"

#include "arch/cpu.h"
#include "arch/cpuid.h"
#include "cpudata/cpu_kind.h"
#include "lib/bits.h"

#define LEAF_COUNTERS 0x80000022u
#define HAS_COUNTERS  1u /* EAX */

#define MSR_FIRST   0xc0010800u
#define CONTROL_ON  (UINT64_C(1) << 31)
#define READS       UINT64_C(0x10a) /* event 0Ah, mask 1 */
#define COUNT_BITS  ((UINT64_C(1) << 48) - 1)
#define UMCS_ACTIVE 32

/* Of the data fabric; event bits 11:8 are bits 35:32 of the control. */
#define LEAF_FEATURES  0x80000001u
#define HAS_FABRIC     (UINT32_C(1) << 24) /* ECX */
#define FABRIC_FIRST   0xc0010240u
#define FABRIC_ON      (UINT64_C(1) << 22)
#define FABRIC_DATA    UINT64_C(0x3807)
#define FABRIC_EACH    0x40u
#define FABRIC_HIGH(n) ((uint64_t)(n) >> 8 << 32)

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
static bool turn_on(struct traffic_counter *c, uint64_t event, uint64_t on)
{
    if (!msr_try_read(c->at, &c->control) || !msr_try_read(c->at + 1, &c->count) || c->control & on)
        return false;
    return msr_try_write(c->at, event | on);
}

static bool has_modules(const struct decoded_channel *c)
{
    return c->dimm[0].bytes || c->dimm[1].bytes;
}

static bool read_half(const struct traffic *traffic, uint32_t at, uint32_t *ret)
{
    const struct register_source *s = &traffic->source;

    return s->read(s->ctx, (struct register_id){ REGISTER_MCHBAR, 0, at }, ret);
}

/* Registers of 32 bits, of a count that goes on. False: nothing answers. */
static bool read_window(const struct traffic *traffic, uint32_t at, uint64_t *ret)
{
    uint32_t high, low, again;

    if (!read_half(traffic, at + 4, &high) || !read_half(traffic, at, &low) ||
        !read_half(traffic, at + 4, &again) || (again != high && !read_half(traffic, at, &low)))
        return false;
    *ret = (uint64_t)again << 32 | low;
    return ~*ret;
}

static bool begin_in_window(struct traffic *traffic, const struct decoded_controller *controller)
{
    uint64_t count;

    for (unsigned i = 0; i < controller->n_channels; i++) {
        uint32_t at = controller->reads_counted + 0x10000u * controller->channel[i].controller;

        traffic->counter[i].at = has_modules(&controller->channel[i]) ? at : 0;
        if (traffic->counter[i].at && !read_window(traffic, at, &count))
            return false;
    }
    traffic->n = controller->n_channels;
    return traffic->n;
}

bool traffic_begin(struct traffic *traffic, const struct decoded_controller *controller,
                   const struct register_source *source)
{
    uint32_t leaf[4];

    *traffic = (struct traffic){ .source = *source, .is_in_window = controller->reads_counted };
    if (traffic->is_in_window)
        return begin_in_window(traffic, controller);
    if (!cpuid_ask(cpuid_call, NULL, LEAF_COUNTERS, leaf) || !(leaf[0] & HAS_COUNTERS))
        return false;
    for (unsigned i = 0; i < controller->n_channels; i++) {
        const struct decoded_channel *c = &controller->channel[i];

        if (c->node || !counter_of(leaf, c->controller, &traffic->counter[i].at) ||
            !turn_on(&traffic->counter[i], READS, CONTROL_ON)) {
            traffic_end(traffic);
            return false;
        }
        traffic->n++;
    }
    return traffic->n;
}

bool traffic_has_fabric(void)
{
    uint32_t leaf[4];

    return cpuid_ask(cpuid_call, NULL, LEAF_FEATURES, leaf) && leaf[2] & HAS_FABRIC &&
           !(cpuid_ask(cpuid_call, NULL, LEAF_COUNTERS, leaf) && leaf[0] & HAS_COUNTERS);
}

const char *traffic_begin_fabric(struct traffic *traffic, unsigned first)
{
    *traffic = (struct traffic){ .n = 0 };
    for (unsigned i = 0; i < FABRIC_COUNTERS; i++) {
        struct traffic_counter *c = &traffic->counter[i];
        unsigned number = (first + i) * FABRIC_EACH;

        c->at = FABRIC_FIRST + 2 * i;
        if (!turn_on(c, FABRIC_DATA | (number & 0xff) | FABRIC_HIGH(number), FABRIC_ON)) {
            traffic_end(traffic);
            return c->control & FABRIC_ON ? "the data fabric's counters are in use"
                                          : "the data fabric's counters do not answer";
        }
        traffic->n++;
    }
    return NULL;
}

void traffic_count(const struct traffic *traffic, uint64_t ret[DRAM_CHANNELS_MAX])
{
    for (unsigned i = 0; i < traffic->n; i++) {
        uint32_t at = traffic->counter[i].at;

        if (!at || !(traffic->is_in_window ? read_window(traffic, at, &ret[i])
                                           : msr_try_read(at + 1, &ret[i])))
            ret[i] = 0;
    }
}

void traffic_end(const struct traffic *traffic)
{
    for (unsigned i = 0; i < traffic->n && !traffic->is_in_window; i++) {
        msr_try_write(traffic->counter[i].at, traffic->counter[i].control);
        msr_try_write(traffic->counter[i].at + 1, traffic->counter[i].count);
    }
}

static uint64_t counted(const uint64_t *from, const uint64_t *to, unsigned channel)
{
    return (to[channel] - from[channel]) & COUNT_BITS;
}

enum traffic_verdict traffic_judge(const struct traffic *traffic,
                                   const struct traffic_counts *counts, unsigned channel,
                                   uint64_t n)
{
    uint64_t own = counted(counts->before, counts->after, channel), all = own;
    uint64_t others = counted(counts->after, counts->idle, channel);
    bool is_own = own >= others + n - n / 10, only = true;

    for (unsigned i = 0; i < traffic->n; i++) {
        uint64_t elsewhere = counted(counts->before, counts->after, i);

        if (traffic->counter[i].at == traffic->counter[channel].at)
            continue;
        only &= elsewhere < counted(counts->after, counts->idle, i) + n / 10;
        all += elsewhere;
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
    bool clear = true;

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
