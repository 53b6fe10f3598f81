// SPDX-License-Identifier: MIT
#include "report/text.h"

#include "lib/fmt.h"
#include "lib/string.h"
#include "report/phrases.h"
#include "support/support_lines.h"

#define PROGRESS_SECONDS 5.0
#define CPU_LIST_MAX     4096 /* "0,2,4,…": over 800 CPUs with no two neighbours */

static void begin_line(const struct text_log *l, double t)
{
    writer_print(&l->out, "[%10.3f] ", t);
}

static void put_size(const struct text_log *l, uint64_t bytes)
{
    char size[24];
    struct fmt_buffer b = fmt_buffer_make(size, sizeof(size));

    fmt_append_size(&b, bytes);
    writer_text(&l->out, size);
}

static void put_duration(const struct text_log *l, double seconds)
{
    char duration[24];
    struct fmt_buffer b = fmt_buffer_make(duration, sizeof(duration));

    phrases_append_duration(&b, seconds);
    writer_text(&l->out, duration);
}

static void put_span(const struct text_log *l, struct span s)
{
    writer_print(&l->out, "0x%012lx-0x%012lx  ", s.base, span_end(s));
    put_size(l, s.size);
}

static void labelled(const struct text_log *l, double t, const char *label, const char *text)
{
    begin_line(l, t);
    writer_padded(&l->out, label, 11);
    writer_text(&l->out, text);
    writer_text(&l->out, "\n");
}

static void write_start(const struct text_log *l, double t, const struct event_start *s)
{
    begin_line(l, t);
    writer_text(&l->out, "okram ");
    writer_text(&l->out, s->version);
    writer_text(&l->out,
                strcmp(s->boot, "uefi") == 0 ? ", started by UEFI, " : ", started by BIOS, ");
    writer_text(&l->out, s->loader);
    writer_text(&l->out, "\n");
    labelled(l, t, "options", *s->cmdline ? s->cmdline : "(none)");
}

static void write_kind(const struct text_log *l, double t, const struct event_cpu_kind *k)
{
    char cpus[CPU_LIST_MAX];
    struct fmt_buffer b = fmt_buffer_make(cpus, sizeof(cpus));

    phrases_append_list(&b, k->cpus, k->n_cpus);
    begin_line(l, t);
    writer_padded(&l->out, "cpus", 11);
    writer_text(&l->out, cpus);
    writer_print(&l->out, "%s%s%s, %u thread%s per core", b.cut ? "..." : "",
                 strcmp(k->kind, "all") == 0 ? "" : ": ",
                 strcmp(k->kind, "all") == 0 ? "" : k->kind, k->threads_per_core,
                 fmt_plural(k->threads_per_core));
    if (k->microcode)
        writer_print(&l->out, ", microcode 0x%lx", (unsigned long)k->microcode);
    if (k->speed_percent)
        writer_print(&l->out, ", speed %u %%", k->speed_percent);
    writer_text(&l->out, "\n");
}

static void write_machine(const struct text_log *l, double t, const struct event_machine *m)
{
    labelled(l, t, "cpu", m->cpu);
    begin_line(l, t);
    writer_print(&l->out, "machine    %u CPU%s on %u node%s, TSC %.3f GHz, line operations ",
                 m->cpus, fmt_plural(m->cpus), m->nodes, fmt_plural(m->nodes),
                 (double)m->tsc_hz / 1e9);
    writer_text(&l->out, m->isa);
    writer_text(&l->out, "\n");
    for (size_t i = 0; i < m->n_kinds; i++)
        write_kind(l, t, &m->kinds[i]);
    begin_line(l, t);
    writer_text(&l->out, "memory     ");
    put_size(l, m->ram_bytes);
    writer_text(&l->out, " of RAM, ");
    put_size(l, m->testable_bytes);
    writer_text(&l->out, " to test, installed: ");
    if (m->installed_bytes)
        put_size(l, m->installed_bytes);
    else
        writer_text(&l->out, "not reported by the firmware");
    writer_text(&l->out, "\n");
    if (m->specific_bytes) {
        begin_line(l, t);
        writer_text(&l->out, "           ");
        put_size(l, m->specific_bytes);
        writer_text(&l->out,
                    " of it is specific-purpose memory (CXL, high bandwidth): tested, too\n");
    }
    for (size_t i = l->n_warnings; i < m->n_warnings; i++)
        labelled(l, t, "warning", m->warnings[i]);
}

