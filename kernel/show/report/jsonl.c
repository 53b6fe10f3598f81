// SPDX-License-Identifier: MIT
#include "report/jsonl.h"

#include "firmware/memory_repair.h"
#include "kind/kind_names.h"
#include "lib/string.h"
#include "report/format_text.h"
#include "lib/json.h"
#include "picture/ram_cells_text.h"
#include "report/identity_json.h"
#include "report/support_json.h"
#include "spd/makers.h"

static void field_stats(struct json *j, const char *name, const struct event_stats *s)
{
    json_object(j, name);
    json_number(j, "mean", s->mean, 1);
    json_number(j, "stddev", s->stddev, 1);
    json_number(j, "min", s->min, 1);
    json_number(j, "max", s->max, 1);
    json_close(j, "}");
}

static void write_kind(struct json *j, const struct event_cpu_kind *k)
{
    json_element(j);
    json_text(j, "kind", k->kind);
    json_name(j, "cpus");
    fmt_append(j->out, "\"");
    format_text_append_list(j->out, k->cpus, k->n_cpus);
    fmt_append(j->out, "\"");
    json_integer(j, "threads_per_core", k->threads_per_core);
    json_hex_if(j, k->microcode != 0, "microcode", k->microcode);
    json_known(j, "speed_percent", k->speed_percent);
    json_close(j, "}");
}

static void write_memory_ecc(struct json *j, const struct memory_ecc *ecc)
{
    json_object(j, "memory_ecc");
    json_text(j, "state", memory_ecc_word(ecc->state));
    json_text(j, "by", ecc->by);
    json_close(j, "}");
}

static void write_side_cache(struct json *j, const struct side_cache *cache)
{
    json_object(j, "side_cache");
    json_integer(j, "bytes", cache->bytes);
    json_text(j, "by", cache->by);
    json_close(j, "}");
}

static void write_machine(struct json *j, const struct event_machine *m)
{
    const char *repair[MEMORY_REPAIRS];

    json_text(j, "cpu", m->cpu);
    json_integer(j, "cpus", m->cpus);
    json_integer(j, "nodes", m->nodes);
    json_integer(j, "ram_bytes", m->ram_bytes);
    json_integer(j, "testable_bytes", m->testable_bytes);
    json_known(j, "installed_bytes", m->installed_bytes);
    write_memory_ecc(j, &m->ecc);
    if (m->repair)
        json_texts(j, "memory_repair", repair, memory_repair_names(m->repair, repair));
    if (m->side_cache.bytes)
        write_side_cache(j, &m->side_cache);
    if (m->encryption)
        json_text(j, "encryption", m->encryption);
    if (m->specific_bytes)
        json_integer(j, "specific_bytes", m->specific_bytes);
    if (m->n_kinds) {
        json_array(j, "kinds");
        for (size_t i = 0; i < m->n_kinds; i++)
            write_kind(j, &m->kinds[i]);
        json_close(j, "]");
    }
    json_texts(j, "warnings", m->warnings, m->n_warnings);
}

static void write_speeds(struct json *j, const struct event_node *n)
{
    json_array(j, "speed_percent");
    for (size_t i = 0; i < n->n_cpus; i++) {
        json_comma(j);
        if (n->speed_percent[i])
            fmt_append(j->out, "%u", n->speed_percent[i]);
        else
            fmt_append(j->out, "null");
    }
    json_close(j, "]");
}

static void write_node(struct json *j, const struct event_node *n)
{
    json_integer(j, "node", n->node);
    json_array(j, "cpus");
    for (size_t i = 0; i < n->n_cpus; i++) {
        json_comma(j);
        fmt_append(j->out, "%u", n->cpus[i]);
    }
    json_close(j, "]");
    if (n->speed_percent)
        write_speeds(j, n);
    json_integer(j, "ram_bytes", n->ram_bytes);
    json_array(j, "spans");
    for (size_t i = 0; i < n->n_spans; i++)
        json_hex_pair(j, n->spans[i].base, span_end(n->spans[i]));
    json_close(j, "]");
}

