// SPDX-License-Identifier: MIT
#include "calibration/calibration.h"

#include <stdbool.h>
#include <stddef.h>

#include "arch/tsc.h"
#include "cpudata/mtrr.h"
#include "cpus/survey.h"
#include "event/notices.h"
#include "findings/findings.h"
#include "lib/minmax.h"
#include "machine/machine.h"
#include "plan/share.h"
#include "self/own_aliases.h"

#define CALIBRATION_BYTES  (UINT64_C(64) << 10)
#define CALIBRATION_ROUNDS 3

/* What a walk over all RAM collects. */
struct typed {
    struct trials trials;
    uint64_t bytes;
    struct span first;
    enum memory_type boot_type, type; /* of the first part, of the boot CPU and the other */
    struct span tested;               /* a piece to try it on; size 0: none of it is tested */
};

/* A piece of tested memory in s, guarded; size 0: there is none. */
static struct span tested_piece(struct trials trials, struct span s)
{
    const struct shares *shares = trials.shares;

    for (size_t i = 0; i < shares->first[shares->plan->n_workers]; i++) {
        struct span piece = share_longest_kept(shares, span_intersect(shares->part[i].span, s));

        piece.size = min_u64(piece.size, CALIBRATION_BYTES);
        if (piece.size && !own_aliases_guard_span(shares, piece, trials.poll))
            return piece;
    }
    return (struct span){ 0 };
}

static void add(struct typed *f, struct span part, enum memory_type boot, enum memory_type other)
{
    if (!f->bytes) {
        f->first = part;
        f->boot_type = boot;
        f->type = other;
    }
    f->bytes += part.size;
    if (!f->tested.size && boot == f->boot_type && other == f->type)
        f->tested = tested_piece(f->trials, part);
}

static void add_not_write_back(void *ctx, struct span part, enum memory_type boot,
                               enum memory_type other)
{
    if (boot != MEMORY_TYPE_WB)
        add(ctx, part, boot, other);
}

static void add_unequal(void *ctx, struct span part, enum memory_type boot, enum memory_type other)
{
    if (boot != other)
        add(ctx, part, boot, other);
}

/* Walks over all RAM that firmware does not keep. */
static struct typed walk(struct trials trials, const struct mtrrs *other,
                         void (*visit)(void *ctx, struct span part, enum memory_type boot,
                                       enum memory_type other))
{
    struct typed f = { .trials = trials };

    for (size_t i = 0; i < machine.map.n_regions; i++) {
        const struct memory_region *r = &machine.map.region[i];

        if (r->kind == BOOT_REGION_USABLE)
            mtrr_walk(survey_mtrrs(), other, r->span, visit, &f);
    }
    return f;
}

/* A piece of tested memory that is write-back. */
static struct span usual_piece(struct trials trials)
{
    const struct shares *shares = trials.shares;

    for (size_t i = 0; i < shares->first[shares->plan->n_workers]; i++) {
        struct span s = shares->part[i].span, piece;
        uint64_t end;

        while (s.size) {
            enum memory_type type = mtrr_type(survey_mtrrs(), s.base, &end);
            struct span same = span_intersect(s, (struct span){ s.base, end - s.base });

            piece = type == MEMORY_TYPE_WB ? tested_piece(trials, same) : (struct span){ 0 };
            if (piece.size)
                return piece;
            s = (struct span){ span_end(same), s.size - same.size };
        }
    }
    return (struct span){ 0 };
}

/* 0: not measured, because it is not a worker. */
static double mb_s_of(struct trials trials, uint32_t cpu, const struct line_ops *ops, struct span s)
{
    struct calibration t = calibration_init(ops, CALIBRATION_MARCH, ORDER_ONE_LANE);
    const struct plan *plan = trials.shares->plan;
    uint32_t worker = plan_worker(plan, cpu);

    if (plan->worker_cpus[worker] != cpu)
        return 0;
    return calibration_speed(trials, &t, worker, CALIBRATION_ROUNDS, s) * (double)tsc_hz() / 1e6;
}

static void report_not_write_back(struct trials trials, const struct line_ops *ops)
{
    struct typed f = walk(trials, survey_mtrrs(), add_not_write_back);
    struct findings_type t = { .bytes = f.bytes, .first = f.first };

    if (!f.bytes)
        return;
    t.type = memory_type_name(f.boot_type);
    t.mb_s = mb_s_of(trials, 0, ops, f.tested);
    t.usual_mb_s = mb_s_of(trials, 0, ops, usual_piece(trials));
    findings_not_write_back(&t, &notices);
}

/* The CPU with most RAM of another type; of the others only the number is reported. */
static void report_unequal(struct trials trials, const struct line_ops *ops)
{
    struct findings_unequal_type t = { .n_cpus = survey_count_other_mtrrs() };
    struct typed worst = { 0 };
    const struct mtrrs *other;
    uint32_t cpu;

    for (size_t n = 0; (other = survey_other_mtrrs(n, &cpu)); n++) {
        bool is_none = machine.cpu.hypervisor && !mtrr_is_on(other);
        struct typed f = is_none ? (struct typed){ 0 } : walk(trials, other, add_unequal);

        t.n_cpus -= !f.bytes;
        if (f.bytes <= worst.bytes)
            continue;
        worst = f;
        t.cpu = cpu;
    }
    if (!worst.bytes)
        return;
    t.bytes = worst.bytes;
    t.first = worst.first;
    t.boot_type = memory_type_name(worst.boot_type);
    t.type = memory_type_name(worst.type);
    t.boot_mb_s = mb_s_of(trials, 0, ops, worst.tested);
    t.mb_s = mb_s_of(trials, t.cpu, ops, worst.tested);
    findings_unequal_types(&t, &notices);
}

void memory_types_report(struct trials trials, const struct line_ops *ops)
{
    if (machine.cpu.hypervisor && !mtrr_is_on(survey_mtrrs()))
        return;
    report_not_write_back(trials, ops);
    report_unequal(trials, ops);
}
