// SPDX-License-Identifier: MIT
#include "verdict/diagnose.h"

#include "diagnosis/observe.h"
#include "event/events.h"
#include "lib/fmt.h"
#include "lib/string.h"

#define DID_NOT_START '!' /* after the word */
#define DEFAULT_TESTS "standard"
#define SHOWN_CHARS   60 /* of a word that a warning shows */

/* The word, and whether the sign is after it. False: it cannot be used, which is said. */
static bool read_word(const char *option, struct diagnosis *ret_state, bool *ret_not_started,
                      const struct warnings *warnings)
{
    char word[OPTIONS_DIAGNOSIS_MAX];
    size_t n = strlen(option);
    const char *why;

    string_copy(word, option, sizeof(word));
    *ret_not_started = n && word[n - 1] == DID_NOT_START;
    if (*ret_not_started)
        word[n - 1] = 0;
    why = diagnosis_read_code(word, ret_state);
    if (why)
        warn_print(
            warnings,
            "option diagnosis=%.*s is ignored, and the search starts again: %s; expected the word "
            "that okram has shown, such as 9090-01q1-36m1, and ! after it if the machine did not "
            "start; a run that finds faults shows a new one",
            SHOWN_CHARS, option, why);
    return !why;
}

/* The machine did not start with the modules that were asked for, and has others in it now. */
static void warn_of_no_start(struct diagnose *d, const struct warnings *warnings)
{
    diagnosis_record_make(&d->state, &d->now, &d->record);
    warn_print(warnings, "Noted: the computer does not start with these modules. What is fitted "
                         "now is tested, which counts, too; key q ends that.");
    warn_print(warnings, "%s",
               d->record.step.kind == DIAGNOSIS_ENDS ? d->record.found : d->record.next);
}

/* What is fitted, compared with what was asked for. False: it has to begin anew. */
static bool observe(struct diagnose *d, bool not_started, const struct warnings *warnings)
{
    const struct arrangement before = *diagnosis_last(&d->state);
    char text[WARNING_TEXT_MAX] = "";
    struct fmt_buffer change = fmt_buffer_make(text, sizeof(text));
    struct diagnosis_step asked;
    struct diagnosis_end end;
    enum status status;

    diagnosis_next(&d->state, &asked, &end);
    if (not_started)
        diagnosis_not_started(&d->state, &asked.at);
    status = diagnosis_observe(&d->state, &d->machine, &asked.at, &d->now);
    if (status != STATUS_OK) {
        warn_print(warnings, "%s", diagnosis_refusal(status));
        return false;
    }
    diagnosis_append_change(&d->state, &asked.at, &before, &d->now, &change);
    if (not_started)
        warn_of_no_start(d, warnings);
    else if (text[0])
        warn_print(warnings, "%s", text);
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

/* What the next run repeats: what is right, and not the default. */
static void take_tests(struct diagnosis *state, const struct options *options)
{
    if (is_right(TEST_OWN, options->march))
        string_copy(state->march, options->march, sizeof(state->march));
    if (strcmp(options->tests, DEFAULT_TESTS) != 0 && is_right(options->tests, state->march) &&
        strlen(options->tests) < sizeof(state->tests))
        string_copy(state->tests, options->tests, sizeof(state->tests));
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
    struct diagnosis_step next;
    struct diagnosis_end end;
    bool not_started;

    d->options = options;
    diagnosis_list(slots, modules, &d->machine);
    d->goes_on = options->diagnosis[0] &&
                 read_word(options->diagnosis, &d->state, &not_started, warnings) &&
                 observe(d, not_started, warnings);
    if (!d->goes_on)
        return;
    take_tests(&d->state, options);
    warn_of_part(options, warnings);
    diagnosis_next(&d->state, &next, &end);
    if (!options->has_passes)
        options->passes = next.passes;
}

uint32_t diagnose_enough(const struct diagnose *d)
{
    return d->goes_on ? DIAGNOSIS_FAILURES_ENOUGH : 0;
}

/* Of the list, those that found faults, and the march if it is one of these; "": all. */
static void list_tests(struct diagnose *d, const struct diagnose_found *found)
{
    struct diagnosis *state = &d->state;
    struct fmt_buffer b = fmt_buffer_make(state->tests, sizeof(state->tests));
    bool own = false;

    for (size_t i = 0; i < found->tests->n_tests; i++) {
        const char *name = found->tests->test[i].name;

        if (!found->test_faults[i])
            continue;
        own |= strcmp(name, TEST_OWN) == 0;
        fmt_append(&b, "%s%s", b.length ? "," : "", name);
    }
    if (b.cut)
        state->tests[0] = 0;
    if (own)
        string_copy(state->march, d->options->march, sizeof(state->march));
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

    if (verdict->cause.is_known && verdict->cause.cause == KIND_CAUSE_CPU)
        return DIAGNOSIS_KIND_CPU;
    return verdict->confidence == KIND_POSSIBLE ? DIAGNOSIS_KIND_UNKNOWN : kinds[verdict->kind];
}

/* False: there is nothing to begin with. */
static bool begin(struct diagnose *d, struct diagnosis_count count,
                  const struct diagnose_found *found, const struct warnings *warnings)
{
    enum status status;

    if (!count.failed)
        return false;
    status = diagnosis_begin(&d->machine, kind_of(&found->kind), count, &d->state);
    if (status == STATUS_NO_SPACE)
        warn_print(warnings, "%s", diagnosis_refusal(status));
    if (status != STATUS_OK)
        return false;
    diagnosis_suspect(&d->state, found->suspects, found->suspicion);
    d->now = d->state.run[0].at;
    list_tests(d, found);
    return true;
}

void diagnose_end(struct diagnose *d, const struct run_done *done,
                  const struct diagnose_found *found, const struct warnings *warnings)
{
    /* A pass that was cut short counts if it had faults by then. */
    struct diagnosis_count count = { done->passes + done->cut_failed, done->failed, found->always };

    if (d->goes_on)
        diagnosis_ran(&d->state, &d->now, count);
    else if (!begin(d, count, found, warnings))
        return;
    diagnosis_record_make(&d->state, &d->now, &d->record);
    events_send(&(struct event){ .type = EVENT_DIAGNOSIS,
                                 .diagnosis = { .begun = d->goes_on,
                                                .passes = count.passes,
                                                .failed = count.failed,
                                                .always = count.always,
                                                .kind = diagnosis_kind_name(d->state.kind),
                                                .record = &d->record } });
}
