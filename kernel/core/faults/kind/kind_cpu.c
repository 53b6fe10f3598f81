// SPDX-License-Identifier: MIT
#include "kind/kind_cpu.h"

#include "lib/fmt.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "lib/span.h"
#include "lib/string.h"

/* What is believed before the run; of a CPU and of both, for all cores there are together. */
#define PRIOR_MEMORY 0.93
#define PRIOR_CPU    0.06
#define PRIOR_BOTH   0.01

#define STRAY 0.03 /* of a faulty core's events, those that seem to be another's */

/*
 * CPUs meet faults all over memory as often as they read, but not quite by chance: the busiest one
 * may have more. So one may have a greater share, as if this many events had shown the usual one.
 */
#define EVEN_EVENTS 20

#define PLACES      20.0  /* e-folds from a line to all memory: how large a faulty part may be */
#define WRONG_READ  0.002 /* another CPU finds a page bad that a faulty CPU alone spoils */
#define SEEN_TWICE  0.05  /* the same in the tests */
#define READ_RIGHT  6.0   /* times as likely for a CPU: another CPU reads the line right */
#define READ_RIGHTS 3     /* of these, that count */
#define CHECK_FAILS 3e5
#define OWN_ERRORS  100.0
#define ECC_ERRORS  0.2

/*
 * An exception by a wrong bit: a CPU has gone wrong, or a word of okram's own memory, which passed
 * a march just before okram took it. The boot CPU uses nearly all of that memory.
 */
#define RAISES     0.3   /* a faulty core */
#define OWN_RAISES 0.005 /* a fault there: the march has missed it, and it is in an address */

#define SURE_PERCENT   90
#define MEMORY_PERCENT 96 /* more than what is believed before */

/* How likely what was seen is by each cause, all times the same number. */
struct likely {
    double anywhere, in_part, cpu, both;
};

/* What a core may do wrong. */
enum role { READS, WRITES, EITHER, ROLES };

static bool is_of(const struct kind_cpu_event *e, uint32_t core, enum role role)
{
    return (role != WRITES && e->reader == core) || (role != READS && e->writer == core);
}

static uint32_t core_of(const struct kind_cpu_input *in, uint32_t cpu)
{
    return cpu < in->n_cpus ? in->cpu[cpu].core : KIND_CPU_ABSENT;
}

static uint32_t zone_of(const struct kind_cpu_input *in, uint64_t addr)
{
    return (uint32_t)min_u64(addr / max_u64(in->zone_bytes, 1), KIND_CPU_ZONES - 1);
}

/* okram's memory is smaller: an index that is too large changes no bit from here on. */
#define FIRST_TELLING_BIT 32

static bool is_within(uint64_t address, const struct span *own, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (span_contains(own[i], address))
            return true;
    }
    return false;
}

bool kind_cpu_is_flipped(uint64_t address, const struct span *own, size_t n)
{
    bool is_flipped = false;

    for (unsigned bit = FIRST_TELLING_BIT; bit < 64; bit++)
        is_flipped |= is_within(address ^ UINT64_C(1) << bit, own, n);
    return is_flipped && !is_within(address, own, n);
}

/* --- events ----------------------------------------------------------------------------------- */

static struct kind_cpu_event event_of(const struct kind_cpu_input *in, const struct fault *f)
{
    return (struct kind_cpu_event){
        .page = f->addr & ~(uint64_t)(PAGE_SIZE - 1),
        .word = { f->addr, f->expected ^ f->found },
        .zone = zone_of(in, f->addr),
        .test = f->test,
        .pass = f->pass,
        .reader = core_of(in, f->cpu),
        .writer = core_of(in, f->writer),
        .has_reader = true,
        .was_right = f->again == FAULT_AGAIN_OTHER_RIGHT,
    };
}

static bool is_same_event(const struct kind_cpu_event *a, const struct kind_cpu_event *b)
{
    return a->zone == b->zone && a->test == b->test && a->pass == b->pass;
}

