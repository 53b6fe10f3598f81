// SPDX-License-Identifier: MIT
#include "cpudata/mtrr.h"

#include "tests/unit/unit.h"

#define BITS   40
#define ON     0x800u
#define FIXED  0x400u
#define ALL_WB UINT64_C(0x0606060606060606)

#define RANGE(base, size, type)                                                                    \
    {                                                                                              \
        (base) | (type), (((UINT64_C(1) << BITS) - (size)) | ON)                                   \
    }

static const struct mtrrs pc = {
    .present = true,
    .cap = 0x50a,
    .def_type = ON | FIXED | MEMORY_TYPE_WB,
    .fixed = { ALL_WB, ALL_WB, 0, 0x0505050505050505, ALL_WB, ALL_WB, ALL_WB, ALL_WB, ALL_WB,
               ALL_WB, ALL_WB },
    .variable = { RANGE(3 * GIB, GIB, MEMORY_TYPE_UC) },
    .physical_bits = BITS,
};

static void expect(const struct mtrrs *m, uint64_t addr, enum memory_type type, uint64_t end)
{
    uint64_t found;

    assert_int_equal(mtrr_type(m, addr, &found), type);
    if (found != end)
        fail_msg("at %lx: end %lx, not %lx", addr, found, end);
}

TEST(fixed_ranges)
{
    struct mtrrs m = pc;

    expect(&m, 0, MEMORY_TYPE_WB, 0x10000);
    expect(&m, 0x7ffff, MEMORY_TYPE_WB, 0x80000);
    expect(&m, 0x80000, MEMORY_TYPE_WB, 0x84000);
    expect(&m, 0x9ffff, MEMORY_TYPE_WB, 0xa0000);
    expect(&m, 0xa0000, MEMORY_TYPE_UC, 0xa4000);
    expect(&m, 0xbffff, MEMORY_TYPE_UC, 0xc0000);
    expect(&m, 0xc0000, MEMORY_TYPE_WP, 0xc1000);
    expect(&m, 0xc8000, MEMORY_TYPE_WB, 0xc9000);
    expect(&m, 0xfffff, MEMORY_TYPE_WB, MIB);
    m.fixed[1] = UINT64_C(0x06061e1e06060606); /* AMD's RdMem and WrMem bits */
    expect(&m, 0x90000, MEMORY_TYPE_WB, 0x94000);
    m.def_type &= ~(uint64_t)FIXED; /* off: the others count */
    expect(&m, 0xa0000, MEMORY_TYPE_WB, MIB);
    m = pc;
    m.cap &= ~UINT64_C(0x100); /* there are none */
    expect(&m, 0xa0000, MEMORY_TYPE_WB, MIB);
}

TEST(variable_ranges)
{
    struct mtrrs m = pc;

    expect(&m, MIB, MEMORY_TYPE_WB, 3 * GIB);
    expect(&m, 3 * GIB - 1, MEMORY_TYPE_WB, 3 * GIB);
    expect(&m, 3 * GIB, MEMORY_TYPE_UC, 4 * GIB);
    expect(&m, 4 * GIB - 1, MEMORY_TYPE_UC, 4 * GIB);
    expect(&m, 4 * GIB, MEMORY_TYPE_WB, UINT64_MAX);
    m.variable[0].mask &= ~(uint64_t)ON; /* not valid */
    expect(&m, 3 * GIB, MEMORY_TYPE_WB, UINT64_MAX);
    m.cap = 0x500; /* none */
    m.variable[0].mask |= ON;
    expect(&m, 3 * GIB, MEMORY_TYPE_WB, UINT64_MAX);
    m.def_type = ON | FIXED | MEMORY_TYPE_UC;
    expect(&m, 3 * GIB, MEMORY_TYPE_UC, UINT64_MAX);
}

