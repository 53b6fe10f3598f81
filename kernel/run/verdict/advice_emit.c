// SPDX-License-Identifier: MIT
#include "verdict/advice_emit.h"

#include "advice/advice.h"
#include "controller/controllers.h"
#include "cover/cover_emit.h"
#include "ecc/ecc.h"
#include "faults/cpu_evidence.h"
#include "lib/fmt.h"
#include "lib/string.h"
#include "machine/inventory.h"
#include "machine/board.h"
#include "machine/machine.h"
#include "verdict/geometry_emit.h"
#include "verdict/kind_emit.h"

static enum advice_run run_of(const struct event_result *r)
{
    if (r->verdict == VERDICT_PASS)
        return !r->all_tested            ? ADVICE_UNTESTED
               : r->unseen.missing_bytes ? ADVICE_UNSEEN
               : r->hidden_pages         ? ADVICE_HIDDEN
               : r->part_of_bytes        ? ADVICE_PART
                                         : ADVICE_PASSED;
    if (r->verdict == VERDICT_FAIL)
        return ADVICE_FAILED;
    if (r->verdict == VERDICT_CORRECTED)
        return ADVICE_CORRECTED;
    if (r->verdict == VERDICT_STOPPED)
        return ADVICE_STOPPED;
    return r->reason == REASON_INTERNAL_ERROR || r->reason == REASON_CPU ? ADVICE_BROKEN
                                                                         : ADVICE_NOT_TESTED;
}

/* The reason for which most memory is not tested; NULL: all of it is. */
static const char *most_left_out(const struct pieces *ram)
{
    const char *why = NULL;
    uint64_t most = 0;

    for (size_t i = 0; i < ram->n; i++) {
        if (ram->piece[i].why && ram->piece[i].span.size > most) {
            most = ram->piece[i].span.size;
            why = ram->piece[i].why;
        }
    }
    return why;
}

static void take_result(const struct pieces *ram, const struct event_result *r,
                        struct advice_facts *f)
{
    f->run = run_of(r);
    f->bad_pages = r->bad_pages;
    f->left_out = most_left_out(ram);
    f->tested_bytes = r->tested_bytes;
    f->part_of_bytes = r->part_of_bytes;
    f->hidden_pages = r->hidden_pages ? r->hidden_pages : r->hole_pages;
    f->are_holes = !r->hidden_pages;
}

/* Whether GRUB may load Linux over a bad page: below 2 GiB, by BIOS alone. */
static bool is_loaded_over(const struct run *run)
{
    uint64_t index = 0;
    struct page_run first;

    return run->plan.limits.map && fault_log_next_run(&run->found.log, &index, &first) &&
           first.first < (UINT64_C(2) << 30 >> PAGE_SHIFT);
}

static void take_line(const struct run *run, struct advice_facts *f)
{
    const struct cover *cover = cover_emit_current(&f->use);

    f->is_loaded_over = is_loaded_over(run);
    f->lost_pages = cover->sacrificed_pages;
    f->line_fits = cover->n_patterns && cover->ranges <= run->plan.limits.max_ranges;
}

/* Only if all faults were counted while the temperature was known. */
static void take_heat(const struct run *run, struct advice_facts *f)
{
    struct heat_onset onset;

    if (heat_account_onset(run->heating.account, &onset) &&
        onset.faults == fault_log_faults(&run->found.log))
        f->onset = onset;
    f->onset.by_module = run->heating.by_module;
}

static void take_diagnosis(const struct diagnose *d, struct advice_facts *f)
{
    const struct diagnosis_record *r = &d->record;

    f->diagnosis_has_begun = d->goes_on;
    f->diagnosis = r->end ? r->found : r->next;
    f->diagnosis_remedy = r->remedy;
    f->diagnosis_is_settings = r->step.kind == DIAGNOSIS_SETTINGS_OFF;
}

/* The modules that faults are in, where that is known. */
static void take_named(const struct modules_with_words *modules, struct advice_facts *f)
{
    static char named[400];
    struct fmt_buffer b = fmt_buffer_make(named, sizeof(named));
    const struct decoded_controller *controller = &controllers_get()->decoded;
    const struct module_with_words *m;

    if (!modules)
        return;
    m = modules->module;
    if (modules->n == 1) {
        module_name_append(&b, controller, &m->name, m->channel, m->dimm);
        f->named = named;
        f->is_named = m->name.slot;
    } else {
        modules_with_words_append_short(&b, controller, modules);
        f->in_modules = named;
        f->are_in_all = modules_with_words_are_all(modules);
    }
}

