// SPDX-License-Identifier: MIT
#include "report/text.h"

#include "lib/fmt.h"
#include "lib/string.h"
#include "report/format_text.h"
#include "report/text_line.h"
#include "report/text_machine.h"
#include "report/text_measured.h"

#define PROGRESS_SECONDS 5.0

static void write_progress(struct text_log *l, double t, const struct event_progress *p)
{
    if (t < l->next_progress || strcmp(p->phase, "done") == 0)
        return;
    l->next_progress = t + PROGRESS_SECONDS;
    text_begin_labelled(&l->out, t, "progress");
    if (strcmp(p->phase, "test") != 0) {
        writer_text(&l->out, p->phase);
        writer_text(&l->out, "\n");
        return;
    }
    writer_print(&l->out, "pass %u", p->pass);
    if (p->passes)
        writer_print(&l->out, " of %u", p->passes);
    writer_print(&l->out, ", %u %%, test %u of %u ",
                 format_text_percent(format_text_part_of_pass(p)), p->test_index + 1, p->n_tests);
    writer_text(&l->out, p->test);
    writer_print(&l->out, ", %.0f MB/s, ", p->mb_s);
    text_put_duration(&l->out, p->seconds);
    writer_text(&l->out, " elapsed, ");
    if (p->seconds_left >= 0)
        text_put_duration(&l->out, p->seconds_left);
    else
        writer_text(&l->out, "unknown");
    writer_print(&l->out, " left, %lu fault%s in %lu page%s\n", p->faults, fmt_plural(p->faults),
                 p->bad_pages, fmt_plural(p->bad_pages));
}

static void write_test(const struct text_log *l, double t, const struct event_test *e)
{
    text_begin_labelled(&l->out, t, "test");
    writer_padded(&l->out, e->test, 18);
    writer_print(&l->out, " pass %u, %.3f s, ", e->pass, e->seconds);
    text_put_size(&l->out, e->swept_bytes);
    if (e->sweeps)
        writer_print(&l->out, " in %u sweep%s", e->sweeps, fmt_plural(e->sweeps));
    writer_print(&l->out, ", %.0f MB/s",
                 e->seconds > 0 ? (double)e->swept_bytes / e->seconds / 1e6 : 0.0);
    if (e->hammers) {
        writer_text(&l->out, ", hammered ");
        text_put_size(&l->out, e->hammered_bytes);
    }
    if (e->has_seed)
        writer_print(&l->out, ", seed %lu", e->seed);
    writer_print(&l->out, ", %lu fault%s\n", e->faults, fmt_plural(e->faults));
    if (e->note)
        text_labelled(&l->out, t, "note", e->note);
}

static void write_fault(const struct text_log *l, double t, const struct event_fault *f)
{
    text_begin(&l->out, t);
    writer_print(&l->out, "FAULT      0x%012lx  expected %016lx  found %016lx  differs %016lx  ",
                 f->addr, f->expected, f->found, f->expected ^ f->found);
    writer_text(&l->out, f->test);
    writer_print(&l->out, ", pass %u, CPU %u, node %u\n", f->pass, f->cpu, f->node);
}

static void write_foreign(const struct text_log *l, double t, const struct event_foreign *f)
{
    text_begin(&l->out, t);
    writer_print(&l->out, "foreign    0x%012lx  expected %016lx  found %016lx  ", f->addr,
                 f->expected, f->found);
    writer_text(&l->out, format_text_foreign(f->addr));
    writer_text(&l->out, ", no fault: ");
    writer_text(&l->out, f->test);
    writer_print(&l->out, ", pass %u, CPU %u\n", f->pass, f->cpu);
}

static void write_alias(const struct text_log *l, double t, const struct event_alias *a)
{
    char text[256];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    format_text_append_alias(&b, &a->alias);
    text_labelled(&l->out, t, "ALIAS", text);
}