/* The board of the 2006 thread: 4 GiB write-back with 2 GiB uncacheable in it. */
TEST(overlapping_ranges)
{
    static const struct {
        uint8_t a, b, both;
    } rows[] = { { 0, 6, 0 }, { 6, 0, 0 }, { 4, 6, 4 }, { 6, 4, 4 }, { 6, 6, 6 },
                 { 1, 1, 1 }, { 1, 6, 0 }, { 5, 4, 0 }, { 0, 4, 0 } };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct mtrrs m = {
            .present = true,
            .cap = 2,
            .def_type = ON | MEMORY_TYPE_UC,
            .variable = { RANGE(0, 4 * GIB, rows[i].a), RANGE(2 * GIB, GIB, rows[i].b) },
            .physical_bits = BITS,
        };

        expect(&m, GIB, rows[i].a, 2 * GIB);
        expect(&m, 2 * GIB, rows[i].both, 3 * GIB);
        expect(&m, 3 * GIB, rows[i].a, 4 * GIB);
        expect(&m, 4 * GIB, MEMORY_TYPE_UC, UINT64_MAX);
    }
}

TEST(whole_registers)
{
    struct mtrrs m = pc;

    assert_true(mtrr_is_on(&m));
    m.def_type &= ~(uint64_t)ON; /* all off: uncacheable */
    expect(&m, 0, MEMORY_TYPE_UC, UINT64_MAX);
    assert_false(mtrr_is_on(&m));
    m.present = false;
    expect(&m, 0, MEMORY_TYPE_WB, UINT64_MAX);
}

/* Each MSR that there is has a value of its own; another is not read. */
static uint64_t cap, syscfg, top_mem2;
static struct cpu_identity cpu;
static uint32_t n_reads;

static uint64_t fake_msr(uint32_t msr)
{
    uint64_t n_variable = (cap & 0xff) < MTRR_VARIABLE_MAX ? cap & 0xff : MTRR_VARIABLE_MAX;
    bool is_fixed = msr == 0x250 || msr == 0x258 || msr == 0x259 || (msr >= 0x268 && msr <= 0x26f);

    assert_true(cpu.has_mtrrs);
    n_reads++;
    if (msr == 0xfe)
        return cap;
    if (msr == 0xc0010010 || msr == 0xc001001d) {
        assert_true(cpu.is_amd);
        return msr == 0xc0010010 ? syscfg : top_mem2;
    }
    assert_true(msr == 0x2ff || (is_fixed && cap & 0x100) ||
                (msr >= 0x200 && msr < 0x200 + 2 * n_variable));
    return 0x1000 + msr;
}

static struct mtrrs read(struct cpu_identity id, uint64_t its_cap)
{
    cpu = id;
    cap = its_cap;
    n_reads = 0;
    return mtrr_read(fake_msr, &id, false);
}

TEST(reads_what_there_is)
{
    static const struct {
        uint64_t cap;
        uint32_t n_variable, n_reads;
    } cases[] = {
        { 0x508, 8, 2 + 11 + 16 },
        { 0x5ff, MTRR_VARIABLE_MAX, 2 + 11 + 2 * MTRR_VARIABLE_MAX },
        { 0x100, 0, 2 + 11 },
        { 0xff, MTRR_VARIABLE_MAX, 2 + 2 * MTRR_VARIABLE_MAX },
        { 0, 0, 2 },
    };
    const struct cpu_identity id = { .has_mtrrs = true, .physical_bits = 46 };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct mtrrs m = read(id, cases[i].cap);
        bool has_fixed = cases[i].cap & 0x100;

        assert_int_equal(n_reads, cases[i].n_reads);
        assert_true(m.present && m.cap == cases[i].cap && m.def_type == 0x12ff);
        assert_int_equal(m.physical_bits, 46);
        assert_int_equal(m.write_back_end, 0);
        assert_int_equal(m.fixed[0], has_fixed ? 0x1250 : 0);
        assert_int_equal(m.fixed[1], has_fixed ? 0x1258 : 0);
        assert_int_equal(m.fixed[2], has_fixed ? 0x1259 : 0);
        for (size_t f = 3; f < MTRR_FIXED_MAX; f++)
            assert_int_equal(m.fixed[f], has_fixed ? 0x1268 + f - 3 : 0);
        for (uint32_t v = 0; v < MTRR_VARIABLE_MAX; v++) {
            assert_int_equal(m.variable[v].base, v < cases[i].n_variable ? 0x1200 + 2 * v : 0);
            assert_int_equal(m.variable[v].mask, v < cases[i].n_variable ? 0x1201 + 2 * v : 0);
        }
    }
}

