// SPDX-License-Identifier: MIT
#include "report/jsonl.h"

#include "lib/fmt.h"
#include "lib/string.h"
#include "report/phrases.h"

/* One object being written; `first` says that no comma is due, inside brackets too. */
struct json {
    const struct writer *out;
    bool first;
};

static void put_string(struct json *j, const char *s)
{
    writer_text(j->out, "\"");
    while (*s) {
        char piece[2] = { *s }, escaped[8];
        struct fmt_buffer b = fmt_buffer_make(escaped, sizeof(escaped));
        size_t plain = 0;

        while (s[plain] >= ' ' && s[plain] <= '~' && s[plain] != '"' && s[plain] != '\\')
            plain++;
        if (plain) {
            j->out->write(j->out->ctx, s, plain);
            s += plain;
            continue;
        }
        fmt_append_json(&b, piece);
        writer_text(j->out, escaped);
        s++;
    }
    writer_text(j->out, "\"");
}

static void put_comma(struct json *j)
{
    if (!j->first)
        writer_text(j->out, ",");
    j->first = false;
}

static void put_name(struct json *j, const char *name)
{
    put_comma(j);
    put_string(j, name);
    writer_text(j->out, ":");
}

static void open_bracket(struct json *j, const char *bracket)
{
    writer_text(j->out, bracket);
    j->first = true;
}

static void close_bracket(struct json *j, const char *bracket)
{
    writer_text(j->out, bracket);
    j->first = false;
}

static void field_text(struct json *j, const char *name, const char *value)
{
    put_name(j, name);
    put_string(j, value);
}

static void field_texts(struct json *j, const char *name, const char *const *values, size_t n)
{
    put_name(j, name);
    open_bracket(j, "[");
    for (size_t i = 0; i < n; i++) {
        put_comma(j);
        put_string(j, values[i]);
    }
    close_bracket(j, "]");
}

static void field_integer(struct json *j, const char *name, uint64_t value)
{
    put_name(j, name);
    writer_print(j->out, "%lu", (unsigned long)value);
}

static void field_bool(struct json *j, const char *name, bool value)
{
    put_name(j, name);
    writer_text(j->out, value ? "true" : "false");
}

static void field_null(struct json *j, const char *name)
{
    put_name(j, name);
    writer_text(j->out, "null");
}

static void field_number(struct json *j, const char *name, double value, int decimals)
{
    /* Neither nan nor infinity is a JSON number; nothing okram measures reaches 10^15. */
    if (!(value > -1e15 && value < 1e15)) {
        field_null(j, name);
        return;
    }
    put_name(j, name);
    writer_print(j->out, "%.*f", decimals, value);
}

static void field_stats(struct json *j, const char *name, const struct event_stats *s)
{
    put_name(j, name);
    open_bracket(j, "{");
    field_number(j, "mean", s->mean, 1);
    field_number(j, "stddev", s->stddev, 1);
    field_number(j, "min", s->min, 1);
    field_number(j, "max", s->max, 1);
    close_bracket(j, "}");
}

static void field_hex(struct json *j, const char *name, uint64_t value)
{
    put_name(j, name);
    writer_print(j->out, "\"0x%lx\"", (unsigned long)value);
}

static void put_hex_pair(struct json *j, uint64_t a, uint64_t b)
{
    put_comma(j);
    writer_print(j->out, "[\"0x%lx\",\"0x%lx\"]", (unsigned long)a, (unsigned long)b);
}

static void write_machine(struct json *j, const struct event_machine *m)
{
    field_text(j, "cpu", m->cpu);
    field_integer(j, "cpus", m->cpus);
    field_integer(j, "nodes", m->nodes);
    field_integer(j, "ram_bytes", m->ram_bytes);
    field_integer(j, "testable_bytes", m->testable_bytes);
    if (m->installed_bytes)
        field_integer(j, "installed_bytes", m->installed_bytes);
    else
        field_null(j, "installed_bytes");
    field_texts(j, "warnings", m->warnings, m->n_warnings);
}