static void add(struct kind_cpu_work *work, const struct kind_cpu_event *new)
{
    bool is_known = false;

    for (size_t i = 0; i < work->n; i++) {
        struct kind_cpu_event *e = &work->event[i];

        if (e->page == new->page) {
            e->is_shared |= !is_of(e, new->reader, EITHER) && !is_of(e, new->writer, EITHER);
            e->was_right |= new->was_right;
            return;
        }
        is_known |= is_same_event(e, new);
    }
    if (!is_known && work->n < KIND_CPU_EVENTS)
        work->event[work->n++] = *new;
}

/* A page that was bad again counts even where it is not the first of its event. */
static void add_retest(struct kind_cpu_work *work, const struct page_retest *page)
{
    for (size_t i = 0; i < work->n; i++) {
        if (work->event[i].page == page->addr) {
            work->event[i].retest = page;
            return;
        }
    }
    if (page->failed && work->n < KIND_CPU_EVENTS)
        work->event[work->n++] = (struct kind_cpu_event){ .page = page->addr, .retest = page };
}

static void list_events(struct kind_cpu_work *work, const struct kind_cpu_input *in)
{
    struct kind_cpu_event e;

    work->n = 0;
    for (size_t i = 0; i < in->n_records + in->n_sample; i++) {
        e = event_of(in, i < in->n_records ? &in->record[i] : &in->sample[i - in->n_records]);
        add(work, &e);
    }
    for (size_t i = 0; i < in->n_retests; i++)
        add_retest(work, &in->retest[i]);
}

/* --- what each cause makes of them ------------------------------------------------------------ */

/* What a core, or all of them, have read and written: in each zone, and everywhere. */
struct traffic {
    double zone[KIND_CPU_ZONES], all;
};

static void add_traffic(const struct kind_cpu *cpu, struct traffic *t)
{
    for (size_t z = 0; z < KIND_CPU_ZONES; z++) {
        t->zone[z] += (double)cpu->bytes[z];
        t->all += (double)cpu->bytes[z];
    }
}

/* core: KIND_CPU_ABSENT: all. */
static void sum_traffic(const struct kind_cpu_input *in, uint32_t core, struct traffic *ret)
{
    *ret = (struct traffic){ .all = 0 };
    for (size_t i = 0; i < in->n_cpus; i++) {
        if (core == KIND_CPU_ABSENT || in->cpu[i].core == core)
            add_traffic(&in->cpu[i], ret);
    }
}

static double part_of(double own, double all)
{
    return all > 0 ? own / all : 0.5;
}

/* The chance of so many failures, where all rates are as likely: Jeffreys' prior. */
static double chance(uint32_t failed, uint32_t tries)
{
    double p = 1;

    for (uint32_t i = 0; i < tries; i++) {
        uint32_t nth = i < failed ? i : i - failed;

        p *= (nth + 0.5) / (i + 1);
    }
    return p;
}

/* Times as likely by memory, and by a core, the page's tries are. */
static void weigh_retest(const struct kind_cpu_input *in, const struct page_retest *page,
                         uint32_t core, double *memory, double *cpu)
{
    uint32_t tries = 0, failed = 0, own_tries = 0, own_failed = 0;
    double others = 1;

    for (size_t i = 0; i < PAGE_RETEST_CPUS; i++) {
        const struct page_retest_by *by = &page->by[i];

        tries += by->tries;
        failed += by->failed;
        if (core_of(in, by->cpu) == core) {
            own_tries += by->tries;
            own_failed += by->failed;
        } else {
            for (uint32_t k = 0; k < by->failed; k++)
                others *= WRONG_READ;
        }
    }
    if (page->lost_data)
        *cpu *= SEEN_TWICE;
    if (!failed)
        return;
    *memory *= chance(failed, tries);
    *cpu *= chance(own_failed, own_tries) * others;
}

struct weighing {
    const struct kind_cpu_input *in;
    const struct kind_cpu_work *work;
    uint32_t core;
    enum role role;
    struct traffic own, all;
    double spread;   /* how much more likely the places on the board are by memory */
    double n, n_own; /* events so far, and the core's */
    unsigned rights;
    struct likely so_far;
};

static double bounded(double p)
{
    return p < 0.02 ? 0.02 : p > 0.98 ? 0.98 : p;
}

