// SPDX-License-Identifier: MIT
#include "cpus/survey.h"

#include <stdatomic.h>

#include "arch/cpu.h"
#include "arch/cpuid.h"
#include "cpus/cpu_pool.h"
#include "lib/string.h"
#include "machine/machine.h"
#include "memory/arena.h"
#include "sweep/line_ops.h"

#define MSR_MICROCODE 0x8b

#define OTHERS_MAX 8 /* CPUs whose MTRRs differ: one is a finding, several show what they share */

struct seen {
    struct survey_cpu cpu;
    struct line_features features;
};

struct other_mtrrs {
    uint32_t cpu;
    struct mtrrs mtrrs;
};

static struct survey {
    struct seen *seen; /* by CPU, each written by that CPU */
    uint32_t *apic_ids;
    struct mtrrs boot_mtrrs;
    struct other_mtrrs others[OTHERS_MAX];
    _Atomic uint32_t n_others;
} survey;

static uint64_t read_microcode(const struct cpu_identity *id)
{
    if (!id->has_microcode)
        return 0;
    if (!id->is_intel)
        return msr_read(MSR_MICROCODE) & UINT32_MAX;
    msr_write(MSR_MICROCODE, 0);
    cpuid(1, 0);
    return msr_read(MSR_MICROCODE) >> 32;
}

static void compare_mtrrs(struct survey *s, uint32_t cpu, const struct mtrrs *own)
{
    uint32_t i;

    if (memcmp(own, &s->boot_mtrrs, sizeof(*own)) == 0)
        return;
    i = atomic_fetch_add(&s->n_others, 1);
    if (i >= OTHERS_MAX)
        return;
    s->others[i].cpu = cpu;
    s->others[i].mtrrs = *own;
}

static void look(void *ctx, uint32_t cpu)
{
    struct survey *s = ctx;
    struct cpu_features f = cpu_features_read();
    struct seen *own = &s->seen[cpu];
    struct mtrrs mtrrs;

    own->features = (struct line_features){ f.avx512, f.avx2, f.clflushopt };
    own->cpu.id = cpu_identity_read(cpuid_call, NULL);
    own->cpu.microcode = read_microcode(&own->cpu.id);
    mtrrs = mtrr_read(msr_read, &own->cpu.id, machine.cpu.hypervisor);
    if (cpu == 0) {
        s->boot_mtrrs = mtrrs;
        /* It holds for all: the controllers of all sockets are set up alike. */
        machine.encryption = encryption_read(cpuid_call, NULL, msr_read, machine.cpu.hypervisor);
    } else {
        compare_mtrrs(s, cpu, &mtrrs);
    }
}

/* Every CPU runs the same code. */
static void keep_common_features(void)
{
    struct line_features common = survey.seen[0].features;

    for (uint32_t i = 0; i < machine.n_online; i++)
        common = line_features_both(common, survey.seen[machine.online[i]].features);
    machine.cpu.avx512 = common.avx512;
    machine.cpu.avx2 = common.avx2;
    machine.cpu.clflushopt = common.clflushopt;
}

static void count_threads(void)
{
    for (uint32_t i = 0; i < machine.n_online; i++)
        survey.apic_ids[i] = machine.cpus[machine.online[i]]->apic_id;
    for (uint32_t i = 0; i < machine.n_online; i++) {
        struct survey_cpu *s = &survey.seen[machine.online[i]].cpu;

        s->threads = cpu_threads_of_core(survey.apic_ids[i], s->id.thread_bits, survey.apic_ids,
                                         machine.n_online);
    }
}

void survey_prepare(void)
{
    survey.seen = arena_alloc(machine.n_cpus * sizeof(*survey.seen));
    survey.apic_ids = arena_alloc(machine.n_online * sizeof(*survey.apic_ids));
}

void survey_take(void)
{
    const struct cpu_pool_job job = { look, &survey, NULL };
    const uint32_t boot_cpu = 0;

    cpu_pool_run(&boot_cpu, 1, job);
    if (machine.n_online > 1)
        cpu_pool_run(machine.online + 1, machine.n_online - 1, job);
    keep_common_features();
    count_threads();
}

const struct survey_cpu *survey_of(uint32_t cpu)
{
    return &survey.seen[cpu].cpu;
}

const struct mtrrs *survey_mtrrs(void)
{
    return &survey.boot_mtrrs;
}

uint32_t survey_count_other_mtrrs(void)
{
    return atomic_load(&survey.n_others);
}

const struct mtrrs *survey_other_mtrrs(size_t n, uint32_t *ret_cpu)
{
    if (n >= OTHERS_MAX || n >= survey_count_other_mtrrs())
        return NULL;
    *ret_cpu = survey.others[n].cpu;
    return &survey.others[n].mtrrs;
}
