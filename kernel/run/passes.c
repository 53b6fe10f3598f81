#include "run/passes.h"

#include "arch/tsc.h"
#include "run/element.h"
#include "run/events.h"
#include "run/plan.h"
#include "run/selection.h"
#include "run/watch.h"

#define PAUSE_STEP_US 1000

static uint32_t n_passes_done, n_tests_done;

static void pause_ms(uint32_t ms)
{
    uint64_t end = tsc_elapsed_us() + (uint64_t)ms * 1000;

    while (tsc_elapsed_us() < end && !watch_is_stopped()) {
        watch_poll();
        tsc_wait_us(PAUSE_STEP_US);
    }
}

static void run_march(const struct march *march, const struct data *data,
                      struct element_place place)
{
    for (uint32_t i = 0; i < march->n_elements && !watch_is_stopped(); i++) {
        const struct march_element *e = &march->element[i];

        if (e->kind == MARCH_PAUSE)
            pause_ms(e->pause_ms);
        else
            element_run(e, data, place);
    }
}

/* One test of a pass: its march, once for each of its data. */
static void run_test(const struct test *test, uint32_t index, uint32_t pass, uint64_t seed)
{
    struct march march;
    uint64_t began = tsc_elapsed_us(), swept = watch_total_swept();
    uint64_t faults = fault_log_test_faults(&fault_log, index);

    watch_phase("test", pass, test->name, index, (uint32_t)selection.tests.n_tests);
    test_march(test, &march);
    for (uint32_t round = 0; round < test->rounds && !watch_is_stopped(); round++) {
        struct data data = data_make(test->data, round, seed);

        run_march(&march, &data, (struct element_place){ pass, index, round });
    }
    n_tests_done += !watch_is_stopped();
    events_send(&(struct event){
        .type = EVENT_TEST,
        .test = {
            .pass = pass,
            .test = test->name,
            .seconds = (double)(tsc_elapsed_us() - began) / 1e6,
            .swept_bytes = watch_total_swept() - swept,
            .sweeps = test_sweeps(test),
            .faults = fault_log_test_faults(&fault_log, index) - faults,
        },
    });
}

static uint64_t sweeps_of_pass(void)
{
    uint64_t sweeps = 0;

    for (size_t i = 0; i < selection.tests.n_tests; i++)
        sweeps += test_sweeps(&selection.tests.test[i]);
    return sweeps;
}

void passes_run(uint32_t passes, uint64_t seed)
{
    uint32_t n_tests = (uint32_t)selection.tests.n_tests;

    element_prepare();
    while ((passes == 0 || n_passes_done < passes) && !watch_is_stopped()) {
        watch_pass(sweeps_of_pass() * plan.tested_bytes);
        for (uint32_t i = 0; i < n_tests && !watch_is_stopped(); i++)
            run_test(&selection.tests.test[i], i, n_passes_done + 1, seed + n_passes_done);
        n_passes_done += !watch_is_stopped();
    }
}

uint32_t passes_completed(void)
{
    return n_passes_done;
}

uint32_t passes_tests_completed(void)
{
    return n_tests_done;
}
