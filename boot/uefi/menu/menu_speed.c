// SPDX-License-Identifier: MIT
/*
 * How fast this machine's memory is tested: the loader does a little of each march on one CPU, and
 * of one march on all, which firmware starts.
 */
#include <efi.h>
#include <efilib.h>
#include <cpuid.h>

#include "boot/uefi/variables.h"
#include "lib/minmax.h"
#include "menu_time.h"
#include "sweep/engine.h"
#include "sweep/tests.h"

#define TRIAL_BYTES (UINT64_C(4) << 20)
#define TRIALS      6                    /* by two sets of instructions: the fastest counts */
#define LANE_BYTES  (UINT64_C(64) << 20) /* where lanes are about as long as in a section */
#define LANE_TRIALS 2
#define PLAIN_MARCH "any(w0);up(r0,w1);down(r1,w0)"
#define LANE_MARCH  "any(w0);up(r0,r0,w1,w1);down(r1,r1,w0,w0)"
#define TICKS_US    20000
#define COSTS_MAX   TEST_LIST_MAX

/* EFI_MP_SERVICES_PROTOCOL (PI 1.8, volume 2, 13.4): the first functions. */
struct mp_services {
    EFI_STATUS(EFIAPI *get_number)(struct mp_services *this, UINTN *n, UINTN *n_enabled);
    EFI_STATUS(EFIAPI *get_info)(struct mp_services *this, UINTN cpu, void *info);
    EFI_STATUS(EFIAPI *start_others)
    (struct mp_services *this, void(EFIAPI *function)(void *), BOOLEAN one_by_one, EFI_EVENT end,
     UINTN timeout_us, void *argument, UINTN **failed);
};

static EFI_GUID mp_services_guid = {
    0x3fdda605, 0xa76e, 0x4f46, { 0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08 }
};

#define CPUS_UNKNOWN 2 /* perhaps more than one */

/* NULL: there is none. */
static struct mp_services *find_mp(void)
{
    struct mp_services *mp;

    return EFI_ERROR(BS->LocateProtocol(&mp_services_guid, NULL, (void **)&mp)) ? NULL : mp;
}

static unsigned count_cpus(void)
{
    struct mp_services *mp = find_mp();
    UINTN n, n_enabled;

    if (!mp || EFI_ERROR(mp->get_number(mp, &n, &n_enabled)) || !n_enabled)
        return CPUS_UNKNOWN;
    return (unsigned)n_enabled;
}

static bool is_ram(UINT32 type)
{
    return type == EfiConventionalMemory || type == EfiBootServicesCode ||
           type == EfiBootServicesData || type == EfiLoaderCode || type == EfiLoaderData;
}

static uint64_t count_ram(void)
{
    UINTN n, key, bytes;
    UINT32 version;
    EFI_MEMORY_DESCRIPTOR *map = LibMemoryMap(&n, &key, &bytes, &version);
    uint64_t pages = 0;

    for (UINTN i = 0; map && i < n; i++) {
        const EFI_MEMORY_DESCRIPTOR *d = (const void *)((const char *)map + i * bytes);

        pages += is_ram(d->Type) ? d->NumberOfPages : 0;
    }
    if (map)
        FreePool(map);
    return pages << EFI_PAGE_SHIFT;
}

static double ticks_a_second(void)
{
    uint64_t began = __builtin_ia32_rdtsc();

    BS->Stall(TICKS_US);
    return (double)(__builtin_ia32_rdtsc() - began) * 1e6 / TICKS_US;
}

static bool has_clflushopt(void)
{
    unsigned a, b, c, d;

    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_CLFLUSHOPT;
}

static void ignore(void *ctx, uint64_t phys, uint64_t expected, uint64_t found)
{
}

/* Ticks of all its elements on the piece; the operations on a line are counted. */
static uint64_t time_march(const struct line_ops *ops, const struct march *march,
                           const struct data *data, struct slice piece, unsigned *ret_ops)
{
    const struct sweep sweep = { .ops = ops,
                                 .has_clflushopt = has_clflushopt(),
                                 .lanes = ORDER_LINES,
                                 .faults = { .report = ignore } };
    uint64_t began = __builtin_ia32_rdtsc();

    *ret_ops = 0;
    for (uint32_t i = 0; i < march->n_elements; i++) {
        if (march->element[i].kind == MARCH_PAUSE)
            continue;
        sweep_element(&sweep, &march->element[i], data, piece);
        *ret_ops += march->element[i].n_ops;
    }
    return __builtin_ia32_rdtsc() - began;
}

