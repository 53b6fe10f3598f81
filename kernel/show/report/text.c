// SPDX-License-Identifier: MIT
#include "report/text.h"

#include "kind/kind.h"
#include "lib/string.h"
#include "report/format_text.h"
#include "report/text_line.h"

#define PROGRESS_SECONDS 5.0

static void write_progress(struct text_log *l, const struct event_progress *p)
{
    if (l->t < l->next_progress || strcmp(p->phase, "done") == 0)
        return;
    l->next_progress = l->t + PROGRESS_SECONDS;
    if (strcmp(p->phase, "test") != 0) {
        text_line(l, "progress", "%s", p->phase);
        return;
    }
    text_begin(l, "progress");
    fmt_append(&l->out, "pass %u", p->pass);
    if (p->passes)
        fmt_append(&l->out, " of %u", p->passes);
    fmt_append(&l->out, ", %u %%, test %u of %u %s, %.0f MB/s, ",
               format_text_percent(format_text_part_of_pass(p)), p->test_index + 1, p->n_tests,
               p->test, p->mb_s);
    format_text_append_duration(&l->out, p->seconds);
    fmt_append(&l->out, " elapsed, ");
    if (p->seconds_left >= 0)
        format_text_append_duration(&l->out, p->seconds_left);
    else
        fmt_append(&l->out, "unknown");
    fmt_append(&l->out, " left, %lu fault%s in %lu page%s\n", p->faults, fmt_plural(p->faults),
               p->bad_pages, fmt_plural(p->bad_pages));
}

static void write_test(struct text_log *l, const struct event_test *e)
{
    text_begin(l, "test");
    fmt_append(&l->out, "%-18s pass %u, %.3f s, %s", e->test, e->pass, e->seconds,
               FMT_SIZE(e->swept_bytes));
    if (e->sweeps)
        fmt_append(&l->out, " in %u sweep%s", e->sweeps, fmt_plural(e->sweeps));
    fmt_append(&l->out, ", %.0f MB/s",
               e->seconds > 0 ? (double)e->swept_bytes / e->seconds / 1e6 : 0.0);
    if (e->hammers)
        fmt_append(&l->out, ", hammered %s", FMT_SIZE(e->hammered_bytes));
    if (e->has_seed)
        fmt_append(&l->out, ", seed %lu", e->seed);
    fmt_append(&l->out, ", %lu fault%s\n", e->faults, fmt_plural(e->faults));
    if (e->note)
        text_line(l, "note", "%s", e->note);
}

static void write_rows(struct text_log *l, const struct event_rows *r)
{
    const struct row_map *map = &r->result->map;

    text_begin(l, "rows");
    fmt_append(&l->out, "node %u", r->node);
    if (map->part.size)
        fmt_append(&l->out, ", %s from 0x%lx on", FMT_SIZE(map->part.size), map->part.base);
    if (r->result->answer != ROWS_FOUND) {
        fmt_append(&l->out, ": timing gives no clear answer: %s; rows are %s\n",
                   row_answer_text(r->result->answer),
                   map->registers ? "taken from the memory controller's registers" : "guessed");
        return;
    }
    fmt_append(&l->out, ": found by timing; banks by the address bits");
    for (unsigned i = 0; i < map->n_functions; i++)
        fmt_append(&l->out, " 0x%lx", map->function[i]);
    fmt_append(&l->out, ", rows by 0x%lx", map->row);
    if (map->hole)
        fmt_append(&l->out, ", above 4 GiB without 0x%lx", map->hole);
    if (map->registers)
        fmt_append(&l->out, "; neighbours by the memory controller's registers");
    fmt_append(&l->out, "\n");
}

static void write_fault(struct text_log *l, const struct event_fault *f)
{
    text_line(l, "FAULT",
              "0x%012lx  expected %016lx  found %016lx  differs %016lx  %s, pass %u, CPU %u, node "
              "%u%s%s%s%s",
              f->addr, f->expected, f->found, f->expected ^ f->found, f->test, f->pass, f->cpu,
              f->node, f->channel ? ", by your bits " : "", f->channel ? f->channel : "",
              f->place ? ", " : "", f->place ? f->place : "");
}

static void write_external(struct text_log *l, const struct event_fault *f)
{
    text_line(l, "external",
              "0x%012lx  expected %016lx  found %016lx  %s, no fault: %s, pass %u, CPU %u", f->addr,
              f->expected, f->found, format_text_external(f->addr), f->test, f->pass, f->cpu);
}

static void write_alias(struct text_log *l, const struct event_alias *a)
{
    text_begin(l, "ALIAS");
    format_text_append_alias(&l->out, &a->alias);
    fmt_append(&l->out, "\n");
}

