// SPDX-License-Identifier: MIT
#include "screen/screen_state.h"

#include "kind/kind.h"
#include "lib/fmt.h"
#include "lib/string.h"
#include "report/format_text.h"
#include "display/grid.h"

#define REASONS_MAX 32 /* why memory was not tested: more than there is room for */

void screen_state_init(struct screen_state *s, const char *report_place)
{
    memset(s, 0, sizeof(*s));
    s->report_place = report_place;
    s->rows_min = GRID_ROWS_MIN;
    s->badram.line = "";
}

enum screen_pages screen_home(const struct screen_state *s)
{
    return s->has_result ? SCREEN_RESULT : SCREEN_MAIN;
}

size_t screen_part_of(size_t part, size_t n_most, size_t n)
{
    return part * n / n_most;
}

static void add_warning(struct screen_state *s, const char *text)
{
    if (s->n_warnings < SCREEN_WARNINGS_MAX)
        fmt_print(s->warning[s->n_warnings], SCREEN_WARNING_SIZE, "warning: %s", text);
    s->n_warnings++;
    if (s->has_result)
        string_copy(s->after_result, text, sizeof(s->after_result));
}

/* Maker and product, as far as they say something. */
static void name_maker(const struct smbios_maker *m, char *ret_name, size_t size)
{
    bool maker = !smbios_name_is_filler(m->maker), product = !smbios_name_is_filler(m->product);

    fmt_print(ret_name, size, "%s%s%s", maker ? m->maker : "", maker && product ? " " : "",
              product ? m->product : "");
}

#define DATE_DAYS    10 /* characters */
#define DATE_MINUTES 16

static void receive_identity(struct screen_state *s, const struct event_identity *i)
{
    name_maker(&i->names->system, s->system, sizeof(s->system));
    name_maker(&i->names->board, s->board, sizeof(s->board));
    if (strcmp(s->system, s->board) == 0)
        s->board[0] = 0;
    if (strlen(i->date) < DATE_MINUTES)
        return;
    string_copy(s->date, i->date, DATE_MINUTES + 1);
    s->date[DATE_DAYS] = ' ';
}

static void receive_machine(struct screen_state *s, const struct event_machine *m)
{
    s->has_machine = true;
    string_copy(s->cpu, m->cpu, sizeof(s->cpu));
    string_copy(s->isa, m->isa, sizeof(s->isa));
    s->cpus = m->cpus;
    s->nodes = m->nodes;
    s->ram_bytes = m->ram_bytes;
    s->testable_bytes = m->testable_bytes;
    s->installed_bytes = m->installed_bytes;
    s->ecc = m->ecc.state;
    s->repair = m->repair;
    s->side_cache_bytes = m->side_cache.bytes;
    for (size_t i = s->n_warnings; i < m->n_warnings; i++) /* the first were events of their own */
        add_warning(s, m->warnings[i]);
}

static void receive_node(struct screen_state *s, const struct event_node *n)
{
    struct screen_measured *m = &s->measured;

    if (m->n_nodes < NODES_MAX)
        m->node[m->n_nodes++] = n->node;
    if (s->n_nodes < SCREEN_NODES_MAX) {
        struct screen_node *kept = &s->node[s->n_nodes];
        struct fmt_buffer b = fmt_buffer_make(kept->cpus, sizeof(kept->cpus));

        kept->node = n->node;
        kept->ram_bytes = n->ram_bytes;
        format_text_append_list(&b, n->cpus, n->n_cpus);
        if (b.cut)
            fmt_print(kept->cpus, sizeof(kept->cpus), "%zu CPUs", n->n_cpus);
    }
    s->n_nodes++;
}

static void receive_cache(struct screen_measured *m, const struct event_cache *c)
{
    if (m->n_caches < SCREEN_CACHES_MAX)
        m->cache[m->n_caches++] =
            (struct screen_cache){ c->level, c->size_bytes, c->mb_s.mean, c->ns.mean };
    else
        m->has_more = true;
}

/* The place in node[] of a proximity domain, or NODES_MAX. */
static size_t place_of(const struct screen_measured *m, uint32_t domain)
{
    size_t i = 0;

    while (i < m->n_nodes && m->node[i] != domain)
        i++;
    return i < m->n_nodes ? i : NODES_MAX;
}