/* Clocks; null: unknown. */
static void write_timings(struct json *j, const struct spd_timings *t)
{
    if (!t->cl) {
        json_null(j, "timings");
        return;
    }
    json_object(j, "timings");
    json_integer(j, "cl", t->cl);
    json_integer(j, "rcd", t->rcd);
    json_integer(j, "rp", t->rp);
    json_integer(j, "ras", t->ras);
    json_close(j, "}");
}

static void write_profiles(struct json *j, const struct spd *spd)
{
    json_array(j, "profiles");
    for (size_t i = 0; spd && i < spd->n_profiles; i++) {
        json_element(j);
        json_text(j, "kind", spd->profile[i].is_expo ? "expo" : "xmp");
        json_integer(j, "number", spd->profile[i].number);
        json_integer(j, "mt_s", spd->profile[i].mt_s);
        write_timings(j, &spd->profile[i].timings);
        json_close(j, "}");
    }
    json_close(j, "]");
}

static void write_problems(struct json *j, const struct spd *spd)
{
    const char *text[SPD_PROBLEMS];
    size_t n = 0;

    for (unsigned i = 0; spd && i < SPD_PROBLEMS; i++) {
        if (spd->problems >> i & 1)
            text[n++] = spd_problem_text(i);
    }
    json_texts(j, "problems", text, n);
}

/* What the SPD alone says; all null without one. */
static void write_spd(struct json *j, const struct spd *spd)
{
    static const struct spd none;
    const struct spd *s = spd ? spd : &none;

    json_text_if_any(j, "form", spd_form_name(s));
    json_known(j, "ranks", s->ranks);
    json_known(j, "chip_bits", s->device_bits);
    json_known(j, "data_bits", s->data_bits);
    if (s->data_bits)
        json_integer(j, "ecc_bits", s->ecc_bits);
    else
        json_null(j, "ecc_bits");
    json_hex_if(j, s->maker != 0, "maker_code", s->maker);
    json_text_if_any(j, "chip_maker", spd_maker_name(s->dram_maker));
    json_known(j, "year", s->year);
    json_known(j, "week", s->week);
    write_timings(j, &s->timings);
    write_profiles(j, spd);
    write_problems(j, spd);
}

static void write_module(struct json *j, const struct event_module *e)
{
    const struct module *m = &e->modules->module[e->index];
    const char *kind = m->spd    ? spd_type_name(m->spd->spd.type)
                       : m->slot ? smbios_memory_type_name(m->slot->memory_type)
                                 : "";

    json_text_if_any(j, "slot", m->slot ? m->slot->locator : "");
    json_text_if_any(j, "bank", m->slot ? m->slot->bank : "");
    json_text(j, "slot_by", module_slot_by_word(m->slot_by));
    json_hex_if(j, m->spd, "address", m->spd ? m->spd->address : 0);
    json_text_if_any(j, "kind", kind);
    json_known(j, "size_bytes", m->size_bytes);
    json_text_if_any(j, "maker", m->maker);
    json_text_if_any(j, "part", m->part);
    json_text_if_any(j, "serial", m->serial);
    json_known(j, "configured_mt_s", m->configured_mt_s);
    json_known(j, "jedec_mt_s", m->jedec_mt_s);
    write_spd(j, m->spd ? &m->spd->spd : NULL);
}

static void write_degrees(struct json *j, const struct temperature *t)
{
    json_number(j, "start", t->start_mc / 1e3, 2);
    json_number(j, "now", t->now_mc / 1e3, 2);
    json_number(j, "highest", t->highest_mc / 1e3, 2);
}

