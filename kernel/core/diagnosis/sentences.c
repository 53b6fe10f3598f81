// SPDX-License-Identifier: MIT
#include "diagnosis/sentences.h"

#include "diagnosis/observe.h"
#include "lib/bits.h"
#include "lib/string.h"

#define CHANGES_LISTED_MAX 3 /* modules that are named one by one; more: those that stay in */

/* Of what is told when a module is to be taken out for the first time. */
#define MARK_NOTES (DIAGNOSIS_NO_SERIALS | DIAGNOSIS_SAME_SERIALS)

#define BUFFER(text) fmt_buffer_make(text, sizeof(text))

#define NOT_A_MODULE " or the board is the cause, not a module."
#define LOWER_SPEED                                                                                 \
    "Leave XMP or EXPO off, or choose a lower speed there and test again. Modules that do not run " \
    "at the speed they were sold for can be sent back."

/* The words of an end; after `brief` and `found` come the modules or slots that it names. */
struct end_words {
    const char *name;     /* of the record */
    const char *headline; /* in large letters a small screen may show one line of it only */
    const char *brief, *found, *found_end;
    const char *with, *without; /* where there were faults, and none; NULL: not in these words */
    const char *remedy;
};

static const struct end_words end_words[] = {
    [DIAGNOSIS_NONE] = { "not-reproduced", "NOT AGAIN", "the fault did not come again",
                         "The fault did not come again.", "", NULL, NULL,
                         "Test again for a night. If it stays away, it was an event from outside, "
                         "which happens to good memory, too." },
    [DIAGNOSIS_CONTROLLER] = { "controller", "NO MODULE IS BAD",
                               "CPU, controller or board, not a module",
                               "CPU, memory controller or board is the cause, not a module.", "",
                               "Whichever modules and slots, faults came", NULL,
                               "Update the firmware, take the CPU out and put it back, and try it "
                               "in another board before you replace it." },
    [DIAGNOSIS_CROWD] = { "crowd", "TOO MANY MODULES", "too many modules for CPU or board",
                          "The modules work, but not all together: CPU or board cannot drive so "
                          "many.",
                          "", "With all modules in, faults came", ", with fewer",
                          "Use fewer modules, or a lower speed in BIOS setup." },
    [DIAGNOSIS_SETTINGS] = { "settings", "SETTINGS TOO FAST",
                             "the settings (XMP, EXPO), not a module",
                             "The settings are the cause: memory was made to run faster than it "
                             "can.",
                             "", "With XMP or EXPO on, faults came", ", with it off", LOWER_SPEED },
    [DIAGNOSIS_SETTINGS_CROWD] = /* of an end: where the JEDEC speed is unknown */
    { "settings", "SETTINGS TOO FAST", "the speed of memory, not a module",
      "The settings are the cause: memory was made to run faster than it can.", "",
      "At the speed of the first run, faults came", ", slower", LOWER_SPEED },
    [DIAGNOSIS_MODULE] = { "module", "BAD MODULE FOUND", "", "The bad module is ", ".",
                           "With it in, faults came", ", without it",
                           "Have it replaced. If you bought a kit, return the whole kit." },
    [DIAGNOSIS_MODULES] = { "module", "TWO BAD MODULES", "", "The bad modules are ", ".",
                            "With either of them in, faults came", ", with neither",
                            "Have them replaced. If you bought a kit, return the whole kit." },
    [DIAGNOSIS_SLOT] = { "slot", "BAD SLOT FOUND", "board or slot ", "The slot ", NOT_A_MODULE,
                         "With a module there, whichever it was, faults came",
                         ", with nothing there",
                         "Leave it empty, or clean its contacts and those of the modules and test "
                         "again; if that does not help, have the board replaced." },
    [DIAGNOSIS_SLOTS] = { "slot", "BAD SLOT FOUND", "board or slot ", "One of the slots ",
                          NOT_A_MODULE, "With a module there, whichever it was, faults came",
                          ", with nothing there",
                          "Leave them empty, or clean their contacts and those of the modules and "
                          "test again; if that does not help, have the board replaced." },
    [DIAGNOSIS_ALL] = { "all", "UNDECIDED", "all modules, or CPU or board",
                        "Either all modules are bad, or CPU, memory controller or board.", "",
                        "Whichever modules and slots, faults came", NULL,
                        "Put in a module from another machine that is known to be good, alone, and "
                        "start okram again: that tells. Or try the modules in another machine." },
};

