// SPDX-License-Identifier: MIT
/* On a machine of two cores with two threads each, which share a register. */
#include "measure/bandwidth.c" /* the prefetchers, which it turns off */

#include "arch/cpu.h"
#include "arch/cpuid.h"
#include "cpudata/prefetch.h"
#include "event/notices.h"
#include "machine/machine.h"
#include "tests/unit/unit.h"

#define CPUS    4
#define CORES   2
#define MSR     0x1a4u
#define OFF     UINT64_C(0xf)
#define CORE(c) ((c) / 2)

struct machine machine;

static struct {
    uint64_t msr[CORES];
    bool known[CPUS], missing[CPUS], deaf[CORES], lost[CPUS];
    uint32_t cpu, writes, notices;
} played;

struct prefetch_control prefetch_control_find(cpuid_fn *call, void *ctx)
{
    return (struct prefetch_control){ played.known[played.cpu] ? MSR : 0, OFF };
}

void cpuid_call(void *ctx, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    fail_msg("CPUID is read");
}

bool msr_try_read(uint32_t msr, uint64_t *ret_value)
{
    assert_int_equal(msr, MSR);
    if (played.missing[played.cpu])
        return false;
    *ret_value = played.msr[CORE(played.cpu)];
    return true;
}

bool msr_try_write(uint32_t msr, uint64_t value)
{
    assert_int_equal(msr, MSR);
    assert_false(played.missing[played.cpu]);
    played.writes++;
    if (!played.deaf[CORE(played.cpu)])
        played.msr[CORE(played.cpu)] = value;
    return true;
}

void cpu_pool_run(const uint32_t *numbers, uint32_t n, struct cpu_pool_job job)
{
    for (uint32_t i = 0; i < n; i++) {
        played.cpu = numbers[i];
        if (!played.lost[played.cpu])
            job.work(job.ctx, played.cpu);
    }
}

static void hear(void *ctx, const char *text)
{
    played.notices++;
}

const struct warnings notices = { hear, NULL };

static struct worker worker[CPUS] = { { .cpu = 0 }, { .cpu = 1 }, { .cpu = 2 }, { .cpu = 3 } };
static struct plan plan = { .workers = worker, .n_workers = CPUS };
static struct shares shares = { .plan = &plan };
static const struct bench bench = { .shares = &shares };

static void start(uint64_t first, uint64_t second)
{
    static struct percpu percpu[CPUS];
    static struct percpu *cpus[CPUS];

    memset(&played, 0, sizeof(played));
    played.msr[0] = first;
    played.msr[1] = second;
    for (uint32_t i = 0; i < CPUS; i++) {
        played.known[i] = true;
        percpu[i] = (struct percpu){ .number = i };
        cpus[i] = &percpu[i];
    }
    machine.cpus = cpus;
}

/* Other bits stay, and a sibling's change is not taken for what firmware had set. */
TEST(are_off_and_put_back)
{
    start(0x800, 0x4);
    assert_string_equal(prefetch_turn_off(&bench), "off");
    assert_int_equal(played.msr[0], 0x80f);
    assert_int_equal(played.msr[1], 0xf);
    assert_int_equal(played.notices, 0);
    prefetch_put_back(&bench);
    assert_int_equal(played.msr[0], 0x800);
    assert_int_equal(played.msr[1], 0x4);
    played.writes = 0;
    prefetch_put_back(&bench);
    assert_int_equal(played.writes, 0);
}

TEST(nothing_is_written_unasked)
{
    start(0, 0);
    prefetch_put_back(&bench);
    assert_int_equal(played.writes, 0);
}

/* Efficient cores. */
TEST(some_have_no_register)
{
    start(0, 0);
    played.known[2] = played.known[3] = false;
    assert_string_equal(prefetch_turn_off(&bench), "partly off");
    assert_int_equal(played.notices, 1);
    assert_int_equal(played.msr[0], 0xf);
    assert_int_equal(played.msr[1], 0);
    prefetch_put_back(&bench);
    assert_int_equal(played.msr[0], 0);
}

/* Reading faults, or a write changes nothing. */
TEST(a_register_that_is_not_there)
{
    start(0, 0);
    for (uint32_t i = 0; i < CPUS; i++)
        played.missing[i] = true;
    assert_string_equal(prefetch_turn_off(&bench), "not known");
    assert_int_equal(played.writes, 0);
    assert_int_equal(played.notices, 1);
    prefetch_put_back(&bench);
    assert_int_equal(played.writes, 0);

    start(0, 0);
    played.deaf[0] = played.deaf[1] = true;
    assert_string_equal(prefetch_turn_off(&bench), "not known");
    prefetch_put_back(&bench);
    assert_int_equal(played.msr[0], 0);
}

/* The others put theirs back; the CPU itself has what it needs to, before it is parked. */
TEST(a_cpu_is_lost_meanwhile)
{
    start(0x10, 0x20);
    prefetch_turn_off(&bench);
    played.lost[3] = true;
    prefetch_put_back(&bench);
    assert_int_equal(played.msr[0], 0x10);
    assert_int_equal(played.msr[1], 0x20);
    assert_int_equal(machine.cpus[2]->borrowed.msr, 0);
    assert_int_equal(machine.cpus[3]->borrowed.msr, MSR);
    assert_int_equal(machine.cpus[3]->borrowed.value, 0x20);
}
