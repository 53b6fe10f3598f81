// SPDX-License-Identifier: MIT
#include "mce/mca_decode.h"

#include "tests/unit/unit.h"

/* cmocka wants those before. */

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

#define COUNTED(n) ((uint64_t)(n) << 38)

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
TEST(walks_of_the_gart_do_not_count)
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

TEST(an_empty_bank_says_nothing)
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

TEST(addresses_are_physical_or_not)
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

TEST(the_north_bridge_names_dram)
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

TEST(corrected_errors_are_counted)
{
    struct mca_bank b = { .status = VALID | COUNTED(0x7fff) | MEMORY_READ };

    assert_int_equal(decoded(&intel, b).count, 0x7fff);
    assert_true(decoded(&intel, b).corrected);
    assert_int_equal(decoded(&old_intel, b).count, 1);
    b.status = VALID | COUNTED(1) | MEMORY_READ;
    assert_int_equal(decoded(&intel, b).count, 1);
    b.status = VALID | MEMORY_READ;
    assert_int_equal(decoded(&intel, b).count, 1);
    b.status = VALID | UC | COUNTED(5) | MEMORY_READ;
    assert_int_equal(decoded(&intel, b).count, 1);
    assert_false(decoded(&intel, b).corrected);
}

TEST(deferred_is_not_corrected)
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

TEST(verdicts_of_banks)
{
    for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++) {
        enum mca_verdict v =
            mca_judge_bank(verdicts[i].cpu, verdicts[i].mcg_status, verdicts[i].status);

        if (v != verdicts[i].verdict)
            fail_msg("row %zu: %d", i, v);
    }
}

TEST(without_ripv_only_a_named_reason_lets_the_others_go_on)
{
    assert_int_equal(mca_judge(RIPV, MCA_GO_ON), MCA_GO_ON);
    assert_int_equal(mca_judge(RIPV, MCA_RETRY), MCA_RETRY);
    assert_int_equal(mca_judge(RIPV, MCA_STOP_CPU), MCA_STOP_CPU);
    assert_int_equal(mca_judge(RIPV, MCA_FATAL), MCA_FATAL);
    assert_int_equal(mca_judge(MCG_STATUS_EIPV, MCA_GO_ON), MCA_FATAL);
    assert_int_equal(mca_judge(0, MCA_STOP_CPU), MCA_STOP_CPU);
    assert_int_equal(mca_judge(0, MCA_FATAL), MCA_FATAL);
}

#define FILTERED UINT64_C(0x1000)
#define CACHE    UINT64_C(0x11b)
#define BUS_DRAM UINT64_C(0x813)

#define XEC(n) ((uint64_t)(n) << 16)

/* MCA_IPID: a bank's type, its hardware, the instance in bits 31-20. */
#define ID(type, hardware, n)                                                                      \
    ((uint64_t)(type) << 48 | (uint64_t)(hardware) << 32 | (uint64_t)(n) << 20)
#define UMC(n)      ID(0, 0x96, n)
#define UMC_NEW(n)  ID(1, 0x96, n)
#define LOAD_STORE  ID(0x10, 0xb0, 0)
#define COHERENT(n) ID(2, 0x2e, n)

static const struct mca_cpu xeon = {
    .physical_bits = 46, .family = 6, .model = 0x55, .recovers = true
};
static const struct mca_cpu atom = {
    .physical_bits = 39, .family = 6, .model = 0x5c, .shares_level2 = true
};
static const struct mca_cpu k8 = { .physical_bits = 40, .amd = true, .family = 0xf };
static const struct mca_cpu griffin = { .physical_bits = 40, .amd = true, .family = 0x11 };
static const struct mca_cpu bulldozer = { .physical_bits = 48, .amd = true, .family = 0x15 };
static const struct mca_cpu jaguar = {
    .physical_bits = 40, .amd = true, .family = 0x16, .shares_level2 = true
};
static const struct mca_cpu epyc = {
    .physical_bits = 48, .amd = true, .family = 0x17, .scalable = true
};

enum { NONE = MCA_CHANNEL_NONE, CODE = MCA_CHANNEL_CODE, CONTROLLER = MCA_CHANNEL_UMC };

/* Corrected or not, with an address or not: none of that decides whether memory failed. */
static const uint64_t any[] = { 0, ADDR, UC, UC | ADDR };

