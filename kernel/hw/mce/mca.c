// SPDX-License-Identifier: MIT
#include "mce/mca.h"

#include <stdatomic.h>

#include "arch/cpu.h"
#include "arch/cpuid.h"
#include "arch/paging.h"
#include "arch/percpu.h"
#include "arch/trap.h"
#include "arch/tsc.h"
#include "cpudata/cpu_kind.h"
#include "cpudata/cpu_pairs.h"
#include "mce/mca_decode.h"
#include "mce/mca_queue.h"
#include "mce/swept.h"
#include "memory/arena.h"

#define CR4_MCE (1u << 6)

#define POLL_EVERY_US 100000
#define BANKS_MAX     64

/* Swept between two polls: little, because it may have to be searched. */
#define POLL_EVERY_BYTES  (UINT64_C(64) << 20)
#define POLL_EVERY_SLICES (SWEPT_SLICES / 2)

/* Limit for a line that stays bad after it was overwritten: the CPU would read it for ever. */
#define RETRIES_MAX 64

#define MSR_MCG_CAP   0x179
#define MSR_MCG_CTL   0x17b
#define MCG_CAP_BANKS 0xff
#define MCG_CAP_CTL   (UINT64_C(1) << 8)
#define MCG_CAP_CMCI  (UINT64_C(1) << 10)
#define MCG_CAP_SER   (UINT64_C(1) << 24)

#define MSR_MC0_CTL        0x400
#define MC_REGISTERS       4
#define MSR_MC0_CTL_MASK   0xc0010044 /* AMD */
#define MSR_SCALABLE_CTL   0xc0002000
#define SCALABLE_REGISTERS 0x10

enum {
    REG_CTL,
    REG_STATUS,
    REG_ADDR,
    REG_MISC,
    REG_CONFIG, /* from here on AMD's scalable banks only */
    REG_ID,
    REG_DEFERRED_STATUS = 8,
    REG_DEFERRED_ADDR,
};

#define CONFIG_X         (UINT64_C(1) << 0)  /* what follows is there */
#define CONFIG_DEFERRED  (UINT64_C(1) << 1)  /* deferred errors may have registers of their own */
#define CONFIG_X_ENABLE  (UINT64_C(1) << 32) /* the system knows these banks */
#define STATUS_VALID     (UINT64_C(1) << 63)
#define STATUS_ADDR      (UINT64_C(1) << 58)
#define STATUS_MISC      (UINT64_C(1) << 59)
#define CPUID_MCE_MCA    (1u << 7 | 1u << 14)
#define CPUID_SCALABLE   (1u << 3)
#define CPUID_HYPERVISOR (1u << 31)
#define LINE_BYTES       64

/* What each CPU knows about its own banks; only that CPU writes it. */
struct mca_state {
    struct mca_cpu cpu;
    uint64_t next_poll;
    uint32_t n_retries;
    struct swept_ring swept;
    uint64_t polled; /* when, by the clock of what was swept */
    uint64_t bytes;  /* swept since */
    uint32_t n_slices;
};

static struct mca_queue queue;
static swept_clock clock;
static struct swept_reports swept_reports;
static uint32_t n_states;
static struct mca_state boot_cpu, *other_cpus; /* number 1 first */
static struct {
    bool (*is_free)(const void *ctx, uint64_t phys);
    const void *ctx;
} memory;
static _Atomic bool is_deferred;
static _Atomic uint64_t n_deferred;

/* A performance core has its own, even where CPUID leaves room for more CPUs. */
static bool shares_level2(void)
{
    struct cpu_place place = cpu_place_read(cpuid_call, NULL, 0);

    return place.low_bits[CPU_SHARE_L2] > place.low_bits[CPU_SHARE_CORE] &&
           cpu_identity_read(cpuid_call, NULL).kind != CPU_KIND_PERFORMANCE;
}

/*
 * Without the architecture there are no banks. Read once: CPUID traps under a hypervisor.
 */
static struct mca_cpu this_cpu(void)
{
    struct cpu_model model = cpu_model_read(cpuid_call, NULL);
    struct cpuid_regs basic = cpuid(1, 0);
    struct mca_cpu c = { .number = percpu_self()->number,
                         .physical_bits = 52,
                         .amd = model.vendor == CPU_VENDOR_AMD || model.vendor == CPU_VENDOR_HYGON,
                         .family = model.family,
                         .model = model.model,
                         .hypervisor = basic.ecx & CPUID_HYPERVISOR };
    uint64_t cap;

