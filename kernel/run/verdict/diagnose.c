// SPDX-License-Identifier: MIT
#include "verdict/diagnose.h"

#include "diagnosis/next_step.h"
#include "diagnosis/observe.h"
#include "event/events.h"
#include "lib/fmt.h"
#include "lib/string.h"

#define DID_NOT_START '!' /* after the word */
#define DEFAULT_TESTS "standard"
#define SHOWN_CHARS   60 /* of a word that a warning shows */

/* What is said about a start. */
struct lines {
    char text[1600];
    struct fmt_buffer buffer;
};

/* Each line is a warning of its own. */
static void warn_lines(struct lines *l, const struct warnings *warnings)
{
    for (char *line = l->text, *end; *line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = 0;
        else
            end = line + strlen(line);
        warn_print(warnings, "%s", line);
    }
}

/* The word, and whether the sign is after it. False: it cannot be used, which is said. */
static bool read_word(const char *option, struct diagnosis *ret_state, bool *ret_not_started,
                      const struct warnings *warnings)
{
    char word[OPTIONS_DIAGNOSIS_MAX], why[WARNING_TEXT_MAX];
    struct fmt_buffer b = fmt_buffer_make(why, sizeof(why));
    size_t n = strlen(option);

    string_copy(word, option, sizeof(word));
    *ret_not_started = n && word[n - 1] == DID_NOT_START;
    if (*ret_not_started)
        word[n - 1] = 0;
    if (diagnosis_read_code(word, true, ret_state, &b) == STATUS_OK)
        return true;
    warn_print(
        warnings,
        "option diagnosis=%.*s is ignored, and the search starts again: %s; expected the word "
        "that okram has shown, such as 9090-01q1-36m1, and ! after it if the machine did not "
        "start; a run that finds faults shows a new one",
        SHOWN_CHARS, option, why);
    return false;
}

/* The machine did not start with the modules that were asked for, and has others in it now. */
static void append_not_started(const struct diagnosis *state, const struct arrangement *now,
                               struct fmt_buffer *out)
{
    struct diagnosis_step next;
    struct diagnosis_end end;

    diagnosis_next(state, &next, &end);
    fmt_append(out, "Noted: the computer does not start with these modules. What is fitted now is "
                    "tested, which counts, too; key q ends that.\n");
    diagnosis_append_step(state, &next, now, out);
}

/* What is fitted, compared with what was asked for. False: it has to begin anew. */
static bool observe(struct diagnose *d, bool not_started, struct fmt_buffer *out)
{
    const struct arrangement before = *diagnosis_last(&d->state);
    struct diagnosis_step asked;
    struct diagnosis_end end;
    enum status status;
    unsigned notes;

    diagnosis_next(&d->state, &asked, &end);
    if (not_started)
        diagnosis_not_started(&d->state, &asked.at);
    status = diagnosis_observe(&d->state, &d->machine, &asked.at, &d->now, &notes);
    diagnosis_append_notes(notes, out);
    if (status != STATUS_OK)
        return false;
    if (not_started)
        append_not_started(&d->state, &d->now, out);
    else
        diagnosis_append_change(&d->state, &asked, &before, &d->now, out);
    diagnosis_run_begins(&d->state, &asked, &d->now);
    return true;
}

/* Whether tests= may have this. */
static bool is_right(const char *tests, const char *march)
{
    struct test_list list;
    struct test_word bad;

    return tests_select(tests, march, &list, &bad) == STATUS_OK;
}

static void take_march(struct diagnose *d, const struct options *options)
{
    d->march[0] = 0;
    if (is_right(TEST_OWN, options->march))
        string_copy(d->march, options->march, sizeof(d->march));
}

/* What the next run repeats: a list that is right, and not the default one. */
static void take_tests(struct diagnose *d, const struct options *options)
{
    if (strcmp(options->tests, DEFAULT_TESTS) != 0 && is_right(options->tests, d->march))
        string_copy(d->tests, options->tests, sizeof(d->tests));
}

/* A pass of a part counts like one of all memory, and addresses move with the modules. */
static void warn_of_part(const struct options *options, const struct warnings *warnings)
{
    if (options->n_ranges || !options->nodes.all)
        warn_print(warnings, "this run of the search for the bad module tests a part of the "
                             "memory: it may call a module good whose fault is in the rest; leave "
                             "range= and nodes= out");
}