static const struct {
    const struct mca_cpu *cpu;
    uint32_t bank;
    uint64_t status, id;
    bool of_memory;
    int kind;
    uint32_t number;
} rows[] = {
    /* Intel: 000F 0000 1MMM CCCC. */
    { &xeon, 7, 0x80, 0, true, CODE, 0 },
    { &xeon, 7, 0x91, 0, true, CODE, 1 },
    { &xeon, 7, 0xae, 0, true, CODE, 14 },
    { &xeon, 7, 0xbf, 0, true, NONE, 0 }, /* an address error; which channel is not said */
    { &xeon, 7, 0xc2, 0, true, CODE, 2 },
    { &xeon, 7, FILTERED | 0x92, 0, true, CODE, 2 },
    { &xeon, 7, XEC(8) | 0x90, 0, true, CODE, 0 },
    { &xeon, 20, 0x281, 0, true, CODE, 1 }, /* memory that is a cache of other memory */
    { &xeon, 7, 0x7f, 0, false, NONE, 0 },
    { &xeon, 7, 0x180, 0, false, NONE, 0 },
    { &xeon, 7, 0x480, 0, false, NONE, 0 },
    { &xeon, 0, 0x135, 0, false, NONE, 0 }, /* caches */
    { &xeon, 0, 0x134, 0, false, NONE, 0 },
    { &xeon, 0, 0x17a, 0, false, NONE, 0 },
    { &xeon, 0, 0xe, 0, false, NONE, 0 },
    { &xeon, 0, 0x14, 0, false, NONE, 0 }, /* TLB */
    { &xeon, 5, 0xe0b, 0, false, NONE, 0 },
    { &xeon, 4, XEC(8) | BUS_DRAM, 0, false, NONE, 0 },
    { &xeon, 4, 0, 0, false, NONE, 0 },
    /* AMD before: bank 4, DRAM's ECC (0 and 8) and parity (13). */
    { &k8, 4, XEC(0) | BUS_DRAM, 0, true, NONE, 0 },
    { &k8, 4, XEC(8) | BUS_DRAM, 0, true, NONE, 0 },
    { &bulldozer, 4, XEC(8) | BUS_DRAM, 0, true, NONE, 0 },
    { &bulldozer, 4, XEC(0xd) | BUS_DRAM, 0, true, NONE, 0 },
    { &bulldozer, 4, XEC(0x28) | BUS_DRAM, 0, true, NONE, 0 }, /* the field has five bits */
    { &bulldozer, 4, XEC(0x18) | BUS_DRAM, 0, false, NONE, 0 },
    { &bulldozer, 4, XEC(0x1c) | CACHE, 0, false, NONE, 0 }, /* its cache */
    { &bulldozer, 4, XEC(1) | BUS_DRAM, 0, false, NONE, 0 }, /* HyperTransport */
    { &bulldozer, 4, XEC(7) | BUS_DRAM, 0, false, NONE, 0 },
    { &bulldozer, 0, XEC(8) | BUS_DRAM, 0, false, NONE, 0 },
    { &griffin, 4, XEC(8) | BUS_DRAM, 0, false, NONE, 0 }, /* has no ECC */
    { &bulldozer, 5, 0x91, 0, true, CODE, 1 },             /* a hypervisor's */
    /* AMD's scalable banks: the ID says which unit a bank belongs to. */
    { &epyc, 17, XEC(0) | CACHE, UMC(0), true, CONTROLLER, 0 },
    { &epyc, 17, XEC(0) | DEFERRED, UMC(3), true, CONTROLLER, 3 },
    { &epyc, 17, XEC(0) | CACHE, UMC_NEW(11) | 0xf00, true, CONTROLLER, 11 },
    { &epyc, 17, XEC(4), UMC(1), true, CONTROLLER, 1 },     /* address or command parity */
    { &epyc, 17, XEC(5), UMC(1), true, CONTROLLER, 1 },     /* write data CRC */
    { &epyc, 17, XEC(1), UMC(1), false, CONTROLLER, 1 },    /* poison that a CPU has written */
    { &epyc, 17, XEC(2), UMC(1), false, CONTROLLER, 1 },    /* its link to the fabric */
    { &epyc, 17, XEC(6), UMC(1), false, CONTROLLER, 1 },    /* its own SRAM */
    { &epyc, 17, XEC(0x20), UMC(1), false, CONTROLLER, 1 }, /* the field has six bits */
    { &epyc, 17, XEC(0x40), UMC(1), true, CONTROLLER, 1 },
    { &epyc, 17, XEC(0), ID(2, 0x96, 1), false, NONE, 0 }, /* not a controller of DRAM */
    { &epyc, 0, XEC(0) | CACHE, LOAD_STORE, false, NONE, 0 },
    { &epyc, 0, 0x90, LOAD_STORE, false, NONE, 0 },
    { &epyc, 16, XEC(0) | CACHE, COHERENT(1), false, NONE, 0 },
    { &epyc, 4, XEC(8) | BUS_DRAM, 0, false, NONE, 0 },
    { &epyc, 5, 0x91, 0, true, CODE, 1 }, /* a hypervisor's: such banks have no ID */
};