    if ((basic.edx & CPUID_MCE_MCA) != CPUID_MCE_MCA)
        return c;
    cap = msr_read(MSR_MCG_CAP);
    c.n_banks = cap & MCG_CAP_BANKS;
    if (c.n_banks > BANKS_MAX)
        c.n_banks = BANKS_MAX;
    c.counts_corrected = !c.amd && cap & MCG_CAP_CMCI;
    c.recovers = cap & MCG_CAP_SER;
    c.has_control = cap & MCG_CAP_CTL;
    if (cpuid(0x80000000, 0).eax >= 0x80000008)
        c.physical_bits = cpuid(0x80000008, 0).eax & 0xff;
    c.scalable = c.amd && cpuid(0x80000007, 0).ebx & CPUID_SCALABLE;
    c.shares_level2 = shares_level2();
    return c;
}

static struct mca_state *state_of(uint32_t cpu)
{
    return cpu ? &other_cpus[cpu - 1] : &boot_cpu;
}

static struct mca_state *own(void)
{
    return state_of(percpu_self()->number);
}

static uint32_t msr_of(const struct mca_cpu *c, uint32_t bank, uint32_t reg)
{
    return c->scalable ? MSR_SCALABLE_CTL + SCALABLE_REGISTERS * bank + reg
                       : MSR_MC0_CTL + MC_REGISTERS * bank + reg;
}

/* Empties the bank. status 0: there was nothing. */
static struct mca_bank take_bank(const struct mca_cpu *c, uint32_t n, uint32_t status_reg,
                                 uint32_t addr_reg)
{
    struct mca_bank b = { .number = n, .status = msr_read(msr_of(c, n, status_reg)) };

    if (!(b.status & STATUS_VALID))
        return (struct mca_bank){ .number = n };
    if (b.status & STATUS_ADDR)
        b.addr = msr_read(msr_of(c, n, addr_reg));
    if (b.status & STATUS_MISC && status_reg == REG_STATUS)
        b.misc = msr_read(msr_of(c, n, REG_MISC));
    if (c->scalable) {
        b.config = msr_read(msr_of(c, n, REG_CONFIG));
        b.id = msr_read(msr_of(c, n, REG_ID));
    }
    msr_write(msr_of(c, n, status_reg), 0);
    return b;
}

/*
 * What all CPUs swept: it is not certain which of them share the bank, or whose memory it covers.
 */
static void report_swept(const struct mca_record *record)
{
    struct swept_report *r = swept_reports_claim(&swept_reports);
    struct swept_window window = { own()->polled, 0 };

    if (!r)
        return;
    window.to = swept_now(&clock);
    r->record = *record;
    for (uint32_t cpu = 0; cpu < n_states; cpu++)
        swept_collect(&state_of(cpu)->swept, window, r);
    swept_reports_put(&swept_reports, r);
}

static bool report(const struct mca_cpu *c, const struct mca_bank *b, bool from_before,
                   struct mca_record *ret)
{
    if (!mca_decode(c, b, ret))
        return false;
    ret->from_before = from_before;
    if (!from_before && mca_has_unknown_page(ret))
        report_swept(ret);
    mca_queue_put(&queue, ret);
    return true;
}

/* Deferred errors are in both places, or only in the one of their own (PPR, MCA_CONFIG). */
static void report_deferred(const struct mca_cpu *c, uint32_t n, bool from_before)
{
    struct mca_record record;
    struct mca_bank b;

    if (!c->scalable || !(msr_read(msr_of(c, n, REG_CONFIG)) & CONFIG_DEFERRED))
        return;
    b = take_bank(c, n, REG_DEFERRED_STATUS, REG_DEFERRED_ADDR);
    report(c, &b, from_before, &record);
}

static void report_all(const struct mca_cpu *c, bool from_before)
{
    for (uint32_t n = 0; n < c->n_banks; n++) {
        struct mca_bank b = take_bank(c, n, REG_STATUS, REG_ADDR);
        struct mca_record record;

        if (report(c, &b, from_before, &record) && !record.corrected && c->scalable)
            msr_write(msr_of(c, n, REG_DEFERRED_STATUS), 0);
        else
            report_deferred(c, n, from_before);
    }
}

/* Whole lines, bypassing the cache: the line gets a new check code, and can be read again. */
static void write_over(uint64_t phys)
{
    char *at = direct(phys & -(uint64_t)LINE_BYTES);

    for (size_t i = 0; i < LINE_BYTES; i += sizeof(uint64_t))
        __asm__ volatile("movnti %1, %0" : "=m"(*(uint64_t *)(at + i)) : "r"(UINT64_C(0)));
    __asm__ volatile("sfence" : : : "memory");
}

static enum mca_verdict make_readable(const struct mca_record *r)
{
    if (!r->is_memory || !memory.is_free || !memory.is_free(memory.ctx, r->addr) ||
        ++own()->n_retries > RETRIES_MAX)
        return MCA_STOP_CPU;
    write_over(r->addr);
    return MCA_RETRY;
}

