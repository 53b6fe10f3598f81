// SPDX-License-Identifier: MIT
/*
 * The guided diagnosis on simulated machines: how often its end is right, wrong or undecided, and
 * how many restarts it takes.
 *
 *     diagnosis_bench [MACHINES] [SEED]
 *
 * Prints docs/diagnosis.md's table. What runs is the code that ships: at each restart the state
 * goes through its word, with names or as it is typed on a BIOS, and the modules are known again
 * from what firmware lists. Exit code 1: 1 % of the ends or more are wrong, of faults that
 * come in 1 of 20 passes or more.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnosis/code.h"
#include "diagnosis/next_step.h"
#include "diagnosis/observe.h"
#include "diagnosis_machine.h"

#define MACHINES     10000
#define RESTARTS_MAX 40
#define WRONG_MAX    0.01
#define RARER_PART   10 /* one more machine for each of that many */

enum verdict { RIGHT, WRONG, UNDECIDED, VERDICTS };

struct tally {
    unsigned n, verdict[VERDICTS];
    unsigned restarts[RESTARTS_MAX + 1];
};

static _Noreturn void fail(const struct sim *sim, const char *why)
{
    printf("machine with cause %u, %u modules: %s\n", sim->cause, sim->n_modules, why);
    exit(2);
}

/* What a restart does to the state: the loader keeps the names, a person does not type them. */
static void keep(const struct sim *sim, struct diagnosis *d)
{
    char code[DIAGNOSIS_KEPT_MAX];
    struct fmt_buffer b = fmt_buffer_make(code, sizeof(code));
    const char *why;

    diagnosis_append_code(d, !sim->is_bios, &b);
    why = diagnosis_read_code(code, d);
    if (why)
        fail(sim, why);
}

static void begin(struct sim *sim, struct diagnosis *d)
{
    struct diagnosis_machine machine;
    unsigned passes, failed;

    sim_run(sim, sim_below(sim, 2) ? 1 : 20, UINT8_MAX, &passes, &failed);
    sim_list(sim, &machine);
    if (diagnosis_begin(&machine, DIAGNOSIS_KIND_UNKNOWN,
                        (struct diagnosis_count){ passes, failed, false }, d) != STATUS_OK)
        fail(sim, "it does not begin");
}

/* The machine that was asked for is made and tested. */
static void do_step(struct sim *sim, struct diagnosis *d, const struct diagnosis_step *asked)
{
    struct diagnosis_machine machine;
    struct arrangement now;
    unsigned passes, failed;
    struct sim before = *sim;

    sim_obey(sim, &asked->at);
    if (!sim_starts(sim)) {
        before.random = sim->random;
        *sim = before;
        diagnosis_not_started(d, &asked->at);
        return;
    }
    sim_list(sim, &machine);
    if (diagnosis_observe(d, &machine, &asked->at, &now) != STATUS_OK)
        fail(sim, "its modules are not known again");
    keep(sim, d);
    diagnosis_run_begins(d, asked, &now);
    sim_run(sim, asked->passes, DIAGNOSIS_FAILURES_ENOUGH, &passes, &failed);
    diagnosis_ran(d, &now, (struct diagnosis_count){ passes, failed, false });
}

static enum verdict judge(const struct sim *sim, const struct diagnosis_end *end)
{
    static const enum diagnosis_cause_kind right[] = {
        [SIM_ONE_MODULE] = DIAGNOSIS_MODULE,
        [SIM_TWO_MODULES] = DIAGNOSIS_MODULES,
        [SIM_SLOT] = DIAGNOSIS_SLOT,
        [SIM_SETTINGS] = DIAGNOSIS_SETTINGS,
        [SIM_CONTROLLER] = DIAGNOSIS_CONTROLLER,
        [SIM_CROWD] = DIAGNOSIS_CROWD,
        [SIM_NONE] = DIAGNOSIS_NONE,
    };
    const struct diagnosis_cause *cause = &end->cause;

    if (!end->is_decided)
        return UNDECIDED;
    if (cause->kind == DIAGNOSIS_ALL) /* with two modules, nobody can tell these from each other */
        return sim->n_modules == 2 &&
                       (sim->cause == SIM_CONTROLLER || sim->cause == SIM_TWO_MODULES)
                   ? UNDECIDED
                   : WRONG;
    if (cause->kind >= DIAGNOSIS_SLOT && sim->needs_pairs)
        return sim->cause == SIM_SLOT && cause->bits & sim->bad ? RIGHT : WRONG;
    return cause->kind == right[sim->cause] && cause->bits == sim->bad ? RIGHT : WRONG;
}