static const struct end_words *words_of(const struct diagnosis *d,
                                        const struct diagnosis_cause *cause)
{
    bool is_unknown = cause->kind == DIAGNOSIS_SETTINGS && !d->jedec_mt_s;

    return &end_words[is_unknown ? DIAGNOSIS_SETTINGS_CROWD : cause->kind];
}

/* From one arrangement to another, in words. */
struct change {
    const struct diagnosis *d;
    const struct arrangement *from, *to;
    struct fmt_buffer *out;
};

/* What happens to a module. What goes out first makes room for what comes in. */
enum move { OUT, MOVES, IN, STAYS };

static enum move move_of(const struct change *c, unsigned module)
{
    uint8_t from = c->from->slot_of[module], to = c->to->slot_of[module];

    return from == to                 ? STAYS
           : to == DIAGNOSIS_ABSENT   ? OUT
           : from == DIAGNOSIS_ABSENT ? IN
                                      : MOVES;
}

static unsigned n_moves(const struct change *c)
{
    unsigned n = 0;

    for (unsigned i = 0; i < c->d->n_modules; i++)
        n += move_of(c, i) != STAYS;
    return n;
}

/* Before the item i of n: "", ", " or " and ". */
static const char *between(unsigned i, unsigned n)
{
    return i == 0 ? "" : i + 1 == n ? " and " : ", ";
}

static const char *slot_name(const struct diagnosis *d, unsigned slot)
{
    return slot < d->n_slots && d->slot_name[slot][0] ? d->slot_name[slot] : "a slot";
}

static bool same_name(const struct diagnosis *d, unsigned slot, unsigned other)
{
    return strcmp(slot_name(d, slot), slot_name(d, other)) == 0;
}

/* Where it was in the last run that it was in. */
static unsigned last_slot(const struct diagnosis *d, unsigned module)
{
    unsigned slot = DIAGNOSIS_ABSENT;

    for (unsigned i = d->n_runs; i-- > 0 && slot == DIAGNOSIS_ABSENT;)
        slot = d->run[i].at.slot_of[module];
    return slot;
}

static bool is_out(const struct diagnosis *d, unsigned module)
{
    return diagnosis_last(d)->slot_of[module] == DIAGNOSIS_ABSENT;
}

/*
 * By what is printed on it, and where the person took it from or finds it now: the slot that it
 * had in the first run may hold a good one.
 */
static void append_the_one(const struct diagnosis *d, unsigned module, struct fmt_buffer *out)
{
    const struct diagnosis_module *m = &d->module[module];
    unsigned first = diagnosis_first_slot(d, module), last = last_slot(d, module);

    fmt_append(out, "the one");
    if (m->serial[0])
        fmt_append(out, " with serial number %s", m->serial);
    if (m->part[0])
        fmt_append(out, " (part %s)", m->part);
    fmt_append(out, "%s %s %s", m->serial[0] ? ", which" : " that",
               is_out(d, module) ? "you took out of" : "is now in", slot_name(d, last));
    if (last != first)
        fmt_append(out, " (in the first run it was in %s)", slot_name(d, first));
}

/* "serial 1000AAA1, taken out of DIMM_A2"; of several with serial numbers these alone. */
static void append_short_module(const struct diagnosis *d, unsigned module, bool is_only,
                                struct fmt_buffer *out)
{
    const char *serial = d->module[module].serial;

    fmt_append(out, "%s%s", serial[0] ? "serial " : "the module", serial);
    if (!serial[0] || is_only)
        fmt_append(out, "%s%s %s", serial[0] ? ", " : " ",
                   is_out(d, module) ? "taken out of" : "in", slot_name(d, last_slot(d, module)));
}