static void write_geometry(struct text_log *l, const struct geometry *g)
{
    text_line(l, "MODULE", "%s", g->text);
}

static void write_mce(struct text_log *l, const struct event_mce *m)
{
    text_begin(l, "mce");
    fmt_append(&l->out, "%s machine check on CPU %u, bank %u, status 0x%016lx",
               m->corrected ? "corrected" : "UNCORRECTED", m->cpu, m->bank, m->status);
    if (m->has_addr)
        fmt_append(&l->out, ", address 0x%012lx", m->addr);
    if (m->count > 1)
        fmt_append(&l->out, ", %lu so far", m->count);
    if (m->channel)
        fmt_append(&l->out, ", %s", m->channel);
    fmt_append(&l->out, "%s\n",
               m->is_memory   ? "; its page is bad"
               : m->of_memory ? "; memory, but its page is not known"
                              : "");
}

static void write_ecc_page(struct text_log *l, const struct event_ecc_page *p)
{
    text_begin(l, "ecc page");
    if (p->channel)
        fmt_append(&l->out, "corrected errors of %s ", p->channel);
    else
        fmt_append(&l->out, "corrected errors of bank %u ", p->bank);
    if (p->has_page)
        fmt_append(&l->out, "come from page 0x%012lx, which is bad", p->page);
    else if (strcmp(p->result, "not again") == 0)
        fmt_append(&l->out, "did not come again in %u tries", p->tries);
    else if (strcmp(p->result, "elsewhere") == 0)
        fmt_append(&l->out, "come whatever is read: no page is marked");
    else
        fmt_append(&l->out, "have no page: the search ended (%s)", p->result);
    fmt_append(&l->out, "; searched: %lu KiB in %lu ms\n", p->searched_bytes >> 10,
               (unsigned long)(p->seconds * 1000));
}

/* "node 0, card 1, module 3, row 5, DIMM_A1", as far as it is given. */
static void put_place(struct text_log *l, const struct cper_memory *m)
{
    for (enum cper_field f = 0; f < CPER_FIELDS; f++) {
        if (m->given >> f & 1)
            fmt_append(&l->out, ", %s %u", cper_field_name(f), m->field[f]);
    }
    if (m->fru[0])
        fmt_append(&l->out, ", %s", m->fru);
}

static void write_cper(struct text_log *l, const struct event_cper *c)
{
    const struct cper_memory *m = c->memory;
    bool is_error = m->severity != ERROR_INFORMATION;

    text_begin(l, "ecc");
    fmt_append(&l->out, "firmware reports %s",
               !is_error                        ? "on memory, no error"
               : m->severity == ERROR_CORRECTED ? "a corrected error of memory"
                                                : "an UNCORRECTED error of memory");
    if (m->what)
        fmt_append(&l->out, " (%s)", m->what);
    if (m->has_addr)
        fmt_append(&l->out, ", address 0x%012lx", m->addr);
    put_place(l, m);
    if (c->count > 1)
        fmt_append(&l->out, ", %lu so far", c->count);
    fmt_append(&l->out, "%s\n",
               m->has_page ? "; its page is bad"
               : is_error  ? "; its page is not known"
                           : "");
}

/* "0x000005000000  3 of 8 times". */
static void write_retest(struct text_log *l, const struct event_retest *r)
{
    text_begin(l, "retest");
    fmt_append(&l->out, "0x%012lx  ", r->page);
    format_text_append_retest(&l->out, r);
    fmt_append(&l->out, "\n");
}

static void write_kind(struct text_log *l, const struct event_kind *k)
{
    text_begin(l, "kind");
    kind_append(k->verdict, &l->out);
    fmt_append(&l->out, "; %s\n", k->verdict->evidence);
    if (k->verdict->cause.is_known) {
        text_begin(l, "cause");
        kind_cause_append(&k->verdict->cause, &l->out);
        fmt_append(&l->out, ": %s\n", k->verdict->cause.evidence);
    }
    if (*k->chip)
        text_line(l, "chip", "%s", k->chip);
    if (k->channels)
        text_line(l, "channels", "%s", k->channels);
    if (*k->picture)
        text_line(l, "", "%s  on a usual module of eight chips, seen from the front", k->picture);
}

/* "DIMM_A1, DIMM_B1: faults in 3 of 4 passes" */
static void write_history(struct text_log *l, const char *history)
{
    for (const char *line = history, *end; (end = strchr(line, '\n')); line = end + 1)
        text_line(l, "", "%.*s", (int)(end - line), line);
}