/* Modules and slots have the numbers of the simulation: both count in the order of the slots. */
static enum verdict diagnose(struct sim *sim, unsigned *ret_restarts)
{
    struct diagnosis d;
    struct diagnosis_step step;
    struct diagnosis_end end;

    begin(sim, &d);
    for (*ret_restarts = 0;; ++*ret_restarts) {
        keep(sim, &d);
        diagnosis_next(&d, &step, &end);
        if (step.kind == DIAGNOSIS_ENDS)
            return judge(sim, &end);
        if (*ret_restarts == RESTARTS_MAX)
            fail(sim, "it does not end");
        do_step(sim, &d, &step);
    }
}

static void count(struct tally *t, enum verdict verdict, unsigned restarts)
{
    t->n++;
    t->verdict[verdict]++;
    t->restarts[restarts]++;
}

static unsigned percentile(const struct tally *t, unsigned percent)
{
    unsigned n = 0, i = 0;

    for (; i < RESTARTS_MAX; i++) {
        n += t->restarts[i];
        if (n * 100 >= t->n * percent)
            break;
    }
    return i;
}

static void print_row(const char *name, const struct tally *t)
{
    double n = t->n ? t->n : 1;

    printf("| %s | %u | %.1f | %.1f | %.1f | %u | %u |\n", name, t->n, 100 * t->verdict[RIGHT] / n,
           100 * t->verdict[WRONG] / n, 100 * t->verdict[UNDECIDED] / n, percentile(t, 50),
           percentile(t, 95));
}

/* The table's rows, in groups. */
enum {
    BY_MODULES = SIM_CAUSES,
    BY_RATE = BY_MODULES + 4,
    BY_SERIALS = BY_RATE + SIM_RATES,
    BY_PERSON = BY_SERIALS + 2,
    BY_PAIRS = BY_PERSON + 2,
    ALL = BY_PAIRS + 2,
    RARER, /* in no other row */
    ROWS,
};

static const char *const names[ROWS] = {
    "one bad module",
    "two bad modules",
    "a bad slot",
    "settings",
    "controller",
    "too many modules",
    "none: it came once",
    "2 modules",
    "3 modules",
    "4 modules",
    "8 modules",
    "faults in every pass",
    "in 1 of 2",
    "in 1 of 5",
    "in 1 of 10",
    "in 1 of 20",
    "good serial numbers",
    "zero, missing or twice the same",
    "does what is asked",
    "does something else, 1 time in 5",
    "board starts with any modules",
    "board needs pairs",
    "all",
    "rarer, in no other row: in 1 of 50",
};

static void count_all(struct tally row[ROWS], const struct sim *sim, enum verdict verdict,
                      unsigned restarts)
{
    unsigned modules = sim->n_modules == 8 ? 3 : sim->n_modules - 2;
    unsigned rate = sim->rate_index;
    const unsigned rows[] = {
        sim->cause,
        BY_MODULES + modules,
        BY_RATE + rate,
        BY_SERIALS + (sim->serials != SIM_SERIALS_GOOD),
        BY_PERSON + (sim->wayward > 0),
        BY_PAIRS + sim->needs_pairs,
        ALL,
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (i != 2 || sim->cause != SIM_NONE)
            count(&row[rows[i]], verdict, restarts);
    }
}

int main(int argc, char **argv)
{
    static struct tally row[ROWS];
    unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : MACHINES;
    unsigned long seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;

    for (unsigned long i = 0; i < n + n / RARER_PART; i++) {
        struct sim sim;
        unsigned restarts;
        enum verdict verdict;

        sim_make(&sim, seed * 1000003 + i, i >= n);
        verdict = diagnose(&sim, &restarts);
        if (i < n)
            count_all(row, &sim, verdict, restarts);
        else
            count(&row[RARER], verdict, restarts);
    }
    printf("| | machines | right, %% | wrong, %% | undecided, %% | restarts, median | 95 %% |\n"
           "|---|---|---|---|---|---|---|\n");
    for (unsigned i = 0; i < ROWS; i++)
        print_row(names[i], &row[i]);
    return row[ALL].verdict[WRONG] >= WRONG_MAX * (double)n;
}