/* False: there is no such piece. */
static bool take_piece(uint64_t bytes, struct slice *ret_piece)
{
    EFI_PHYSICAL_ADDRESS at;

    if (EFI_ERROR(
            BS->AllocatePages(AllocateAnyPages, EfiLoaderData, EFI_SIZE_TO_PAGES(bytes), &at)))
        return false;
    *ret_piece = (struct slice){ (void *)(UINTN)at, at, bytes / LINE_SIZE };
    return true;
}

static void give_back(struct slice piece)
{
    BS->FreePages(piece.phys, EFI_SIZE_TO_PAGES(piece.n_lines * LINE_SIZE));
}

/* Ticks of a byte and an operation; 0: there is no such piece. */
static double time_best(const struct march *march, const struct data *data, uint64_t bytes,
                        int trials)
{
    uint64_t ticks = UINT64_MAX;
    struct slice piece;
    unsigned n_ops = 1;

    if (!take_piece(bytes, &piece))
        return 0;
    for (int i = 0; i < trials; i++)
        ticks = min_u64(ticks, time_march(i % 2 ? &line_ops_sse2 : &line_ops_scalar, march, data,
                                          piece, &n_ops));
    give_back(piece);
    return (double)ticks / ((double)bytes * n_ops);
}

/* What it is timed as: all with lanes alike, and what has no march as one that writes and reads. */
static const char *timed_notation(const struct test *test)
{
    struct march march;

    if (test->kind != TEST_MARCH)
        return PLAIN_MARCH;
    test_march(test, &march);
    return sweep_has_lanes(&march) ? LANE_MARCH : test->notation;
}

static double measure(const struct test *test, const char *notation)
{
    struct test like = *test;
    struct data data = data_make(test->data, 0, 0);
    struct march march;
    double ticks = 0;

    like.kind = TEST_MARCH;
    like.notation = notation;
    test_march(&like, &march);
    if (sweep_has_lanes(&march))
        ticks = time_best(&march, &data, LANE_BYTES, LANE_TRIALS);
    if (!(ticks > 0))
        ticks = time_best(&march, &data, TRIAL_BYTES, TRIALS);
    return ticks * (test->in_pulses ? 100.0 / PULSE_MEAN_DUTY : 1);
}

/* What the first write to a byte takes longer than the second. */
static double ticks_of_touching(void)
{
    const struct data data = data_make(DATA_BACKGROUND, 0, 0);
    const struct test fill = { .kind = TEST_MARCH, .notation = "any(w0)" };
    struct march march;
    struct slice piece;
    uint64_t first, second;
    unsigned n_ops;

    if (!take_piece(LANE_BYTES, &piece))
        return 0;
    test_march(&fill, &march);
    first = time_march(&line_ops_scalar, &march, &data, piece, &n_ops);
    second = time_march(&line_ops_scalar, &march, &data, piece, &n_ops);
    give_back(piece);
    return first > second ? (double)(first - second) / (double)LANE_BYTES : 0;
}

static double hz; /* of the time stamp counter */

/* Each march once: a menu is drawn each second. */
static double seconds_a_byte(const struct test *test)
{
    static struct {
        const char *notation;
        enum data_kind data;
        bool in_pulses;
        double seconds;
    } known[COSTS_MAX];
    static unsigned n_known;
    const char *notation = timed_notation(test);

    for (unsigned i = 0; i < n_known; i++) {
        if (known[i].notation == notation && known[i].data == test->data &&
            known[i].in_pulses == test->in_pulses)
            return known[i].seconds;
    }
    if (n_known == COSTS_MAX)
        return 0;
    known[n_known].notation = notation;
    known[n_known].data = test->data;
    known[n_known].in_pulses = test->in_pulses;
    known[n_known].seconds = measure(test, notation) / hz;
    return known[n_known++].seconds;
}

#define TOGETHER_US 100000
#define ALONE_US    50000
#define ARRIVE_US   300000
#define LEAVE_US    1000000
#define WAIT_US     1000
#define TRIED_MAX   1024

/* The boot CPU is the first that has arrived. */
static struct trial {
    struct march march;
    struct slice piece; /* of all CPUs */
    uint64_t n_lines;   /* of each */
    unsigned n_cpus;
    unsigned n_arrived; /* atomic, as is the next */
    enum { TRIAL_WAITS, TRIAL_RUNS, TRIAL_ENDS } state;
    struct menu_rate rate[TRIED_MAX];
} trial;

static unsigned trial_state(void)
{
    return __atomic_load_n(&trial.state, __ATOMIC_ACQUIRE);
}