static void write_diagnosis(struct text_log *l, const struct event_diagnosis *d)
{
    const struct diagnosis_record *r = d->record;

    l->headline = d->begun ? r->headline : NULL;
    text_line(l, "diagnosis", "which module is bad, by %u run%s so far. %s", r->runs,
              fmt_plural(r->runs), r->summary);
    write_history(l, r->history);
    if (*r->found)
        text_line(l, "found", "%s %s", r->found, r->reasons);
    if (*r->next && !d->begun) /* else it is the advice */
        text_line(l, "next", "%s", r->next);
    if (*r->words)
        text_line(l, "options", "%s", r->words);
}

static void write_badram(struct text_log *l)
{
    const struct cover *c = l->badram.cover;
    uint64_t bad_pages = l->badram.bad_pages;

    text_line(l, "badram",
              "%zu pattern%s for %lu bad page%s, %lu page%s (%s) sacrificed, %lu range%s",
              c->n_patterns, fmt_plural(c->n_patterns), bad_pages, fmt_plural(bad_pages),
              c->sacrificed_pages, fmt_plural(c->sacrificed_pages),
              FMT_SIZE(c->sacrificed_pages << PAGE_SHIFT), c->ranges, fmt_plural(c->ranges));
    fmt_append(&l->out, "%s\n", l->badram.line);
}

static void receive_badram(struct text_log *l, const struct event_badram *b)
{
    bool asked = l->pace.ask;

    l->badram = *b;
    if (b->final || !rate_limit_allows(&l->pace, l->t, strlen(b->line)))
        return;
    if (b->line[0])
        write_badram(l);
    else if (asked)
        text_line(l, "badram", "no fault found so far");
}

/* Whole, and on lines of their own, because the user has to copy them. */
static void write_line(struct text_log *l, const struct event_line *e)
{
    text_line(l, "line", "%s (%s): %s", e->name, e->place, e->note);
    if (*e->text)
        fmt_append(&l->out, "%s\n", e->text);
}

static void write_verdict(struct text_log *l, const struct event_result *r)
{
    struct fmt_buffer *b = &l->out;

    text_begin(l, "result");
    if (l->headline && r->verdict != VERDICT_ERROR)
        fmt_append(b, "%s. This run: ", l->headline);
    if (r->verdict == VERDICT_PASS) {
        fmt_append(b, r->complete ? "PASS" : "PASS, BUT INCOMPLETE");
        if (r->part_of_bytes)
            fmt_append(b, "%s of %s of %s", r->complete ? "" : ",", FMT_SIZE(r->tested_bytes),
                       FMT_SIZE(r->part_of_bytes));
        fmt_append(b, ": no fault found%s", r->complete ? "" : " in the memory tested");
    } else if (r->verdict == VERDICT_STOPPED) {
        fmt_append(b, r->stopped ? "STOPPED before a whole pass: " : "PARTIAL, no whole pass: ");
        format_text_append_tests(b, r->tests, r->n_tests);
    } else if (r->verdict == VERDICT_CORRECTED) {
        format_text_append_corrected(b, r);
    } else if (r->verdict == VERDICT_FAIL && !r->bad_pages && !r->faults) {
        format_text_append_uncorrected(b, r);
    } else if (r->verdict == VERDICT_FAIL) {
        format_text_append_fail(b, r, "failing bits of a 64-bit word: ");
    } else {
        fmt_append(b, "ERROR: %s", reason_sentence(r->reason));
    }
    if (r->skipped_tests)
        fmt_append(b, "; %u test%s skipped", r->skipped_tests,
                   r->skipped_tests == 1 ? " was" : "s were");
    if (r->stopped && r->verdict != VERDICT_STOPPED)
        fmt_append(b, "; the run was stopped early");
    if (!r->complete && !r->all_tested && r->verdict != VERDICT_ERROR)
        fmt_append(b, "; less than 99 %% of the selected memory was tested");
    if (r->unseen.missing_bytes) {
        fmt_append(b, "; ");
        format_text_append_unseen(b, &r->unseen);
    }
    if (r->hidden_pages) {
        fmt_append(b, "; ");
        format_text_append_hidden(b, r->hidden_pages);
    }
    fmt_append(b, "\n");
}

static void write_unpaired(struct text_log *l, const struct event_result *r)
{
    text_line(l, "unpaired",
              "tested, but never together with other memory; coupling faults may be missed:");
    for (size_t i = 0; i < r->n_unpaired; i++) {
        text_begin(l, "");
        text_put_span(l, r->unpaired[i]);
        fmt_append(&l->out, "\n");
    }
}