static void write_temperature(struct json *j, const struct event_temperature *t)
{
    json_text(j, "when", t->when);
    if (t->cpu->is_known) {
        json_object(j, "cpu");
        write_degrees(j, t->cpu);
        json_close(j, "}");
    } else {
        json_null(j, "cpu");
    }
    json_array(j, "modules");
    for (size_t i = 0; i < t->modules->n; i++) {
        const struct module *m = &t->modules->module[i];

        if (!m->temperature.is_known)
            continue;
        json_element(j);
        json_hex(j, "address", m->spd->address);
        json_text_if_any(j, "slot", m->slot ? m->slot->locator : "");
        write_degrees(j, &m->temperature);
        json_close(j, "}");
    }
    json_close(j, "]");
}

static void write_picture(struct json *j, const struct event_picture *p)
{
    const struct ram_view *ram = p->ram;

    json_integer(j, "cell_bytes", ram->cell_bytes);
    json_array(j, "nodes");
    for (uint32_t i = 0; i < ram->n_nodes; i++) {
        char cells[RAM_CELLS_TEXT_SIZE];
        struct fmt_buffer b = fmt_buffer_make(cells, sizeof(cells));

        ram_cells_append(&b, ram, ram->node[i]);
        json_element(j);
        json_integer(j, "node", p->node[i]);
        json_text(j, "cells", cells);
        json_close(j, "}");
    }
    json_close(j, "]");
}

static void write_bandwidth(struct json *j, const struct event_bandwidth *b)
{
    json_integer(j, "cpu_node", b->cpu_node);
    json_integer(j, "mem_node", b->mem_node);
    json_text(j, "op", b->op);
    json_integer(j, "threads", b->threads);
    json_integer(j, "runs", b->runs);
    field_stats(j, "mb_s", &b->mb_s);
    if (b->order)
        json_text(j, "order", b->order);
}

static void write_latency(struct json *j, const struct event_latency *l)
{
    json_integer(j, "cpu_node", l->cpu_node);
    json_integer(j, "mem_node", l->mem_node);
    json_integer(j, "size_bytes", l->size_bytes);
    json_number(j, "ns", l->ns, 1);
    json_text(j, "load", l->load);
    if (l->mix) {
        json_text(j, "mix", l->mix);
        json_number(j, "load_mb_s", l->load_mb_s, 1);
    }
}

/* null when nothing was measured. */
static void field_percent(struct json *j, const char *name, double percent, double idle)
{
    if (idle > 0)
        json_number(j, name, percent, 1);
    else
        json_null(j, name);
}

static void write_contention(struct json *j, const struct event_contention *c)
{
    json_integer(j, "cpu_node", c->cpu_node);
    json_integer(j, "mem_node", c->mem_node);
    json_integer(j, "load_node", c->load_node);
    json_integer(j, "threads", c->threads);
    json_integer(j, "load_threads", c->load_threads);
    json_integer(j, "runs", c->runs);
    field_stats(j, "idle_mb_s", &c->idle);
    field_stats(j, "loaded_mb_s", &c->loaded);
    field_percent(j, "slowdown_percent",
                  format_text_slow_down_of_bandwidth(c->idle.mean, c->loaded.mean), c->idle.mean);
    json_number(j, "idle_ns", c->idle_ns, 1);
    json_number(j, "loaded_ns", c->loaded_ns, 1);
    field_percent(j, "latency_percent", format_text_slow_down_of_latency(c->idle_ns, c->loaded_ns),
                  c->idle_ns);
}

static void write_redundancy(struct json *j, const struct event_redundancy *r)
{
    json_integer(j, "cpu_node", r->cpu_node);
    json_integer(j, "mem_node", r->mem_node);
    json_integer(j, "other_node", r->other_node);
    json_text(j, "kind", r->kind);
    json_integer(j, "threads", r->threads);
    json_integer(j, "runs", r->runs);
    field_stats(j, "mb_s", &r->mb_s);
    json_number(j, "cost_percent", r->cost_percent, 1);
}

static void write_fault(struct json *j, const struct event_fault *f)
{
    json_hex(j, "addr", f->addr);
    json_hex(j, "expected", f->expected);
    json_hex(j, "found", f->found);
    json_text(j, "test", f->test);
    json_integer(j, "pass", f->pass);
    json_integer(j, "cpu", f->cpu);
}