static void write_mce(const struct text_log *l, double t, const struct event_mce *m)
{
    text_begin(&l->out, t);
    writer_print(&l->out, "mce        %s machine check on CPU %u, bank %u, status 0x%016lx",
                 m->corrected ? "corrected" : "UNCORRECTED", m->cpu, m->bank, m->status);
    if (m->has_addr)
        writer_print(&l->out, ", address 0x%012lx", m->addr);
    if (m->count > 1)
        writer_print(&l->out, ", %lu so far", m->count);
    if (m->channel) {
        writer_text(&l->out, ", ");
        writer_text(&l->out, m->channel);
    }
    if (m->is_memory)
        writer_text(&l->out, "; its page is bad");
    else if (m->of_memory)
        writer_text(&l->out, "; memory, but its page is not known");
    writer_text(&l->out, "\n");
}

static void write_ecc_page(const struct text_log *l, double t, const struct event_ecc_page *p)
{
    text_begin(&l->out, t);
    if (p->channel)
        writer_print(&l->out, "ecc page   corrected errors of %s ", p->channel);
    else
        writer_print(&l->out, "ecc page   corrected errors of bank %u ", p->bank);
    if (p->has_page)
        writer_print(&l->out, "come from page 0x%012lx, which is bad", p->page);
    else if (strcmp(p->result, "not again") == 0)
        writer_print(&l->out, "did not come again in %u tries", p->tries);
    else if (strcmp(p->result, "elsewhere") == 0)
        writer_text(&l->out, "come whatever is read: no page is blamed");
    else
        writer_print(&l->out, "have no page: its search was ended (%s)", p->result);
    writer_print(&l->out, "; searched: %lu KiB in %lu ms\n", p->searched_bytes >> 10,
                 (unsigned long)(p->seconds * 1000));
}

/* "node 0, card 1, module 3, row 5, DIMM_A1", as far as it is given. */
static void put_place(const struct text_log *l, const struct cper_memory *m)
{
    for (enum cper_field f = 0; f < CPER_FIELDS; f++) {
        if (!(m->given >> f & 1))
            continue;
        writer_text(&l->out, ", ");
        writer_text(&l->out, cper_field_name(f));
        writer_print(&l->out, " %u", m->field[f]);
    }
    if (m->fru[0]) {
        writer_text(&l->out, ", ");
        writer_text(&l->out, m->fru);
    }
}

static void write_cper(const struct text_log *l, double t, const struct event_cper *c)
{
    const struct cper_memory *m = c->memory;
    bool is_error = m->severity != ERROR_INFORMATION;

    text_begin_labelled(&l->out, t, "ecc");
    writer_text(&l->out, "firmware reports ");
    if (!is_error)
        writer_text(&l->out, "on memory, no error");
    else if (m->severity == ERROR_CORRECTED)
        writer_text(&l->out, "a corrected error of memory");
    else
        writer_text(&l->out, "an UNCORRECTED error of memory");
    if (m->what) {
        writer_text(&l->out, " (");
        writer_text(&l->out, m->what);
        writer_text(&l->out, ")");
    }
    if (m->has_addr)
        writer_print(&l->out, ", address 0x%012lx", m->addr);
    put_place(l, m);
    if (c->count > 1)
        writer_print(&l->out, ", %lu so far", c->count);
    if (m->has_page)
        writer_text(&l->out, "; its page is bad");
    else if (is_error)
        writer_text(&l->out, "; its page is not known");
    writer_text(&l->out, "\n");
}

/* "0x000005000000  3 of 8 times". */
static void write_retest(const struct text_log *l, double t, const struct event_retest *r)
{
    char text[80];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    fmt_append(&b, "0x%012lx  ", r->page);
    format_text_append_retest(&b, r);
    text_labelled(&l->out, t, "retest", text);
}

static void describe_badram(const struct text_log *l, double t)
{
    char text[160];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    badram_snapshot_describe(&l->badram, &b);
    text_labelled(&l->out, t, "badram", text);
}

