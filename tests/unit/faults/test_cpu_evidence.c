// SPDX-License-Identifier: MIT
/* What a run learns of its CPUs, on a machine with as many as there may be. */
#include "faults/cpu_evidence.h"

#include "arch/cpuid.h"
#include "cpus/smp.h"
#include "arch/tsc.h"
#include "event/notices.h"
#include "lib/minmax.h"
#include "machine/machine.h"
#include "memory/arena.h"
#include "plan/share.h"
#include "self/self_check.h"
#include "sweep/unit_check.h"
#include "tests/unit/unit.h"

#define CPUS    288
#define THREADS 2
#define RAM     (64 * 16 * MIB)
#define PAGES   4

struct machine machine;

static struct {
    bool computes_wrong[CPUS];
    uint32_t calling; /* the CPU whose work is done */
    uint32_t checked[CPUS], most_at_once;
    uint32_t detached;
    unsigned n_expelled, n_notices;
    char last_notice[300];
    bool code_is_intact;
    uint32_t answers; /* the CPU that sweeps while another waits; 0: none */
    unsigned n_waits;
    struct line memory[PAGES * PAGE_SIZE / sizeof(struct line)];
    uint64_t flips; /* bits that the next read of memory has wrong */
    unsigned flips_left;
} fake;

static struct percpu percpu[CPUS], *cpus[CPUS];
static uint32_t online[CPUS];
static struct piece ram = { .span = { 0, RAM } };
static const struct plan plan = { .ram = { .piece = &ram, .n = 1 } };

/* --- the machine ------------------------------------------------------------------------------ */

static _Alignas(PAGE_SIZE) uint8_t arena[MIB];
static uint64_t taken;

void *arena_alloc(uint64_t bytes)
{
    uint64_t at = taken;

    taken += align_up(bytes, PAGE_SIZE);
    assert_true(taken <= sizeof(arena));
    return memset(arena + at, 0, bytes);
}

const struct footprint *arena_footprint(void)
{
    static const struct footprint own = { .data.bytes = MIB, .tables.bytes = MIB };

    return &own;
}

void cpu_pool_run(const uint32_t *numbers, uint32_t n, struct cpu_pool_job job)
{
    fake.most_at_once = n > fake.most_at_once ? n : fake.most_at_once;
    for (uint32_t i = 0; i < n; i++) {
        fake.calling = numbers[i];
        job.work(job.ctx, numbers[i]);
    }
}

uint32_t cpu_pool_detached(void)
{
    return fake.detached;
}

void smp_expel(struct percpu *cpu, bool is_in_firmware)
{
    fake.n_expelled++;
}

struct cpu_features cpu_features_read(void)
{
    return (struct cpu_features){ 0 };
}

/* Threads of a core are in the lowest bit of the APIC ID. */
void cpuid_call(void *ctx, uint32_t leaf, uint32_t subleaf, uint32_t regs[4])
{
    memset(regs, 0, 4 * sizeof(regs[0]));
    if (leaf == 0)
        regs[0] = 0xb;
    if (leaf == 0xb && subleaf == 0) {
        regs[0] = 1;
        regs[1] = THREADS;
        regs[2] = 1 << 8;
    }
}

const char *unit_check(const struct line_ops *const *ops, size_t n, struct line *lines)
{
    memset(lines, 0xff, UNIT_CHECK_LINES * sizeof(*lines)); /* its own, to the last */
    fake.checked[fake.calling]++;
    return fake.computes_wrong[fake.calling] ? "vector" : NULL;
}

const char *self_check_explain(uint32_t cpu, const struct cpu_failure *failure, bool *ret_intact)
{
    *ret_intact = fake.code_is_intact;
    return "explained";
}

/* While a CPU waits for an answer, which is when it looks at the clock. */
uint64_t tsc_from_us(uint64_t us)
{
    fake.n_waits++;
    if (fake.answers)
        cpu_evidence_swept(fake.answers, (struct span){ 0, PAGE_SIZE }, 1, false);
    return us;
}

uint64_t tsc_elapsed_us_at(uint64_t tsc)
{
    return tsc; /* as fast as in tsc_from_us */
}

