// SPDX-License-Identifier: MIT
#include "mce/mca_decode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants those before. */
#include <cmocka.h>

#define VALID    (UINT64_C(1) << 63)
#define OVER     (UINT64_C(1) << 62)
#define UC       (UINT64_C(1) << 61)
#define ENABLED  (UINT64_C(1) << 60)
#define MISC     (UINT64_C(1) << 59)
#define ADDR     (UINT64_C(1) << 58)
#define PCC      (UINT64_C(1) << 57)
#define S        (UINT64_C(1) << 56)
#define AR       (UINT64_C(1) << 55)
#define TCC      (UINT64_C(1) << 55)
#define DEFERRED (UINT64_C(1) << 44)
#define POISON   (UINT64_C(1) << 43)

#define COUNT(n) ((uint64_t)(n) << 38)

#define MEMORY_READ UINT64_C(0x90)
#define CACHE_READ  UINT64_C(0x135)
#define LEVEL       UINT64_C(0xe)
#define TLB         UINT64_C(0x14)
#define BUS         UINT64_C(0xe0b)

#define PHYSICAL(lsb) (UINT64_C(2) << 6 | (lsb))
#define LINEAR(lsb)   (UINT64_C(1) << 6 | (lsb))

#define RIPV MCG_STATUS_RIPV

static const struct mca_cpu intel = {
    .number = 3, .physical_bits = 46, .n_banks = 20, .counts_corrected = true, .recovers = true
};
static const struct mca_cpu old_intel = { .number = 3, .physical_bits = 36, .n_banks = 6 };
static const struct mca_cpu amd = { .number = 3, .physical_bits = 48, .n_banks = 6, .amd = true };
static const struct mca_cpu zen = {
    .number = 3, .physical_bits = 48, .n_banks = 23, .amd = true, .scalable = true
};

static struct mca_record decoded(const struct mca_cpu *cpu, struct mca_bank bank)
{
    struct mca_record r = { .from_before = true };

    assert_true(mca_decode(cpu, &bank, &r));
    assert_false(r.from_before);
    assert_int_equal(r.cpu, 3);
    assert_int_equal(r.bank, bank.number);
    assert_int_equal(r.status, bank.status);
    return r;
}

/* In bank 4 of AMD's older CPUs, and nowhere else. */
static void walks_of_the_gart_do_not_count(void **state)
{
    const uint64_t walk = VALID | UC | ADDR | 5 << 16 | TLB;
    const struct mca_bank here = { .number = 4, .status = walk };
    struct mca_record r;

    assert_false(mca_decode(&amd, &here, &r));
    assert_true(mca_decode(&amd, &(struct mca_bank){ .number = 3, .status = walk }, &r));
    assert_true(mca_decode(&amd, &(struct mca_bank){ .number = 4, .status = walk ^ 1 << 16 }, &r));
    assert_true(
        mca_decode(&amd, &(struct mca_bank){ .number = 4, .status = walk ^ TLB ^ BUS }, &r));
    assert_true(mca_decode(&zen, &here, &r));
    assert_true(mca_decode(&old_intel, &here, &r));
}

static void an_empty_bank_says_nothing(void **state)
{
    struct mca_record r = { .cpu = 77 };
    struct mca_bank bank = { .status = ~VALID, .addr = 0x1000 };

    assert_false(mca_decode(&intel, &bank, &r));
    assert_int_equal(r.cpu, 77);
}