static void put_badram_line(const struct text_log *l)
{
    writer_text(&l->out, l->badram.line);
    writer_text(&l->out, "\n");
}

static void receive_badram(struct text_log *l, double t, const struct event_badram *b)
{
    bool asked = l->pace.ask;

    badram_snapshot_set(&l->badram, b);
    if (b->final || !rate_limit_allows(&l->pace, t, l->badram.length))
        return;
    if (b->line[0]) {
        describe_badram(l, t);
        put_badram_line(l);
    } else if (asked) {
        text_labelled(&l->out, t, "badram", "no fault found so far");
    }
}

/* Whole, and on lines of their own, as the user has to copy them. */
static void write_line(const struct text_log *l, double t, const struct event_line *e)
{
    text_begin_labelled(&l->out, t, "line");
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
        format_text_append_tests(&b, r->tests, r->n_tests);
    } else if (strcmp(r->status, "corrected") == 0) {
        format_text_append_corrected(&b, r);
    } else if (strcmp(r->status, "fail") == 0 && !r->bad_pages && !r->faults) {
        format_text_append_uncorrected(&b, r);
    } else if (strcmp(r->status, "fail") == 0) {
        fmt_append(&b, "FAIL: %lu bad page%s, %lu fault%s, failing bits of a 64-bit word: ",
                   r->bad_pages, fmt_plural(r->bad_pages), r->faults, fmt_plural(r->faults));
        format_text_append_failing_bits(&b, r->failing_bits, r->is_encrypted);
    } else {
        fmt_append(&b, "%s", format_text_error(r->reason));
    }
    if (r->stopped && strcmp(r->status, "stopped") != 0)
        fmt_append(&b, "; the run was stopped early");
    if (!r->complete && !r->all_tested && strcmp(r->status, "error") != 0)
        fmt_append(&b, "; less than 99 %% of the selected memory was tested");
    if (r->unseen.modules) {
        fmt_append(&b, "; ");
        format_text_append_unseen(&b, &r->unseen);
    }
    text_labelled(&l->out, t, "result", verdict);
    if (r->reason && strcmp(r->reason, REASON_INTERNAL_ERROR) == 0)
        text_labelled(&l->out, t, "", format_text_report_it);
}

static void write_apart(const struct text_log *l, double t, const struct event_result *r)
{
    text_labelled(&l->out, t, "unpaired",
                  "tested, but never together with other memory; coupling faults may be missed:");
    for (size_t i = 0; i < r->n_apart; i++) {
        text_begin_labelled(&l->out, t, "");
        text_put_span(&l->out, r->apart[i]);
        writer_text(&l->out, "\n");
    }
}

static void write_interrupts(const struct text_log *l, double t, const struct event_result *r)
{
    text_labelled(&l->out, t, "interrupts", "not asked for, and ignored:");
    for (size_t i = 0; i < r->n_interrupts; i++) {
        text_begin_labelled(&l->out, t, "");
        writer_print(&l->out, "vector %u, ", r->interrupts[i].vector);
        writer_text(&l->out, r->interrupts[i].what);
        writer_print(&l->out, ": %lu\n", r->interrupts[i].count);
    }
}

/* "12 errors of memory corrected by ECC, 1 not corrected, 3 with a known page", and by channel. */
static void write_ecc(const struct text_log *l, double t, const struct event_ecc *ecc)
{
    text_begin_labelled(&l->out, t, "ecc");
    writer_print(&l->out,
                 "%lu error%s of memory corrected, %lu not corrected; the page of %lu is known\n",
                 ecc->corrected, fmt_plural(ecc->corrected), ecc->uncorrected, ecc->with_page);
    for (size_t i = 0; i < ecc->n_channels; i++) {
        text_begin_labelled(&l->out, t, "");
        writer_text(&l->out, ecc->channel[i].name);
        writer_print(&l->out, ": %lu corrected, %lu not corrected\n", ecc->channel[i].corrected,
                     ecc->channel[i].uncorrected);
    }
}