static struct likely weigh_reader(struct weighing *w, const struct kind_cpu_event *e)
{
    bool own = is_of(e, w->core, w->role);
    double cpus = w->role != EITHER || e->reader == e->writer ? 1 : 2;
    double everywhere = bounded(part_of(w->own.all, w->all.all) * cpus);
    double here = bounded(part_of(w->own.zone[e->zone], w->all.zone[e->zone]) * cpus);
    double met = (EVEN_EVENTS * everywhere + w->n_own) / (EVEN_EVENTS + w->n);
    struct likely l = { own ? met : 1 - met, own ? here : 1 - here, own ? 1 - STRAY : STRAY, 0 };

    w->n++;
    w->n_own += own;
    if (e->is_shared)
        l.cpu *= SEEN_TWICE;
    if (e->was_right && own && w->rights++ < READ_RIGHTS)
        l.cpu *= READ_RIGHT;
    return l;
}

static void scale(struct likely *l)
{
    double most = l->anywhere;

    most = l->in_part > most ? l->in_part : most;
    most = l->cpu > most ? l->cpu : most;
    most = l->both > most ? l->both : most;
    l->anywhere /= most;
    l->in_part /= most;
    l->cpu /= most;
    l->both /= most;
}

static void weigh_event(struct weighing *w, const struct kind_cpu_event *e)
{
    struct likely l = { 1, 1, 1, 0 };
    double memory = 1, cpu = 1;

    if (e->has_reader)
        l = weigh_reader(w, e);
    if (e->retest)
        weigh_retest(w->in, e->retest, w->core, &memory, &cpu);
    w->so_far.anywhere *= l.anywhere * memory;
    w->so_far.in_part *= l.in_part * memory;
    w->so_far.cpu *= l.cpu * cpu;
    w->so_far.both *= ((l.anywhere + l.in_part) / 2 * memory + l.cpu * cpu) / 2;
    scale(&w->so_far);
}

/*
 * How much more likely the places of the events are if they are in one part of the memory tested,
 * of any size and at any place, than if they are all over it.
 */
static double togetherness(const struct kind_cpu_input *in, const struct weighing *w)
{
    uint64_t first = UINT64_MAX, last = 0;
    double n = 0, p = 1, tested = 0, span;

    for (size_t z = 0; z < KIND_CPU_ZONES; z++)
        tested += w->all.zone[z] > 0 ? (double)in->zone_bytes : 0;
    for (size_t i = 0; i < w->work->n; i++) {
        if (!w->work->event[i].has_reader)
            continue;
        n++;
        first = min_u64(first, w->work->event[i].page);
        last = max_u64(last, w->work->event[i].page);
    }
    if (n < 2)
        return 1;
    span = (double)max_u64(last - first, PAGE_SIZE);
    for (double i = 1; i < n && p < 1e30 && tested > span; i++)
        p *= tested / span;
    return p / (PLACES * n * (n - 1));
}

/* Where the events are on the board. all: what all CPUs have read and written. */
static void find_spread(const struct kind_cpu_input *in, const struct traffic *all,
                        struct kind_cpu_work *work)
{
    bool is_tested[KIND_CPU_ZONES];

    work->n_words = 0;
    for (size_t z = 0; z < KIND_CPU_ZONES; z++)
        is_tested[z] = all->zone[z] > 0;
    for (size_t i = 0; i < work->n; i++) {
        if (work->event[i].has_reader)
            work->word[work->n_words++] = work->event[i].word;
    }
    kind_spread_make(&in->board, in->zone_bytes, is_tested, work->word, work->n_words,
                     &work->spread);
}

/* How much an exception speaks for a core: of memory's, each other core has as many. */
static double raised(const struct kind_cpu_input *in, uint32_t core, size_t n_cores)
{
    double by_memory = OWN_RAISES * in->own_part;

    if (core != in->cpu[0].core)
        by_memory /= (double)n_cores;
    return by_memory > 0 && by_memory < RAISES ? RAISES / by_memory : 1;
}

/* How much its own checks, machine checks and exceptions speak for a core. */
static double own_signs(const struct kind_cpu_input *in, uint32_t core, size_t n_cores)
{
    bool failed = false, errors = false, raises = false;

    for (size_t i = 0; i < in->n_cpus; i++) {
        failed |= in->cpu[i].core == core && in->cpu[i].failed;
        errors |= in->cpu[i].core == core && in->cpu[i].errors;
        raises |= in->cpu[i].core == core && in->cpu[i].exceptions;
    }
    return (failed ? CHECK_FAILS : 1) * (errors ? OWN_ERRORS : 1) *
           (raises ? raised(in, core, n_cores) : 1) * (in->ecc_errors ? ECC_ERRORS : 1);
}

