// SPDX-License-Identifier: MIT
#include "cpu.h"

#include <string.h>

#include "permutation.h"

#define VECTOR 16 /* bytes */
#define LANE   13 /* the byte of a vector that is wrong in bit LANE_BIT */

#define LANE_BIT 5

static uint64_t next_random(struct cpu_fault *f)
{
    f->random += UINT64_C(0x9e3779b97f4a7c15);
    return permutation_mix(f->random);
}

void cpu_fault_begin(struct cpu_fault *f)
{
    f->random = (uint64_t)f->vcpu << 32 | f->kind;
    f->left = 1 + next_random(f) % (2 * f->one_in);
}

static uint64_t line_of(uint64_t vaddr)
{
    return vaddr & ~(uint64_t)(CPU_LINE - 1);
}

/* What has been loaded is right again; a store has made its bytes right. */
static void mend(struct cpu_fault *f, const struct cpu_access *a)
{
    unsigned at = (unsigned)(a->vaddr % CPU_LINE), end = at + a->size;
    bool here = line_of(a->vaddr) == f->spoilt_vaddr;

    for (unsigned i = f->from; i < f->to; i++) {
        if (!(here && a->is_store && i >= at && i < end))
            f->spoilt[i] = f->right[i];
    }
    f->spoilt = NULL;
}

/* A line that is read in order goes on being wrong, to its end. */
static bool goes_on(const struct cpu_fault *f, const struct cpu_access *a)
{
    unsigned end = (unsigned)(a->vaddr % CPU_LINE) + a->size;

    return !a->is_store && line_of(a->vaddr) == f->spoilt_vaddr && end > f->from && end < f->to;
}

static void spoil(struct cpu_fault *f, uint64_t vaddr, uint8_t *line, unsigned from, unsigned to)
{
    f->spoilt = line;
    f->spoilt_vaddr = line_of(vaddr);
    f->from = from;
    f->to = to;
    memcpy(f->right, line, CPU_LINE);
}

/* Which bit of the line is wrong, of the bytes from `from` on. */
static void flip(struct cpu_fault *f, uint8_t *line, unsigned from, unsigned size)
{
    uint64_t random = next_random(f);

    if (f->kind == CPU_VECTOR)
        line[from / VECTOR * VECTOR + LANE] ^= 1u << LANE_BIT;
    else
        line[from + random % size] ^= 1u << random / 64 % 8;
}

static bool has_lane(const struct cpu_fault *f, unsigned from, unsigned size)
{
    unsigned lane = from / VECTOR * VECTOR + LANE;

    return f->kind != CPU_VECTOR || (lane >= from && lane < from + size);
}

static bool may_show(const struct cpu_fault *f, const struct cpu_access *a)
{
    unsigned at = (unsigned)(a->vaddr % CPU_LINE), from = a->is_store ? at : at + a->size;

    switch (f->kind) {
    case CPU_LOAD: return !a->is_store && from + a->size <= CPU_LINE;
    case CPU_STORE: return a->is_store;
    case CPU_VECTOR:
        return a->is_vector && from + a->size <= CPU_LINE && has_lane(f, from, a->size);
    default: return !a->is_store;
    }
}

static void keep_stale(struct cpu_fault *f, uint64_t vaddr, uint8_t *line)
{
    size_t i = f->next_stale++ % CPU_STALE;

    f->stale[i].line = line;
    f->stale[i].vaddr = line_of(vaddr);
    memcpy(f->stale[i].bytes, line, CPU_LINE);
}

/* The rest of a line is read as it was. */
static void read_stale(struct cpu_fault *f, const struct cpu_access *a)
{
    unsigned end = (unsigned)(a->vaddr % CPU_LINE) + a->size;

    for (size_t i = 0; i < CPU_STALE; i++) {
        if (!f->stale[i].line || f->stale[i].vaddr != line_of(a->vaddr) ||
            memcmp(f->stale[i].line, f->stale[i].bytes, CPU_LINE) == 0)
            continue;
        spoil(f, a->vaddr, f->stale[i].line, end, CPU_LINE);
        memcpy(f->spoilt + end, f->stale[i].bytes + end, CPU_LINE - end);
        f->stale[i].line = NULL;
        return;
    }
}

static void show(struct cpu_fault *f, const struct cpu_access *a, uint8_t *line)
{
    unsigned at = (unsigned)(a->vaddr % CPU_LINE), next = at + a->size;

    if (f->kind == CPU_CACHE) {
        keep_stale(f, a->vaddr, line);
    } else if (a->is_store) {
        flip(f, line, at, a->size);
    } else {
        spoil(f, a->vaddr, line, next, next + a->size);
        flip(f, line, next, a->size);
    }
}

void cpu_fault_after(struct cpu_fault *f, const struct cpu_access *a,
                     uint8_t *(*find)(void *ctx, uint64_t vaddr), void *ctx)
{
    uint8_t *line;

    if (f->spoilt && !goes_on(f, a))
        mend(f, a);
    if (a->vaddr % CPU_LINE + a->size > CPU_LINE)
        return;
    if (f->kind == CPU_CACHE && !a->is_store && !f->spoilt)
        read_stale(f, a);
    if (f->left > 1) {
        f->left--;
        return;
    }
    if (f->spoilt || !may_show(f, a) || (line = find(ctx, line_of(a->vaddr))) == NULL)
        return;
    f->left = 1 + next_random(f) % (2 * f->one_in);
    show(f, a, line);
}

bool cpu_insn_is_vector(const uint8_t *bytes, size_t n)
{
    size_t i = 0;

    if (n && (bytes[0] == 0xc4 || bytes[0] == 0xc5 || bytes[0] == 0x62))
        return true; /* VEX, EVEX */
    while (i < n && (bytes[i] == 0x66 || bytes[i] == 0xf2 || bytes[i] == 0xf3))
        i++;
    i += i < n && bytes[i] >> 4 == 4; /* REX */
    if (i + 1 >= n || bytes[i] != 0x0f)
        return false;
    switch (bytes[i + 1]) {
    case 0x10: /* movups, movupd */
    case 0x11:
    case 0x28: /* movaps, movapd */
    case 0x29:
    case 0x2b: /* movntps, movntpd */
    case 0x6f: /* movdqa, movdqu */
    case 0x7f:
    case 0xe7: /* movntdq */
    case 0xef: /* pxor */ return true;
    default: return false;
    }
}