TEST(reads_nothing_without_mtrrs)
{
    struct mtrrs m = read((struct cpu_identity){ .is_amd = true, .physical_bits = 36 }, 0x508);

    assert_int_equal(n_reads, 0);
    assert_false(m.present);
    assert_int_equal(m.physical_bits, 36);
}

/* A mask without ones, and with gaps: every other 64 KiB. */
TEST(strange_masks)
{
    struct mtrrs m = {
        .present = true, .cap = 1, .def_type = ON | MEMORY_TYPE_WB, .physical_bits = BITS
    };

    m.variable[0].base = MEMORY_TYPE_UC;
    m.variable[0].mask = ON;
    expect(&m, 5 * GIB, MEMORY_TYPE_UC, UINT64_MAX);
    m.variable[0].base = 0x10000 | MEMORY_TYPE_UC;
    m.variable[0].mask = 0x10000 | ON;
    expect(&m, 2 * MIB, MEMORY_TYPE_WB, 2 * MIB + 0x10000);
    expect(&m, 2 * MIB + 0x10000, MEMORY_TYPE_UC, 2 * MIB + 0x20000);
    m.variable[0].base = MEMORY_TYPE_UC | 3 * GIB | UINT64_C(1) << 50; /* bits that no CPU has */
    m.variable[0].mask = ~(GIB - 1) | ON;
    expect(&m, 3 * GIB, MEMORY_TYPE_UC, 4 * GIB);
}

/* AMD: what is above 4 GiB needs no MTRR. */
TEST(top_of_memory)
{
    struct cpu_identity amd = { .has_mtrrs = true, .is_amd = true };
    struct mtrrs m = pc;

    syscfg = 0x600000;
    top_mem2 = 6 * GIB;
    m.def_type = ON | FIXED | MEMORY_TYPE_UC;
    m.write_back_end = read(amd, 0).write_back_end;
    expect(&m, 2 * GIB, MEMORY_TYPE_UC, 3 * GIB);
    m.variable[0] = (typeof(m.variable[0]))RANGE(0, 2 * GIB, MEMORY_TYPE_WB);
    expect(&m, MIB, MEMORY_TYPE_WB, 2 * GIB);
    expect(&m, 2 * GIB, MEMORY_TYPE_UC, 4 * GIB);
    expect(&m, 4 * GIB, MEMORY_TYPE_WB, 6 * GIB);
    expect(&m, 6 * GIB, MEMORY_TYPE_UC, UINT64_MAX);
    top_mem2 = 4 * GIB;
    assert_int_equal(read(amd, 0).write_back_end, 0);
    top_mem2 = 6 * GIB;
    syscfg = 0x200000;
    assert_int_equal(read(amd, 0).write_back_end, 0);
    syscfg = 0x400000;
    assert_int_equal(read(amd, 0).write_back_end, 0);
    syscfg = 0x600000;
    n_reads = 0; /* a hypervisor need not have these two */
    assert_int_equal(mtrr_read(fake_msr, &amd, true).write_back_end, 0);
    assert_int_equal(n_reads, 2);
}

static char seen[1024];

static void note(void *ctx, struct span part, enum memory_type a, enum memory_type b)
{
    size_t n = strlen(seen);

    snprintf(seen + n, sizeof(seen) - n, "%lx-%lx:%d/%d ", part.base, span_end(part), a, b);
}

