// SPDX-License-Identifier: MIT
/* How fast this machine's memory is tested: the loader does a little of each march on one CPU. */
#include <efi.h>
#include <efilib.h>
#include <cpuid.h>

#include "lib/minmax.h"
#include "menu_time.h"
#include "sweep/engine.h"
#include "sweep/tests.h"

#define TRIAL_BYTES (UINT64_C(4) << 20)
#define TRIALS      6                    /* by two sets of instructions: the fastest counts */
#define LANE_BYTES  (UINT64_C(64) << 20) /* where lanes are about as long as in a section */
#define LANE_TRIALS 2
#define LANE_MARCH  "any(w0);up(r0,r0,w1,w1);down(r1,r1,w0,w0)"
#define TICKS_US    20000
#define COSTS_MAX   TEST_LIST_MAX

/* EFI_MP_SERVICES_PROTOCOL (PI 1.8, volume 2, 13.4), of which one function is used. */
struct mp_services {
    EFI_STATUS(EFIAPI *get_number)(struct mp_services *this, UINTN *n, UINTN *n_enabled);
};

static EFI_GUID mp_services_guid = {
    0x3fdda605, 0xa76e, 0x4f46, { 0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08 }
};

#define CPUS_UNKNOWN 4

static unsigned count_cpus(void)
{
    struct mp_services *mp;
    UINTN n, n_enabled;

    if (EFI_ERROR(BS->LocateProtocol(&mp_services_guid, NULL, (void **)&mp)) ||
        EFI_ERROR(mp->get_number(mp, &n, &n_enabled)) || !n_enabled)
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
        return "any(w0);up(r0,w1);down(r1,w0)";
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

const struct menu_machine *menu_machine_find(void)
{
    static struct menu_machine machine;

    machine.ram_bytes = count_ram();
    machine.n_cpus = count_cpus();
    machine.seconds_a_byte = seconds_a_byte;
    hz = ticks_a_second();
    machine.touch_s_a_byte = ticks_of_touching() / hz;
    return machine.ram_bytes ? &machine : NULL;
}