/* A copy of what memory holds, with what the CPU reads wrong. */
struct slice share_slice(struct span span)
{
    static _Alignas(64) struct line line;

    line = fake.memory[span.base / sizeof(struct line)];
    if (fake.flips_left) {
        fake.flips_left--;
        line.word[0] ^= fake.flips;
    }
    return (struct slice){ &line, span.base, 1 };
}

static void take_notice(void *ctx, const char *text)
{
    fake.n_notices++;
    snprintf(fake.last_notice, sizeof(fake.last_notice), "%s", text);
}

const struct warnings notices = { take_notice, NULL };

static void begin(uint32_t n)
{
    taken = 0;
    memset(&fake, 0, sizeof(fake));
    memset(percpu, 0, sizeof(percpu));
    fake.code_is_intact = true;
    for (uint32_t i = 0; i < n; i++) {
        cpus[i] = &percpu[i];
        percpu[i].apic_id = i;
        online[i] = i;
    }
    machine = (struct machine){
        .cpus = cpus, .n_cpus = n, .online = online, .n_online = n, .ram_bytes = RAM
    };
}

static void start(uint32_t n)
{
    begin(n);
    cpu_evidence_start();
    cpu_evidence_begin(&plan, &(struct id_set){ .all = true });
}

/* --- checks of themselves --------------------------------------------------------------------- */

TEST(all_of_288_cpus_check_themselves_once)
{
    start(CPUS);
    for (uint32_t i = 0; i < CPUS; i++) {
        assert_int_equal(fake.checked[i], 1);
        assert_int_equal(cpu_evidence_of(i)->checks, 1);
        assert_int_equal(cpu_evidence_of(i)->failed, 0);
        assert_int_equal(cpu_evidence_of(i)->core, i / THREADS);
    }
    assert_int_equal(machine.n_online, CPUS);
    assert_int_equal(fake.n_notices, 0);
    assert_in_range(fake.most_at_once, 1, 4); /* as many as have lines of their own */
}

TEST(one_that_computes_wrong_is_left_out_but_not_the_boot_cpu)
{
    begin(CPUS);
    fake.computes_wrong[0] = fake.computes_wrong[5] = fake.computes_wrong[CPUS - 1] = true;
    cpu_evidence_start();
    assert_int_equal(machine.n_online, CPUS - 2);
    assert_int_equal(machine.online[0], 0);
    assert_int_equal(machine.online[4], 4);
    assert_int_equal(machine.online[5], 6);
    assert_int_equal(fake.n_expelled, 2);
    assert_int_equal(fake.n_notices, 3);
    assert_non_null(strstr(fake.last_notice, "cpu 287 (APIC ID 287) computes wrong: its check of "
                                             "the vector unit failed: it is left out"));
    assert_true(cpu_evidence_of(5)->is_left_out);
    assert_int_equal(cpu_evidence_of(0)->failed, 1);
    assert_int_equal(cpu_evidence_of(0)->core, 0);
}

TEST(one_that_computes_wrong_later_is_named_once)
{
    start(3);
    fake.computes_wrong[2] = true;
    cpu_evidence_check();
    cpu_evidence_check();
    assert_int_equal(fake.n_notices, 1);
    assert_int_equal(cpu_evidence_of(2)->failed, 2);
    assert_int_equal(cpu_evidence_of(2)->checks, 3);
    assert_int_equal(machine.n_online, 3);
}

TEST(one_that_is_in_firmware_does_not_check_itself)
{
    start(3);
    fake.detached = 2;
    cpu_evidence_check();
    assert_int_equal(fake.checked[1], 2);
    assert_int_equal(fake.checked[2], 1);
}

/* Often, for its errors may be rare; also before anything else is there. */
TEST(one_that_panics_is_examined)
{
    char said[200] = "";
    struct fmt_buffer text = fmt_buffer_make(said, sizeof(said));

    begin(CPUS);
    fake.calling = 7;
    assert_false(cpu_evidence_examine(7, &text));
    assert_string_equal(said, "");
    assert_in_range(fake.checked[7], 2, 50000);
    fake.checked[7] = 0;
    fake.computes_wrong[7] = true;
    assert_true(cpu_evidence_examine(7, &text));
    assert_non_null(strstr(said, "cpu 7 computes wrong: its check of the vector unit failed in "));
    assert_non_null(strstr(said, " tries; the reason is this CPU, its settings, heat or power\n"));
}