static void write_node(struct json *j, const struct event_node *n)
{
    field_integer(j, "node", n->node);
    put_name(j, "cpus");
    open_bracket(j, "[");
    for (size_t i = 0; i < n->n_cpus; i++) {
        put_comma(j);
        writer_print(j->out, "%u", n->cpus[i]);
    }
    close_bracket(j, "]");
    field_integer(j, "ram_bytes", n->ram_bytes);
    put_name(j, "spans");
    open_bracket(j, "[");
    for (size_t i = 0; i < n->n_spans; i++)
        put_hex_pair(j, n->spans[i].base, span_end(n->spans[i]));
    close_bracket(j, "]");
}

static void write_bandwidth(struct json *j, const struct event_bandwidth *b)
{
    field_integer(j, "cpu_node", b->cpu_node);
    field_integer(j, "mem_node", b->mem_node);
    field_text(j, "op", b->op);
    field_integer(j, "threads", b->threads);
    field_integer(j, "runs", b->runs);
    field_stats(j, "mb_s", &b->mb_s);
    if (b->order)
        field_text(j, "order", b->order);
}

static void write_latency(struct json *j, const struct event_latency *l)
{
    field_integer(j, "cpu_node", l->cpu_node);
    field_integer(j, "mem_node", l->mem_node);
    field_integer(j, "size_bytes", l->size_bytes);
    field_number(j, "ns", l->ns, 1);
    field_text(j, "load", l->load);
    if (l->mix) {
        field_text(j, "mix", l->mix);
        field_number(j, "load_mb_s", l->load_mb_s, 1);
    }
}

/* null when nothing was measured. */
static void field_percent(struct json *j, const char *name, double percent, double idle)
{
    if (idle > 0)
        field_number(j, name, percent, 1);
    else
        field_null(j, name);
}

static void write_contention(struct json *j, const struct event_contention *c)
{
    field_integer(j, "cpu_node", c->cpu_node);
    field_integer(j, "mem_node", c->mem_node);
    field_integer(j, "load_node", c->load_node);
    field_integer(j, "threads", c->threads);
    field_integer(j, "load_threads", c->load_threads);
    field_integer(j, "runs", c->runs);
    field_stats(j, "idle_mb_s", &c->idle);
    field_stats(j, "loaded_mb_s", &c->loaded);
    field_percent(j, "slowdown_percent",
                  phrases_slow_down_of_bandwidth(c->idle.mean, c->loaded.mean), c->idle.mean);
    field_number(j, "idle_ns", c->idle_ns, 1);
    field_number(j, "loaded_ns", c->loaded_ns, 1);
    field_percent(j, "latency_percent", phrases_slow_down_of_latency(c->idle_ns, c->loaded_ns),
                  c->idle_ns);
}

static void write_redundancy(struct json *j, const struct event_redundancy *r)
{
    field_integer(j, "cpu_node", r->cpu_node);
    field_integer(j, "mem_node", r->mem_node);
    field_integer(j, "other_node", r->other_node);
    field_text(j, "kind", r->kind);
    field_integer(j, "threads", r->threads);
    field_integer(j, "runs", r->runs);
    field_stats(j, "mb_s", &r->mb_s);
    field_number(j, "cost_percent", r->cost_percent, 1);
}

static void write_fault(struct json *j, const struct event_fault *f)
{
    field_hex(j, "addr", f->addr);
    field_hex(j, "expected", f->expected);
    field_hex(j, "found", f->found);
    field_text(j, "test", f->test);
    field_integer(j, "pass", f->pass);
    field_integer(j, "cpu", f->cpu);
    field_integer(j, "node", f->node);
}

static void write_alias(struct json *j, const struct event_alias *a)
{
    field_hex(j, "addr", a->alias.addr);
    field_hex(j, "partner", a->alias.partner);
    if (a->alias.various)
        field_null(j, "diff");
    else
        field_hex(j, "diff", a->alias.address_bits);
    field_integer(j, "pages", a->alias.pages);
    field_text(j, "test", a->test);
    field_integer(j, "pass", a->pass);
}

static void write_mce(struct json *j, const struct event_mce *m)
{
    field_integer(j, "cpu", m->cpu);
    field_integer(j, "bank", m->bank);
    field_hex(j, "status", m->status);
    if (m->has_addr)
        field_hex(j, "addr", m->addr);
    else
        field_null(j, "addr");
    field_bool(j, "corrected", m->corrected);
    if (m->count > 1)
        field_integer(j, "count", m->count);
    if (m->is_memory)
        field_hex(j, "page", align_down(m->addr, PAGE_SIZE));
}