static void write_alias(struct json *j, const struct event_alias *a)
{
    json_hex(j, "addr", a->alias.addr);
    json_hex(j, "partner", a->alias.partner);
    json_hex_if(j, !a->alias.various, "diff", a->alias.address_bits);
    json_integer(j, "pages", a->alias.pages);
    json_text(j, "test", a->test);
    json_integer(j, "pass", a->pass);
}

static void write_mce(struct json *j, const struct event_mce *m)
{
    json_integer(j, "cpu", m->cpu);
    json_integer(j, "bank", m->bank);
    json_hex(j, "status", m->status);
    json_hex_if(j, m->has_addr, "addr", m->addr);
    json_bool(j, "corrected", m->corrected);
    if (m->count > 1)
        json_integer(j, "count", m->count);
    if (m->is_memory)
        json_hex(j, "page", align_down(m->addr, PAGE_SIZE));
    if (m->of_memory)
        json_bool(j, "memory", true);
    if (m->channel)
        json_text(j, "channel", m->channel);
}

static void write_ecc_page(struct json *j, const struct event_ecc_page *p)
{
    json_integer(j, "cpu", p->cpu);
    json_integer(j, "bank", p->bank);
    if (p->channel)
        json_text(j, "channel", p->channel);
    json_hex_if(j, p->has_page, "page", p->page);
    json_text(j, "result", p->result);
    json_integer(j, "searched_bytes", p->searched_bytes);
    json_integer(j, "left_bytes", p->left_bytes);
    json_integer(j, "tries", p->tries);
    json_number(j, "seconds", p->seconds, 3);
}

static void write_cper(struct json *j, const struct event_cper *c)
{
    const struct cper_memory *m = c->memory;

    json_integer(j, "source", c->source);
    json_text(j, "severity", cper_severity_name(m->severity));
    json_hex_if(j, m->has_addr, "addr", m->addr);
    if (c->count > 1)
        json_integer(j, "count", c->count);
    if (m->has_page)
        json_hex(j, "page", align_down(m->addr, PAGE_SIZE));
    if (m->what)
        json_text(j, "error", m->what);
    for (enum cper_field f = 0; f < CPER_FIELDS; f++) {
        if (m->given >> f & 1)
            json_integer(j, cper_field_name(f), m->field[f]);
    }
    if (m->fru[0])
        json_text(j, "part", m->fru);
}

/* What is known of a move, of a CPU, of a call. */
static void write_trace(struct json *j, const struct event_trace *e)
{
    static const char *const names[] = {
        [OPTION_TRACE_MOVES] = "move",
        [OPTION_TRACE_CPUS] = "cpu",
        [OPTION_TRACE_FIRMWARE] = "firmware",
    };

    json_text(j, "what", names[e->what]);
    json_text(j, "state", e->state);
    if (e->what == OPTION_TRACE_MOVES) {
        json_hex(j, "from", e->from);
        json_hex_if(j, e->to, "to", e->to);
        json_integer(j, "bytes", e->bytes);
        json_number(j, "seconds", e->seconds, 6);
        return;
    }
    json_integer(j, "cpu", e->cpu);
    if (e->what == OPTION_TRACE_CPUS) {
        json_integer(j, "apic_id", e->apic_id);
        return;
    }
    json_text(j, "service", e->service);
    if (e->variable[0])
        json_text(j, "variable", e->variable);
    if (strcmp(e->state, "returned") == 0)
        json_hex(j, "status", e->status);
    if (strcmp(e->state, "called") != 0)
        json_number(j, "seconds", e->seconds, 6);
    if (e->missed)
        json_integer(j, "missed", e->missed);
}

