// SPDX-License-Identifier: MIT
#include "mce/mca_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants those before. */
#include <cmocka.h>

#include "mce/mca_decode.h"

#define VALID    (UINT64_C(1) << 63)
#define UC       (UINT64_C(1) << 61)
#define ADDR     (UINT64_C(1) << 58)
#define DEFERRED (UINT64_C(1) << 44)
#define POISON   (UINT64_C(1) << 43)

#define FILTERED UINT64_C(0x1000)
#define CACHE    UINT64_C(0x11b)
#define BUS      UINT64_C(0x813)

#define XEC(n) ((uint64_t)(n) << 16)

/* MCA_IPID: a bank's type, its hardware, the instance in bits 31-20. */
#define ID(type, hardware, n)                                                                      \
    ((uint64_t)(type) << 48 | (uint64_t)(hardware) << 32 | (uint64_t)(n) << 20)
#define UMC(n)      ID(0, 0x96, n)
#define UMC_NEW(n)  ID(1, 0x96, n)
#define LOAD_STORE  ID(0x10, 0xb0, 0)
#define COHERENT(n) ID(2, 0x2e, n)

static const struct mca_cpu intel = { .physical_bits = 46, .family = 6, .model = 0x55 };
static const struct mca_cpu k8 = { .physical_bits = 40, .amd = true, .family = 0xf };
static const struct mca_cpu griffin = { .physical_bits = 40, .amd = true, .family = 0x11 };
static const struct mca_cpu bulldozer = { .physical_bits = 48, .amd = true, .family = 0x15 };
static const struct mca_cpu zen = {
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
    { &intel, 7, 0x80, 0, true, CODE, 0 },
    { &intel, 7, 0x91, 0, true, CODE, 1 },
    { &intel, 7, 0xae, 0, true, CODE, 14 },
    { &intel, 7, 0xbf, 0, true, NONE, 0 }, /* an address error; which channel is not said */
    { &intel, 7, 0xc2, 0, true, CODE, 2 },
    { &intel, 7, FILTERED | 0x92, 0, true, CODE, 2 },
    { &intel, 7, XEC(8) | 0x90, 0, true, CODE, 0 },
    { &intel, 20, 0x281, 0, true, CODE, 1 }, /* memory that is a cache of other memory */
    { &intel, 7, 0x7f, 0, false, NONE, 0 },
    { &intel, 7, 0x180, 0, false, NONE, 0 },
    { &intel, 7, 0x480, 0, false, NONE, 0 },
    { &intel, 0, 0x135, 0, false, NONE, 0 }, /* caches */
    { &intel, 0, 0x134, 0, false, NONE, 0 },
    { &intel, 0, 0x17a, 0, false, NONE, 0 },
    { &intel, 0, 0xe, 0, false, NONE, 0 },
    { &intel, 0, 0x14, 0, false, NONE, 0 }, /* TLB */
    { &intel, 5, 0xe0b, 0, false, NONE, 0 },
    { &intel, 4, XEC(8) | BUS, 0, false, NONE, 0 },
    { &intel, 4, 0, 0, false, NONE, 0 },
    /* AMD before: bank 4, DRAM's ECC (0 and 8) and parity (13). */
    { &k8, 4, XEC(0) | BUS, 0, true, NONE, 0 },
    { &k8, 4, XEC(8) | BUS, 0, true, NONE, 0 },
    { &bulldozer, 4, XEC(8) | BUS, 0, true, NONE, 0 },
    { &bulldozer, 4, XEC(0xd) | BUS, 0, true, NONE, 0 },
    { &bulldozer, 4, XEC(0x28) | BUS, 0, true, NONE, 0 }, /* the field has five bits */
    { &bulldozer, 4, XEC(0x18) | BUS, 0, false, NONE, 0 },
    { &bulldozer, 4, XEC(0x1c) | CACHE, 0, false, NONE, 0 }, /* its cache */
    { &bulldozer, 4, XEC(1) | BUS, 0, false, NONE, 0 },      /* HyperTransport */
    { &bulldozer, 4, XEC(7) | BUS, 0, false, NONE, 0 },
    { &bulldozer, 0, XEC(8) | BUS, 0, false, NONE, 0 },
    { &griffin, 4, XEC(8) | BUS, 0, false, NONE, 0 }, /* has no ECC */
    { &bulldozer, 5, 0x91, 0, true, CODE, 1 },        /* a hypervisor's */
    /* AMD's scalable banks: whose it is stands in the ID. */
    { &zen, 17, XEC(0) | CACHE, UMC(0), true, CONTROLLER, 0 },
    { &zen, 17, XEC(0) | DEFERRED, UMC(3), true, CONTROLLER, 3 },
    { &zen, 17, XEC(0) | CACHE, UMC_NEW(11) | 0xf00, true, CONTROLLER, 11 },
    { &zen, 17, XEC(4), UMC(1), true, CONTROLLER, 1 },     /* address or command parity */
    { &zen, 17, XEC(5), UMC(1), true, CONTROLLER, 1 },     /* write data CRC */
    { &zen, 17, XEC(1), UMC(1), false, CONTROLLER, 1 },    /* poison that a CPU has written */
    { &zen, 17, XEC(2), UMC(1), false, CONTROLLER, 1 },    /* its link to the fabric */
    { &zen, 17, XEC(6), UMC(1), false, CONTROLLER, 1 },    /* its own SRAM */
    { &zen, 17, XEC(0x20), UMC(1), false, CONTROLLER, 1 }, /* the field has six bits */
    { &zen, 17, XEC(0x40), UMC(1), true, CONTROLLER, 1 },
    { &zen, 17, XEC(0), ID(2, 0x96, 1), false, NONE, 0 }, /* not a controller of DRAM */
    { &zen, 0, XEC(0) | CACHE, LOAD_STORE, false, NONE, 0 },
    { &zen, 0, 0x90, LOAD_STORE, false, NONE, 0 },
    { &zen, 16, XEC(0) | CACHE, COHERENT(1), false, NONE, 0 },
    { &zen, 4, XEC(8) | BUS, 0, false, NONE, 0 },
    { &zen, 5, 0x91, 0, true, CODE, 1 }, /* a hypervisor's: such banks have no ID */
};