/* Whether it is the first of a core. */
static bool is_first(const struct kind_cpu_input *in, size_t cpu)
{
    for (size_t i = 0; i < cpu; i++) {
        if (in->cpu[i].core == in->cpu[cpu].core && !in->cpu[i].is_left_out)
            return false;
    }
    return in->cpu[cpu].core != KIND_CPU_ABSENT && !in->cpu[cpu].is_left_out;
}

static size_t count_cores(const struct kind_cpu_input *in)
{
    size_t n = 0;

    for (size_t i = 0; i < in->n_cpus; i++)
        n += is_first(in, i);
    return n;
}

struct odds {
    uint32_t core;
    double cpu, both; /* to memory alone */
};

static void add_odds(struct weighing w, enum role role, double together, struct odds *o)
{
    double memory;

    w.role = role;
    w.so_far = (struct likely){ 1, 1, 1, 1 };
    for (size_t i = 0; i < w.work->n; i++)
        weigh_event(&w, &w.work->event[i]);
    memory = PRIOR_MEMORY * (w.so_far.anywhere * w.spread + w.so_far.in_part * together) / 2;
    memory = memory > 1e-30 ? memory : 1e-30;
    o->cpu += PRIOR_CPU / ROLES * w.so_far.cpu / memory;
    o->both += PRIOR_BOTH / ROLES * w.so_far.both / memory;
}

/* w: of all cores; its own part is filled here. */
static struct odds odds_of(struct weighing w, uint32_t core, double together, size_t n_cores)
{
    double signs = own_signs(w.in, core, n_cores) / (double)n_cores;
    struct odds o = { .core = core };

    w.core = core;
    sum_traffic(w.in, core, &w.own);
    w.spread = kind_spread_for_memory(&w.work->spread, w.own.zone, w.work->n_words);
    for (enum role role = READS; role < ROLES; role++)
        add_odds(w, role, together, &o);
    o.cpu *= signs;
    o.both *= signs;
    return o;
}

/* --- the verdict ------------------------------------------------------------------------------ */

/* Faults that are recorded, and those that the core read or wrote; of more, one of each page. */
struct tally {
    const char *what;
    size_t all, own, read;
    uint32_t others, others_failed; /* tries of other cores, of pages that were tested again */
};

static struct tally tally_of(const struct kind_cpu_input *in, uint32_t core)
{
    bool is_more = in->n_records >= FAULT_RECORDS && in->n_sample;
    const struct fault *fault = is_more ? in->sample : in->record;
    struct tally t = { is_more ? "bad pages looked at" : "faults",
                       .all = is_more ? in->n_sample : in->n_records };

    for (size_t i = 0; i < t.all; i++) {
        bool read = core_of(in, fault[i].cpu) == core;

        t.read += read;
        t.own += read || core_of(in, fault[i].writer) == core;
    }
    for (size_t i = 0; i < in->n_retests; i++) {
        for (size_t k = 0; k < PAGE_RETEST_CPUS; k++) {
            const struct page_retest_by *by = &in->retest[i].by[k];
            bool other = core_of(in, by->cpu) != core;

            t.others += other ? by->tries : 0;
            t.others_failed += other ? by->failed : 0;
        }
    }
    return t;
}

/* ", in both modules and one byte lane", ", in 3 of 4 channels". */
static void put_spread(const struct kind_spread *s, struct fmt_buffer *out)
{
    unsigned level = s->n_levels > KIND_LEVEL_MODULE ? KIND_LEVEL_MODULE : KIND_LEVEL_CHANNEL;
    const char *name = level == KIND_LEVEL_MODULE ? "modules" : "channels";

    if (!s->n_levels || s->n[level] < 2)
        return;
    if (s->n[level] < s->of[level])
        fmt_append(out, ", in %u of %u %s", s->n[level], s->of[level], name);
    else
        fmt_append(out, s->of[level] == 2 ? ", in both %s" : ", in all %s", name);
    if (s->is_one_lane)
        fmt_append(out, " and one byte lane");
}