static void write_rows(struct json *j, const struct event_rows *r)
{
    const struct row_map *map = &r->result->map;

    json_integer(j, "node", r->node);
    json_bool(j, "found", r->result->answer == ROWS_FOUND);
    json_integer(j, "measurements", r->result->n_measurements);
    if (r->result->answer != ROWS_FOUND) {
        json_text(j, "why", row_answer_text(r->result->answer));
        return;
    }
    json_array(j, "functions");
    for (unsigned i = 0; i < map->n_functions; i++) {
        json_comma(j);
        fmt_append(j->out, "\"0x%lx\"", map->function[i]);
    }
    json_close(j, "]");
    json_hex(j, "row", map->row);
    json_hex(j, "column", map->column);
    json_hex(j, "hole", map->hole);
}

static void write_fault_kind(struct json *j, const struct event_kind *k)
{
    const struct kind_verdict *v = k->verdict;

    json_text(j, "kind", kind_word(v->kind));
    json_text(j, "confidence", kind_confidence_name(v->confidence));
    json_text(j, "evidence", v->evidence);
    if (v->lane.what != KIND_LANE_NONE) {
        json_integer(j, "bit", v->lane.pin);
        json_integer(j, "bits", kind_lane_pins(&v->lane));
        json_integer(j, "bus_bits", v->lane.bus_bits);
    }
    if (*k->chip)
        json_text(j, "chip", k->chip);
    if (k->channels)
        json_text(j, "channels", k->channels);
}

static void write_diagnosis(struct json *j, const struct event_diagnosis *d)
{
    const struct diagnosis_record *r = d->record;

    json_bool(j, "begun", d->begun);
    if (d->begun)
        json_text(j, "headline", r->headline);
    json_integer(j, "runs", r->runs);
    json_integer(j, "passes", d->passes);
    json_integer(j, "failed", d->failed);
    if (d->always)
        json_bool(j, "always", true);
    json_text(j, "tests", r->tests);
    if (r->march[0])
        json_text(j, "march", r->march);
    json_text(j, "kind", d->kind);
    json_text(j, "next", r->next);
    json_text(j, "end", r->end);
    json_text(j, "found", r->found);
    json_text(j, "reasons", r->reasons);
    if (r->remedy[0])
        json_text(j, "remedy", r->remedy);
    json_text(j, "code", r->code);
    json_integer(j, "next_passes", r->next_passes);
    json_text(j, "words", r->words);
}

static void write_pages(struct json *j, const struct event_pages *p)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < p->n; i++)
        bytes += p->run[i].size;
    json_integer(j, "pages", bytes >> PAGE_SHIFT);
    json_array(j, "runs");
    for (size_t i = 0; i < p->n; i++)
        json_hex_pair(j, p->run[i].base, span_end(p->run[i]));
    json_close(j, "]");
    if (p->more)
        json_bool(j, "more", true);
}

static void write_badram(struct json *j, const struct event_badram *b)
{
    json_integer(j, "bad_pages", b->bad_pages);
    json_array(j, "patterns");
    for (size_t i = 0; i < b->cover->n_patterns; i++)
        json_hex_pair(j, b->cover->pattern[i].addr, b->cover->pattern[i].mask);
    json_close(j, "]");
    json_integer(j, "sacrificed_pages", b->cover->sacrificed_pages);
    json_integer(j, "ranges", b->cover->ranges);
    json_text(j, "line", b->line);
}

static void write_line(struct json *j, const struct event_line *l)
{
    json_text(j, "name", l->name);
    json_text(j, "place", l->place);
    json_text(j, "text", l->text);
    json_text(j, "note", l->note);
}

/* Left open: a field may follow. */
static void open_span(struct json *j, struct span span)
{
    json_element(j);
    json_hex(j, "base", span.base);
    json_hex(j, "end", span_end(span));
}

static void write_unpaired(struct json *j, const struct event_result *r)
{
    json_array(j, "apart");
    for (size_t i = 0; i < r->n_unpaired; i++) {
        open_span(j, r->unpaired[i]);
        json_close(j, "}");
    }
    json_close(j, "]");
}

