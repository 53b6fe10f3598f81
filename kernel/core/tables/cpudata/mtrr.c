// SPDX-License-Identifier: MIT
#include "cpudata/mtrr.h"

#include <stddef.h>

#include "lib/minmax.h"

#define CAP_COUNT   0xffu
#define CAP_FIXED   (1u << 8)
#define DEF_FIXED   (1u << 10)
#define DEF_ENABLED (1u << 11)
#define MASK_VALID  (1u << 11)
#define TYPE_BITS   7u
#define FIXED_TYPE  7u /* AMD has more in the byte: whether it is RAM at all */

#define SYSCFG_TOM2    (1u << 21) /* TOP_MEM2 counts */
#define SYSCFG_TOM2_WB (1u << 22) /* and what is below it is write-back */

#define FIXED_END UINT64_C(0x100000)
#define GIB4      (UINT64_C(4) << 30)

#define MSR_CAP      0xfeu
#define MSR_BASE     0x200u
#define MSR_DEF_TYPE 0x2ffu
#define MSR_SYSCFG   0xc0010010u
#define MSR_TOP_MEM2 0xc001001du

static const uint16_t msr_fixed[MTRR_FIXED_MAX] = { 0x250, 0x258, 0x259, 0x268, 0x269, 0x26a,
                                                    0x26b, 0x26c, 0x26d, 0x26e, 0x26f };

/* How many variable ones there are. */
static uint32_t count(const struct mtrrs *m)
{
    return (uint32_t)min_u64(m->cap & CAP_COUNT, MTRR_VARIABLE_MAX);
}

bool mtrr_is_on(const struct mtrrs *m)
{
    return m->present && m->def_type & DEF_ENABLED;
}

static uint64_t write_back_end(uint64_t syscfg, uint64_t top_mem2)
{
    const uint64_t both = SYSCFG_TOM2 | SYSCFG_TOM2_WB;

    return (syscfg & both) == both && top_mem2 > GIB4 ? top_mem2 : 0;
}

struct mtrrs mtrr_read(msr_fn *msr, const struct cpu_identity *id, bool hypervisor)
{
    struct mtrrs m = { .present = id->has_mtrrs, .physical_bits = id->physical_bits };

    if (!m.present)
        return m;
    m.cap = msr(MSR_CAP);
    m.def_type = msr(MSR_DEF_TYPE);
    for (size_t i = 0; i < MTRR_FIXED_MAX && m.cap & CAP_FIXED; i++)
        m.fixed[i] = msr(msr_fixed[i]);
    for (uint32_t i = 0; i < count(&m); i++) {
        m.variable[i].base = msr(MSR_BASE + 2 * i);
        m.variable[i].mask = msr(MSR_BASE + 2 * i + 1);
    }
    /* Not all hypervisors have these two; they give memory above 4 GiB its type by MTRRs. */
    if (id->is_amd && !hypervisor)
        m.write_back_end = write_back_end(msr(MSR_SYSCFG), msr(MSR_TOP_MEM2));
    return m;
}

/* Registers 0 to 10 are of 8 ranges each, of 64, 16 and 4 KiB. */
static enum memory_type fixed_type(const struct mtrrs *m, uint64_t addr, uint64_t *ret_end)
{
    static const struct {
        uint64_t base, size;
        size_t first;
    } areas[] = { { 0xc0000, 0x1000, 3 }, { 0x80000, 0x4000, 1 }, { 0, 0x10000, 0 } };
    size_t a = 0, n;

    while (addr < areas[a].base)
        a++;
    n = (size_t)((addr - areas[a].base) / areas[a].size);
    *ret_end = areas[a].base + (n + 1) * areas[a].size;
    return (enum memory_type)(m->fixed[areas[a].first + n / 8] >> n % 8 * 8 & FIXED_TYPE);
}

static uint64_t low_bit(uint64_t x)
{
    return x & -x;
}