static void write_badram(struct json *j, const struct event_badram *b)
{
    field_integer(j, "bad_pages", b->bad_pages);
    put_name(j, "patterns");
    open_bracket(j, "[");
    for (size_t i = 0; i < b->cover->n_patterns; i++)
        put_hex_pair(j, b->cover->pattern[i].addr, b->cover->pattern[i].mask);
    close_bracket(j, "]");
    field_integer(j, "sacrificed_pages", b->cover->sacrificed_pages);
    field_integer(j, "ranges", b->cover->ranges);
    field_text(j, "line", b->line);
}

static void write_line(struct json *j, const struct event_line *l)
{
    field_text(j, "name", l->name);
    field_text(j, "place", l->place);
    field_text(j, "text", l->text);
    field_text(j, "note", l->note);
}

static void write_apart(struct json *j, const struct event_result *r)
{
    put_name(j, "apart");
    open_bracket(j, "[");
    for (size_t i = 0; i < r->n_apart; i++) {
        put_comma(j);
        open_bracket(j, "{");
        field_hex(j, "base", r->apart[i].base);
        field_hex(j, "end", span_end(r->apart[i]));
        close_bracket(j, "}");
    }
    close_bracket(j, "]");
}

static void write_result(struct json *j, const struct event_result *r)
{
    field_text(j, "status", r->status);
    field_bool(j, "complete", r->complete);
    field_integer(j, "passes", r->passes);
    field_integer(j, "tested_bytes", r->tested_bytes);
    field_integer(j, "untested_bytes", r->untested_bytes);
    put_name(j, "untested");
    open_bracket(j, "[");
    for (size_t i = 0; i < r->n_untested; i++) {
        put_comma(j);
        open_bracket(j, "{");
        field_hex(j, "base", r->untested[i].span.base);
        field_hex(j, "end", span_end(r->untested[i].span));
        field_text(j, "why", r->untested[i].why);
        close_bracket(j, "}");
    }
    close_bracket(j, "]");
    if (r->n_apart)
        write_apart(j, r);
    if (r->n_tests)
        field_texts(j, "tests", r->tests, r->n_tests);
    field_integer(j, "bad_pages", r->bad_pages);
    field_number(j, "seconds", r->seconds, 6);
}

static void write_late_warnings(struct json *j, const struct jsonl *l)
{
    const char *late[JSONL_LATE_MAX];

    for (size_t i = 0; i < l->n_late; i++)
        late[i] = l->late[i];
    if (l->n_late)
        field_texts(j, "warnings", late, l->n_late);
}

static const char *type_name(enum event_type type)
{
    switch (type) {
    case EVENT_START:
        return "start";
    case EVENT_MACHINE:
        return "machine";
    case EVENT_NODE:
        return "node";
    case EVENT_CACHE:
        return "cache";
    case EVENT_BANDWIDTH:
        return "bandwidth";
    case EVENT_LATENCY:
        return "latency";
    case EVENT_CONTENTION:
        return "contention";
    case EVENT_REDUNDANCY:
        return "redundancy";
    case EVENT_TEST:
        return "test";
    case EVENT_FAULT:
        return "fault";
    case EVENT_ALIAS:
        return "alias";
    case EVENT_MCE:
        return "mce";
    case EVENT_BADRAM:
        return "badram";
    case EVENT_LINE:
        return "line";
    case EVENT_RESULT:
        return "result";
    case EVENT_WARNING:
        return "warning";
    case EVENT_PROGRESS:
        break;
    }
    return NULL;
}