static void write_interrupts(struct json *j, const struct event_result *r)
{
    json_array(j, "interrupts");
    for (size_t i = 0; i < r->n_interrupts; i++) {
        json_element(j);
        json_integer(j, "vector", r->interrupts[i].vector);
        json_integer(j, "count", r->interrupts[i].count);
        json_text(j, "what", r->interrupts[i].what);
        json_close(j, "}");
    }
    json_close(j, "]");
}

/* Not of a panic's result, which does not know it. */
static void write_ecc(struct json *j, const struct event_ecc *ecc)
{
    json_object(j, "ecc");
    json_integer(j, "corrected", ecc->corrected);
    json_integer(j, "uncorrected", ecc->uncorrected);
    json_integer(j, "with_page", ecc->with_page);
    json_close(j, "}");
}

static void write_unseen(struct json *j, const struct unseen *unseen)
{
    json_object(j, "unseen");
    json_integer(j, "modules", unseen->modules);
    json_integer(j, "of", unseen->of);
    json_bool(j, "at_least", unseen->at_least);
    json_bool(j, "may_be_mirrored", unseen->may_be_mirrored);
    json_integer(j, "missing_bytes", unseen->missing_bytes);
    json_integer(j, "installed_bytes", unseen->installed_bytes);
    if (unseen->n_at) {
        json_array(j, "addresses");
        for (size_t i = 0; i < unseen->n_at; i++) {
            json_comma(j);
            fmt_append(j->out, "\"0x%x\"", unseen->at[i]);
        }
        json_close(j, "]");
    }
    json_close(j, "}");
}

static void write_excluded(struct json *j, const struct excluded *e)
{
    json_object(j, "excluded");
    json_integer(j, "reads", e->reads);
    json_integer(j, "one_in", e->one_in);
    json_number(j, "per_hour", e->per_hour, 6);
    json_close(j, "}");
}

static void write_result(struct json *j, const struct event_result *r)
{
    json_text(j, "status", r->status);
    if (r->reason)
        json_text(j, "reason", r->reason);
    json_bool(j, "complete", r->complete);
    json_integer(j, "passes", r->passes);
    json_integer(j, "tested_bytes", r->tested_bytes);
    json_integer(j, "untested_bytes", r->untested_bytes);
    json_array(j, "untested");
    for (size_t i = 0; i < r->n_untested; i++) {
        open_span(j, r->untested[i].span);
        json_text(j, "why", r->untested[i].why);
        json_close(j, "}");
    }
    json_close(j, "]");
    if (r->n_unpaired)
        write_unpaired(j, r);
    if (r->n_tests)
        json_texts(j, "tests", r->tests, r->n_tests);
    if (r->n_interrupts)
        write_interrupts(j, r);
    if (r->looks_encrypted)
        json_text(j, "encryption", "look");
    json_integer(j, "bad_pages", r->bad_pages);
    if (r->part_of_bytes)
        json_integer(j, "part_of_bytes", r->part_of_bytes);
    if (r->hidden_pages)
        json_integer(j, "hidden_pages", r->hidden_pages);
    if (r->hole_pages)
        json_integer(j, "hole_pages", r->hole_pages);
    json_number(j, "seconds", r->seconds, 6);
}

static void write_late_warnings(struct json *j, const struct jsonl *l)
{
    const char *late[JSONL_LATE_MAX];

    for (size_t i = 0; i < l->n_late; i++)
        late[i] = l->late[i];
    if (l->n_late)
        json_texts(j, "warnings", late, l->n_late);
}