/* --- machine checks and exceptions ------------------------------------------------------------ */

TEST(machine_checks_count_that_are_of_the_cpu_itself)
{
    const struct mca_record records[] = {
        { .cpu = 1, .count = 3, .of_core = true },
        { .cpu = 1, .count = 1, .of_memory = true },
        { .cpu = 1, .count = 1 }, /* of a bus, for example */
        { .cpu = 1, .count = 1, .of_core = true, .from_before = true },
        { .cpu = CPUS, .count = 1, .of_core = true }, /* there is none */
        { .cpu = CPUS - 1, .count = 1, .of_core = true },
    };

    start(CPUS);
    for (size_t i = 0; i < COUNT(records); i++)
        cpu_evidence_machine_check(&records[i]);
    assert_int_equal(cpu_evidence_of(1)->errors, 3);
    assert_int_equal(cpu_evidence_of(CPUS - 1)->errors, 1);
    assert_int_equal(cpu_evidence_of(0)->errors, 0);
}

TEST(exceptions_count_that_a_wrong_bit_has_raised_in_intact_code)
{
    const struct cpu_failure other = { .vector = 14 }, flipped = { 14, 1, 2, true };

    start(CPUS);
    assert_string_equal(cpu_evidence_explain(7, &other), "explained");
    assert_int_equal(cpu_evidence_of(7)->exceptions, 0);
    cpu_evidence_explain(7, &flipped);
    assert_int_equal(cpu_evidence_of(7)->exceptions, 1);
    fake.code_is_intact = false;
    cpu_evidence_explain(CPUS - 1, &flipped);
    assert_int_equal(cpu_evidence_of(CPUS - 1)->exceptions, 0);
    cpu_evidence_panic(false);
    assert_int_equal(cpu_evidence_of(0)->exceptions, 0);
    cpu_evidence_panic(true);
    assert_int_equal(cpu_evidence_of(0)->exceptions, 1);
}

/* --- who has read and written what ------------------------------------------------------------ */

TEST(traffic_is_counted_by_zone)
{
    const uint64_t zone = 18 * MIB; /* a 64th, in whole pages of 512 parts */

    start(CPUS);
    cpu_evidence_swept(3, (struct span){ zone - PAGE_SIZE, zone + 2 * PAGE_SIZE }, 2, false);
    assert_int_equal(cpu_evidence_of(3)->bytes[0], 2 * PAGE_SIZE);
    assert_int_equal(cpu_evidence_of(3)->bytes[1], 2 * zone);
    assert_int_equal(cpu_evidence_of(3)->bytes[2], 2 * PAGE_SIZE);
    assert_int_equal(cpu_evidence_of(3)->bytes[3], 0);
    assert_int_equal(cpu_evidence_of(CPUS - 1)->bytes[1], 0);
}

TEST(the_last_byte_is_in_the_last_zone)
{
    uint64_t all = 0;

    start(CPUS);
    cpu_evidence_swept(1, (struct span){ 0, RAM }, 1, true);
    for (unsigned z = 0; z < KIND_CPU_ZONES; z++)
        all += cpu_evidence_of(1)->bytes[z];
    assert_int_equal(all, RAM);
    assert_int_equal(cpu_evidence_writer(RAM - 1, 9), 1);
}

