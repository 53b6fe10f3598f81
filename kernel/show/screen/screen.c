// SPDX-License-Identifier: MIT
#include "screen/screen.h"

#include "display/grid.h"
#include "kind/kind.h"
#include "lib/fmt.h"
#include "lib/keys.h"
#include "lib/minmax.h"
#include "lib/panic.h"
#include "lib/string.h"
#include "report/format_text.h"
#include "screen/screen_bandwidth.h"
#include "screen/screen_code.h"
#include "screen/screen_main.h"
#include "screen/screen_pages.h"
#include "screen/screen_result.h"

#define REASONS_MAX 32 /* why memory was not tested: more than there is room for */

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

static void receive_cycles(struct screen_state *s, const struct event_cycles *e)
{
    struct fmt_buffer b = fmt_buffer_make(s->starts, sizeof(s->starts));

    cycles_append_result(&b, e->count);
    s->restarts = cycles_follow(e->count);
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
    string_copy(s->chip, k->chip, sizeof(s->chip));
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

static void keep(struct screen_state *s, const struct event *e)
{
    bool was_good = !s->n_faults && !s->bad_pages;

    screen_bandwidth_receive(&s->measured, e);
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
    case EVENT_ADVICE:
        string_copy(s->advice, e->advice.text, sizeof(s->advice));
        s->headline = e->advice.headline;
        break;
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
    default: break; /* of what was measured, or for the report alone */
    }
    if (returns_to_main(s, e, was_good)) {
        s->shown = screen_home(s);
        s->turns_itself = false;
    }
}

#define TURN_EVERY_US 10000000
#define ASKED_US      5000000 /* for which a key may be pressed again */
#define PAUSE_US      300000  /* longer than terminals wait between two times of a held key */

/* Of the badram line, on the grid of the view that has most. */
static size_t most_parts(struct screen *s, enum screen_pages page)
{
    struct screen_state *state = &s->state;
    size_t most = 1;

    for (size_t i = 0; i < s->n_views; i++) {
        const struct console_backend *b = &s->view[i].backend;

        most = max_u64(most, page == SCREEN_RESULT ? screen_result_parts(state, b)
                                                   : screen_main_parts(state, b));
    }
    return most;
}

/* The space key shows the parts of the page of results, then those of the main one. */
static void count_pages(struct screen *s)
{
    struct screen_state *state = &s->state;
    size_t before = 0;

    state->badram_parts = most_parts(s, state->shown);
    state->badram_part %= state->badram_parts; /* it may have become shorter */
    if (state->has_result && state->shown == SCREEN_MAIN)
        before = most_parts(s, SCREEN_RESULT);
    state->page = before + state->badram_part + 1;
    state->n_pages = before + state->badram_parts;
    if (state->has_result && state->shown == SCREEN_RESULT)
        state->n_pages += most_parts(s, SCREEN_MAIN);
}

static void paint(struct screen *s)
{
    switch (s->state.shown) {
    case SCREEN_MAIN: screen_main_paint(&s->state, &s->grid); break;
    case SCREEN_RESULT: screen_result_paint(&s->state, &s->grid); break;
    default: screen_pages_paint(&s->state, &s->grid);
    }
}

static void show(struct screen *s, bool all)
{
    if (s->state.shown < SCREEN_FIRST_OF_KEY)
        count_pages(s);
    for (size_t i = 0; i < s->n_views; i++) {
        struct console_backend *b = &s->view[i].backend;

        grid_resize(&s->grid, b->columns, b->rows);
        s->grid.has_quarters = b->has_squares;
        paint(s);
        grid_refresh(&s->grid, &s->view[i], all);
    }
}

void screen_init(struct screen *s, const char *report_place)
{
    memset(&s->state, 0, sizeof(s->state));
    s->state.report_place = report_place;
    s->state.rows_min = GRID_ROWS_MIN;
    s->state.badram.line = "";
    s->n_views = 0;
    s->key_heard = false;
    s->asked = (struct screen_asked){ 0 };
    s->turn_at_us = s->support_turn_at_us = 0;
}

void screen_add_view(struct screen *s, struct console_backend backend, unsigned budget)
{
    ASSERT(s->n_views < SCREEN_VIEWS_MAX);
    if (!s->n_views || backend.rows < s->state.rows_min)
        s->state.rows_min = backend.rows;
    grid_view_init(&s->view[s->n_views++], backend, budget);
    s->state.code.half_blocks |= !backend.has_squares;
}

void screen_receive(void *ctx, const struct event *e)
{
    struct screen *s = ctx;

    keep(&s->state, e);
    if (e->type == EVENT_RESULT)
        screen_code_renew_report(&s->state);
    if (e->type == EVENT_SUPPORT && e->support.asked && !s->key_heard) {
        screen_pages_turn(&s->state, SCREEN_DETAILS);
        s->state.turns_itself = true;
    }
    if (e->type != EVENT_FAULT)
        show(s, e->type == EVENT_RESULT || e->type == EVENT_REPORT_SAVED || e->type == EVENT_STICK);
}