/* Others have no object. */
static const char *const type_name[] = {
    [EVENT_START] = "start",
    [EVENT_IDENTITY] = "identity",
    [EVENT_MACHINE] = "machine",
    [EVENT_NODE] = "node",
    [EVENT_MODULE] = "module",
    [EVENT_TEMPERATURE] = "temperature",
    [EVENT_SUPPORT] = "support",
    [EVENT_CACHE] = "cache",
    [EVENT_BANDWIDTH] = "bandwidth",
    [EVENT_LATENCY] = "latency",
    [EVENT_CONTENTION] = "contention",
    [EVENT_REDUNDANCY] = "redundancy",
    [EVENT_ROWS] = "rows",
    [EVENT_TEST] = "test",
    [EVENT_FAULT] = "fault",
    [EVENT_EXTERNAL] = "foreign",
    [EVENT_ALIAS] = "alias",
    [EVENT_MCE] = "mce",
    [EVENT_ECC_PAGE] = "ecc_page",
    [EVENT_CPER] = "cper",
    [EVENT_TRACE] = "trace",
    [EVENT_RETEST] = "retest",
    [EVENT_KIND] = "kind",
    [EVENT_DIAGNOSIS] = "diagnosis",
    [EVENT_PAGES] = "pages",
    [EVENT_BADRAM] = "badram",
    [EVENT_LINE] = "line",
    [EVENT_ADVICE] = "advice",
    [EVENT_PICTURE] = "picture",
    [EVENT_RESULT] = "result",
};

static void write_fields(struct json *j, const struct event *e)
{
    switch (e->type) {
    case EVENT_START:
        json_text(j, "version", e->start.version);
        json_text(j, "boot", e->start.boot);
        json_text(j, "loader", e->start.loader);
        json_text(j, "cmdline", e->start.cmdline);
        break;
    case EVENT_IDENTITY: identity_json_write(j, &e->identity); break;
    case EVENT_MACHINE: write_machine(j, &e->machine); break;
    case EVENT_NODE: write_node(j, &e->node); break;
    case EVENT_MODULE: write_module(j, &e->module); break;
    case EVENT_TEMPERATURE: write_temperature(j, &e->temperature); break;
    case EVENT_PICTURE: write_picture(j, &e->picture); break;
    case EVENT_SUPPORT: support_json_write(j, e->support.support); break;
    case EVENT_CACHE:
        json_integer(j, "level", e->cache.level);
        json_integer(j, "size_bytes", e->cache.size_bytes);
        json_number(j, "mb_s", e->cache.mb_s, 1);
        json_number(j, "ns", e->cache.ns, 1);
        break;
    case EVENT_BANDWIDTH: write_bandwidth(j, &e->bandwidth); break;
    case EVENT_LATENCY: write_latency(j, &e->latency); break;
    case EVENT_CONTENTION: write_contention(j, &e->contention); break;
    case EVENT_REDUNDANCY: write_redundancy(j, &e->redundancy); break;
    case EVENT_ROWS: write_rows(j, &e->rows); break;
    case EVENT_TEST:
        json_integer(j, "pass", e->test.pass);
        json_text(j, "test", e->test.test);
        json_number(j, "seconds", e->test.seconds, 6);
        json_integer(j, "swept_bytes", e->test.swept_bytes);
        if (e->test.hammers)
            json_integer(j, "hammered_bytes", e->test.hammered_bytes);
        json_integer(j, "faults", e->test.faults);
        if (e->test.has_seed)
            json_integer(j, "seed", e->test.seed);
        if (e->test.note)
            json_text(j, "note", e->test.note);
        break;
    case EVENT_FAULT:
        write_fault(j, &e->fault);
        json_integer(j, "node", e->fault.node);
        if (e->fault.channel)
            json_text(j, "channel", e->fault.channel);
        break;
    case EVENT_EXTERNAL: write_fault(j, &e->external); break;
    case EVENT_ALIAS: write_alias(j, &e->alias); break;
    case EVENT_MCE: write_mce(j, &e->mce); break;
    case EVENT_ECC_PAGE: write_ecc_page(j, &e->ecc_page); break;
    case EVENT_CPER: write_cper(j, &e->cper); break;
    case EVENT_TRACE: write_trace(j, &e->trace); break;
    case EVENT_RETEST:
        json_hex(j, "page", e->retest.page);
        json_integer(j, "tries", e->retest.tries);
        json_integer(j, "failed", e->retest.failed);
        break;
    case EVENT_KIND: write_fault_kind(j, &e->kind); break;
    case EVENT_DIAGNOSIS: write_diagnosis(j, &e->diagnosis); break;
    case EVENT_PAGES: write_pages(j, &e->pages); break;
    case EVENT_BADRAM: write_badram(j, &e->badram); break;
    case EVENT_LINE: write_line(j, &e->line); break;
    case EVENT_ADVICE:
        json_text(j, "case", advice_case_name(e->advice.what));
        json_text(j, "text", e->advice.text);
        break;
    case EVENT_RESULT:
        write_result(j, &e->result);
        write_ecc(j, &e->result.ecc);
        if (e->result.unseen.missing_bytes)
            write_unseen(j, &e->result.unseen);
        if (e->result.excluded.reads)
            write_excluded(j, &e->result.excluded);
        break;
    case EVENT_WARNING:
    case EVENT_PROGRESS:
    case EVENT_REPORT_SAVED:
    case EVENT_KEYS: break;
    }
}

