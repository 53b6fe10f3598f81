// SPDX-License-Identifier: MIT
#include "measure/role.h"

#include <stdatomic.h>

#include "arch/cpu.h"
#include "arch/paging.h"
#include "bandwidth/chase.h"
#include "bandwidth/sizing.h"
#include "cpus/cpu_pool.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "memory/arena.h"

#define CHASE_ROUND  4096
#define LOAD_SEGMENT (UINT64_C(64) << 10)
#define GROUP_BYTES  (REDUNDANCY_GROUP * LINE_SIZE) /* data are cut only between groups */

struct roles roles;
static uint32_t max_roles;

void roles_prepare(uint32_t n_cpus)
{
    max_roles = n_cpus;
    roles.role = arena_alloc(n_cpus * sizeof(*roles.role));
    roles.cpus = arena_alloc(n_cpus * sizeof(*roles.cpus));
}

void roles_clear(void)
{
    roles.n = roles.n_loads = roles.n_resting = 0;
}

/* After all others. */
static struct role *role_place(uint32_t cpu, uint64_t (*round)(struct role *r))
{
    uint32_t at = roles.n + roles.n_resting;

    ASSERT(at < max_roles);
    roles.cpus[at] = cpu;
    roles.role[at] = (struct role){ .cpu = cpu, .round = round };
    return &roles.role[at];
}

static struct role *role_add(uint32_t cpu, uint64_t (*round)(struct role *r))
{
    struct role *r = role_place(cpu, round);

    ASSERT(!roles.n_loads && !roles.n_resting);
    roles.n++;
    return r;
}

/* A part of the arrays, for the role. */
static void take_part(struct role *r, const struct arrays *arrays, struct role_part its)
{
    struct sizing_part p = sizing_part(arrays->bytes, its.n_parts, its.part);
    double **place[] = { &r->arrays.a, &r->arrays.b, &r->arrays.c };

    ASSERT(arrays->n <= sizeof(place) / sizeof(place[0]));
    for (uint32_t i = 0; i < arrays->n; i++)
        *place[i] = direct(arrays_phys(arrays, i, p.offset));
    r->bytes = p.bytes;
}

static uint64_t stream_round(struct role *r)
{
    stream_run(roles.ops, r->op, &r->arrays, r->bytes);
    return stream_bytes(r->op, r->bytes);
}

void role_add_stream(struct role_part its, enum stream_op op, const struct arrays *arrays)
{
    struct role *r = role_add(its.cpu, stream_round);

    r->op = op;
    take_part(r, arrays, its);
}

static uint64_t redundant_round(struct role *r)
{
    redundant_write(roles.ops, &r->redundant, 1.0);
    return r->bytes;
}

void role_add_redundant(struct role_part its, enum redundancy kind, struct span data,
                        uint64_t other_phys)
{
    struct role *r = role_add(its.cpu, redundant_round);
    uint64_t groups = data.size / GROUP_BYTES;
    struct sizing_part p =
        sizing_part(groups * LINE_SIZE, its.n_parts, its.part); /* a line for each group */
    uint64_t offset = p.offset * REDUNDANCY_GROUP;

    r->bytes = p.bytes * REDUNDANCY_GROUP;
    r->redundant = (struct redundant){
        .kind = kind,
        .data = direct(data.base + offset),
        .other = direct(other_phys + redundancy_other_bytes(kind, offset)),
        .bytes = r->bytes,
    };
}

static uint64_t load_round(struct role *r)
{
    uint64_t left = r->bytes - r->at, size = min_u64(left, LOAD_SEGMENT);
    size_t from = r->at / sizeof(double);
    struct stream_arrays part = { r->arrays.a + from, r->arrays.b + from, r->arrays.c + from };

    r->at = size < left ? r->at + size : 0;
    return load_run(roles.ops, &r->load, &part, size);
}

void role_add_load(struct role_part its, const struct arrays *arrays)
{
    struct role *r = role_place(its.cpu, load_round);

    ASSERT(arrays->n == 3 && !roles.n_loads);
    take_part(r, arrays, its);
    r->is_load = true;
    roles.n_resting++;
}

void roles_load(const struct load *load)
{
    uint32_t n = roles.n_loads + roles.n_resting;

    roles.n -= roles.n_loads;
    for (uint32_t i = 0; load && i < n; i++)
        roles.role[roles.n + i].load = *load;
    roles.n_loads = load ? n : 0;
    roles.n_resting = n - roles.n_loads;
    roles.n += roles.n_loads;
}

static uint64_t chase_round(struct role *r)
{
    return chase_run(r->cursor, CHASE_ROUND);
}

void role_add_chase(uint32_t cpu, void **cursor)
{
    role_add(cpu, chase_round)->cursor = cursor;
}

static void ask_for_lines(struct role *r)
{
    struct handover *h = r->handover;
    uint32_t turn = atomic_fetch_add(&h->asked, 1) + 1;

    while (atomic_load_explicit(&h->held, memory_order_acquire) != turn && !cpu_pool_is_aborted()) {
        cpu_relax();
        cpu_pool_wait(r->cpu);
    }
}

static uint64_t read_round(struct role *r)
{
    void *cursor = r->handover->base;

    return chase_run(&cursor, chase_count(r->handover->bytes, CHASE_LINE_A_PAGE));
}

static uint64_t hold_round(struct role *r)
{
    struct handover *h = r->handover;
    uint32_t turn = atomic_load(&h->asked);

    if (atomic_load_explicit(&h->held, memory_order_relaxed) != turn) {
        chase_hold(h->base, h->bytes, h->modified);
        atomic_store(&h->held, turn);
    }
    return 0;
}

void role_add_handover(uint32_t reader, uint32_t holder, struct handover *lines)
{
    struct role *r = role_add(reader, read_round);

    r->before = ask_for_lines;
    r->handover = lines;
    r = role_place(holder, hold_round);
    r->handover = lines;
    r->is_load = true;
    roles.n++;
    roles.n_loads++;
}

struct role *role_of(const struct roles *all, uint32_t cpu)
{
    struct role *r = all->role;

    while (r->cpu != cpu)
        r++;
    return r;
}