/* One that comes after the result is followed by the line again: that is the last of the text. */
static void write_warning(struct text_log *l, double t, const char *text)
{
    text_labelled(&l->out, t, "warning", text);
    l->n_warnings++;
    if (l->has_result && l->badram.line[0])
        put_badram_line(l);
}

static void write_excluded(const struct text_log *l, double t, const struct excluded *e)
{
    char text[240];
    struct fmt_buffer reads = fmt_buffer_make(text, sizeof(text)), rate;

    format_text_append_reads(&reads, e);
    text_labelled(&l->out, t, "excluded", text);
    rate = fmt_buffer_make(text, sizeof(text));
    format_text_append_rate(&rate, e);
    text_labelled(&l->out, t, "", text);
}

static void write_result(const struct text_log *l, double t, const struct event_result *r)
{
    write_verdict(l, t, r);
    text_begin_labelled(&l->out, t, "tested");
    text_put_size(&l->out, r->tested_bytes);
    writer_print(&l->out, ", %u complete pass%s in ", r->passes, r->passes == 1 ? "" : "es");
    text_put_duration(&l->out, r->seconds);
    writer_text(&l->out, "\n");
    if (r->excluded.reads)
        write_excluded(l, t, &r->excluded);
    text_begin_labelled(&l->out, t, "untested");
    text_put_size(&l->out, r->untested_bytes);
    writer_text(&l->out, r->n_untested ? ":\n" : "\n");
    for (size_t i = 0; i < r->n_untested; i++) {
        text_begin_labelled(&l->out, t, "");
        text_put_span(&l->out, r->untested[i].span);
        writer_text(&l->out, "  ");
        writer_text(&l->out, r->untested[i].why);
        writer_text(&l->out, "\n");
    }
    if (r->n_apart)
        write_apart(l, t, r);
    if (r->n_interrupts)
        write_interrupts(l, t, r);
    if (r->ecc.corrected || r->ecc.uncorrected)
        write_ecc(l, t, &r->ecc);
    if (l->badram.line[0]) {
        describe_badram(l, t);
        put_badram_line(l);
    } else {
        text_labelled(&l->out, t, "badram",
                      strcmp(r->status, "pass") == 0           ? "no fault found, no line needed"
                      : r->ecc.corrected || r->ecc.uncorrected ? format_text_no_page
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
        text_start(&l->out, e->t, &e->start);
        break;
    case EVENT_WARNING:
        write_warning(l, e->t, e->warning);
        break;
    case EVENT_MACHINE:
        text_machine(&l->out, e->t, &e->machine, l->n_warnings);
        break;
    case EVENT_NODE:
        text_node(&l->out, e->t, &e->node);
        break;
    case EVENT_SUPPORT:
        if (e->support.asked)
            text_support(&l->out, e->t, e->support.support);
        break;
    case EVENT_CACHE:
        text_cache(&l->out, e->t, &e->cache);
        break;
    case EVENT_BANDWIDTH:
        text_bandwidth(&l->out, e->t, &e->bandwidth);
        break;
    case EVENT_LATENCY:
        text_latency(&l->out, e->t, &e->latency);
        break;
    case EVENT_CONTENTION:
        text_contention(&l->out, e->t, &e->contention);
        break;
    case EVENT_REDUNDANCY:
        text_redundancy(&l->out, e->t, &e->redundancy);
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
        write_foreign(l, e->t, &e->external);
        break;
    case EVENT_ALIAS:
        write_alias(l, e->t, &e->alias);
        break;
    case EVENT_MCE:
        write_mce(l, e->t, &e->mce);
        break;
    case EVENT_ECC_PAGE:
        write_ecc_page(l, e->t, &e->ecc_page);
        break;
    case EVENT_CPER:
        write_cper(l, e->t, &e->cper);
        break;
    case EVENT_RETEST:
        write_retest(l, e->t, &e->retest);
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
        l->has_result = true;
        break;
    case EVENT_REPORT_SAVED:
        break;
    }
}