void diagnose_begin(struct diagnose *d, struct options *options, const struct smbios_memory *slots,
                    const struct modules *modules, const struct warnings *warnings)
{
    struct lines lines = { .text = "" };
    bool not_started;

    diagnosis_list(slots, modules, &d->machine);
    take_march(d, options);
    if (!options->diagnosis[0])
        return;
    if (!read_word(options->diagnosis, &d->state, &not_started, warnings))
        return;
    lines.buffer = fmt_buffer_make(lines.text, sizeof(lines.text));
    d->goes_on = observe(d, not_started, &lines.buffer);
    if (d->goes_on) {
        take_tests(d, options);
        warn_of_part(options, warnings);
        if (!options->has_passes)
            options->passes = diagnosis_next_passes(&d->state);
    }
    warn_lines(&lines, warnings);
}

uint32_t diagnose_enough(const struct diagnose *d)
{
    return d->goes_on ? DIAGNOSIS_FAILURES_ENOUGH : 0;
}

/* Of the list, those that found faults, and the march if it is one of these; "": all. */
static void list_tests(struct diagnose *d, const struct diagnose_found *found)
{
    struct fmt_buffer b = fmt_buffer_make(d->tests, DIAGNOSIS_TESTS);
    bool own = false;

    for (size_t i = 0; i < found->tests->n_tests; i++) {
        const char *name = found->tests->test[i].name;

        if (!found->test_faults[i])
            continue;
        own |= strcmp(name, TEST_OWN) == 0;
        fmt_append(&b, "%s%s", b.length ? "," : "", name);
    }
    if (b.cut)
        d->tests[0] = 0;
    else if (!own)
        d->march[0] = 0;
}

static enum diagnosis_kind kind_of(const struct kind_verdict *verdict)
{
    static const enum diagnosis_kind kinds[KINDS] = {
        [KIND_CELL] = DIAGNOSIS_KIND_CELLS,        [KIND_CELLS] = DIAGNOSIS_KIND_CELLS,
        [KIND_ROW] = DIAGNOSIS_KIND_CELLS,         [KIND_COLUMN] = DIAGNOSIS_KIND_CELLS,
        [KIND_CHIP] = DIAGNOSIS_KIND_CELLS,        [KIND_RETENTION] = DIAGNOSIS_KIND_CELLS,
        [KIND_COUPLING] = DIAGNOSIS_KIND_CELLS,    [KIND_PIN] = DIAGNOSIS_KIND_LINE,
        [KIND_ADDRESS_LINE] = DIAGNOSIS_KIND_LINE, [KIND_EVERYWHERE] = DIAGNOSIS_KIND_EVERYWHERE,
    };

    return verdict->confidence == KIND_POSSIBLE ? DIAGNOSIS_KIND_UNKNOWN : kinds[verdict->kind];
}

/* False: there is nothing to begin with. */
static bool begin(struct diagnose *d, struct diagnosis_count count,
                  const struct diagnose_found *found, unsigned *ret_notes,
                  const struct warnings *warnings)
{
    struct lines lines = { .text = "" };
    enum status status;

    if (!count.failed)
        return false;
    list_tests(d, found);
    status =
        diagnosis_begin(&d->machine, kind_of(&found->kind), d->tests, count, &d->state, ret_notes);
    if (status == STATUS_NO_SPACE) {
        lines.buffer = fmt_buffer_make(lines.text, sizeof(lines.text));
        diagnosis_append_notes(*ret_notes, &lines.buffer);
        warn_lines(&lines, warnings);
    }
    d->now = d->state.run[0].at;
    return status == STATUS_OK;
}

void diagnose_end(struct diagnose *d, const struct run_done *done,
                  const struct diagnose_found *found, const struct warnings *warnings)
{
    /* A pass that was cut short counts if it had faults by then. */
    struct diagnosis_count count = { done->passes + done->cut_failed, done->failed, found->always };
    unsigned notes = 0;

    if (d->goes_on)
        diagnosis_ran(&d->state, count);
    else if (!begin(d, count, found, &notes, warnings))
        return;
    diagnosis_record_make(&d->state, &d->now, notes, d->tests, d->march, &d->record);
    events_send(&(struct event){ .type = EVENT_DIAGNOSIS,
                                 .diagnosis = { .begun = d->goes_on,
                                                .passes = count.passes,
                                                .failed = count.failed,
                                                .always = count.always,
                                                .kind = diagnosis_kind_name(d->state.kind),
                                                .record = &d->record } });
}