static void write_fields(struct json *j, const struct event *e)
{
    switch (e->type) {
    case EVENT_START:
        field_text(j, "version", e->start.version);
        field_text(j, "boot", e->start.boot);
        field_text(j, "loader", e->start.loader);
        field_text(j, "cmdline", e->start.cmdline);
        break;
    case EVENT_MACHINE:
        write_machine(j, &e->machine);
        break;
    case EVENT_NODE:
        write_node(j, &e->node);
        break;
    case EVENT_CACHE:
        field_integer(j, "level", e->cache.level);
        field_integer(j, "size_bytes", e->cache.size_bytes);
        field_number(j, "mb_s", e->cache.mb_s, 1);
        field_number(j, "ns", e->cache.ns, 1);
        break;
    case EVENT_BANDWIDTH:
        write_bandwidth(j, &e->bandwidth);
        break;
    case EVENT_LATENCY:
        write_latency(j, &e->latency);
        break;
    case EVENT_CONTENTION:
        write_contention(j, &e->contention);
        break;
    case EVENT_REDUNDANCY:
        write_redundancy(j, &e->redundancy);
        break;
    case EVENT_TEST:
        field_integer(j, "pass", e->test.pass);
        field_text(j, "test", e->test.test);
        field_number(j, "seconds", e->test.seconds, 6);
        field_integer(j, "swept_bytes", e->test.swept_bytes);
        if (e->test.hammers)
            field_integer(j, "hammered_bytes", e->test.hammered_bytes);
        field_integer(j, "faults", e->test.faults);
        if (e->test.has_seed)
            field_integer(j, "seed", e->test.seed);
        if (e->test.note)
            field_text(j, "note", e->test.note);
        break;
    case EVENT_FAULT:
        write_fault(j, &e->fault);
        break;
    case EVENT_ALIAS:
        write_alias(j, &e->alias);
        break;
    case EVENT_MCE:
        write_mce(j, &e->mce);
        break;
    case EVENT_BADRAM:
        write_badram(j, &e->badram);
        break;
    case EVENT_LINE:
        write_line(j, &e->line);
        break;
    case EVENT_RESULT:
        write_result(j, &e->result);
        break;
    case EVENT_WARNING:
        field_text(j, "text", e->warning);
        break;
    case EVENT_PROGRESS:
        break;
    }
}

static void begin_object(struct json *j, double t, const char *type)
{
    open_bracket(j, "{");
    field_number(j, "t", t, 6);
    field_text(j, "type", type);
}

/* The line is twice in its object: as patterns, each with four quotes and brackets, and whole.
 */
static size_t badram_bytes(const struct event_badram *b)
{
    return 2 * strlen(b->line) + 8 * b->cover->n_patterns;
}

static bool is_wanted(struct jsonl *l, const struct event *e)
{
    switch (e->type) {
    case EVENT_PROGRESS:
        return false;
    case EVENT_WARNING:
        return l->result_written;
    case EVENT_CACHE:
        return e->cache.level != 0;
    case EVENT_LINE:
        return !e->line.asked && e->line.wanted;
    case EVENT_BADRAM:
        return e->badram.final || pace_allows(&l->pace, e->t, badram_bytes(&e->badram));
    default:
        return true;
    }
}

struct jsonl jsonl_make(struct writer out)
{
    return (struct jsonl){ .out = out };
}

/* What later objects need. */
static void remember(struct jsonl *l, const struct event *e)
{
    switch (e->type) {
    case EVENT_MACHINE:
        l->machine_written = true;
        break;
    case EVENT_WARNING:
        if (l->machine_written && l->n_late < JSONL_LATE_MAX)
            string_copy(l->late[l->n_late++], e->warning, sizeof(l->late[0]));
        break;
    case EVENT_PROGRESS:
        l->passes = e->progress.pass ? e->progress.pass - 1 : 0;
        l->bad_pages = e->progress.bad_pages;
        break;
    case EVENT_BADRAM:
        l->bad_pages = e->badram.bad_pages;
        break;
    case EVENT_RESULT:
        l->result_written = true;
        break;
    default:
        break;
    }
}

void jsonl_receive(void *ctx, const struct event *e)
{
    struct jsonl *l = ctx;
    struct json j = { .out = &l->out };

    remember(l, e);
    if (!is_wanted(l, e))
        return;
    begin_object(&j, e->t, type_name(e->type));
    write_fields(&j, e);
    if (e->type == EVENT_RESULT)
        write_late_warnings(&j, l);
    writer_text(&l->out, "}\n");
}

void jsonl_panic(struct jsonl *l, double t, const char *text)
{
    const struct event_result result = {
        .status = "error",
        .passes = (uint32_t)l->passes,
        .bad_pages = l->bad_pages,
        .seconds = t,
    };
    struct json j = { .out = &l->out };

    begin_object(&j, t, type_name(EVENT_RESULT));
    write_result(&j, &result);
    write_late_warnings(&j, l);
    field_text(&j, "error", text);
    writer_text(&l->out, "}\n");
}
