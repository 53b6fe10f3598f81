// SPDX-License-Identifier: MIT
/*
 * MTRRs of two CPUs, whatever they hold, and the types of a span of memory by them. The input: how
 * many the second CPU shares with the first (1), a shift of the span (1) and its pages (2), then
 * the registers: physical bits (1), capabilities (2), default type (2), the end of what is
 * write-back (8), fixed ones, variable ones.
 */
#include "cpudata/mtrr.h"

#include "fuzz.h"
#include "lib/minmax.h"

#define SPAN_PAGES 96
#define BITS_MIN   32 /* of physical addresses, as firmware/memory_map.h has them */
#define BITS_MAX   52
#define SAMPLES    8

static void read_registers(struct fuzz_input *in, struct mtrrs *m)
{
    m->present = 1;
    m->physical_bits = BITS_MIN + (uint32_t)fuzz_number(in, 1) % (BITS_MAX + 1 - BITS_MIN);
    m->cap = fuzz_number(in, 2);
    m->def_type = fuzz_number(in, 2);
    m->write_back_end = fuzz_number(in, 8);
    for (size_t i = 0; i < MTRR_FIXED_MAX; i++)
        m->fixed[i] = fuzz_number(in, 8);
    for (size_t i = 0; in->left && i < MTRR_VARIABLE_MAX; i++) {
        m->variable[i].base = fuzz_number(in, 8);
        m->variable[i].mask = fuzz_number(in, 8);
    }
}

static const struct mtrrs *registers;

static uint64_t read_msr(uint32_t msr)
{
    const struct mtrrs *m = registers;

    switch (msr) {
    case 0xfe: return m->cap;
    case 0x2ff:
    case 0xc0010010: return m->def_type;
    case 0xc001001d: return m->write_back_end;
    }
    if (msr >= 0x250)
        return m->fixed[msr % MTRR_FIXED_MAX];
    CHECK(msr >= 0x200 && msr < 0x200 + 2 * MTRR_VARIABLE_MAX);
    return msr % 2 ? m->variable[msr / 2 % MTRR_VARIABLE_MAX].mask
                   : m->variable[msr / 2 % MTRR_VARIABLE_MAX].base;
}

static void check_read(const struct mtrrs *m)
{
    const struct cpu_identity id = { .has_mtrrs = true, .is_amd = true };
    struct mtrrs read;

    registers = m;
    read = mtrr_read(read_msr, &id, false);
    CHECK(read.write_back_end == 0 || read.write_back_end == m->write_back_end);
    for (size_t i = 0; i < (m->cap & 0xff) && i < MTRR_VARIABLE_MAX; i++)
        CHECK(read.variable[i].base == m->variable[i].base &&
              read.variable[i].mask == m->variable[i].mask);
}

/* All that is within a stretch, as far as there are addresses, has the type of its beginning. */
static void check_stretch(const struct mtrrs *m, uint64_t addr)
{
    uint64_t end, other_end;
    enum memory_type type = mtrr_type(m, addr, &end);

    CHECK(end > addr && type <= 7);
    end = min_u64(end, UINT64_C(1) << m->physical_bits);
    for (uint64_t i = 1; i <= SAMPLES; i++) {
        uint64_t at = addr + (end - 1 - addr) / SAMPLES * i;

        CHECK(mtrr_type(m, at, &other_end) == type && other_end > at);
    }
    CHECK(memory_type_name(type)[0]);
}

/* The parts that are visited, and in between what is write-back for both. */
struct walk {
    const struct mtrrs *a, *b;
    struct span span;
    uint64_t done;
};

static void check_quiet(const struct walk *w, uint64_t from, uint64_t to)
{
    for (uint64_t at = from; at < to; at += PAGE_SIZE) {
        uint64_t end;

        CHECK(mtrr_type(w->a, at, &end) == MEMORY_TYPE_WB);
        CHECK(mtrr_type(w->b, at, &end) == MEMORY_TYPE_WB);
    }
}

static void visit(void *ctx, struct span part, enum memory_type in_a, enum memory_type in_b)
{
    struct walk *w = ctx;
    uint64_t end;

    CHECK(part.size && part.base >= w->done && span_end(part) <= span_end(w->span));
    CHECK(in_a != MEMORY_TYPE_WB || in_a != in_b);
    check_quiet(w, w->done, part.base);
    for (uint64_t at = part.base; at < span_end(part); at += PAGE_SIZE)
        CHECK(mtrr_type(w->a, at, &end) == in_a && mtrr_type(w->b, at, &end) == in_b);
    w->done = span_end(part);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_input in = { bytes, size };
    size_t shared = fuzz_number(&in, 1);
    unsigned shift = (unsigned)fuzz_number(&in, 1);
    struct mtrrs a = { 0 }, b;
    struct walk w = { &a, &b, { 0, 0 }, 0 };

    w.span.size = (fuzz_number(&in, 2) % SPAN_PAGES) << PAGE_SHIFT;
    read_registers(&in, &a);
    w.span.base = align_down(UINT64_C(1) << shift % (a.physical_bits - 1), PAGE_SIZE);
    w.span.base -= min_u64(w.span.base, PAGE_SIZE * (shift % 3)); /* on both sides of a limit */
    b = a;
    for (size_t i = shared; in.left && i < MTRR_VARIABLE_MAX; i++)
        b.variable[i].mask ^= fuzz_number(&in, 8);
    check_read(&a);
    check_stretch(&a, w.span.base);
    check_stretch(&b, span_end(w.span));
    w.done = w.span.base;
    mtrr_walk(&a, &b, w.span, visit, &w);
    check_quiet(&w, w.done, span_end(w.span));
    return 0;
}