/* at: and of a module that was elsewhere in the first run, where that was; or NULL. */
static void append_slots(const struct diagnosis *d, uint32_t slots, const struct arrangement *at,
                         struct fmt_buffer *out)
{
    unsigned n = bits_count(slots), done = 0;

    for (unsigned i = 0; i < d->n_slots; i++) {
        if (!(slots >> i & 1))
            continue;
        fmt_append(out, "%s%s", between(done++, n), slot_name(d, i));
        for (unsigned k = 0; at && k < d->n_modules; k++) {
            if (at->slot_of[k] == i && !same_name(d, diagnosis_first_slot(d, k), i))
                fmt_append(out, " (module of %s)", slot_name(d, diagnosis_first_slot(d, k)));
        }
    }
}

/* One that is in: by its slot. */
static void append_fitted(const struct change *c, unsigned module)
{
    const char *serial = c->d->module[module].serial;

    fmt_append(c->out, "the module in %s", slot_name(c->d, c->from->slot_of[module]));
    if (serial[0])
        fmt_append(c->out, " (serial %s)", serial);
}

/* One that is out: by its serial number, or by where it was. */
static void append_loose(const struct change *c, unsigned module)
{
    unsigned first = diagnosis_first_slot(c->d, module);
    const char *serial = c->d->module[module].serial;

    if (serial[0])
        fmt_append(c->out, "the module with serial %s", serial);
    else
        fmt_append(c->out, "the module that was in %s%s", slot_name(c->d, first),
                   c->to->slot_of[module] == first ? "" : " in the first run");
}

/* Of a module that goes out: its slot is not the only one of that name from which it could be. */
static void append_either(const struct change *c, unsigned module)
{
    unsigned from = c->from->slot_of[module], slots = 0, stay = 0;

    for (unsigned i = 0; i < c->d->n_slots; i++)
        slots += same_name(c->d, i, from);
    for (unsigned i = 0; i < c->d->n_modules; i++)
        stay += move_of(c, i) == STAYS && c->from->slot_of[i] != DIAGNOSIS_ABSENT &&
                same_name(c->d, c->from->slot_of[i], from);
    if (stay && !c->d->module[module].serial[0])
        fmt_append(c->out, " (firmware gives %s slots the same name: take out %s, and mark it)",
                   slots == 2 ? "both" : "several", slots == 2 ? "either" : "any of them");
}

static void append_move(const struct change *c, unsigned module)
{
    unsigned from = c->from->slot_of[module], to = c->to->slot_of[module];
    enum move move = move_of(c, module);

    fmt_append(c->out, move == IN ? "put " : move == OUT ? "take out " : "move ");
    (move == IN ? append_loose : append_fitted)(c, module);
    if (move == OUT)
        append_either(c, module);
    else if (move == IN)
        fmt_append(c->out, "%s into %s", to == diagnosis_first_slot(c->d, module) ? " back" : "",
                   slot_name(c->d, to));
    else
        fmt_append(c->out, " to %s%s",
                   same_name(c->d, from, to) ? "the other slot with the name " : "",
                   slot_name(c->d, to));
}

static void append_moves(const struct change *c)
{
    unsigned n = n_moves(c), done = 0;

    for (unsigned move = OUT; move < STAYS; move++) {
        for (unsigned i = 0; i < c->d->n_modules; i++) {
            if (move_of(c, i) != move)
                continue;
            fmt_append(c->out, "%s", between(done++, n));
            append_move(c, i);
        }
    }
}

/* All that is to be in, by slot. */
static void append_all_in(const struct change *c)
{
    unsigned n = bits_count(diagnosis_modules_in(c->to)), done = 0;

    fmt_append(c->out, "have only %s in: ", n == 1 ? "this module" : "these modules");
    for (unsigned i = 0; i < c->d->n_modules; i++) {
        bool stays = move_of(c, i) == STAYS;

        if (c->to->slot_of[i] == DIAGNOSIS_ABSENT)
            continue;
        fmt_append(c->out, "%s", between(done++, n));
        (stays ? append_fitted : append_loose)(c, i);
        if (!stays)
            fmt_append(c->out, "%s in %s", c->d->module[i].serial[0] ? "" : ",",
                       slot_name(c->d, c->to->slot_of[i]));
    }
}

