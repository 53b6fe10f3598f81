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

static bool turn_on(struct traffic_counter *c)
{
    if (!msr_try_read(c->msr, &c->control) || !msr_try_read(c->msr + 1, &c->count) ||
        c->control & CONTROL_ON)
        return false;
    return msr_try_write(c->msr, READS | CONTROL_ON);
}

bool traffic_begin(struct traffic *traffic, const struct decoded_controller *controller)
{
    uint32_t leaf[4];

    traffic->n = 0;
    if (!cpuid_ask(cpuid_call, NULL, LEAF_COUNTERS, leaf) || !(leaf[0] & HAS_COUNTERS))
        return false;
    for (unsigned i = 0; i < controller->n_channels; i++) {
        const struct decoded_channel *c = &controller->channel[i];

        if (c->node || !counter_of(leaf, c->controller, &traffic->at[i].msr) ||
            !turn_on(&traffic->at[i])) {
            traffic_end(traffic);
            return false;
        }
        traffic->n++;
    }
    return traffic->n;
}

void traffic_count(const struct traffic *traffic, uint64_t ret[DRAM_CHANNELS_MAX])
{
    for (unsigned i = 0; i < traffic->n; i++) {
        if (!msr_try_read(traffic->at[i].msr + 1, &ret[i]))
            ret[i] = 0;
    }
}

void traffic_end(const struct traffic *traffic)
{
    for (unsigned i = 0; i < traffic->n; i++) {
        msr_try_write(traffic->at[i].msr, traffic->at[i].control);
        msr_try_write(traffic->at[i].msr + 1, traffic->at[i].count);
    }
}

enum traffic_verdict traffic_judge(const uint64_t *before, const uint64_t *after,
                                   unsigned n_channels, unsigned channel, uint64_t n)
{
    bool only = true, elsewhere = false;
    uint64_t own = 0;

    for (unsigned i = 0; i < n_channels; i++) {
        uint64_t counted = (after[i] - before[i]) & COUNT_BITS;

        if (i == channel)
            own = counted;
        only &= i == channel || counted < n / 10;
        elsewhere |= i != channel && counted >= n - n / 10;
    }
    if (own >= n - n / 10 && only)
        return TRAFFIC_AGREES;
    return own < n / 2 && elsewhere ? TRAFFIC_CONTRADICTS : TRAFFIC_UNCLEAR;
}