/* The figure for one CPU has fewer threads; a node of one CPU has no other. */
static void receive_bandwidth(struct screen_measured *m, const struct event_bandwidth *b)
{
    size_t cpu = place_of(m, b->cpu_node), mem = place_of(m, b->mem_node);

    m->has_more |= b->order != NULL;
    if (b->order || cpu == NODES_MAX || mem >= SCREEN_NODES_MAX)
        return;
    for (int op = 0; op < STREAM_OPS; op++) {
        struct screen_rate *kept = &m->rate[op][cpu][mem];

        if (strcmp(b->op, stream_op_name((enum stream_op)op)) != 0)
            continue;
        if (b->threads >= kept->threads)
            *kept = (struct screen_rate){ b->mb_s.mean, b->threads };
        if (b->threads == 1)
            m->one_cpu_mb_s[op] = b->mb_s.mean;
    }
}

/* The last size of a pair of nodes is well beyond the caches; others are a curve. */
static void receive_latency(struct screen_measured *m, const struct event_latency *l)
{
    size_t cpu = place_of(m, l->cpu_node), mem = place_of(m, l->mem_node);
    bool idle = strcmp(l->load, "idle") == 0;

    if (!idle || cpu == NODES_MAX || mem >= SCREEN_NODES_MAX) {
        m->has_more |= !idle;
        return;
    }
    m->has_more |= m->ns[cpu][mem] > 0;
    m->ns[cpu][mem] = l->ns.mean;
}

static void receive_exchange(struct screen_measured *m, const struct event_cache_to_cache *c)
{
    size_t i = 0, is_modified = strcmp(c->state, "modified") == 0;

    m->has_more = true;
    while (i < m->n_exchanges && strcmp(m->exchange[i].share, c->share) != 0)
        i++;
    if (i == SCREEN_EXCHANGES_MAX)
        return;
    if (i == m->n_exchanges)
        string_copy(m->exchange[m->n_exchanges++].share, c->share, sizeof(m->exchange[i].share));
    if (!(m->exchange[i].ns[is_modified] > 0))
        m->exchange[i].ns[is_modified] = c->ns.mean;
}

static enum screen_busy busy_place(const struct event_contention *c)
{
    if (c->mem_node != c->load_mem_node)
        return BUSY_WITH_ITS_OWN;
    if (c->mem_node == c->cpu_node)
        return BUSY_WITH_LOCAL;
    return c->mem_node == c->load_node ? BUSY_WITH_REMOTE : BUSY_WITH_ANOTHER;
}

static void receive_contention(struct screen_measured *m, const struct event_contention *c)
{
    const struct event_contest *const found[SCREEN_CONTESTS] = { &c->read_mb_s, &c->write_mb_s,
                                                                 &c->ns };
    struct event_stats *kept = m->busy[busy_place(c)];

    for (size_t i = 0; i < SCREEN_CONTESTS; i++) {
        if (!kept[i].runs || found[i]->more_percent.mean > kept[i].mean)
            kept[i] = found[i]->more_percent;
    }
}

static void receive_cycles(struct screen_state *s, const struct event_cycles *e)
{
    struct fmt_buffer b = fmt_buffer_make(s->starts, sizeof(s->starts));

    cycles_append_result(&b, e->count);
}

static void receive_progress(struct screen_state *s, const struct event_progress *p)
{
    s->has_progress = true;
    s->progress = *p;
    string_copy(s->phase, p->phase, sizeof(s->phase));
    string_copy(s->test, p->test, sizeof(s->test));
    s->progress.phase = s->progress.test = NULL;
    s->progress.node_mb_s = NULL;
    s->progress.ram = NULL;
    if (p->ram)
        s->ram = *p->ram;
    s->n_faults = p->faults;
    s->bad_pages = p->bad_pages;
    s->failing_bits = p->failing_bits;
    s->is_encrypted = p->is_encrypted;
}

static void receive_fault(struct screen_state *s, const struct event_fault *f)
{
    struct screen_fault *kept = &s->fault[s->n_records % SCREEN_FAULTS_MAX];

    kept->addr = f->addr;
    kept->expected = f->expected;
    kept->found = f->found;
    kept->cpu = f->cpu;
    string_copy(kept->test, f->test, sizeof(kept->test));
    s->n_records++;
    /* Progress has the counts; until the next, count at least what is shown. */
    if (s->n_faults < s->n_records)
        s->n_faults = s->n_records;
    s->failing_bits |= f->expected ^ f->found;
}