static const char *walk(const struct mtrrs *a, const struct mtrrs *b, uint64_t base, uint64_t end)
{
    seen[0] = 0;
    mtrr_walk(a, b, (struct span){ base, end - base }, note, NULL);
    return seen;
}

TEST(walks)
{
    struct mtrrs other = pc;

    assert_string_equal(walk(&pc, &pc, 0, 0xa0000), "");
    assert_string_equal(walk(&pc, &pc, MIB, 3 * GIB), "");
    assert_string_equal(walk(&pc, &pc, 0, MIB), "a0000-c0000:0/0 c0000-c8000:5/5 ");
    assert_string_equal(walk(&pc, &pc, 2 * GIB, 5 * GIB), "c0000000-100000000:0/0 ");
    assert_string_equal(walk(&pc, &pc, 3 * GIB + 64, 3 * GIB + 128), "c0000040-c0000080:0/0 ");
    assert_string_equal(walk(&pc, &pc, MIB, MIB), "");
    other.variable[1] = (typeof(other.variable[1]))RANGE(64 * MIB, 32 * MIB, MEMORY_TYPE_WT);
    assert_string_equal(walk(&pc, &other, MIB, GIB), "4000000-6000000:6/4 ");
    assert_string_equal(walk(&other, &pc, MIB, GIB), "4000000-6000000:4/6 ");
    other.variable[2] = (typeof(other.variable[2]))RANGE(96 * MIB, 32 * MIB, MEMORY_TYPE_UC);
    assert_string_equal(walk(&pc, &other, MIB, GIB), "4000000-6000000:6/4 6000000-8000000:6/0 ");
    assert_string_equal(walk(&pc, &other, MIB, 4 * GIB),
                        "4000000-6000000:6/4 6000000-8000000:6/0 c0000000-100000000:0/0 ");
}

/* By the definition, address by address. */
static enum memory_type slow_type(const struct mtrrs *m, uint64_t addr)
{
    uint64_t all = (UINT64_C(1) << m->physical_bits) - 1;
    int type = -1;

    for (uint32_t i = 0; i < (m->cap & 0xff); i++) {
        uint64_t mask = m->variable[i].mask & all & ~UINT64_C(0xfff);
        int own = m->variable[i].base & 7;

        if (!(m->variable[i].mask & ON) || (addr & mask) != (m->variable[i].base & mask))
            continue;
        if (type < 0 || type == own)
            type = own;
        else
            type = (type == 4 && own == 6) || (type == 6 && own == 4) ? 4 : 0;
    }
    return type < 0 ? (enum memory_type)(m->def_type & 7) : (enum memory_type)type;
}

TEST(random_registers)
{
    static const uint8_t types[] = { 0, 1, 4, 5, 6 };

    srand(16);
    for (int round = 0; round < 3000; round++) {
        struct mtrrs m = { .present = true, .cap = 4, .physical_bits = 36 };

        m.def_type = ON | types[rand() % 5];
        for (int i = 0; i < 4; i++) {
            uint64_t size = MIB << rand() % 8;

            m.variable[i].base = ((uint64_t)(rand() % 512) * MIB & ~(size - 1)) | types[rand() % 5];
            m.variable[i].mask = ~(size - 1) | (rand() % 4 ? ON : 0);
            if (rand() % 8 == 0)
                m.variable[i].mask &= ~(MIB << rand() % 9);
        }
        for (uint64_t at = MIB; at < 700 * MIB;) {
            uint64_t end;
            enum memory_type type = mtrr_type(&m, at, &end);

            assert_true(end > at);
            for (uint64_t in = at; in < end && in < 700 * MIB; in += MIB)
                assert_int_equal(type, slow_type(&m, in));
            at = end < 700 * MIB ? end : 700 * MIB;
        }
    }
}

TEST(names)
{
    assert_string_equal(memory_type_name(MEMORY_TYPE_UC), "uncacheable");
    assert_string_equal(memory_type_name(MEMORY_TYPE_WT), "write-through");
    assert_string_equal(memory_type_name((enum memory_type)3), "of a reserved type");
}