/* "speed      CPUs 0-3 100 %, 4-7 52 %", of the fastest CPU's. */
static void write_speeds(const struct text_log *l, double t, const struct event_node *n)
{
    begin_line(l, t);
    writer_padded(&l->out, "speed", 11);
    writer_text(&l->out, "CPUs");
    for (size_t i = 0, end; i < n->n_cpus; i = end) {
        for (end = i + 1; end < n->n_cpus && n->speed_percent[end] == n->speed_percent[i];)
            end++;
        writer_print(&l->out, "%s %u", i ? "," : "", n->cpus[i]);
        if (end > i + 1)
            writer_print(&l->out, "-%u", n->cpus[end - 1]);
        writer_print(&l->out, " %u %%", n->speed_percent[i]);
    }
    writer_text(&l->out, "\n");
}

/* Not all as the fastest, as far as is known. */
static bool has_slow_cpus(const struct event_node *n)
{
    for (size_t i = 0; n->speed_percent && i < n->n_cpus; i++) {
        if (n->speed_percent[i] && n->speed_percent[i] < 100)
            return true;
    }
    return false;
}

static void write_node(const struct text_log *l, double t, const struct event_node *n)
{
    char cpus[CPU_LIST_MAX];
    struct fmt_buffer b = fmt_buffer_make(cpus, sizeof(cpus));

    phrases_append_list(&b, n->cpus, n->n_cpus);
    begin_line(l, t);
    writer_print(&l->out, "node %-5u CPUs ", n->node);
    writer_text(&l->out, cpus);
    writer_text(&l->out, b.cut ? "...; " : "; ");
    put_size(l, n->ram_bytes);
    writer_print(&l->out, " in %zu span%s\n", n->n_spans, fmt_plural(n->n_spans));
    for (size_t i = 0; i < n->n_spans; i++) {
        begin_line(l, t);
        writer_padded(&l->out, "", 11);
        put_span(l, n->spans[i]);
        writer_text(&l->out, "\n");
    }
    if (has_slow_cpus(n))
        write_speeds(l, t, n);
}

static void write_support(const struct text_log *l, double t, const struct support *s)
{
    struct support_line line;
    size_t n = support_lines(s);

    for (size_t i = 0; i < n; i++) {
        support_line(s, i, &line);
        begin_line(l, t);
        writer_padded(&l->out, line.is_heading ? "support" : "", 11);
        writer_text(&l->out, line.text);
        writer_text(&l->out, line.is_heading ? ":\n" : "\n");
    }
}

static void write_cache(const struct text_log *l, double t, const struct event_cache *c)
{
    char level[16] = "memory", size[24];
    struct fmt_buffer b = fmt_buffer_make(size, sizeof(size));

    if (c->level)
        fmt_print(level, sizeof(level), "L%u", c->level);
    fmt_append_size(&b, c->size_bytes);
    begin_line(l, t);
    writer_print(&l->out, "cache      %-6s %8s, %10.1f MB/s", level, size, c->mb_s);
    if (c->ns > 0)
        writer_print(&l->out, ", %8.1f ns", c->ns);
    writer_text(&l->out, "\n");
}

static void put_spread(const struct text_log *l, const struct event_stats *s)
{
    writer_print(&l->out, "  (stddev %.1f, %.1f to %.1f; ", s->stddev, s->min, s->max);
}

static void put_runs(const struct text_log *l, uint32_t runs)
{
    writer_print(&l->out, "%u run%s)\n", runs, fmt_plural(runs));
}

static void put_threads(const struct text_log *l, uint32_t threads)
{
    writer_print(&l->out, "%u thread%s, ", threads, fmt_plural(threads));
}

static void write_scaling(const struct text_log *l, double t, const struct event_bandwidth *b)
{
    begin_line(l, t);
    writer_padded(&l->out, "scaling", 11);
    writer_padded(&l->out, b->op, 6);
    writer_print(&l->out, "%10.1f MB/s  %4u thread%s ", b->mb_s.mean, b->threads,
                 b->threads == 1 ? ", " : "s,");
    writer_padded(&l->out, b->order, 6);
    put_spread(l, &b->mb_s);
    put_runs(l, b->runs);
}

static void write_bandwidth(const struct text_log *l, double t, const struct event_bandwidth *b)
{
    if (b->order) {
        write_scaling(l, t, b);
        return;
    }
    begin_line(l, t);
    writer_padded(&l->out, "bandwidth", 11);
    writer_padded(&l->out, b->op, 6);
    writer_print(&l->out, "%10.1f MB/s  CPUs of node %u, memory of node %u", b->mb_s.mean,
                 b->cpu_node, b->mem_node);
    put_spread(l, &b->mb_s);
    put_threads(l, b->threads);
    put_runs(l, b->runs);
}