/* Whether the CPU can go on as if nothing had happened; the banks are not emptied. */
static bool may_defer(const struct mca_cpu *c, uint64_t mcg_status)
{
    enum mca_verdict worst = MCA_GO_ON;

    for (uint32_t n = 0; n < c->n_banks; n++) {
        enum mca_verdict v = mca_judge_bank(c, mcg_status, msr_read(msr_of(c, n, REG_STATUS)));

        if (v > worst)
            worst = v;
    }
    return mca_judge(mcg_status, worst) == MCA_GO_ON;
}

static enum trap_verdict handle_exception(void)
{
    const struct mca_cpu *c = &own()->cpu;
    uint64_t mcg_status = c->n_banks ? msr_read(MSR_MCG_STATUS) : 0;
    enum mca_verdict worst = MCA_GO_ON;

    if (atomic_load(&is_deferred) && may_defer(c, mcg_status)) {
        atomic_fetch_add(&n_deferred, 1);
        return TRAP_GO_ON;
    }
    for (uint32_t n = 0; n < c->n_banks; n++) {
        struct mca_bank b = take_bank(c, n, REG_STATUS, REG_ADDR);
        enum mca_verdict verdict = mca_judge_bank(c, mcg_status, b.status);
        struct mca_record record;

        if (report(c, &b, false, &record) && verdict == MCA_RETRY)
            verdict = make_readable(&record);
        if (verdict > worst)
            worst = verdict;
    }
    switch (mca_judge(mcg_status, worst)) {
    case MCA_GO_ON:
    case MCA_RETRY: return TRAP_GO_ON;
    case MCA_STOP_CPU: return TRAP_STOP_CPU;
    case MCA_FATAL: break;
    }
    return TRAP_FATAL;
}

/* The mask first: nothing is logged in between. */
static void set_control(const struct mca_cpu *c, uint32_t bank)
{
    uint64_t mask = mca_control_mask(c, bank);

    if (mask)
        msr_write(MSR_MC0_CTL_MASK + bank, msr_read(MSR_MC0_CTL_MASK + bank) | mask);
    if (mca_may_control(c, bank))
        msr_write(msr_of(c, bank, REG_CTL), mca_control(c, bank));
}

void mca_prepare(uint32_t n_cpus)
{
    n_states = n_cpus;
    if (n_cpus > 1)
        other_cpus = arena_alloc((n_cpus - 1) * sizeof(*other_cpus));
}

void mca_enable(void)
{
    struct mca_cpu *c = &own()->cpu;

    *c = this_cpu();
    report_all(c, true);
    if (c->has_control)
        msr_write(MSR_MCG_CTL, UINT64_MAX);
    for (uint32_t n = 0; n < c->n_banks; n++) {
        if (c->scalable) {
            uint64_t config = msr_read(msr_of(c, n, REG_CONFIG));

            if (config & CONFIG_X)
                msr_write(msr_of(c, n, REG_CONFIG), config | CONFIG_X_ENABLE);
        }
        set_control(c, n);
    }
    trap_set_machine_check(handle_exception);
    cr4_write(cr4_read() | CR4_MCE);
}

void mca_poll_now(void)
{
    struct mca_state *self = own();
    uint64_t began = swept_now(&clock);

    self->next_poll = tsc_now() + tsc_from_us(POLL_EVERY_US);
    report_all(&self->cpu, false);
    self->polled = began;
    self->bytes = 0;
    self->n_slices = 0;
}

void mca_poll(void)
{
    if (tsc_now() >= own()->next_poll)
        mca_poll_now();
}

void mca_defer(bool on)
{
    atomic_store(&is_deferred, on);
}

uint64_t mca_deferred(void)
{
    return atomic_load(&n_deferred);
}

void mca_sweep_begin(struct span slice)
{
    swept_begin(&own()->swept, &clock, slice);
}

void mca_sweep_end(struct span slice)
{
    struct mca_state *self = own();

    swept_end(&self->swept, &clock);
    self->bytes += slice.size;
    if (self->bytes >= POLL_EVERY_BYTES || ++self->n_slices >= POLL_EVERY_SLICES)
        self->next_poll = 0;
}

struct swept_report *mca_swept_take(void)
{
    return swept_reports_take(&swept_reports);
}

void mca_swept_free(struct swept_report *report)
{
    swept_reports_free(&swept_reports, report);
}

void mca_set_is_free(bool (*is_free)(const void *ctx, uint64_t phys), const void *ctx)
{
    memory.ctx = ctx;
    memory.is_free = is_free;
}

bool mca_next(bool skip, struct mca_record *ret)
{
    return mca_queue_first(&queue, skip, ret);
}

void mca_done(void)
{
    mca_queue_remove(&queue);
}

uint64_t mca_lost(void)
{
    return mca_queue_lost(&queue);
}