/* Bank 7 with all its address registers filled: is it memory, and where? */
static const struct {
    const struct mca_cpu *cpu;
    uint64_t status, addr, misc, config;
    bool has_addr, is_memory;
    uint64_t expected;
} addresses[] = {
    { &intel, MISC | MEMORY_READ, 0x12345678, PHYSICAL(6), 0, false, false, 0 },
    { &intel, MISC | ADDR | MEMORY_READ, 0x12345678, PHYSICAL(6), 0, true, true, 0x12345640 },
    { &intel, MISC | ADDR | MEMORY_READ, 0x12345678, PHYSICAL(0), 0, true, true, 0x12345678 },
    { &intel, MISC | ADDR | MEMORY_READ, 0x12345678, PHYSICAL(12), 0, true, true, 0x12345000 },
    { &intel, MISC | ADDR | MEMORY_READ, 0x12345678, PHYSICAL(13), 0, true, false, 0x12344000 },
    { &intel, MISC | ADDR | MEMORY_READ, 0x12345678, PHYSICAL(63), 0, true, false, 0 },
    { &intel, MISC | ADDR | MEMORY_READ, 0x12345678, LINEAR(6), 0, true, false, 0x12345678 },
    /* Without address mode only a memory controller's own code makes it physical. */
    { &intel, ADDR | MEMORY_READ, 0x12345678, PHYSICAL(6), 0, true, true, 0x12345678 },
    { &intel, ADDR | 0xff, 0x12345678, 0, 0, true, true, 0x12345678 },
    { &intel, ADDR | 0x7f, 0x12345678, 0, 0, true, false, 0x12345678 },
    { &intel, ADDR | UC | CACHE_READ, 0x12345678, 0, 0, true, false, 0x12345678 },
    { &old_intel, ADDR | 0x1080, 0x12345678, 0, 0, true, true, 0x12345678 },
    /* What lies above the CPU's physical addresses is not a part of them. */
    { &intel, MISC | ADDR | MEMORY_READ, 0xffff800012345678, PHYSICAL(6), 0, true, true,
      0x12345640 },
    { &intel, MISC | ADDR | MEMORY_READ, UINT64_C(1) << 45, PHYSICAL(6), 0, true, true,
      UINT64_C(1) << 45 },
    { &intel, MISC | ADDR | MEMORY_READ, UINT64_C(1) << 46, PHYSICAL(6), 0, true, true, 0 },
    { &intel, ADDR | 1, 0xffff800012345678, 0, 0, true, false, 0xffff800012345678 },
    /* A cache's own errors, when it put them right; poison that came out of it is memory's. */
    { &intel, MISC | ADDR | CACHE_READ, 0x12345678, PHYSICAL(6), 0, true, false, 0x12345640 },
    { &intel, MISC | ADDR | LEVEL, 0x12345678, PHYSICAL(6), 0, true, false, 0x12345640 },
    { &intel, MISC | ADDR | UC | CACHE_READ, 0x12345678, PHYSICAL(6), 0, true, true, 0x12345640 },
    { &intel, MISC | ADDR | UC | TLB, 0x12345678, PHYSICAL(6), 0, true, false, 0x12345640 },
    { &intel, MISC | ADDR | BUS, 0x12345678, PHYSICAL(6), 0, true, true, 0x12345640 },
    /* AMD: the north bridge, bank 4; extended code 8 is DRAM's. */
    { &amd, ADDR | UINT64_C(8) << 16 | BUS, 0x12345678, 0, 0, true, false, 0x12345678 },
    { &amd, MISC | ADDR | BUS, 0x12345678, PHYSICAL(6), 0, true, true, 0x12345640 },
    /* AMD's memory controllers of today count channel by channel; poison is told as it is. */
    { &zen, ADDR, 0x12345678, 0, 0, true, false, 0x12345678 },
    { &zen, ADDR | MISC, 0x12345678, PHYSICAL(6), 0, true, false, 0x12345678 },
    { &zen, ADDR | UC | POISON, 0x12345678, 0, 0, true, true, 0x12345678 },
    { &zen, ADDR | UC | POISON, UINT64_C(6) << 56 | 0x12345678, 0, 0, true, true, 0x12345640 },
    { &zen, ADDR | UC | POISON, UINT64_C(13) << 56 | 0x12345678, 0, 0, true, false, 0x12344000 },
    { &zen, ADDR | UC | POISON | UINT64_C(6) << 24, 0x12345678, 0, UINT64_C(1) << 8, true, true,
      0x12345640 },
    { &zen, ADDR, UINT64_C(6) << 56 | UINT64_C(1) << 55, 0, 0, true, false, UINT64_C(1) << 55 },
};

static void addresses_are_physical_or_not(void **state)
{
    for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
        struct mca_record r = decoded(addresses[i].cpu, (struct mca_bank){
                                                            .number = 7,
                                                            .status = VALID | addresses[i].status,
                                                            .addr = addresses[i].addr,
                                                            .misc = addresses[i].misc,
                                                            .config = addresses[i].config,
                                                        });

        if (r.has_addr != addresses[i].has_addr || r.is_memory != addresses[i].is_memory ||
            r.addr != addresses[i].expected)
            fail_msg("row %zu: has_addr %d, is_memory %d, 0x%lx", i, r.has_addr, r.is_memory,
                     r.addr);
    }
}

static void the_north_bridge_names_dram(void **state)
{
    struct mca_bank b = { .number = 4, .addr = 0x12345678 };

    b.status = VALID | ADDR | UINT64_C(8) << 16 | BUS;
    assert_true(decoded(&amd, b).is_memory);
    b.status = VALID | ADDR | UINT64_C(7) << 16 | BUS;
    assert_false(decoded(&amd, b).is_memory);
    b.status = VALID | ADDR | UINT64_C(0x28) << 16 | BUS; /* the field has five bits */
    assert_true(decoded(&amd, b).is_memory);
    assert_false(decoded(&intel, b).is_memory);
}