static void write_latency(const struct text_log *l, double t, const struct event_latency *m)
{
    begin_line(l, t);
    writer_print(&l->out, "latency    %10.1f ns    CPU of node %u, memory of node %u, over ", m->ns,
                 m->cpu_node, m->mem_node);
    put_size(l, m->size_bytes);
    writer_text(&l->out, "  (");
    writer_text(&l->out, m->load);
    if (m->mix)
        writer_print(&l->out, ": %.1f MB/s of %s", m->load_mb_s,
                     strcmp(m->mix, "2:1") == 0 ? "2 reads to 1 write" : m->mix);
    writer_text(&l->out, ")\n");
}

/* Two lines, their figures aligned. */
static void write_contention(const struct text_log *l, double t, const struct event_contention *c)
{
    begin_line(l, t);
    writer_print(&l->out,
                 "contention %10.1f MB/s idle, %10.1f MB/s loaded, slowdown %6.1f %%  CPUs of node "
                 "%u, memory of node %u, loaded by CPUs of node %u",
                 c->idle.mean, c->loaded.mean,
                 phrases_slow_down_of_bandwidth(c->idle.mean, c->loaded.mean), c->cpu_node,
                 c->mem_node, c->load_node);
    writer_print(&l->out, "  (stddev %.1f and %.1f; ", c->idle.stddev, c->loaded.stddev);
    put_threads(l, c->threads);
    writer_print(&l->out, "%u load, ", c->load_threads);
    put_runs(l, c->runs);
    begin_line(l, t);
    writer_print(&l->out,
                 "           %10.1f ns   idle, %10.1f ns   loaded, slowdown %6.1f %%  latency of "
                 "one CPU of node %u\n",
                 c->idle_ns, c->loaded_ns, phrases_slow_down_of_latency(c->idle_ns, c->loaded_ns),
                 c->cpu_node);
}

static void write_redundancy(const struct text_log *l, double t, const struct event_redundancy *r)
{
    bool plain = strcmp(r->kind, "plain") == 0;

    begin_line(l, t);
    writer_padded(&l->out, "redundancy", 11);
    writer_padded(&l->out, r->kind, 6);
    writer_print(&l->out, "%10.1f MB/s, cost %6.1f %%  CPUs of node %u, data on node %u",
                 r->mb_s.mean, r->cost_percent, r->cpu_node, r->mem_node);
    if (!plain) {
        writer_text(&l->out, ", ");
        writer_text(&l->out, r->kind);
        writer_print(&l->out, " on node %u", r->other_node);
    }
    put_spread(l, &r->mb_s);
    put_threads(l, r->threads);
    put_runs(l, r->runs);
}

static void write_progress(struct text_log *l, double t, const struct event_progress *p)
{
    if (t < l->next_progress || strcmp(p->phase, "done") == 0)
        return;
    l->next_progress = t + PROGRESS_SECONDS;
    begin_line(l, t);
    writer_padded(&l->out, "progress", 11);
    if (strcmp(p->phase, "test") != 0) {
        writer_text(&l->out, p->phase);
        writer_text(&l->out, "\n");
        return;
    }
    writer_print(&l->out, "pass %u", p->pass);
    if (p->passes)
        writer_print(&l->out, " of %u", p->passes);
    writer_print(&l->out, ", %u %%, test %u of %u ", phrases_percent(phrases_part_of_pass(p)),
                 p->test_index + 1, p->n_tests);
    writer_text(&l->out, p->test);
    writer_print(&l->out, ", %.0f MB/s, ", p->mb_s);
    put_duration(l, p->seconds);
    writer_text(&l->out, " elapsed, ");
    if (p->seconds_left >= 0)
        put_duration(l, p->seconds_left);
    else
        writer_text(&l->out, "unknown");
    writer_print(&l->out, " left, %lu fault%s in %lu page%s\n", p->faults, fmt_plural(p->faults),
                 p->bad_pages, fmt_plural(p->bad_pages));
}

static void write_test(const struct text_log *l, double t, const struct event_test *e)
{
    begin_line(l, t);
    writer_padded(&l->out, "test", 11);
    writer_padded(&l->out, e->test, 18);
    writer_print(&l->out, " pass %u, %.3f s, ", e->pass, e->seconds);
    put_size(l, e->swept_bytes);
    if (e->sweeps)
        writer_print(&l->out, " in %u sweep%s", e->sweeps, fmt_plural(e->sweeps));
    writer_print(&l->out, ", %.0f MB/s",
                 e->seconds > 0 ? (double)e->swept_bytes / e->seconds / 1e6 : 0.0);
    if (e->hammers) {
        writer_text(&l->out, ", hammered ");
        put_size(l, e->hammered_bytes);
    }
    if (e->has_seed)
        writer_print(&l->out, ", seed %lu", e->seed);
    writer_print(&l->out, ", %lu fault%s\n", e->faults, fmt_plural(e->faults));
    if (e->note)
        labelled(l, t, "note", e->note);
}

