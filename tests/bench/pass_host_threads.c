// SPDX-License-Identifier: MIT
/* The threads of a pass: they do what CPUs do in kernel/run/testing/element.c. */
#include "host.h"
#include "pass_host.h"

#include <pthread.h>
#include <stdatomic.h>

#include "sweep/block_move.h"
#include "sweep/order.h"

#define SEED 1
#define PAGE UINT64_C(4096)

struct barrier {
    _Atomic uint32_t here, round;
};

static struct barrier barrier;

/* A thread of a pass. */
struct worker {
    uint32_t number, run;
    struct sweep sweep;
    struct pulse_gate gate; /* of a test in pulses */
    uint64_t swept, waited_ns;

    /* the current element */
    const struct march_element *element;
    const struct data *data;
    struct order order;
};

/* A thread waits for the others, as CPUs do in the kernel. */
static void barrier_wait(struct worker *w)
{
    uint32_t round = atomic_load(&barrier.round);
    uint64_t began = host_now_ns();
    uint32_t spins = 0;

    if (atomic_fetch_add(&barrier.here, 1) + 1 == bench.threads) {
        atomic_store(&barrier.here, 0);
        atomic_store(&barrier.round, round + 1);
    }
    while (atomic_load(&barrier.round) == round)
        host_steps_spin(&spins);
    w->waited_ns += host_now_ns() - began;
}

static struct span share_of(uint32_t worker)
{
    uint64_t size = bench.bytes / bench.threads;

    return (struct span){ PHYS + worker * size, size };
}

/* A share's sections, its parts' counted one after the other, end at borders of pages. */
static struct span section_of(struct span share, uint32_t section, uint32_t n_sections)
{
    uint64_t size = share.size / n_sections + 1;
    uint64_t first = (section * size + PAGE - 1) / PAGE * PAGE;
    uint64_t end = ((section + 1) * size + PAGE - 1) / PAGE * PAGE;

    first = first < share.size ? first : share.size;
    end = end < share.size ? end : share.size;
    return (struct span){ share.base + first, end - first };
}

static void sweep_span(struct worker *w, struct span left)
{
    const struct march_element *e = w->element;

    while (left.size) {
        struct span s = sweep_next_slice(&left, e->kind == MARCH_DOWN, SWEEP_SLICE_BYTES);

        sweep_element(&w->sweep, e, w->data, pass_host_slice(s));
        w->swept += s.size * e->n_ops;
    }
}

static uint32_t n_parts(void)
{
    return bench.threads > 1 ? HOST_STEPS_PARTS : 1;
}

/* A step of a part, which may be another thread's. */
static void do_step(void *ctx, uint32_t thread, uint32_t part, uint32_t step)
{
    struct worker *w = ctx;
    uint32_t n = w->order.n_sections, section;

    if (order_section(w->order, part * bench.threads + thread, step, w->element->kind == MARCH_DOWN,
                      &section))
        sweep_span(w, section_of(share_of(thread), part * n + section, n_parts() * n));
}

static void do_element(struct worker *w)
{
    struct host_steps steps = {
        .n_threads = bench.threads,
        .n_parts = n_parts(),
        .n_steps = order_steps(w->order),
        .ahead = order_ahead(w->order),
        .visit = do_step,
    };

    if (w->number == 0)
        host_steps_begin(&steps);
    barrier_wait(w);
    w->waited_ns += host_steps_do(&steps, w->number, w);
    barrier_wait(w);
}

static void do_block_move(struct worker *w, const struct data *data)
{
    struct span left = share_of(w->number);

    while (left.size) {
        struct span s = sweep_next_slice(&left, false, SWEEP_SMALL_SLICE);

        block_move(&w->sweep, data, pass_host_slice(s));
        w->swept += s.size * BLOCK_MOVE_SWEEPS;
    }
    barrier_wait(w);
}

/* The first thread's clock: all have come when a part ends. */
static void take_time(const struct worker *w, struct part *part, uint64_t *began_ns)
{
    uint64_t now = host_now_ns();

    if (w->number == 0)
        part->seconds[w->run] += (double)(now - *began_ns) / 1e9;
    *began_ns = now;
}

static struct order order_of(const struct test *test, const struct march *march, uint32_t round)
{
    uint64_t part = bench.bytes / bench.threads / n_parts();

    return (struct order){
        .n_workers = bench.threads * n_parts(),
        .round = round,
        .n_rounds = test->rounds,
        .n_legs = march_legs(march),
        .n_sections = order_sections(part, bench.threads, sweep_has_lanes(march),
                                     test_orders_all(test, march)),
    };
}

static uint64_t counter(void *ctx)
{
    return host_tsc();
}

static void do_round(struct worker *w, const struct test *test, struct part *part, uint32_t round)
{
    struct data data = test_data(test, round, (struct pass){ 1, SEED });
    uint64_t began_ns = host_now_ns();
    struct march march;

    if (test->kind == TEST_BLOCK_MOVE) {
        do_block_move(w, &data);
        take_time(w, part, &began_ns);
        return;
    }
    test_march(test, &march);
    w->data = &data;
    w->gate = (struct pulse_gate){ .schedule = &bench.pulses, .now = counter };
    w->sweep.gate = test->in_pulses ? &w->gate : NULL;
    w->order = order_of(test, &march, round);
    for (uint32_t e = 0; e < march.n_elements; e++) {
        if (march.element[e].kind == MARCH_PAUSE)
            continue;
        w->element = &march.element[e];
        w->order.leg = march_leg(&march, e);
        w->sweep.lanes = order_lanes(w->order);
        do_element(w);
        take_time(w, &part[e], &began_ns);
    }
}

static void *do_pass(void *arg)
{
    struct worker *w = arg;

    host_pin(w->number);
    barrier_wait(w);
    w->waited_ns = 0;
    for (size_t t = 0; t < bench.tests.n_tests; t++) {
        const struct test *test = &bench.tests.test[t];

        for (uint32_t round = 0; test->kind != TEST_HAMMER && round < test->rounds; round++)
            do_round(w, test, parts[t], round);
    }
    return NULL;
}

static double percent_of(uint64_t waited_ns, uint64_t took_ns)
{
    return 100 * (double)waited_ns / (double)took_ns / bench.threads;
}

void pass_host_run(uint32_t run, uint64_t bytes_wanted)
{
    struct worker w[THREADS_MAX];
    pthread_t thread[THREADS_MAX];
    uint64_t swept = 0, waited_ns = 0, began_ns = host_now_ns();

    for (uint32_t i = 0; i < bench.threads; i++) {
        w[i] = (struct worker){ .number = i, .run = run, .sweep = pass_host_sweep(bench.ops) };
        if (pthread_create(&thread[i], NULL, do_pass, &w[i]))
            host_die("pthread_create");
    }
    for (uint32_t i = 0; i < bench.threads; i++) {
        pthread_join(thread[i], NULL);
        swept += w[i].swept;
        waited_ns += w[i].waited_ns;
    }
    waits_percent[run] = percent_of(waited_ns, host_now_ns() - began_ns);
    if (swept != bytes_wanted)
        pass_host_fail("not all memory was swept");
}