TEST(the_bank_says_whose_error_it_is)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        for (size_t k = 0; k < sizeof(any) / sizeof(any[0]); k++) {
            const struct mca_bank bank = {
                .number = rows[i].bank,
                .status = VALID | rows[i].status | any[k],
                .addr = 0x12345678,
                .id = rows[i].id,
            };
            struct mca_record r;

            assert_true(mca_decode(rows[i].cpu, &bank, &r));
            /* What has a physical address of memory is memory's, whoever reports it. */
            if (r.of_memory != (rows[i].of_memory || r.is_memory) ||
                (int)r.channel.kind != rows[i].kind || r.channel.number != rows[i].number)
                fail_msg("row %zu: of memory %d, channel %d %u", i, r.of_memory, r.channel.kind,
                         r.channel.number);
        }
    }
}

static const struct {
    const struct mca_cpu *cpu;
    uint32_t bank;
    uint64_t status, id;
    bool of_core;
} of_cores[] = {
    { &xeon, 0, 0x005, 0, true }, /* parity */
    { &xeon, 0, 0x150, 0, true }, /* the instruction cache */
    { &xeon, 1, 0x134, 0, true }, /* the data cache */
    { &xeon, 1, FILTERED | 0x134, 0, true },
    { &xeon, 2, 0x014, 0, true }, /* a TLB */
    { &xeon, 3, 0x17a, 0, true }, /* level 2 */
    { &xeon, 3, 0x00e, 0, true },
    { &atom, 3, 0x17a, 0, false }, /* level 2, which cores share */
    { &atom, 3, 0x00e, 0, false },
    { &atom, 1, 0x135, 0, true },
    { &xeon, 3, 0x401, 0, true },  /* inside */
    { &xeon, 3, 0x400, 0, false }, /* the internal timer: a device may not have answered */
    { &xeon, 1, UC | S | AR | 0x134, 0, false }, /* bad data from memory */
    { &xeon, 1, UC | S | 0x135, 0, false },
    { &xeon, 0, 0xe0b, 0, false }, /* a link's */
    { &xeon, 3, XEC(8) | BUS_DRAM, 0, false },
    { &xeon, 4, 0x402, 0, false }, /* the power unit */
    { &xeon, 9, 0x17a, 0, false }, /* the last level, which cores share */
    { &xeon, 3, 0x090, 0, false }, /* memory */
    { &xeon, 0, 0x001, 0, false }, /* unclassified */
    { &xeon, 0, 0x003, 0, false }, /* external */
    { &k8, 0, XEC(0) | CACHE, 0, true },
    { &k8, 0, XEC(0) | BUS_DRAM, 0, false }, /* data that the north bridge sent */
    { &k8, 3, XEC(0) | BUS_DRAM, 0, false },
    { &bulldozer, 0, XEC(1) | CACHE | POISON, 0, false },
    { &bulldozer, 2, XEC(4) | CACHE, 0, true },
    { &jaguar, 2, XEC(4) | CACHE, 0, false }, /* level 2, which cores share */
    { &jaguar, 1, CACHE, 0, true },
    { &bulldozer, 5, XEC(1), 0, true },
    { &bulldozer, 5, XEC(0), 0, false }, /* the watchdog */
    { &bulldozer, 6, 0, 0, true },
    { &bulldozer, 7, 0, 0, false },
    { &bulldozer, 4, XEC(1) | BUS_DRAM, 0, false },
    { &epyc, 0, XEC(0) | CACHE, LOAD_STORE, true },
    { &epyc, 0, XEC(0), ID(0, 0xb0, 0), true },
    { &epyc, 1, XEC(0), ID(1, 0xb0, 0), true },      /* fetch */
    { &epyc, 2, XEC(0), ID(2, 0xb0, 0), true },      /* level 2 */
    { &epyc, 5, XEC(1), ID(5, 0xb0, 0), true },      /* execution */
    { &epyc, 5, XEC(0), ID(5, 0xb0, 0), false },     /* its watchdog */
    { &epyc, 6, XEC(0), ID(6, 0xb0, 0), true },      /* FPU */
    { &epyc, 0, XEC(9), ID(0, 0xb0, 0), false },     /* data that the fabric sent */
    { &epyc, 0, XEC(19), ID(0, 0xb0, 0), true },     /* a tag */
    { &epyc, 0, XEC(0), ID(0x10, 0xb0, 0), true },   /* Zen 3's */
    { &epyc, 0, XEC(19), ID(0x10, 0xb0, 0), false }, /* data that the fabric sent */
    { &epyc, 0, XEC(21), ID(0x10, 0xb0, 0), false },
    { &epyc, 0, XEC(22), ID(0x10, 0xb0, 0), true },
    { &epyc, 0, XEC(1) | CACHE | POISON, ID(0x10, 0xb0, 0), false },
    { &epyc, 1, XEC(13), ID(1, 0xb0, 0), false },
    { &epyc, 2, XEC(4), ID(2, 0xb0, 0), false }, /* the fabric's response */
    { &epyc, 1, BUS_DRAM, ID(1, 0xb0, 0), false },
    { &epyc, 4, XEC(0), ID(4, 0xb0, 0), false },
    { &epyc, 7, XEC(0), ID(7, 0xb0, 0), false }, /* level 3 */
    { &epyc, 7, XEC(0), ID(8, 0xb0, 0), false },
    { &epyc, 16, XEC(0) | CACHE, COHERENT(1), false },
    { &epyc, 17, XEC(0), UMC(0), false },
    { &epyc, 17, XEC(6), UMC(0), false },
    { &epyc, 0, XEC(0) | CACHE, 0, false }, /* a hypervisor's, without an ID */
};

