// SPDX-License-Identifier: MIT
#include "testing/counts.h"

#include "arch/tsc.h"
#include "progress/progress.h"
#include "event/events.h"
#include "event/stop.h"

#define HAMMER_NOTE                                                                                \
    "the addresses of neighbouring rows are guessed: bit flips that no guess provokes are missed"

static struct {
    uint32_t pass, tests;
} ended;

struct counts counts_now(const struct fault_log *log, uint32_t test)
{
    return (struct counts){
        .us = tsc_elapsed_us(),
        .swept_bytes = progress_total_swept(),
        .faults = fault_log_test_faults(log, test),
    };
}

void counts_add_since(const struct fault_log *log, struct counts *counts, uint32_t test,
                      struct counts then)
{
    struct counts now = counts_now(log, test);

    counts->us += now.us - then.us;
    counts->swept_bytes += now.swept_bytes - then.swept_bytes;
    counts->faults += now.faults - then.faults;
}

static struct counts_all all;

/* A test that a stop has cut short does not count: it has not read each cell that often. */
static void count_ended(const struct test_run *run, const struct counts *counts)
{
    bool has_ended = !stop_is_requested();

    ended.tests = counts_ended(run->place.pass) | (uint32_t)has_ended << run->place.test;
    ended.pass = run->place.pass;
    if (!has_ended)
        return;
    all.reads += test_reads(run->test);
    all.us += counts->us;
}

struct counts_all counts_all(void)
{
    return all;
}

uint32_t counts_ended(uint32_t pass)
{
    return pass == ended.pass ? ended.tests : 0;
}

void counts_send(const struct test_run *run, const struct counts *counts)
{
    const struct test *test = run->test;
    bool hammers = test->kind == TEST_HAMMER;

    count_ended(run, counts);
    events_send(&(struct event){
        .type = EVENT_TEST,
        .test = {
            .pass = run->place.pass,
            .test = test->name,
            .seconds = (double)counts->us / 1e6,
            .swept_bytes = counts->swept_bytes,
            .sweeps = test_sweeps(test),
            .faults = counts->faults,
            .hammers = hammers,
            .hammered_bytes = run->hammered.bytes,
            .has_seed = test_has_seed(test),
            .seed = run->seed,
            .note = hammers && !run->hammered.found ? HAMMER_NOTE : NULL,
        },
    });
}
