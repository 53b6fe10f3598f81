// SPDX-License-Identifier: MIT
/*
 * The guided diagnosis on simulated machines: how often its end is right, wrong or undecided, and
 * how many restarts it takes.
 *
 *     diagnosis_bench [MACHINES] [SEED]
 *
 * Prints docs/diagnosis.md's tables: of all machines; and of those with a bad module or slot once
 * more, where the first run's end knew suspects. What runs is the code that ships: at each restart
 * the state goes through its word, with names or as it is typed on a BIOS, and the modules are
 * known again from what firmware lists. Exit code 1: 1 % of the ends or more are wrong, of faults
 * that come in 1 of 20 passes or more.
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

/* What the memory controller's registers tell at the end of the first run. */
struct knowledge {
    const char *name;
    unsigned n; /* suspects */
    enum diagnosis_suspicion suspicion;
    unsigned right; /* in so many of 1000 machines they are among them */
    bool of_others; /* of the machines with another cause */
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

/* The slots, as bits, of the modules that are bad; or the bad slot; of another cause, one by
 * chance. */
static uint32_t bad_slots(struct sim *sim)
{
    uint32_t slots = sim->cause == SIM_SLOT ? sim->bad : 0;

    if (sim->cause == SIM_ONE_MODULE || sim->cause == SIM_TWO_MODULES) {
        for (unsigned i = 0; i < sim->n_slots; i++) {
            if (sim->module_in[i] >= 0 && sim->bad >> sim->module_in[i] & 1)
                slots |= UINT32_C(1) << i;
        }
    }
    while (!slots) {
        uint32_t slot = (uint32_t)sim_below(sim, sim->n_slots);

        slots = (uint32_t)(sim->module_in[slot] >= 0) << slot;
    }
    return slots;
}

/* Slots with the bad ones among them, or not. */
static uint32_t suspects(struct sim *sim, const struct knowledge *known)
{
    uint32_t bad = bad_slots(sim), slots = bad;
    bool is_right = sim_below(sim, 1000) < known->right;
    unsigned others = sim->n_modules - (unsigned)__builtin_popcount(bad);

    if (!is_right)
        slots = 0;
    while ((unsigned)__builtin_popcount(slots) < known->n &&
           (is_right || (unsigned)__builtin_popcount(slots) < others)) {
        uint32_t slot = (uint32_t)sim_below(sim, sim->n_slots);

        if (sim->module_in[slot] >= 0 && !(bad >> slot & 1))
            slots |= UINT32_C(1) << slot;
    }
    return slots;
}

/* known: NULL: nothing. */
static void begin(struct sim *sim, const struct knowledge *known, struct diagnosis *d)
{
    struct diagnosis_machine machine;
    unsigned passes, failed;

    sim_run(sim, sim_below(sim, 2) ? 1 : 20, UINT8_MAX, &passes, &failed);
    sim_list(sim, &machine);
    if (diagnosis_begin(&machine, DIAGNOSIS_KIND_UNKNOWN,
                        (struct diagnosis_count){ passes, failed, false }, d) != STATUS_OK)
        fail(sim, "it does not begin");
    if (known)
        diagnosis_suspect(d, suspects(sim, known), known->suspicion);
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
static enum verdict diagnose(struct sim *sim, const struct knowledge *known, unsigned *ret_restarts)
{
    struct diagnosis d;
    struct diagnosis_step step;
    struct diagnosis_end end;

    begin(sim, known, &d);
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

static double mean(const struct tally *t)
{
    unsigned sum = 0;

    for (unsigned i = 0; i <= RESTARTS_MAX; i++)
        sum += i * t->restarts[i];
    return t->n ? (double)sum / t->n : 0;
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

static const struct knowledge knowledge[] = {
    { "1 suspect, measured", 1, DIAGNOSIS_MEASURED, 999, false },
    { "2 suspects, measured", 2, DIAGNOSIS_MEASURED, 999, false },
    { "4 suspects, measured", 4, DIAGNOSIS_MEASURED, 999, false },
    { "1 suspect, by registers alone", 1, DIAGNOSIS_BY_REGISTERS, 900, false },
    { "2 suspects, by registers alone", 2, DIAGNOSIS_BY_REGISTERS, 900, false },
    { "4 suspects, by registers alone", 4, DIAGNOSIS_BY_REGISTERS, 900, false },
    { "1 suspect, measured, always wrong", 1, DIAGNOSIS_MEASURED, 0, false },
    { "1 suspect, by registers, always wrong", 1, DIAGNOSIS_BY_REGISTERS, 0, false },
    { "another cause, 1 suspect, measured", 1, DIAGNOSIS_MEASURED, 999, true },
    { "another cause, 1 suspect, by registers", 1, DIAGNOSIS_BY_REGISTERS, 999, true },
};

#define KNOWLEDGE (sizeof(knowledge) / sizeof(knowledge[0]))

/* There are more modules than suspects, and room among these for all that are bad. */
static bool applies(const struct knowledge *known, const struct sim *sim)
{
    bool is_other = sim->cause > SIM_SLOT;

    return known->of_others == is_other && known->n < sim->n_modules &&
           (is_other || (unsigned)__builtin_popcount(sim->bad) <= known->n);
}

/* The same machine with and without. */
static void compare(struct tally row[KNOWLEDGE][2], uint64_t seed, enum verdict without,
                    unsigned restarts)
{
    for (unsigned i = 0; i < KNOWLEDGE; i++) {
        struct sim sim;
        unsigned with_restarts;
        enum verdict with;

        sim_make(&sim, seed, false);
        if (!applies(&knowledge[i], &sim))
            continue;
        with = diagnose(&sim, &knowledge[i], &with_restarts);
        count(&row[i][0], without, restarts);
        count(&row[i][1], with, with_restarts);
    }
}

static double percent(const struct tally *t, enum verdict verdict)
{
    return t->n ? 100.0 * t->verdict[verdict] / t->n : 0;
}

static void print_comparison(struct tally row[KNOWLEDGE][2])
{
    printf(
        "\nThe same machines without -> with suspects:\n\n"
        "| | machines | right, %% | wrong, %% | restarts, mean | 90 %% |\n|---|---|---|---|---|---|\n");
    for (unsigned i = 0; i < KNOWLEDGE; i++) {
        const struct tally *a = &row[i][0], *b = &row[i][1];

        printf("| %s | %u | %.1f -> %.1f | %.1f -> %.1f | %.1f -> %.1f | %u -> %u |\n",
               knowledge[i].name, a->n, percent(a, RIGHT), percent(b, RIGHT), percent(a, WRONG),
               percent(b, WRONG), mean(a), mean(b), percentile(a, 90), percentile(b, 90));
    }
}

int main(int argc, char **argv)
{
    static struct tally row[ROWS], comparison[KNOWLEDGE][2];
    unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : MACHINES;
    unsigned long seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;

    for (unsigned long i = 0; i < n + n / RARER_PART; i++) {
        struct sim sim;
        unsigned restarts;
        enum verdict verdict;

        sim_make(&sim, seed * 1000003 + i, i >= n);
        verdict = diagnose(&sim, NULL, &restarts);
        if (i < n) {
            count_all(row, &sim, verdict, restarts);
            compare(comparison, seed * 1000003 + i, verdict, restarts);
        } else {
            count(&row[RARER], verdict, restarts);
        }
    }
    printf("| | machines | right, %% | wrong, %% | undecided, %% | restarts, median | 95 %% |\n"
           "|---|---|---|---|---|---|---|\n");
    for (unsigned i = 0; i < ROWS; i++)
        print_row(names[i], &row[i]);
    print_comparison(comparison);
    return row[ALL].verdict[WRONG] >= WRONG_MAX * (double)n;
}