static void append_settings(const struct diagnosis *d, bool on, struct fmt_buffer *out)
{
    if (on) {
        fmt_append(out, "Switch XMP or EXPO on again in BIOS setup, to see whether the faults "
                        "come back. ");
        return;
    }
    fmt_append(out, "Switch off XMP or EXPO (on some boards DOCP) in BIOS setup");
    if (d->jedec_mt_s)
        fmt_append(out, ", so that memory runs at %u MT/s instead of %u. ", d->jedec_mt_s,
                   d->first_mt_s);
    else
        fmt_append(out, ", if one of them is on. If none is, start okram again all the same. ");
}

void diagnosis_append_step(const struct diagnosis *d, const struct diagnosis_step *step,
                           const struct arrangement *now, struct fmt_buffer *out)
{
    const struct change change = { d, now, &step->at, out };
    bool settings = step->at.is_raised != now->is_raised;
    unsigned n = n_moves(&change);

    if (step->kind == DIAGNOSIS_ENDS)
        return;
    if (settings)
        append_settings(d, step->at.is_raised, out);
    if (n) {
        fmt_append(out, "Switch the machine off, ");
        (n > CHANGES_LISTED_MAX ? append_all_in : append_moves)(&change);
        fmt_append(out, ". ");
    }
    if (settings && !n)
        fmt_append(out, "Leave the modules as they are. ");
    fmt_append(out, "%s\n",
               settings || n ? "Then start okram again."
                             : "Leave everything as it is, and test again.");
}

/* The modules or slots of an end. */
static void append_named(const struct diagnosis *d, const struct diagnosis_cause *cause,
                         bool in_short, struct fmt_buffer *out)
{
    unsigned n = bits_count(cause->bits), done = 0;

    if (cause->kind == DIAGNOSIS_SLOT || cause->kind == DIAGNOSIS_SLOTS)
        append_slots(d, cause->bits, NULL, out);
    if (cause->kind != DIAGNOSIS_MODULE && cause->kind != DIAGNOSIS_MODULES)
        return;
    for (unsigned i = 0; i < d->n_modules; i++) {
        if (!(cause->bits >> i & 1))
            continue;
        fmt_append(out, "%s", between(done++, n));
        if (in_short)
            append_short_module(d, i, n == 1, out);
        else
            append_the_one(d, i, out);
    }
}

void diagnosis_append_short(const struct diagnosis *d, const struct diagnosis_step *step,
                            const struct diagnosis_end *end, const struct arrangement *now,
                            struct fmt_buffer *out)
{
    if (step->kind == DIAGNOSIS_ENDS && !end->is_decided) {
        fmt_append(out, "not decided");
    } else if (step->kind == DIAGNOSIS_ENDS) {
        fmt_append(out, "%s", words_of(d, &end->cause)->brief);
        append_named(d, &end->cause, true, out);
    } else if (step->at.is_raised != now->is_raised) {
        fmt_append(out, "XMP or EXPO %s", step->at.is_raised ? "on again" : "off");
    } else if (!diagnosis_same_modules(now, &step->at, d->n_modules)) {
        fmt_append(out, "test with ");
        append_slots(d, diagnosis_slots_used(&step->at), NULL, out);
        fmt_append(out, " only");
    } else {
        fmt_append(out, "test again");
    }
}

void diagnosis_append_change(const struct diagnosis *d, const struct diagnosis_step *asked,
                             const struct arrangement *before, const struct arrangement *now,
                             struct fmt_buffer *out)
{
    const struct change change = { d, before, now, out };
    unsigned n = n_moves(&change);

    if (diagnosis_is_as_asked(d, &asked->at, now))
        return;
    if (!n && before->is_raised == now->is_raised) {
        fmt_append(out, "Nothing has been changed since the last run.\n");
        return;
    }
    fmt_append(out, "Something else was changed than was asked for: ");
    if (!n) {
        fmt_append(out, "memory is %s than before", now->is_raised ? "faster" : "slower");
    } else if (n > CHANGES_LISTED_MAX) {
        fmt_append(out, "now there are modules in ");
        append_slots(d, diagnosis_slots_used(now), NULL, out);
    } else {
        append_moves(&change);
    }
    fmt_append(out, ". It can be tested like this: the result counts all the same.\n");
}