static void receive_faulty(struct screen_state *s, const struct modules_with_words *modules)
{
    struct fmt_buffer b = fmt_buffer_make(s->in_modules, sizeof(s->in_modules));

    memset(s->faulty_slot, 0, sizeof(s->faulty_slot));
    s->in_modules[0] = 0;
    if (!modules || !s->controller)
        return;
    modules_with_words_append_short(&b, s->controller, modules);
    for (size_t i = 0; i < modules->n && i < SCREEN_FAULTY_SLOTS; i++)
        s->faulty_slot[i] = modules->module[i].name.slot;
}

static void receive_kind(struct screen_state *s, const struct event_kind *k)
{
    const struct kind_cause_verdict *cause = &k->verdict->cause;
    struct fmt_buffer b = fmt_buffer_make(s->kind, sizeof(s->kind));

    if (kind_cause_is_cpu(cause)) {
        fmt_append(&b, ": ");
        kind_cause_append(cause, &b);
    } else {
        fmt_append(&b, k->verdict->kind == KIND_UNCLEAR ? ": " : ", ");
        kind_append(k->verdict, &b);
    }
    string_copy(s->kind_evidence, kind_cause_is_cpu(cause) ? cause->evidence : k->verdict->evidence,
                sizeof(s->kind_evidence));
    string_copy(s->chip, cause->cause == KIND_CAUSE_CPU ? "" : k->chip, sizeof(s->chip));
    string_copy(s->by_channel, k->channels ? k->channels : "", sizeof(s->by_channel));
    receive_faulty(s, k->modules);
}

/* "node 0, UMC 3: 5; node 1, UMC 0: 2", as far as there is room. */
static void name_channels(struct screen_state *s, const struct event_ecc *ecc)
{
    struct fmt_buffer b = fmt_buffer_make(s->channels, sizeof(s->channels));

    for (size_t i = 0; i < ecc->n_channels; i++) {
        size_t used = strlen(s->channels);

        fmt_append(&b, "%s%s: %lu", i ? "; " : "", ecc->channel[i].name,
                   ecc->channel[i].corrected + ecc->channel[i].uncorrected);
        if (b.cut) {
            s->channels[used] = 0;
            return;
        }
    }
}

/* Each once. One may be a part of another, and have commas of its own. */
static void list_reasons(struct screen_state *s, const struct event_result *r)
{
    struct fmt_buffer b = fmt_buffer_make(s->untested_why, sizeof(s->untested_why));
    const char *listed[REASONS_MAX];
    size_t n = 0;

    for (size_t i = 0; i < r->n_untested && n < REASONS_MAX; i++) {
        const char *why = r->untested[i].why;
        size_t k = 0;

        while (k < n && strcmp(listed[k], why) != 0)
            k++;
        if (k < n)
            continue;
        listed[n++] = why;
        fmt_append(&b, "%s%s", n > 1 ? ", " : "", why);
    }
}

static void receive_result(struct screen_state *s, const struct event_result *r)
{
    struct fmt_buffer tests = fmt_buffer_make(s->by_tests, sizeof(s->by_tests));

    s->has_result = true;
    s->badram_part = s->details_page = 0;
    s->result = *r;
    s->n_faults = r->faults;
    s->bad_pages = r->bad_pages;
    s->failing_bits = r->failing_bits;
    s->is_encrypted = r->is_encrypted;
    list_reasons(s, r);
    format_text_append_tests(&tests, r->tests, r->n_tests);
    s->result.untested = NULL;
    s->result.tests = NULL;
    s->unpaired_bytes = 0;
    for (size_t i = 0; i < r->n_unpaired; i++)
        s->unpaired_bytes += r->unpaired[i].size;
    s->result.unpaired = NULL;
    s->result.interrupts = NULL;
    name_channels(s, &r->ecc);
    s->result.ecc.channel = NULL;
}

static void receive_badram(struct screen_state *s, const struct event_badram *b)
{
    s->badram = *b;
    s->bad_pages = b->bad_pages;
    if (b->final)
        s->asked_place[0] = 0;
    if (!s->asked_place[0])
        string_copy(s->lines, b->line, sizeof(s->lines));
}

/* A line that does not fit any more is in the report. */
static void append_line(struct screen_state *s, const char *text)
{
    size_t used = strlen(s->lines), n = strlen(text);

    if (n && used + 1 + n < sizeof(s->lines))
        fmt_print(s->lines + used, sizeof(s->lines) - used, "\n%s", text);
}