/* Up to where a variable MTRR matches as it does at addr, or UINT64_MAX. */
static uint64_t match_end(uint64_t base, uint64_t mask, uint64_t all, uint64_t addr)
{
    uint64_t unit = low_bit(mask);

    if (!mask)
        return UINT64_MAX;
    if (mask != (all & ~(unit - 1))) /* ones with gaps: in turns */
        return align_down(addr, unit) + unit;
    base &= mask;
    if (addr < base)
        return base;
    return addr - base < unit ? base + unit : UINT64_MAX;
}

/* SDM vol. 3A, 11.11.4.1: where several match. */
static enum memory_type combine(enum memory_type a, enum memory_type b)
{
    bool through = (a == MEMORY_TYPE_WT && b == MEMORY_TYPE_WB) ||
                   (a == MEMORY_TYPE_WB && b == MEMORY_TYPE_WT);

    if (a == b)
        return a;
    return through ? MEMORY_TYPE_WT : MEMORY_TYPE_UC;
}

static enum memory_type default_type(const struct mtrrs *m, uint64_t addr, uint64_t *ret_end)
{
    if (addr < GIB4 && m->write_back_end) {
        *ret_end = min_u64(*ret_end, GIB4);
    } else if (addr < m->write_back_end) {
        *ret_end = min_u64(*ret_end, m->write_back_end);
        return MEMORY_TYPE_WB;
    }
    return (enum memory_type)(m->def_type & TYPE_BITS);
}

enum memory_type mtrr_type(const struct mtrrs *m, uint64_t addr, uint64_t *ret_end)
{
    uint64_t all = (UINT64_C(1) << min_u64(m->physical_bits, 63)) - 1;
    enum memory_type type = MEMORY_TYPE_WB;
    bool matched = false;

    *ret_end = UINT64_MAX;
    if (!m->present)
        return MEMORY_TYPE_WB;
    if (!mtrr_is_on(m))
        return MEMORY_TYPE_UC;
    if (addr < FIXED_END && m->cap & CAP_FIXED && m->def_type & DEF_FIXED)
        return fixed_type(m, addr, ret_end);
    if (addr < FIXED_END)
        *ret_end = FIXED_END;
    for (uint32_t i = 0; i < count(m); i++) {
        uint64_t base = m->variable[i].base, mask = m->variable[i].mask;
        enum memory_type own = (enum memory_type)(base & TYPE_BITS);
        uint64_t bits = mask & all & ~UINT64_C(0xfff), end;

        if (!(mask & MASK_VALID))
            continue;
        end = match_end(base, bits, all, addr);
        *ret_end = min_u64(*ret_end, end);
        if ((addr & bits) != (base & bits))
            continue;
        type = matched ? combine(type, own) : own;
        matched = true;
    }
    return matched ? type : default_type(m, addr, ret_end);
}

void mtrr_walk(const struct mtrrs *a, const struct mtrrs *b, struct span span,
               void (*visit)(void *ctx, struct span part, enum memory_type in_a,
                             enum memory_type in_b),
               void *ctx)
{
    enum memory_type was_a = MEMORY_TYPE_WB, was_b = MEMORY_TYPE_WB;
    struct span part = { span.base, 0 };

    for (uint64_t at = span.base; at < span_end(span);) {
        uint64_t end_a, end_b, end;
        enum memory_type in_a = mtrr_type(a, at, &end_a), in_b = mtrr_type(b, at, &end_b);

        end = min_u64(end_a, end_b);
        end = min_u64(end, span_end(span));
        if (part.size && (in_a != was_a || in_b != was_b)) {
            visit(ctx, part, was_a, was_b);
            part.size = 0;
        }
        if (in_a != MEMORY_TYPE_WB || in_b != in_a) {
            part = part.size ? (struct span){ part.base, end - part.base }
                             : (struct span){ at, end - at };
            was_a = in_a;
            was_b = in_b;
        }
        at = end;
    }
    if (part.size)
        visit(ctx, part, was_a, was_b);
}

const char *memory_type_name(enum memory_type type)
{
    switch (type) {
    case MEMORY_TYPE_UC: return "uncacheable";
    case MEMORY_TYPE_WC: return "write-combining";
    case MEMORY_TYPE_WT: return "write-through";
    case MEMORY_TYPE_WP: return "write-protected";
    case MEMORY_TYPE_WB: return "write-back";
    }
    return "of a reserved type";
}