/* Of the runs in which there can be faults, or of those in which there cannot, if there are any. */
static void append_tally(const struct diagnosis *d, const struct diagnosis_cause *cause, bool can,
                         const char *words, struct fmt_buffer *out)
{
    unsigned crowd = bits_count(diagnosis_modules_in(&d->run[0].at));
    unsigned runs = 0, passes = 0, failed = 0;

    for (unsigned i = 0; i < d->n_runs; i++) {
        const struct diagnosis_run *r = &d->run[i];

        if (!r->passes || diagnosis_can_fail(cause, &r->at, crowd) != can)
            continue;
        runs++;
        passes += r->passes;
        failed += r->failed;
    }
    if (runs)
        fmt_append(out, "%s in %u of %u pass%s in %u run%s", words, failed, passes,
                   passes == 1 ? "" : "es", runs, fmt_plural(runs));
}

static bool was_bad_in_two_slots(const struct diagnosis *d, uint32_t bit)
{
    uint32_t slots = 0;

    for (unsigned i = 0; i < d->n_runs; i++) {
        for (unsigned k = 0; k < d->n_modules && d->run[i].failed; k++) {
            if (bit >> k & 1 && d->run[i].at.slot_of[k] != DIAGNOSIS_ABSENT)
                slots |= UINT32_C(1) << d->run[i].at.slot_of[k];
        }
    }
    return bits_count(slots) > 1;
}

static void append_reasons(const struct diagnosis *d, const struct diagnosis_cause *cause,
                           const struct end_words *w, struct fmt_buffer *out)
{
    append_tally(d, cause, true, w->with, out);
    append_tally(d, cause, false, w->without, out);
    fmt_append(out, ".\n");
    if (cause->kind == DIAGNOSIS_MODULE && was_bad_in_two_slots(d, cause->bits))
        fmt_append(out, "They came in more than one slot, so it is not the slot.\n");
}

static void append_once(const struct diagnosis *d, struct fmt_buffer *out)
{
    unsigned first = d->run[0].passes, passes = 0;

    for (unsigned i = 1; i < d->n_runs; i++)
        passes += d->run[i].passes;
    fmt_append(out,
               "It came in %u of %u pass%s of the first run, and then not in %u pass%s of the "
               "tests that had found it.\n",
               d->run[0].failed, first, first == 1 ? "" : "es", passes, passes == 1 ? "" : "es");
}

/* Less than half may be as likely as another cause: then none is named. */
void diagnosis_append_end(const struct diagnosis *d, const struct diagnosis_end *end,
                          struct fmt_buffer *out)
{
    const struct end_words *w = words_of(d, &end->cause);

    if (!end->is_decided)
        fmt_append(out, "It cannot be decided by what can be tried here. ");
    if (!end->is_decided && end->sure < 0.5) {
        fmt_append(out, "No cause is likelier than all others together.\nA module of the same kind "
                        "from another machine can tell: exchange one module after the other for "
                        "it.\n");
        return;
    }
    if (!end->is_decided)
        fmt_append(out, "Most likely, by %u %%:\n", (unsigned)(end->sure * 100));
    fmt_append(out, "%s", w->found);
    append_named(d, &end->cause, false, out);
    fmt_append(out, "%s\n", w->found_end);
    if (w->with)
        append_reasons(d, &end->cause, w, out);
    else
        append_once(d, out);
    fmt_append(out, "%s\n", w->remedy);
}