TEST(the_last_writer_is_known_of_each_part)
{
    start(CPUS);
    assert_int_equal(cpu_evidence_writer(0, 9), 9); /* nobody yet: the reader's own */
    cpu_evidence_swept(CPUS - 1, (struct span){ 0, 64 * MIB }, 1, true);
    cpu_evidence_swept(0, (struct span){ 16 * MIB, MIB }, 1, true);
    cpu_evidence_swept(4, (struct span){ 0, 64 * MIB }, 1, false); /* only reads */
    assert_int_equal(cpu_evidence_writer(0, 9), CPUS - 1);
    assert_int_equal(cpu_evidence_writer(16 * MIB, 9), 0);
    assert_int_equal(cpu_evidence_writer(48 * MIB, 9), CPUS - 1);
    assert_int_equal(cpu_evidence_writer(65 * MIB + 8 * MIB, 9), 9);
    assert_int_equal(cpu_evidence_writer(UINT64_MAX, 9), 9); /* beyond all memory */
}

/* --- lines read again ------------------------------------------------------------------------- */

#define EXPECTED UINT64_C(0x5555)
#define FOUND    UINT64_C(0x5554)

static enum fault_again read_again(uint64_t in_memory, unsigned wrong_reads, uint32_t answers)
{
    fake.memory[1].word[0] = in_memory;
    fake.flips = EXPECTED ^ FOUND;
    fake.flips_left = wrong_reads;
    fake.answers = answers;
    return cpu_evidence_read_again(
        0, &(struct fault){ .addr = 64, .expected = EXPECTED, .found = FOUND });
}

TEST(a_word_is_read_again_by_the_same_cpu_and_by_one_of_another_core)
{
    start(CPUS);
    assert_int_equal(read_again(EXPECTED, 0, 2), FAULT_AGAIN_RIGHT);
    assert_int_equal(read_again(0, 0, 2), FAULT_AGAIN_UNKNOWN);
    assert_int_equal(read_again(FOUND, 0, 2), FAULT_AGAIN_WRONG);
    assert_int_equal(read_again(EXPECTED, 1, 2), FAULT_AGAIN_OTHER_RIGHT);
    assert_int_equal(read_again(EXPECTED, 1, CPUS - 1), FAULT_AGAIN_OTHER_RIGHT);
    assert_int_equal(read_again(EXPECTED, 1, 1), FAULT_AGAIN_WRONG); /* a thread of its core */
}

TEST(a_run_does_not_wait_for_long)
{
    start(CPUS);
    for (unsigned i = 0; i < 200; i++)
        assert_int_equal(read_again(EXPECTED, 1, 0), FAULT_AGAIN_WRONG);
    assert_in_range(fake.n_waits, 1, 26); /* 20 ms each, and half a second in all */
    assert_int_equal(read_again(EXPECTED, 1, 2), FAULT_AGAIN_WRONG); /* nobody is asked any more */
}

TEST(one_cpu_asks_nobody)
{
    start(1);
    assert_int_equal(read_again(EXPECTED, 1, 0), FAULT_AGAIN_WRONG);
    assert_int_equal(fake.n_waits, 0);
}

/* --- what it comes to ------------------------------------------------------------------------- */

TEST(others_are_two_of_other_cores)
{
    uint32_t other[2];

    start(CPUS);
    for (uint32_t nth = 0; nth < 2 * CPUS; nth++) {
        cpu_evidence_others(5, nth, other);
        assert_int_not_equal(other[0] / THREADS, 5 / THREADS);
        assert_int_not_equal(other[1] / THREADS, 5 / THREADS);
        assert_int_not_equal(other[0] / THREADS, other[1] / THREADS);
    }
    start(4);
    cpu_evidence_others(0, 0, other);
    assert_int_equal(other[0], 2);
    assert_int_equal(other[1], 2);
    start(2);
    cpu_evidence_others(0, 0, other);
    assert_int_equal(other[0], 0);
    assert_int_equal(other[1], 0);
}

TEST(an_exception_of_one_of_288_cpus_is_named)
{
    struct kind_cpu_input in = { 0 };
    struct kind_cause_verdict cause;

    start(CPUS);
    cpu_evidence_find(&in, &cause);
    assert_false(cause.is_known);
    cpu_evidence_explain(CPUS - 1, &(struct cpu_failure){ 14, 1, 2, true });
    cpu_evidence_find(&in, &cause);
    assert_int_equal(cause.cause, KIND_CAUSE_CPU);
    assert_int_equal(cause.core, (CPUS - 1) / THREADS);
}