/* For cpus=: "0-2,4-7". As far as there is room. */
static void list_other_cpus(uint32_t core, char *text, size_t size)
{
    struct fmt_buffer b = fmt_buffer_make(text, size);
    uint32_t n = 0, cpu[2] = { 0 }; /* the first and the last of a range */

    for (uint32_t i = 0; i <= machine.n_cpus; i++) {
        uint32_t of = i < machine.n_cpus ? cpu_evidence_of(i)->core : KIND_CPU_ABSENT;
        bool is_other = of != core && of != KIND_CPU_ABSENT && !cpu_evidence_of(i)->is_left_out;

        if (is_other) {
            cpu[0] = n++ ? cpu[0] : i;
            cpu[1] = i;
        } else if (n) {
            fmt_append(&b, n > 1 ? "%s%u-%u" : "%s%u", text[0] ? "," : "", cpu[0], cpu[1]);
            n = 0;
        }
    }
    if (b.cut)
        text[0] = 0;
}

/* By SMBIOS, of the system or, of Intel's boards, the board. */
static bool heals_rows(void)
{
    const struct smbios_maker *system = &board.names.system, *of = &board.names.board;
    bool is_ddr4 = false;

    if (!ecc_so_far()->corrected && !ecc_so_far()->uncorrected)
        return false;
    for (uint32_t i = 0; board.slots && i < board.slots->n_slot; i++)
        is_ddr4 |= board.slots->slot[i].memory_type == SMBIOS_DDR4 ||
                   board.slots->slot[i].memory_type == SMBIOS_DDR5;
    return advice_machine_heals(system->maker, system->product, is_ddr4) ||
           advice_machine_heals(of->maker, of->product, is_ddr4);
}

/* Of the last event. */
static struct advice_facts facts;
static char place[SMBIOS_NAME_SIZE];
static char text[ADVICE_TEXT_SIZE];
static struct kind_cause_verdict cause;
static char other_cpus[128];

bool advice_emit_has_headline(void)
{
    return advice_headline(&facts);
}

/* If it is not what was sent last. */
static void send(void)
{
    char now[ADVICE_TEXT_SIZE] = "";
    struct fmt_buffer b = fmt_buffer_make(now, sizeof(now));

    advice_append(&facts, &b);
    if (strcmp(now, text) == 0)
        return;
    string_copy(text, now, sizeof(text));
    events_send(&(struct event){ .type = EVENT_ADVICE,
                                 .advice = { .what = advice_case_of(&facts),
                                             .text = text,
                                             .headline = advice_headline(&facts) } });
}

void advice_emit(const struct run *run, const struct event_result *result,
                 const struct kind_verdict *verdict, const struct diagnose *diagnosis,
                 bool keeps_report)
{
    const struct cycles *starts = &run->options.cycles;

    cause = verdict->cause;
    list_other_cpus(cause.core, other_cpus, sizeof(other_cpus));
    facts = (struct advice_facts){
        .ram_bytes = machine.ram_bytes,
        .installed_bytes = board.unseen.installed_bytes,
        .cause = result->reason == REASON_INTERNAL_ERROR ? NULL : &cause,
        .other_cpus = other_cpus,
        .heals_rows = heals_rows(),
        .kind = verdict->kind,
        .confidence = verdict->confidence,
        .guard = !board.has_guard ? ADVICE_NO_GUARD
                 : keeps_report   ? ADVICE_GUARD
                                  : ADVICE_GUARD_WITHOUT_LIST,
        .menu_has_search = board.has_guard && keeps_report,
        .starts = starts->starts,
        .starts_with_errors = starts->with_errors > starts->has_errors ? starts->with_errors : 0,
    };
    take_result(&run->plan.ram, result, &facts);
    take_line(run, &facts);
    take_heat(run, &facts);
    take_diagnosis(diagnosis, &facts);
    take_named(kind_emit_modules(), &facts);
    if (geometry_emit_found()->finding == GEOMETRY_SPD)
        facts.false_size = geometry_emit_found()->text;
    advice_take_modules(&inventory_get()->modules, place, &facts);
    send();
}

bool advice_emit_panic(const struct run *run, bool is_flipped, struct fmt_buffer *out)
{
    struct kind_verdict verdict;

    kind_emit_panic(run, is_flipped, &verdict);
    cause = verdict.cause;
    if (!cause.is_known || (!is_flipped && (cause.cause != KIND_CAUSE_CPU || cause.cpu != 0)))
        return false;
    kind_cause_append(&cause, out);
    fmt_append(out, ": %s\n", cause.evidence);
    if (cause.cause != KIND_CAUSE_CPU)
        return false;
    list_other_cpus(cause.core, other_cpus, sizeof(other_cpus));
    facts =
        (struct advice_facts){ .run = ADVICE_BROKEN, .cause = &cause, .other_cpus = other_cpus };
    send();
    fmt_append(out, "%s\n", text);
    return true;
}

void advice_emit_as_kept(bool has_report, bool has_list)
{
    if (facts.guard == ADVICE_GUARD && !has_list)
        facts.guard = ADVICE_GUARD_WITHOUT_LIST;
    facts.menu_has_search &= has_report;
    send();
}