static void the_bank_says_whose_error_it_is(void **state)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        for (size_t k = 0; k < sizeof(any) / sizeof(any[0]); k++) {
            const struct mca_bank bank = {
                .number = rows[i].bank,
                .status = VALID | rows[i].status | any[k],
                .addr = 0x12345678,
                .id = rows[i].id,
            };
            struct mca_channel channel = mca_channel_of(rows[i].cpu, &bank);

            if (mca_is_of_memory(rows[i].cpu, &bank) != rows[i].of_memory ||
                (int)channel.kind != rows[i].kind || channel.number != rows[i].number)
                fail_msg("row %zu: of memory %d, channel %d %u", i,
                         mca_is_of_memory(rows[i].cpu, &bank), channel.kind, channel.number);
        }
    }
}

/* What is decoded has both; and an address that is physical is memory's, whoever reports it. */
static void records_have_it(void **state)
{
    struct mca_bank bank = { .number = 17, .status = VALID | CACHE, .id = UMC(2) };
    struct mca_record r;

    assert_true(mca_decode(&zen, &bank, &r));
    assert_true(r.of_memory && r.corrected && !r.is_memory);
    assert_int_equal(r.channel.kind, MCA_CHANNEL_UMC);
    assert_int_equal(r.channel.number, 2);
    bank.id = LOAD_STORE;
    assert_true(mca_decode(&zen, &bank, &r));
    assert_false(r.of_memory);
    bank.status |= UC | ADDR | POISON;
    bank.addr = 0x5000000;
    assert_true(mca_decode(&zen, &bank, &r));
    assert_true(r.of_memory && r.is_memory && !r.corrected);
    bank = (struct mca_bank){ .number = 5, .status = VALID | UC | 0x91 };
    assert_true(mca_decode(&intel, &bank, &r));
    assert_true(r.of_memory && !r.is_memory && !r.corrected && !r.has_addr);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bank_says_whose_error_it_is),
        cmocka_unit_test(records_have_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