void diagnosis_append_runs(const struct diagnosis *d, unsigned first, struct fmt_buffer *out)
{
    for (unsigned i = first; i < d->n_runs; i++) {
        const struct diagnosis_run *r = &d->run[i];
        const char *es = r->passes == 1 ? "" : "es";

        append_slots(d, diagnosis_slots_used(&r->at), &r->at, out);
        /* Without the SPD's speed it is only known whether it is slower than in the first run. */
        if (d->run[0].at.is_raised && d->jedec_mt_s)
            fmt_append(out, ", %s", r->at.is_raised ? "fast settings" : "JEDEC speed");
        else if (d->run[0].at.is_raised && !r->at.is_raised)
            fmt_append(out, ", slower");
        if (!r->passes)
            fmt_append(out, ": did not start\n");
        else if (r->failed)
            fmt_append(out, ": faults in %u of %u pass%s%s\n", r->failed, r->passes, es,
                       r->always ? ", and each time that a bad page was tested again" : "");
        else
            fmt_append(out, ": no fault in %u pass%s\n", r->passes, es);
    }
}

/* As one paragraph. */
static void join_lines(char *text)
{
    for (char *c = text; *c; c++) {
        if (*c == '\n')
            *c = c[1] ? ' ' : 0;
    }
}

/* The first line is what was found, the last one what to do about it. */
static void write_end(const struct diagnosis *d, const struct diagnosis_end *end,
                      struct diagnosis_record *r)
{
    char text[sizeof(r->found) + sizeof(r->reasons)];
    struct fmt_buffer b = BUFFER(text);
    const char *last;
    char *rest;

    diagnosis_append_end(d, end, &b);
    last = rest = strchr(text, '\n') + 1;
    rest[-1] = 0;
    for (const char *c = rest; *c; c++) {
        if (*c == '\n' && c[1])
            last = c + 1;
    }
    r->headline = end->is_decided ? words_of(d, &end->cause)->headline : "UNDECIDED";
    r->end = end->is_decided ? words_of(d, &end->cause)->name : "undecided";
    string_copy(r->found, text, sizeof(r->found));
    string_copy(r->reasons, rest, sizeof(r->reasons));
    string_copy(r->remedy, last, sizeof(r->remedy));
    join_lines(r->reasons);
    join_lines(r->remedy);
}

static void write_next(const struct diagnosis *d, const struct diagnosis_step *step,
                       const struct arrangement *now, unsigned notes, struct diagnosis_record *r)
{
    struct fmt_buffer next = BUFFER(r->next), words = BUFFER(r->words);

    diagnosis_append_step(d, step, now, &next);
    if (step->kind == DIAGNOSIS_ARRANGE)
        diagnosis_append_notes(notes & MARK_NOTES, &next);
    join_lines(r->next);
    r->next_passes = step->passes;
    if (r->tests[0])
        fmt_append(&words, "tests=%s ", r->tests);
    if (r->march[0]) /* quotes: in GRUB a ; would end the command */
        fmt_append(&words, "'march=%s' ", r->march);
    fmt_append(&words, "passes=%u diagnosis=%s", r->next_passes, r->code);
}

void diagnosis_record_make(const struct diagnosis *d, const struct arrangement *now, unsigned notes,
                           const char *tests, const char *march,
                           struct diagnosis_record *ret_record)
{
    struct diagnosis_record *r = ret_record;
    struct fmt_buffer code, summary, history;
    struct diagnosis typed = *d;
    struct diagnosis_step step;
    struct diagnosis_end end;

    *r = (struct diagnosis_record){ .runs = d->n_runs };
    code = BUFFER(r->code);
    summary = BUFFER(r->summary);
    history = BUFFER(r->history);
    diagnosis_append_code(d, false, &code);
    (void)diagnosis_read_code(r->code, true, &typed, &summary);
    diagnosis_next(&typed, &step, &end);
    string_copy(r->tests, tests, sizeof(r->tests));
    string_copy(r->march, march, sizeof(r->march));
    fmt_append(&summary, "%s",
               step.kind != DIAGNOSIS_ENDS         ? "next: "
               : diagnosis_ends_with_modules(&end) ? "bad: "
                                                   : "");
    diagnosis_append_short(d, &step, &end, now, &summary);
    diagnosis_append_runs(d, 0, &history);
    r->step = step.kind;
    r->headline = "NEXT STEP";
    if (step.kind == DIAGNOSIS_ENDS)
        write_end(d, &end, r);
    else
        write_next(d, &step, now, notes, r);
}