/* Its own part, at least once, for min_us; 0: until the boot CPU ends it. */
static struct menu_rate sweep_part(unsigned cpu, unsigned min_us)
{
    const uint64_t n_lines = trial.n_lines, enough = (uint64_t)(min_us * hz / 1e6);
    const struct data data = data_make(DATA_BACKGROUND, 0, 0);
    const struct slice part = { trial.piece.virt + cpu * n_lines,
                                trial.piece.phys + cpu * n_lines * LINE_SIZE, n_lines };
    struct menu_rate rate = { 0, 0 };
    unsigned n_ops;

    do {
        rate.ticks += time_march(&line_ops_scalar, &trial.march, &data, part, &n_ops);
        rate.bytes += n_lines * LINE_SIZE * n_ops;
    } while (min_us ? rate.ticks < enough : trial_state() == TRIAL_RUNS);
    return rate;
}

/* Of every other CPU. */
static void EFIAPI join(void *ctx)
{
    unsigned cpu = __atomic_fetch_add(&trial.n_arrived, 1, __ATOMIC_ACQ_REL);

    while (trial_state() == TRIAL_WAITS)
        __builtin_ia32_pause();
    if (cpu < trial.n_cpus && trial_state() == TRIAL_RUNS)
        trial.rate[cpu] = sweep_part(cpu, 0);
}

static bool have_all_arrived(EFI_EVENT unused)
{
    return __atomic_load_n(&trial.n_arrived, __ATOMIC_ACQUIRE) == trial.n_cpus;
}

static bool is_signaled(EFI_EVENT event)
{
    return BS->CheckEvent(event) == EFI_SUCCESS;
}

static bool wait_until(bool (*is_true)(EFI_EVENT event), EFI_EVENT event, unsigned max_us)
{
    for (unsigned us = 0; us < max_us; us += WAIT_US) {
        if (is_true(event))
            return true;
        BS->Stall(WAIT_US);
    }
    return false;
}

/* False: others may still be at it. */
static bool run_together(struct mp_services *mp, EFI_EVENT end)
{
    trial.n_arrived = 1;
    if (EFI_ERROR(
            mp->start_others(mp, join, FALSE, end, ARRIVE_US + TOGETHER_US + LEAVE_US, NULL, NULL)))
        return true;
    if (wait_until(have_all_arrived, end, ARRIVE_US)) {
        __atomic_store_n(&trial.state, TRIAL_RUNS, __ATOMIC_RELEASE);
        trial.rate[0] = sweep_part(0, TOGETHER_US);
    }
    __atomic_store_n(&trial.state, TRIAL_ENDS, __ATOMIC_RELEASE);
    return wait_until(is_signaled, end, LEAVE_US);
}

static struct menu_machine machine;

/* Set during the trial. If firmware hangs it remains, and later starts skip the trial. */
#define TRIAL_VARIABLE "OkramCpuTrial"

static void time_all(struct mp_services *mp)
{
    const struct test like = { .kind = TEST_MARCH, .notation = PLAIN_MARCH };
    const unsigned n = trial.n_cpus;
    struct menu_rate alone;
    EFI_EVENT end;

    test_march(&like, &trial.march);
    if (n < 2 || !take_piece(n * TRIAL_BYTES, &trial.piece))
        return;
    trial.n_lines = trial.piece.n_lines / n;
    for (unsigned cpu = 0; cpu < n; cpu++)
        sweep_part(cpu, 1); /* a host provides the memory */
    alone = sweep_part(0, ALONE_US);
    if (EFI_ERROR(BS->CreateEvent(0, TPL_APPLICATION, NULL, NULL, &end))) {
        give_back(trial.piece);
        return;
    }
    if (!run_together(mp, end))
        return;
    BS->CloseEvent(end);
    give_back(trial.piece);
    machine.speed_up = menu_time_speed_up(alone, trial.rate, n);
}

/* Once. Memory that other CPUs may still use is not given back to firmware. */
static void try_all(void)
{
    struct mp_services *mp = find_mp();

    machine.try_all = NULL;
    trial.n_cpus = machine.n_cpus;
    if (!mp || trial.n_cpus > TRIED_MAX ||
        EFI_ERROR(variable_write(TRIAL_VARIABLE, &variable_okram, VARIABLE_KEPT, "", 1)))
        return;
    time_all(mp);
    variable_delete(TRIAL_VARIABLE, &variable_okram);
}

const struct menu_machine *menu_machine_find(void)
{
    machine.ram_bytes = count_ram();
    machine.n_cpus = count_cpus();
    machine.seconds_a_byte = seconds_a_byte;
    machine.try_all =
        machine.n_cpus > 1 && !variable_exists(TRIAL_VARIABLE, &variable_okram) ? try_all : NULL;
    hz = ticks_a_second();
    machine.touch_s_a_byte = ticks_of_touching() / hz;
    return machine.ram_bytes ? &machine : NULL;
}