static void corrected_errors_are_counted(void **state)
{
    struct mca_bank b = { .status = VALID | COUNT(0x7fff) | MEMORY_READ };

    assert_int_equal(decoded(&intel, b).count, 0x7fff);
    assert_true(decoded(&intel, b).corrected);
    assert_int_equal(decoded(&old_intel, b).count, 1);
    b.status = VALID | COUNT(1) | MEMORY_READ;
    assert_int_equal(decoded(&intel, b).count, 1);
    b.status = VALID | MEMORY_READ;
    assert_int_equal(decoded(&intel, b).count, 1);
    b.status = VALID | UC | COUNT(5) | MEMORY_READ;
    assert_int_equal(decoded(&intel, b).count, 1);
    assert_false(decoded(&intel, b).corrected);
}

static void deferred_is_not_corrected(void **state)
{
    struct mca_bank b = { .status = VALID | DEFERRED };

    assert_false(decoded(&zen, b).corrected);
    assert_true(decoded(&old_intel, b).corrected);
}

static const struct {
    const struct mca_cpu *cpu;
    uint64_t mcg_status, status;
    enum mca_verdict verdict;
} verdicts[] = {
    { &intel, RIPV, 0, MCA_GO_ON },
    { &intel, 0, UC | ENABLED | PCC, MCA_GO_ON }, /* not valid */
    { &intel, 0, VALID | ENABLED, MCA_GO_ON },
    { &intel, 0, VALID | UC | PCC, MCA_GO_ON }, /* not enabled: not what the exception is about */
    { &intel, RIPV, VALID | UC | ENABLED, MCA_GO_ON },
    { &intel, RIPV, VALID | UC | ENABLED | OVER, MCA_GO_ON },
    { &intel, 0, VALID | UC | ENABLED, MCA_FATAL },
    { &intel, RIPV, VALID | UC | ENABLED | PCC, MCA_FATAL },
    { &intel, RIPV, VALID | UC | ENABLED | PCC | S | AR, MCA_FATAL },
    { &intel, RIPV, VALID | UC | ENABLED | S, MCA_GO_ON },
    { &intel, RIPV, VALID | UC | ENABLED | AR, MCA_GO_ON },
    { &intel, RIPV, VALID | UC | ENABLED | S | AR, MCA_RETRY },
    { &intel, MCG_STATUS_EIPV, VALID | UC | ENABLED | S | AR, MCA_STOP_CPU },
    { &old_intel, 0, VALID | UC | ENABLED | S | AR, MCA_FATAL },
    { &amd, RIPV, VALID | UC | ENABLED, MCA_GO_ON },
    { &amd, RIPV, VALID | UC | ENABLED | TCC, MCA_GO_ON },
    { &amd, 0, VALID | UC | ENABLED, MCA_FATAL },
    { &zen, RIPV, VALID | UC | ENABLED | TCC, MCA_STOP_CPU },
    { &zen, 0, VALID | UC | ENABLED | TCC, MCA_STOP_CPU },
    { &zen, RIPV, VALID | UC | ENABLED | TCC | PCC, MCA_FATAL },
};

static void verdicts_of_banks(void **state)
{
    for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++) {
        enum mca_verdict v =
            mca_judge_bank(verdicts[i].cpu, verdicts[i].mcg_status, verdicts[i].status);

        if (v != verdicts[i].verdict)
            fail_msg("row %zu: %d", i, v);
    }
}

static void without_ripv_only_a_named_reason_lets_the_others_go_on(void **state)
{
    assert_int_equal(mca_judge(RIPV, MCA_GO_ON), MCA_GO_ON);
    assert_int_equal(mca_judge(RIPV, MCA_RETRY), MCA_RETRY);
    assert_int_equal(mca_judge(RIPV, MCA_STOP_CPU), MCA_STOP_CPU);
    assert_int_equal(mca_judge(RIPV, MCA_FATAL), MCA_FATAL);
    assert_int_equal(mca_judge(MCG_STATUS_EIPV, MCA_GO_ON), MCA_FATAL);
    assert_int_equal(mca_judge(0, MCA_STOP_CPU), MCA_STOP_CPU);
    assert_int_equal(mca_judge(0, MCA_FATAL), MCA_FATAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walks_of_the_gart_do_not_count),
        cmocka_unit_test(an_empty_bank_says_nothing),
        cmocka_unit_test(addresses_are_physical_or_not),
        cmocka_unit_test(the_north_bridge_names_dram),
        cmocka_unit_test(corrected_errors_are_counted),
        cmocka_unit_test(deferred_is_not_corrected),
        cmocka_unit_test(verdicts_of_banks),
        cmocka_unit_test(without_ripv_only_a_named_reason_lets_the_others_go_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