static void write_interrupts(struct text_log *l, const struct event_result *r)
{
    text_line(l, "interrupts", "not asked for, and ignored:");
    for (size_t i = 0; i < r->n_interrupts; i++)
        text_line(l, "", "vector %u, %s: %lu", r->interrupts[i].vector, r->interrupts[i].what,
                  r->interrupts[i].count);
}

/* "12 errors of memory corrected by ECC, 1 not corrected, 3 with a known page", and by channel. */
static void write_ecc(struct text_log *l, const struct event_ecc *ecc)
{
    text_line(l, "ecc",
              "%lu error%s of memory corrected, %lu not corrected; the page of %lu is known",
              ecc->corrected, fmt_plural(ecc->corrected), ecc->uncorrected, ecc->with_page);
    for (size_t i = 0; i < ecc->n_channels; i++)
        text_line(l, "", "%s: %lu corrected, %lu not corrected", ecc->channel[i].name,
                  ecc->channel[i].corrected, ecc->channel[i].uncorrected);
}

/* One that comes after the result is followed by the line again: that is the last of the text. */
static void write_warning(struct text_log *l, const char *text)
{
    text_line(l, "warning", "%s", text);
    l->n_warnings++;
    if (l->has_result && l->badram.line[0])
        fmt_append(&l->out, "%s\n", l->badram.line);
}

static void describe_call(struct fmt_buffer *b, const struct event_trace *e)
{
    fmt_append(b, "cpu %u: %s%s%s: %s", e->cpu, e->service, e->variable[0] ? " " : "", e->variable,
               e->state);
    if (strcmp(e->state, "returned") == 0)
        fmt_append(b, " 0x%lx", e->status);
    if (strcmp(e->state, "called") != 0)
        fmt_append(b, ", %.3f ms", 1e3 * e->seconds);
    if (e->missed)
        fmt_append(b, "; %u before it not shown", e->missed);
}

static void describe_move(struct fmt_buffer *b, const struct event_trace *e)
{
    fmt_append(b, "okram, from 0x%lx", e->from);
    if (e->to)
        fmt_append(b, " to 0x%lx", e->to);
    fmt_append(b, ": %s, %s, %.3f ms", e->state, FMT_SIZE(e->bytes), 1e3 * e->seconds);
}

/* As after a warning, the badram line stays the last. */
static void write_trace(struct text_log *l, const struct event_trace *e)
{
    text_begin(l, "trace");
    switch (e->what) {
    case OPTION_TRACE_MOVES: describe_move(&l->out, e); break;
    case OPTION_TRACE_CPUS:
        fmt_append(&l->out, "cpu %u (APIC ID %u): %s", e->cpu, e->apic_id, e->state);
        break;
    case OPTION_TRACE_FIRMWARE: describe_call(&l->out, e); break;
    }
    fmt_append(&l->out, "\n");
    if (l->has_result && l->badram.line[0])
        fmt_append(&l->out, "%s\n", l->badram.line);
}

static void write_excluded(struct text_log *l, const struct excluded *e)
{
    text_begin(l, "excluded");
    format_text_append_reads(&l->out, e);
    fmt_append(&l->out, "\n");
    text_begin(l, "");
    format_text_append_rate(&l->out, e);
    fmt_append(&l->out, "\n");
}

static void write_untested(struct text_log *l, const struct event_result *r)
{
    text_line(l, "untested", "%s%s", FMT_SIZE(r->untested_bytes), r->n_untested ? ":" : "");
    for (size_t i = 0; i < r->n_untested; i++) {
        text_begin(l, "");
        text_put_span(l, r->untested[i].span);
        fmt_append(&l->out, "  %s\n", r->untested[i].why);
    }
}

static void write_advice(struct text_log *l)
{
    if (l->advice[0])
        text_line(l, "to do", "%s", l->advice);
}

/* Of a pass. Only one over all memory says that no line is needed: people then remove theirs. */
static const char *without_line(const struct event_result *r)
{
    if (r->hole_pages)
        return "no fault found: keep the old line";
    return r->complete && !r->part_of_bytes ? "no fault found, no line needed"
                                            : "no fault found in the memory tested";
}