static void put_faults(const struct kind_cpu_work *work, const struct tally *t,
                       struct fmt_buffer *out)
{
    bool all = t->own == t->all;

    if (all)
        fmt_append(out, "all %zu %s were ", t->all, t->what);
    else
        fmt_append(out, "%zu of %zu %s were ", t->own, t->all, t->what);
    fmt_append(out, "%s by it", t->read == t->own ? "read" : "read or written");
    put_spread(&work->spread, out);
    if (t->others && !t->others_failed)
        fmt_append(out, "; other CPUs read the same cells right");
}

static void put_count(struct fmt_buffer *out, uint64_t n, const char *one, const char *more)
{
    if (!n)
        return;
    fmt_append(out, out->length ? "; it " : "it ");
    fmt_append(out, n == 1 ? one : more, (unsigned long long)n);
}

static void put_cpu(const struct kind_cpu_input *in, const struct kind_cpu_work *work,
                    const struct kind_cause_verdict *v, struct fmt_buffer *out)
{
    struct tally t = tally_of(in, v->core);
    uint64_t failed = 0, errors = 0, exceptions = 0;

    for (size_t i = 0; i < in->n_cpus; i++) {
        failed += in->cpu[i].core == v->core ? in->cpu[i].failed : 0;
        errors += in->cpu[i].core == v->core ? in->cpu[i].errors : 0;
        exceptions += in->cpu[i].core == v->core ? in->cpu[i].exceptions : 0;
    }
    if (t.all)
        put_faults(work, &t, out);
    put_count(out, failed, "failed %llu of its own checks", "failed %llu of its own checks");
    put_count(out, errors, "reports %llu error of its own", "reports %llu errors of its own");
    put_count(out, exceptions,
              "raised an exception in okram's intact code, at an address with one wrong bit",
              "raised %llu exceptions in okram's intact code, at addresses with one wrong bit");
}

/* In the tests, or when it was tested again. */
static bool is_bad_on_several(const struct kind_cpu_input *in, const struct kind_cpu_event *e)
{
    const struct page_retest_by *first = NULL;

    if (e->is_shared || !e->retest)
        return e->is_shared;
    for (size_t i = 0; i < PAGE_RETEST_CPUS; i++) {
        const struct page_retest_by *by = &e->retest->by[i];

        if (first && by->failed && core_of(in, by->cpu) != core_of(in, first->cpu))
            return true;
        first = by->failed ? by : first;
    }
    return false;
}

static void put_memory(const struct kind_cpu_input *in, const struct kind_cpu_work *work,
                       struct fmt_buffer *out)
{
    size_t n = 0;

    for (size_t i = 0; i < work->n; i++)
        n += is_bad_on_several(in, &work->event[i]);
    if (n)
        fmt_append(out, "CPUs of several cores found the same pages bad: %zu of %zu looked at", n,
                   work->n);
    else
        fmt_append(out, "the faults keep to places in memory, not to a CPU");
}

static void conclude(const struct kind_cpu_input *in, const struct kind_cpu_work *work,
                     const struct odds *best, double all, struct kind_cause_verdict *ret)
{
    struct fmt_buffer out = fmt_buffer_make(ret->evidence, sizeof(ret->evidence));
    double p = all / (1 + all);
    bool is_both = best->both > best->cpu;

    ret->core = best->core;
    while (ret->cpu + 1 < in->n_cpus && in->cpu[ret->cpu].core != best->core)
        ret->cpu++;
    ret->percent = (unsigned)(100 * p);
    if (ret->percent >= SURE_PERCENT) {
        ret->cause = is_both ? KIND_CAUSE_BOTH : KIND_CAUSE_CPU;
        put_cpu(in, work, ret, &out);
    } else if (100 - 100 * p >= MEMORY_PERCENT) {
        ret->cause = KIND_CAUSE_MEMORY;
        ret->percent = (unsigned)(100 - 100 * p);
        put_memory(in, work, &out);
    } else {
        put_cpu(in, work, ret, &out);
    }
}

/* How likely a CPU is at fault that failed its own check, where no fault says anything. */
static unsigned failed_percent(void)
{
    return (unsigned)(100 * PRIOR_CPU * CHECK_FAILS / (PRIOR_MEMORY + PRIOR_CPU * CHECK_FAILS));
}