TEST(errors_of_a_core_itself_are_known_by_bank_and_code)
{
    for (size_t i = 0; i < COUNT(of_cores); i++) {
        const struct mca_bank bank = { .number = of_cores[i].bank,
                                       .status = VALID | of_cores[i].status,
                                       .id = of_cores[i].id };
        struct mca_record r;

        assert_true(mca_decode(of_cores[i].cpu, &bank, &r));
        if (r.of_core != of_cores[i].of_core)
            fail_msg("row %zu: of the core %d", i, r.of_core);
    }
}

/* What is decoded has both; and an address that is physical is memory's, whoever reports it. */
TEST(records_have_it)
{
    struct mca_bank bank = { .number = 17, .status = VALID | CACHE, .id = UMC(2) };
    struct mca_record r;

    assert_true(mca_decode(&epyc, &bank, &r));
    assert_true(r.of_memory && r.corrected && !r.is_memory);
    assert_int_equal(r.channel.kind, MCA_CHANNEL_UMC);
    assert_int_equal(r.channel.number, 2);
    bank.id = LOAD_STORE;
    assert_true(mca_decode(&epyc, &bank, &r));
    assert_false(r.of_memory);
    bank.status |= UC | ADDR | POISON;
    bank.addr = 0x5000000;
    assert_true(mca_decode(&epyc, &bank, &r));
    assert_true(r.of_memory && r.is_memory && !r.corrected);
    bank = (struct mca_bank){ .number = 5, .status = VALID | UC | 0x91 };
    assert_true(mca_decode(&xeon, &bank, &r));
    assert_true(r.of_memory && !r.is_memory && !r.corrected && !r.has_addr);
}

#define GART (UINT64_C(1) << 10)

/* Real CPUs, and the bits that banks 0, 3, 4 and 5 do not report. */
static const struct {
    const char *name;
    bool amd, hypervisor;
    uint32_t family, model;
    uint64_t off_in_4, masked_in_4;
    bool bank_0;
} controlled[] = {
    { "Athlon 64", true, false, 0xf, 0x04, GART, GART, true },
    { "Turion 64 X2", true, false, 0xf, 0x68, GART, GART, true },
    { "Phenom", true, false, 0x10, 0x02, GART, GART, true },
    { "Phenom, emulated", true, true, 0x10, 0x02, GART, 0, true },
    { "Turion Ultra", true, false, 0x11, 0x03, 0, 0, true },
    { "Bulldozer", true, false, 0x15, 0x01, 0, 0, true },
    { "Zen", true, false, 0x17, 0x01, 0, 0, true },
    { "Pentium 4", false, false, 0xf, 0x04, 0, 0, true },
    { "Core 2", false, false, 6, 0x17, 0, 0, false },
    { "Nehalem", false, false, 6, 0x1a, 0, 0, true },
    { "Tiger Lake", false, false, 6, 0x8c, 0, 0, true },
};

TEST(each_cpu_reports_what_it_should)
{
    static const uint32_t others[] = { 0, 3, 5 };

    for (size_t i = 0; i < sizeof(controlled) / sizeof(controlled[0]); i++) {
        const struct mca_cpu c = { .family = controlled[i].family,
                                   .model = controlled[i].model,
                                   .amd = controlled[i].amd,
                                   .hypervisor = controlled[i].hypervisor,
                                   .n_banks = 6 };

        print_message("%s\n", controlled[i].name);
        assert_int_equal(~mca_control(&c, 4), controlled[i].off_in_4);
        assert_int_equal(mca_control_mask(&c, 4), controlled[i].masked_in_4);
        assert_int_equal(mca_may_control(&c, 0), controlled[i].bank_0);
        assert_true(mca_may_control(&c, 4));
        for (size_t k = 0; k < sizeof(others) / sizeof(others[0]); k++) {
            assert_int_equal(mca_control(&c, others[k]), UINT64_MAX);
            assert_int_equal(mca_control_mask(&c, others[k]), 0);
        }
    }
}