/* The line is twice in its object: as patterns, each with four quotes and brackets, and whole. */
static size_t badram_bytes(const struct event_badram *b)
{
    return 2 * strlen(b->line) + 8 * b->cover->n_patterns;
}

static bool is_wanted(struct jsonl *l, const struct event *e)
{
    switch (e->type) {
    case EVENT_PROGRESS:
    case EVENT_WARNING:
    case EVENT_REPORT_SAVED:
    case EVENT_KEYS: return false;
    case EVENT_SUPPORT: return e->support.asked;
    case EVENT_CACHE: return e->cache.level != 0;
    case EVENT_LINE: return !e->line.asked && e->line.wanted;
    case EVENT_TRACE: return !l->result_written; /* which is the last object */
    case EVENT_BADRAM:
        return e->badram.final || rate_limit_allows(&l->pace, e->t, badram_bytes(&e->badram));
    default: return true;
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
    case EVENT_MACHINE: l->machine_written = true; break;
    case EVENT_WARNING:
        if (l->machine_written && l->n_late < JSONL_LATE_MAX)
            string_copy(l->late[l->n_late++], e->warning, sizeof(l->late[0]));
        break;
    case EVENT_PROGRESS:
        l->passes = e->progress.pass ? e->progress.pass - 1 : 0;
        l->bad_pages = e->progress.bad_pages;
        break;
    case EVENT_BADRAM: l->bad_pages = e->badram.bad_pages; break;
    default: break;
    }
}

/* An object, but for its last fields. */
static void begin_object(struct json *j, double t, enum event_type type)
{
    fmt_append(j->out, "{\"t\":%.6f,\"type\":\"%s\"", t, type_name[type]);
}

static void end_object(struct json *j)
{
    fmt_append(j->out, "}\n");
    fmt_flush(j->out);
}

void jsonl_receive(void *ctx, const struct event *e)
{
    struct jsonl *l = ctx;
    char room[256];
    struct fmt_buffer out = fmt_stream_make(room, sizeof(room), l->out);
    struct json j = { .out = &out };

    remember(l, e);
    if (!is_wanted(l, e))
        return;
    begin_object(&j, e->t, e->type);
    write_fields(&j, e);
    if (e->type == EVENT_RESULT) {
        write_late_warnings(&j, l);
        l->result_written = true;
    }
    end_object(&j);
}

void jsonl_panic(struct jsonl *l, double t, const char *reason, const char *text)
{
    const struct event_result result = {
        .status = "error",
        .reason = reason,
        .passes = (uint32_t)l->passes,
        .bad_pages = l->bad_pages,
        .seconds = t,
    };
    char room[256];
    struct fmt_buffer out = fmt_stream_make(room, sizeof(room), l->out);
    struct json j = { .out = &out };

    begin_object(&j, t, EVENT_RESULT);
    write_result(&j, &result);
    write_late_warnings(&j, l);
    json_text(&j, "error", text);
    end_object(&j);
}