/*
 * A CPU that failed its own check is at fault, whatever the faults say. If it was left out of the
 * run they are of memory, too, or of a CPU that is still there.
 */
static void take_failed(const struct kind_cpu_input *in, bool any_faults,
                        struct kind_cause_verdict *ret)
{
    char why[KIND_CAUSE_SIZE] = "other CPUs read the faults";
    uint32_t cpu = 0;

    while (cpu < in->n_cpus && (!in->cpu[cpu].failed || in->cpu[cpu].is_unused))
        cpu++;
    if (cpu == in->n_cpus || kind_cause_is_cpu(ret))
        return;
    if (ret->is_known && ret->cause == KIND_CAUSE_MEMORY) {
        string_copy(why, ret->evidence, sizeof(why));
    } else if (in->cpu[cpu].is_left_out && any_faults) {
        ret->percent = ret->is_known ? 100 - ret->percent : (unsigned)(100 * PRIOR_MEMORY);
    } else if (in->ecc_errors) {
        string_copy(why, "ECC reported errors of memory", sizeof(why));
        ret->percent = failed_percent();
    } else {
        why[0] = 0;
        ret->percent = failed_percent();
    }
    ret->cause = why[0] ? KIND_CAUSE_BOTH : KIND_CAUSE_CPU;
    if (why[0])
        fmt_print(ret->evidence, sizeof(ret->evidence), "%s; CPU %u failed %u of its own checks",
                  why, cpu, in->cpu[cpu].failed);
    else
        fmt_print(ret->evidence, sizeof(ret->evidence), "it failed %u of its own checks",
                  in->cpu[cpu].failed);
    ret->is_known = true;
    ret->cpu = cpu;
    ret->core = in->cpu[cpu].core;
}

/* False: there is one core only, or neither a fault read by a test nor an exception. */
static bool weigh_cores(struct kind_cpu_work *work, const struct kind_cpu_input *in,
                        struct kind_cause_verdict *ret)
{
    struct weighing w = { .in = in, .work = work };
    size_t n_cores = count_cores(in);
    struct odds best = { 0 };
    double all = 0, together;
    bool any_raised = false;

    for (size_t i = 0; i < in->n_cpus; i++)
        any_raised |= in->cpu[i].core != KIND_CPU_ABSENT && in->cpu[i].exceptions;
    if (n_cores < 2 || (!work->n && !any_raised))
        return false;
    sum_traffic(in, KIND_CPU_ABSENT, &w.all);
    together = togetherness(in, &w);
    find_spread(in, &w.all, work);
    for (size_t i = 0; i < in->n_cpus; i++) {
        struct odds o = { 0 };

        if (is_first(in, i))
            o = odds_of(w, in->cpu[i].core, together, n_cores);
        all += o.cpu + o.both;
        if (o.cpu + o.both > best.cpu + best.both)
            best = o;
    }
    conclude(in, work, &best, all, ret);
    return true;
}

void kind_cpu_find(struct kind_cpu_work *work, const struct kind_cpu_input *in,
                   struct kind_cause_verdict *ret)
{
    *ret = (struct kind_cause_verdict){ 0 };
    list_events(work, in);
    ret->is_known = weigh_cores(work, in, ret);
    take_failed(in, work->n != 0, ret);
}

void kind_cause_append(const struct kind_cause_verdict *v, struct fmt_buffer *out)
{
    char name[40];

    fmt_print(name, sizeof(name), "CPU %u (core %u)", v->cpu, v->core);
    switch (v->cause) {
    case KIND_CAUSE_MEMORY: fmt_append(out, "memory, no CPU, %u %%", v->percent); break;
    case KIND_CAUSE_CPU: fmt_append(out, "points to %s, %u %%", name, v->percent); break;
    case KIND_CAUSE_BOTH: fmt_append(out, "memory and %s, %u %%", name, v->percent); break;
    default: fmt_append(out, "memory or %s: undecided", name); break;
    }
}

const char *kind_cause_word(enum kind_cause cause)
{
    static const char *const word[KIND_CAUSES] = { "open", "memory", "cpu", "both" };

    ASSERT(cause < KIND_CAUSES);
    return word[cause];
}