void screen_next_part(struct screen *s)
{
    struct screen_state *state = &s->state;

    if (state->shown >= SCREEN_FIRST_OF_KEY) {
        screen_pages_next(state);
    } else if (state->badram_part + 1 < state->badram_parts) {
        state->badram_part++;
    } else {
        state->badram_part = 0;
        if (state->has_result)
            state->shown = state->shown == SCREEN_RESULT ? SCREEN_MAIN : SCREEN_RESULT;
    }
    show(s, true);
}

void screen_turn(struct screen *s, enum screen_pages kind)
{
    screen_pages_turn(&s->state, kind);
    show(s, true);
}

static bool has_code_on_all(struct screen *s)
{
    for (size_t i = 0; i < s->n_views; i++) {
        if (!screen_result_has_code(&s->state, &s->view[i].backend))
            return false;
    }
    return true;
}

static void turn_by_itself(struct screen *s)
{
    struct screen_state *state = &s->state;

    if (state->shown == SCREEN_RESULT) {
        screen_next_part(s);
        return;
    }
    if (state->shown == SCREEN_MAIN && !has_code_on_all(s)) {
        screen_pages_turn(state, SCREEN_CODE);
    } else {
        state->badram_part = 0;
        state->shown = SCREEN_RESULT;
    }
    show(s, true);
}

/* Whether it ends something now. */
static bool asks_twice(const struct screen_state *state, int key)
{
    return (key == 'q' && !state->has_result) || (key == 'x' && state->has_result) ||
           (key == 'n' && !state->has_result && strcmp(state->phase, "test") == 0);
}

/* 0: about no key. */
static void ask(struct screen *s, int key, uint64_t now_us)
{
    bool changes = s->state.asked_key != key;

    s->state.asked_key = key;
    s->asked = (struct screen_asked){ .until_us = now_us + ASKED_US, .last_us = now_us };
    if (changes)
        show(s, true);
}

/* A key that is held comes sooner after its second time than a person presses again. */
static void press_on_terminal(struct screen_asked *a, uint64_t now_us)
{
    a->is_held = (a->again_us || a->is_held) && now_us < a->last_us + PAUSE_US;
    a->again_us = a->is_held ? 0 : now_us;
    a->last_us = now_us;
    a->until_us = now_us + ASKED_US;
}

int screen_confirm(struct screen *s, int key, enum key_from from, uint64_t now_us)
{
    const int asked = s->state.asked_key;
    const bool waits = asked && now_us < s->asked.until_us && asks_twice(&s->state, asked);

    if (waits && key == asked && from == KEY_FROM_TERMINAL) {
        press_on_terminal(&s->asked, now_us);
        return KEY_NONE;
    }
    if (waits && key == KEY_NONE && s->asked.again_us && now_us >= s->asked.again_us + PAUSE_US)
        key = asked;
    else if (key == KEY_NONE && waits)
        return KEY_NONE;
    else if (from != KEY_FROM_PROGRAM && asks_twice(&s->state, key) && !(waits && key == asked)) {
        ask(s, key, now_us);
        return KEY_NONE;
    }
    if (asked)
        ask(s, 0, now_us);
    return key;
}

void screen_key_pressed(struct screen *s)
{
    bool changes = s->state.turns_itself || s->state.is_without_keys;

    s->key_heard = true;
    s->state.turns_itself = s->state.is_without_keys = false;
    if (changes)
        show(s, true);
}

static void support_tick(struct screen *s, uint64_t now_us)
{
    struct screen_state *state = &s->state;

    if (state->shown != SCREEN_DETAILS || !state->turns_itself || now_us < s->support_turn_at_us)
        return;
    if (s->support_turn_at_us) {
        screen_pages_next(state);
        if (!state->details_page) { /* all were shown */
            state->shown = screen_home(state);
            state->turns_itself = false;
        }
        show(s, true);
    }
    s->support_turn_at_us = now_us + TURN_EVERY_US;
}

void screen_tick(struct screen *s, uint64_t now_us)
{
    struct screen_state *state = &s->state;

    support_tick(s, now_us);
    if (s->key_heard || !state->has_result || now_us < s->turn_at_us)
        return;
    if (s->turn_at_us && state->turns_itself)
        turn_by_itself(s);
    if (!s->turn_at_us && state->badram.line[0] &&
        (state->badram_parts > 1 || !has_code_on_all(s))) {
        state->turns_itself = true;
        show(s, true);
    }
    s->turn_at_us = now_us + TURN_EVERY_US;
}

void screen_redraw(struct screen *s)
{
    for (size_t i = 0; i < s->n_views; i++)
        grid_view_forget(&s->view[i]);
    show(s, true);
}