static void write_fault(const struct text_log *l, double t, const struct event_fault *f)
{
    begin_line(l, t);
    writer_print(&l->out, "FAULT      0x%012lx  expected %016lx  found %016lx  differs %016lx  ",
                 f->addr, f->expected, f->found, f->expected ^ f->found);
    writer_text(&l->out, f->test);
    writer_print(&l->out, ", pass %u, CPU %u, node %u\n", f->pass, f->cpu, f->node);
}

static void write_foreign(const struct text_log *l, double t, const struct event_foreign *f)
{
    begin_line(l, t);
    writer_print(&l->out, "foreign    0x%012lx  expected %016lx  found %016lx  ", f->addr,
                 f->expected, f->found);
    writer_text(&l->out, phrases_foreign(f->addr));
    writer_text(&l->out, ", no fault: ");
    writer_text(&l->out, f->test);
    writer_print(&l->out, ", pass %u, CPU %u\n", f->pass, f->cpu);
}

static void write_alias(const struct text_log *l, double t, const struct event_alias *a)
{
    char text[256];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    phrases_append_alias(&b, &a->alias);
    labelled(l, t, "ALIAS", text);
}

static void write_mce(const struct text_log *l, double t, const struct event_mce *m)
{
    begin_line(l, t);
    writer_print(&l->out, "mce        %s machine check on CPU %u, bank %u, status 0x%016lx",
                 m->corrected ? "corrected" : "UNCORRECTED", m->cpu, m->bank, m->status);
    if (m->has_addr)
        writer_print(&l->out, ", address 0x%012lx", m->addr);
    if (m->count > 1)
        writer_print(&l->out, ", %lu so far", m->count);
    if (m->is_memory)
        writer_text(&l->out, "; its page is bad");
    writer_text(&l->out, "\n");
}

static void describe_badram(const struct text_log *l, double t)
{
    char text[160];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    kept_badram_describe(&l->badram, &b);
    labelled(l, t, "badram", text);
}

static void put_badram_line(const struct text_log *l)
{
    writer_text(&l->out, l->badram.line);
    writer_text(&l->out, "\n");
}

static void receive_badram(struct text_log *l, double t, const struct event_badram *b)
{
    bool asked = l->pace.ask;

    kept_badram_set(&l->badram, b);
    if (b->final || !pace_allows(&l->pace, t, l->badram.length))
        return;
    if (b->line[0]) {
        describe_badram(l, t);
        put_badram_line(l);
    } else if (asked) {
        labelled(l, t, "badram", "no fault found so far");
    }
}

/* Whole, and on lines of their own, as the user has to copy them. */
static void write_line(const struct text_log *l, double t, const struct event_line *e)
{
    begin_line(l, t);
    writer_padded(&l->out, "line", 11);
    writer_text(&l->out, e->name);
    writer_text(&l->out, " (");
    writer_text(&l->out, e->place);
    writer_text(&l->out, "): ");
    writer_text(&l->out, e->note);
    writer_text(&l->out, "\n");
    if (*e->text) {
        writer_text(&l->out, e->text);
        writer_text(&l->out, "\n");
    }
}

static void write_verdict(const struct text_log *l, double t, const struct event_result *r)
{
    char verdict[400];
    struct fmt_buffer b = fmt_buffer_make(verdict, sizeof(verdict));

    if (strcmp(r->status, "pass") == 0) {
        fmt_append(&b, r->complete ? "PASS: no fault found"
                                   : "PASS, BUT INCOMPLETE: no fault found in the memory tested");
    } else if (strcmp(r->status, "stopped") == 0) {
        fmt_append(&b, "STOPPED before a whole pass: ");
        phrases_append_tests(&b, r->tests, r->n_tests);
    } else if (strcmp(r->status, "fail") == 0) {
        fmt_append(&b, "FAIL: %lu bad page%s, %lu fault%s, failing bits of a 64-bit word: ",
                   r->bad_pages, fmt_plural(r->bad_pages), r->faults, fmt_plural(r->faults));
        phrases_append_bits(&b, r->failing_bits);
    } else {
        fmt_append(&b, "ERROR: no memory could be tested");
    }
    if (r->stopped && strcmp(r->status, "stopped") != 0)
        fmt_append(&b, "; the run was stopped early");
    if (!r->complete && strcmp(r->status, "error") != 0)
        fmt_append(&b, "; less than 99 %% of the selected memory was tested");
    labelled(l, t, "result", verdict);
}