static void write_result(struct text_log *l, const struct event_result *r)
{
    bool has_ecc = r->ecc.corrected || r->ecc.uncorrected;

    write_verdict(l, r);
    write_advice(l);
    text_begin(l, "tested");
    if (r->verdict == VERDICT_ERROR)
        fmt_append(&l->out, "%s, in ", r->tested_bytes ? FMT_SIZE(r->tested_bytes) : "nothing");
    else
        fmt_append(&l->out, "%s, %u complete pass%s in ", FMT_SIZE(r->tested_bytes), r->passes,
                   r->passes == 1 ? "" : "es");
    format_text_append_duration(&l->out, r->seconds);
    fmt_append(&l->out, "\n");
    if (r->excluded.reads)
        write_excluded(l, &r->excluded);
    if (r->rate.moved_bytes) {
        text_begin(l, "stability");
        error_rate_append_result(&l->out, &r->rate);
        fmt_append(&l->out, "\n");
    }
    write_untested(l, r);
    if (r->n_unpaired)
        write_unpaired(l, r);
    if (r->n_interrupts)
        write_interrupts(l, r);
    if (has_ecc)
        write_ecc(l, &r->ecc);
    if (l->badram.line[0])
        write_badram(l);
    else
        text_line(l, "badram", "%s",
                  r->verdict == VERDICT_PASS ? without_line(r)
                  : has_ecc                  ? format_text_no_page
                                             : "no line was made");
    l->has_result = true;
}

void text_init(struct text_log *l, struct writer out)
{
    memset(l, 0, sizeof(*l));
    l->out = fmt_stream_make(l->room, sizeof(l->room), out);
    l->badram.line = "";
}

void text_ask(struct text_log *l)
{
    l->pace.ask = true;
    l->next_progress = 0;
}

void text_receive(void *ctx, const struct event *e)
{
    struct text_log *l = ctx;

    l->t = e->t;
    l->out.length = 0; /* of a line that a panic has interrupted */
    switch (e->type) {
    case EVENT_START: text_start(l, &e->start); break;
    case EVENT_WARNING: write_warning(l, e->warning); break;
    case EVENT_IDENTITY: text_identity(l, &e->identity); break;
    case EVENT_MACHINE: text_machine(l, &e->machine); break;
    case EVENT_NODE: text_node(l, &e->node); break;
    case EVENT_MODULE: text_module(l, &e->module); break;
    case EVENT_CONTROLLER: text_controller(l, &e->controller); break;
    case EVENT_TEMPERATURE: text_temperature(l, &e->temperature); break;
    case EVENT_SUPPORT:
        if (e->support.asked)
            text_support(l, e->support.support);
        break;
    case EVENT_CACHE: text_cache(l, &e->cache); break;
    case EVENT_BANDWIDTH: text_bandwidth(l, &e->bandwidth); break;
    case EVENT_LATENCY: text_latency(l, &e->latency); break;
    case EVENT_CACHE_TO_CACHE: text_cache_to_cache(l, &e->cache_to_cache); break;
    case EVENT_CONTENTION: text_contention(l, &e->contention); break;
    case EVENT_REDUNDANCY: text_redundancy(l, &e->redundancy); break;
    case EVENT_UNMEASURED: text_unmeasured(l, &e->unmeasured); break;
    case EVENT_PROGRESS: write_progress(l, &e->progress); break;
    case EVENT_ROWS: write_rows(l, &e->rows); break;
    case EVENT_TEST: write_test(l, &e->test); break;
    case EVENT_FAULT: write_fault(l, &e->fault); break;
    case EVENT_EXTERNAL: write_external(l, &e->external); break;
    case EVENT_GEOMETRY: write_geometry(l, e->geometry); break;
    case EVENT_ALIAS: write_alias(l, &e->alias); break;
    case EVENT_MCE: write_mce(l, &e->mce); break;
    case EVENT_ECC_PAGE: write_ecc_page(l, &e->ecc_page); break;
    case EVENT_CPER: write_cper(l, &e->cper); break;
    case EVENT_TRACE: write_trace(l, &e->trace); break;
    case EVENT_RETEST: write_retest(l, &e->retest); break;
    case EVENT_KIND: write_kind(l, &e->kind); break;
    case EVENT_DIAGNOSIS: write_diagnosis(l, &e->diagnosis); break;
    case EVENT_CYCLES:
        text_begin(l, "starts");
        cycles_append_result(&l->out, e->cycles.count);
        fmt_append(&l->out, "\n");
        break;
    case EVENT_BADRAM: receive_badram(l, &e->badram); break;
    case EVENT_LINE:
        if (!e->line.asked)
            write_line(l, &e->line);
        break;
    case EVENT_ADVICE:
        string_copy(l->advice, e->advice.text, sizeof(l->advice));
        if (e->advice.what != ADVICE_CASE_DIAGNOSIS)
            l->headline = e->advice.headline;
        if (l->has_result)
            write_advice(l);
        break;
    case EVENT_RESULT: write_result(l, &e->result); break;
    default: break; /* the picture and the pages, too: lines= has these in words */
    }
    fmt_flush(&l->out);
}