static void receive_line(struct screen_state *s, const struct event_line *l)
{
    if (!l->asked) {
        append_line(s, l->text);
        return;
    }
    s->badram_part = 0;
    if (strcmp(l->name, lines_name(LINE_GRUB)) == 0) {
        s->asked_place[0] = 0;
        string_copy(s->lines, l->text, sizeof(s->lines));
    } else {
        string_copy(s->asked_place, l->place, sizeof(s->asked_place));
        fmt_print(s->lines, sizeof(s->lines), "%s%s(%s)", l->text, *l->text ? "\n" : "", l->note);
    }
}

/* What the user has to see is on the main page or, at the end, on that of results. */
static bool returns_to_main(const struct screen_state *s, const struct event *e, bool was_good)
{
    return (was_good && (s->n_faults || s->bad_pages)) || e->type == EVENT_RESULT ||
           (e->type == EVENT_LINE && e->line.asked);
}

void screen_state_receive(struct screen_state *s, const struct event *e)
{
    bool was_good = !s->n_faults && !s->bad_pages;

    switch (e->type) {
    case EVENT_START:
        string_copy(s->version, e->start.version, sizeof(s->version));
        string_copy(s->boot, strcmp(e->start.boot, "uefi") == 0 ? "UEFI" : "BIOS", sizeof(s->boot));
        string_copy(s->loader, e->start.loader, sizeof(s->loader));
        break;
    case EVENT_WARNING: add_warning(s, e->warning); break;
    case EVENT_IDENTITY: receive_identity(s, &e->identity); break;
    case EVENT_MACHINE: receive_machine(s, &e->machine); break;
    case EVENT_NODE: receive_node(s, &e->node); break;
    case EVENT_MODULE: s->modules = e->module.modules; break;
    case EVENT_CONTROLLER: s->controller = e->controller.decoded; break;
    case EVENT_TEMPERATURE:
        s->modules = e->temperature.modules;
        s->cpu_temperature = e->temperature.cpu;
        break;
    case EVENT_CACHE: receive_cache(&s->measured, &e->cache); break;
    case EVENT_BANDWIDTH: receive_bandwidth(&s->measured, &e->bandwidth); break;
    case EVENT_LATENCY: receive_latency(&s->measured, &e->latency); break;
    case EVENT_CACHE_TO_CACHE: receive_exchange(&s->measured, &e->cache_to_cache); break;
    case EVENT_CONTENTION:
        receive_contention(&s->measured, &e->contention);
        s->measured.has_more = true;
        break;
    case EVENT_REDUNDANCY: s->measured.has_more = true; break;
    case EVENT_PROGRESS: receive_progress(s, &e->progress); break;
    case EVENT_FAULT: receive_fault(s, &e->fault); break;
    case EVENT_GEOMETRY: s->geometry = e->geometry; break;
    case EVENT_ALIAS:
        if (e->alias.alias.pages >= s->alias.pages)
            s->alias = e->alias.alias;
        break;
    case EVENT_EXTERNAL: s->n_external++; break;
    case EVENT_MCE:
        s->n_mces++;
        s->has_ecc_errors |= e->mce.of_memory;
        break;
    case EVENT_CPER:
        if (e->cper.memory->severity != ERROR_INFORMATION) {
            s->n_reported++;
            s->has_ecc_errors = true;
        }
        break;
    case EVENT_KIND: receive_kind(s, &e->kind); break;
    case EVENT_DIAGNOSIS:
        s->has_diagnosis = true;
        s->diagnosis_has_begun = e->diagnosis.begun;
        s->diagnosis = *e->diagnosis.record;
        break;
    case EVENT_CYCLES: receive_cycles(s, &e->cycles); break;
    case EVENT_BADRAM: receive_badram(s, &e->badram); break;
    case EVENT_LINE: receive_line(s, &e->line); break;
    case EVENT_ADVICE: string_copy(s->advice, e->advice.text, sizeof(s->advice)); break;
    case EVENT_RESULT: receive_result(s, &e->result); break;
    case EVENT_REPORT_SAVED:
        s->kept = e->kept;
        s->after_result[0] = 0; /* why not all of it is kept is with the other warnings */
        break;
    case EVENT_STICK:
        s->stick = e->stick;
        s->after_result[0] = 0;
        break;
    case EVENT_KEYS:
        s->is_without_keys = !e->keys.answers;
        s->keys = e->keys;
        break;
    case EVENT_SUPPORT: s->support = e->support.support; break;
    default: break; /* for the report alone */
    }
    if (returns_to_main(s, e, was_good)) {
        s->shown = screen_home(s);
        s->turns_itself = false;
    }
}
