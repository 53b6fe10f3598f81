// SPDX-License-Identifier: MIT
#include "measure/role.h"

#include "arch/paging.h"
#include "bandwidth/chase.h"
#include "bandwidth/sizing.h"
#include "lib/panic.h"
#include "machine/machine.h"
#include "measure/measure.h"
#include "memory/arena.h"
#include "plan/share.h"
#include "self/own_aliases.h"

/* Between arrays, so that the same places in them meet neither in the low 12 bits of the address,
 * by which loads wait for stores, nor in a bank of the memory. */
#define ARRAY_GAP_BYTES (21 * LINE_SIZE)

#define CHAIN_ALIGN  (UINT64_C(2) << 20) /* a huge page */
#define CHASE_ROUND  4096
#define LOAD_STRETCH (UINT64_C(64) << 10)
#define GROUP_BYTES  (REDUNDANCY_GROUP * LINE_SIZE) /* redundant data are cut between groups */

struct roles roles;
static uint32_t max_roles;

void measure_prepare(uint32_t n_cpus)
{
    max_roles = n_cpus;
    roles.role = arena_alloc(n_cpus * sizeof(*roles.role));
    roles.cpus = arena_alloc(n_cpus * sizeof(*roles.cpus));
}

static struct measure_arrays arrays_in(struct span memory, uint64_t bytes, uint32_t n)
{
    uint64_t each = memory.size / n;
    uint64_t most = each > ARRAY_GAP_BYTES ? align_down(each - ARRAY_GAP_BYTES, LINE_SIZE) : 0;

    return (struct measure_arrays){
        .phys = memory.base,
        .bytes = bytes < most ? bytes : most,
        .n = n,
    };
}

static struct span span_of(const struct measure_arrays *arrays)
{
    uint64_t gaps = arrays->bytes ? (arrays->n - 1) * ARRAY_GAP_BYTES : 0;

    return (struct span){ arrays->phys, arrays->n * arrays->bytes + gaps };
}

struct measure_arrays measure_arrays_in(struct span memory, uint64_t bytes, uint32_t n)
{
    struct measure_arrays arrays;

    do
        arrays = arrays_in(share_longest_kept(memory), bytes, n);
    while (own_aliases_guard_span(span_of(&arrays)));
    return arrays;
}

static struct span chain_in(struct span memory, uint64_t bytes)
{
    uint64_t skip = align_up(memory.base, CHAIN_ALIGN) - memory.base;

    if (skip < memory.size && memory.size - skip >= bytes)
        return (struct span){ memory.base + skip, bytes };
    return (struct span){ memory.base, bytes < memory.size ? bytes : memory.size };
}

struct span measure_chain_in(struct span memory, uint64_t bytes)
{
    struct span chain;

    do
        chain = chain_in(share_longest_kept(memory), bytes);
    while (own_aliases_guard_span(chain));
    return chain;
}

void measure_clear(void)
{
    roles.n = roles.n_loads = 0;
}

static struct role *role_add(uint32_t cpu, uint64_t (*round)(struct role *r))
{
    ASSERT(roles.n < max_roles);
    roles.cpus[roles.n] = cpu;
    roles.role[roles.n] = (struct role){ .cpu = cpu, .round = round };
    return &roles.role[roles.n++];
}

/* A part of the arrays, for the role. */
static void take_part(struct role *r, const struct measure_arrays *arrays, uint32_t n_parts,
                      uint32_t part)
{
    struct sizing_part p = sizing_part(arrays->bytes, n_parts, part);
    double **place[] = { &r->arrays.a, &r->arrays.b, &r->arrays.c };

    for (uint32_t i = 0; i < arrays->n; i++)
        *place[i] = direct(arrays->phys + i * (arrays->bytes + ARRAY_GAP_BYTES) + p.offset);
    r->bytes = p.bytes;
}

static uint64_t stream_round(struct role *r)
{
    stream_run(stream_ops_choose(machine.cpu.avx2), r->op, &r->arrays, r->bytes);
    return stream_bytes(r->op, r->bytes);
}

void measure_add_stream(uint32_t cpu, enum stream_op op, const struct measure_arrays *arrays,
                        uint32_t n_parts, uint32_t part)
{
    struct role *r = role_add(cpu, stream_round);

    r->op = op;
    take_part(r, arrays, n_parts, part);
}

static uint64_t redundant_round(struct role *r)
{
    redundant_write(stream_ops_choose(machine.cpu.avx2), r->redundant.kind, r->arrays.a,
                    r->redundant.other, r->bytes, 1.0);
    return r->bytes;
}

void measure_add_redundant(uint32_t cpu, enum redundancy kind, struct span data,
                           uint64_t other_phys, uint32_t n_parts, uint32_t part)
{
    struct role *r = role_add(cpu, redundant_round);
    uint64_t groups = data.size / GROUP_BYTES;
    struct sizing_part p = sizing_part(groups * LINE_SIZE, n_parts, part); /* a line for each group */
    uint64_t offset = p.offset * REDUNDANCY_GROUP;

    r->bytes = p.bytes * REDUNDANCY_GROUP;
    r->arrays.a = direct(data.base + offset);
    r->redundant.kind = kind;
    r->redundant.other = direct(other_phys + redundancy_other_bytes(kind, offset));
}

static uint64_t load_round(struct role *r)
{
    uint64_t left = r->bytes - r->load.at, size = left < LOAD_STRETCH ? left : LOAD_STRETCH;
    size_t from = r->load.at / sizeof(double);
    struct stream_arrays part = { .a = r->arrays.a + from };

    if (load_mix_arrays(r->load.mix) == 3) {
        part.b = r->arrays.b + from;
        part.c = r->arrays.c + from;
    }
    r->load.at = size < left ? r->load.at + size : 0;
    return load_run(stream_ops_choose(machine.cpu.avx2), r->load.mix, &part, size, r->load.pause);
}

void measure_add_load(uint32_t cpu, enum load_mix mix, const struct measure_arrays *arrays,
                      uint32_t n_parts, uint32_t part, uint32_t pause)
{
    struct role *r = role_add(cpu, load_round);

    ASSERT(arrays->n == load_mix_arrays(mix));
    take_part(r, arrays, n_parts, part);
    r->load.mix = mix;
    r->load.pause = pause;
    r->is_load = true;
    roles.n_loads++;
}

static uint64_t chase_round(struct role *r)
{
    return chase_run(&r->cursor, CHASE_ROUND);
}

void measure_add_chase(uint32_t cpu, struct span chain)
{
    role_add(cpu, chase_round)->cursor = direct(chain.base);
}

struct role *role_of(uint32_t cpu)
{
    struct role *r = roles.role;

    while (r->cpu != cpu)
        r++;
    return r;
}