static void write_apart(const struct text_log *l, double t, const struct event_result *r)
{
    labelled(l, t, "apart",
             "tested, but never together with the rest: faults between the two may be missed:");
    for (size_t i = 0; i < r->n_apart; i++) {
        begin_line(l, t);
        writer_padded(&l->out, "", 11);
        put_span(l, r->apart[i]);
        writer_text(&l->out, "\n");
    }
}

static void write_interrupts(const struct text_log *l, double t, const struct event_result *r)
{
    labelled(l, t, "interrupts", "not asked for, and ignored:");
    for (size_t i = 0; i < r->n_interrupts; i++) {
        begin_line(l, t);
        writer_padded(&l->out, "", 11);
        writer_print(&l->out, "vector %u, ", r->interrupts[i].vector);
        writer_text(&l->out, r->interrupts[i].what);
        writer_print(&l->out, ": %lu\n", r->interrupts[i].count);
    }
}

static void write_result(const struct text_log *l, double t, const struct event_result *r)
{
    write_verdict(l, t, r);
    begin_line(l, t);
    writer_padded(&l->out, "tested", 11);
    put_size(l, r->tested_bytes);
    writer_print(&l->out, ", %u complete pass%s in ", r->passes, r->passes == 1 ? "" : "es");
    put_duration(l, r->seconds);
    writer_text(&l->out, "\n");
    begin_line(l, t);
    writer_padded(&l->out, "untested", 11);
    put_size(l, r->untested_bytes);
    writer_text(&l->out, r->n_untested ? ":\n" : "\n");
    for (size_t i = 0; i < r->n_untested; i++) {
        begin_line(l, t);
        writer_padded(&l->out, "", 11);
        put_span(l, r->untested[i].span);
        writer_text(&l->out, "  ");
        writer_text(&l->out, r->untested[i].why);
        writer_text(&l->out, "\n");
    }
    if (r->n_apart)
        write_apart(l, t, r);
    if (r->n_interrupts)
        write_interrupts(l, t, r);
    if (l->badram.line[0]) {
        describe_badram(l, t);
        put_badram_line(l);
    } else {
        labelled(l, t, "badram",
                 strcmp(r->status, "pass") == 0 ? "no fault found, no line needed"
                                                : "no line was made");
    }
}

void text_init(struct text_log *l, struct writer out)
{
    memset(l, 0, sizeof(*l));
    l->out = out;
}

void text_ask(struct text_log *l)
{
    l->pace.ask = true;
    l->next_progress = 0;
}

void text_receive(void *ctx, const struct event *e)
{
    struct text_log *l = ctx;

    switch (e->type) {
    case EVENT_START:
        write_start(l, e->t, &e->start);
        break;
    case EVENT_WARNING:
        labelled(l, e->t, "warning", e->warning);
        l->n_warnings++;
        break;
    case EVENT_MACHINE:
        write_machine(l, e->t, &e->machine);
        break;
    case EVENT_NODE:
        write_node(l, e->t, &e->node);
        break;
    case EVENT_SUPPORT:
        if (e->support.asked)
            write_support(l, e->t, e->support.support);
        break;
    case EVENT_CACHE:
        write_cache(l, e->t, &e->cache);
        break;
    case EVENT_BANDWIDTH:
        write_bandwidth(l, e->t, &e->bandwidth);
        break;
    case EVENT_LATENCY:
        write_latency(l, e->t, &e->latency);
        break;
    case EVENT_CONTENTION:
        write_contention(l, e->t, &e->contention);
        break;
    case EVENT_REDUNDANCY:
        write_redundancy(l, e->t, &e->redundancy);
        break;
    case EVENT_PROGRESS:
        write_progress(l, e->t, &e->progress);
        break;
    case EVENT_TEST:
        write_test(l, e->t, &e->test);
        break;
    case EVENT_FAULT:
        write_fault(l, e->t, &e->fault);
        break;
    case EVENT_FOREIGN:
        write_foreign(l, e->t, &e->foreign);
        break;
    case EVENT_ALIAS:
        write_alias(l, e->t, &e->alias);
        break;
    case EVENT_MCE:
        write_mce(l, e->t, &e->mce);
        break;
    case EVENT_BADRAM:
        receive_badram(l, e->t, &e->badram);
        break;
    case EVENT_LINE:
        if (!e->line.asked)
            write_line(l, e->t, &e->line);
        break;
    case EVENT_RESULT:
        write_result(l, e->t, &e->result);
        break;
    case EVENT_KEPT:
        break;
    }
}
