// SPDX-License-Identifier: MIT
#include "diagnosis/sentences.h"

#include "lib/bits.h"
#include "lib/string.h"

#define BUFFER(text) fmt_buffer_make(text, sizeof(text))

/* The words of an end; after `found` come the modules or slots that it names. */
struct end_words {
    const char *name;     /* of the record */
    const char *headline; /* in large letters a small screen may show one line of it only */
    const char *found, *found_end;
    const char *with, *without; /* where there can be faults, and where not */
    const char *remedy;
};

static const struct end_words end_words[] = {
    [DIAGNOSIS_NONE] = { "not-reproduced", "NOT AGAIN", "The fault did not come again.", "",
                         "In the first run, faults came", ", and later",
                         "Test again for a night. If it stays away, it was an event from outside, "
                         "which happens to good memory, too." },
    [DIAGNOSIS_CONTROLLER] = { "controller", "NO MODULE IS BAD",
                               "CPU, memory controller or board is the cause, not a module.", "",
                               "Whichever modules and slots, faults came", "",
                               "Update the firmware, take the CPU out and put it back, and try it "
                               "in another board before you replace it." },
    [DIAGNOSIS_CPU] = { "cpu", "NO MODULE IS BAD",
                        "One CPU is the cause, not a module: the first run's faults were of one.",
                        "", "Whichever modules and slots, faults came", "",
                        "Load the default settings in BIOS setup, look at the processor's cooling, "
                        "and test with cpus= without that CPU; have the processor replaced if "
                        "there are no faults then." },
    [DIAGNOSIS_CROWD] = { "crowd", "TOO MANY MODULES",
                          "The modules work, but not all together: CPU or board cannot drive so "
                          "many.",
                          "", "With all modules in, faults came", ", with fewer",
                          "Use fewer modules, or a lower speed in BIOS setup." },
    [DIAGNOSIS_SETTINGS] = { "settings", "SETTINGS TOO FAST",
                             "The settings are the cause: memory was made to run faster than it "
                             "can.",
                             "", "At the speed of the first run, faults came", ", slower",
                             "Leave XMP or EXPO off, or choose a lower speed there and test again. "
                             "Modules that do not run at the speed they were sold for can be sent "
                             "back." },
    [DIAGNOSIS_MODULE] = { "module", "BAD MODULE FOUND", "The bad module is ", ".",
                           "With it in, faults came", ", without it",
                           "Have it replaced. If you bought a kit, return the whole kit." },
    [DIAGNOSIS_MODULES] = { "module", "TWO BAD MODULES", "The bad modules are ", ".",
                            "With either of them in, faults came", ", with neither",
                            "Have them replaced. If you bought a kit, return the whole kit." },
    [DIAGNOSIS_SLOT] = { "slot", "BAD SLOT FOUND", "The slot ",
                         " or the board is the cause, not a module.",
                         "With a module there, whichever it was, faults came",
                         ", with nothing there",
                         "Leave it empty, or clean its contacts and those of the modules and test "
                         "again; if that does not help, have the board replaced." },
    [DIAGNOSIS_SLOTS] = { "slot", "BAD SLOT FOUND", "One of the slots ",
                          " or the board is the cause, not a module.",
                          "With a module there, whichever it was, faults came",
                          ", with nothing there",
                          "Leave them empty, or clean their contacts and those of the modules and "
                          "test again; if that does not help, have the board replaced." },
    [DIAGNOSIS_ALL] = { "all", "UNDECIDED",
                        "Either all modules are bad, or CPU, memory controller or board.", "",
                        "Whichever modules and slots, faults came", "",
                        "Put in a module from another machine that is known to be good, alone, and "
                        "start okram again: that tells. Or try the modules in another machine." },
};

/* Before the item i of n: "", ", " or " and ". */
static const char *between(unsigned i, unsigned n)
{
    return i == 0 ? "" : i + 1 == n ? " and " : ", ";
}

static const char *slot_name(const struct diagnosis *d, unsigned slot)
{
    return slot < d->n_slots && d->names.slot[slot][0] ? d->names.slot[slot] : "a slot";
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
            if (at->slot_of[k] == i && diagnosis_first_slot(d, k) != i)
                fmt_append(out, " (module of %s)", slot_name(d, diagnosis_first_slot(d, k)));
        }
    }
}

/* Without the SPDs it is only known whether memory is slower than in the first run. */
static void append_arrangement(const struct diagnosis *d, const struct arrangement *at,
                               struct fmt_buffer *out)
{
    append_slots(d, diagnosis_slots_used(at), at, out);
    if (d->run[0].at.is_raised && !at->is_raised)
        fmt_append(out, ", slower");
}

static void append_settings(const struct diagnosis *d, bool on, struct fmt_buffer *out)
{
    if (on)
        fmt_append(out, "Switch XMP or EXPO on again in BIOS setup, to see whether the faults "
                        "come back. ");
    else if (d->jedec_mt_s)
        fmt_append(out,
                   "Switch off XMP or EXPO (on some boards DOCP) in BIOS setup, so that memory "
                   "runs at %u MT/s instead of %u. ",
                   d->jedec_mt_s, d->first_mt_s);
    else
        fmt_append(out, "Switch off XMP or EXPO (on some boards DOCP) in BIOS setup, if one of "
                        "them is on. If none is, start okram again all the same. ");
}

static void append_out(const struct diagnosis *d, unsigned module, unsigned from,
                       struct fmt_buffer *out)
{
    const char *serial = d->names.serial[module];

    fmt_append(out, "take out the module in %s", slot_name(d, from));
    if (serial[0])
        fmt_append(out, " (serial %s)", serial);
}

/* By its serial number, or by where it is or was. */
static void append_in(const struct diagnosis *d, unsigned module, unsigned from, unsigned to,
                      struct fmt_buffer *out)
{
    const char *serial = d->names.serial[module];

    if (serial[0])
        fmt_append(out, "put the module with serial %s", serial);
    else if (from != DIAGNOSIS_ABSENT)
        fmt_append(out, "put the module that is in %s", slot_name(d, from));
    else
        fmt_append(out, "put the module that was in %s in the first run",
                   slot_name(d, diagnosis_first_slot(d, module)));
    fmt_append(out, " into %s", slot_name(d, to));
}

/* What goes out first makes room for what comes in. Returns how many modules there are to move. */
static unsigned append_moves(const struct diagnosis *d, const struct arrangement *from,
                             const struct arrangement *to, struct fmt_buffer *out)
{
    const unsigned n_modules = d->n_modules;
    unsigned n = 0, done = 0;

    for (unsigned i = 0; i < n_modules; i++)
        n += from->slot_of[i] != to->slot_of[i];
    for (unsigned i = 0; i < 2 * n_modules; i++) {
        unsigned k = i % n_modules, was = from->slot_of[k], goes = to->slot_of[k];

        if (was == goes || (goes != DIAGNOSIS_ABSENT) != (i >= n_modules))
            continue;
        fmt_append(out, "%s", done ? between(done, n) : "Switch the machine off, ");
        done++;
        if (goes == DIAGNOSIS_ABSENT)
            append_out(d, k, was, out);
        else
            append_in(d, k, was, goes, out);
    }
    fmt_append(out, n ? ". " : "");
    return n;
}

/* Modules that look alike must be marked before one is taken out. */
static bool look_alike(const struct diagnosis *d)
{
    unsigned n = 0;

    for (unsigned i = 0; i < d->n_modules; i++)
        n += !d->module[i].id;
    return n;
}

static void append_step(const struct diagnosis *d, const struct diagnosis_step *step,
                        const struct arrangement *now, struct fmt_buffer *out)
{
    bool settings = step->at.is_raised != now->is_raised;
    unsigned n;

    if (settings)
        append_settings(d, step->at.is_raised, out);
    n = append_moves(d, now, &step->at, out);
    if (settings && !n)
        fmt_append(out, "Leave the modules as they are. ");
    fmt_append(out, settings || n ? "Then start okram again."
                                  : "Leave everything as it is, and test again.");
    if (n && look_alike(d))
        fmt_append(out, " Some modules have no serial number of their own: only their slots and "
                        "sizes distinguish them. Mark them.");
}

/* In a few words. */
static void append_short_step(const struct diagnosis *d, const struct diagnosis_step *step,
                              const struct arrangement *now, struct fmt_buffer *out)
{
    fmt_append(out, ": ");
    if (step->at.is_raised != now->is_raised) {
        fmt_append(out, "XMP or EXPO %s", step->at.is_raised ? "on again" : "off");
    } else if (!diagnosis_same_modules(now, &step->at)) {
        fmt_append(out, "test with ");
        append_slots(d, diagnosis_slots_used(&step->at), NULL, out);
        fmt_append(out, " only");
    } else {
        fmt_append(out, "test again");
    }
}

/* Where it was in the last run that it was in. */
static unsigned last_slot(const struct diagnosis *d, unsigned module)
{
    unsigned slot = DIAGNOSIS_ABSENT;

    for (unsigned i = d->n_runs; i-- > 0 && slot == DIAGNOSIS_ABSENT;)
        slot = d->run[i].at.slot_of[module];
    return slot;
}

/*
 * By what is printed on it, and where the person took it from or finds it now: the slot that it
 * had in the first run may hold a good one.
 */
static void append_module(const struct diagnosis *d, unsigned module, bool in_short,
                          struct fmt_buffer *out)
{
    const char *serial = d->names.serial[module], *part = d->names.part[module];
    unsigned first = diagnosis_first_slot(d, module), last = last_slot(d, module);
    bool is_out = diagnosis_last(d)->slot_of[module] == DIAGNOSIS_ABSENT;

    fmt_append(out, in_short ? "%s%s" : "the one %s%s",
               !serial[0] ? ""
               : in_short ? "serial "
                          : "with serial number ",
               serial);
    if (part[0] && !in_short)
        fmt_append(out, "%s(part %s)", serial[0] ? " " : "", part);
    fmt_append(out, "%s%s %s",
               serial[0]              ? ", "
               : part[0] && !in_short ? " "
                                      : "",
               is_out ? "taken out of" : "now in", slot_name(d, last));
    if (last != first && !in_short)
        fmt_append(out, " (in the first run in %s)", slot_name(d, first));
}

static bool names_slots(const struct diagnosis_cause *cause)
{
    return cause->kind == DIAGNOSIS_SLOT || cause->kind == DIAGNOSIS_SLOTS;
}

static bool names_modules(const struct diagnosis_cause *cause)
{
    return cause->kind == DIAGNOSIS_MODULE || cause->kind == DIAGNOSIS_MODULES;
}

/* The modules or slots of an end; nothing of other ends. */
static void append_named(const struct diagnosis *d, const struct diagnosis_cause *cause,
                         bool in_short, struct fmt_buffer *out)
{
    unsigned n = bits_count(cause->bits), done = 0;

    if (in_short && (names_slots(cause) || names_modules(cause)))
        fmt_append(out, ": ");
    if (names_slots(cause))
        append_slots(d, cause->bits, NULL, out);
    for (unsigned i = 0; i < d->n_modules && names_modules(cause); i++) {
        if (!(cause->bits >> i & 1))
            continue;
        fmt_append(out, "%s", between(done++, n));
        append_module(d, i, in_short, out);
    }
}

/* Of the runs in which there can be faults, or of those in which there cannot, if there are any. */
static void append_tally(const struct diagnosis *d, const struct diagnosis_cause *cause, bool can,
                         const char *words, struct fmt_buffer *out)
{
    unsigned crowd = bits_count(diagnosis_modules_in(&d->run[0].at));
    unsigned runs = 0, passes = 0, failed = 0;

    for (unsigned i = 0; i < d->n_runs; i++) {
        const struct diagnosis_run *r = &d->run[i];
        bool fails = cause->kind == DIAGNOSIS_NONE ? !i : diagnosis_can_fail(cause, &r->at, crowd);

        if (!r->passes || fails != can)
            continue;
        runs++;
        passes += r->passes;
        failed += r->failed;
    }
    if (runs)
        fmt_append(out, "%s in %u of %u pass%s in %u run%s", words, failed, passes,
                   passes == 1 ? "" : "es", runs, fmt_plural(runs));
}

/* Whether the controller's registers say the same of the modules or slots that an end names. */
static void append_suspicion(const struct diagnosis *d, const struct diagnosis_cause *cause,
                             struct fmt_buffer *out)
{
    unsigned n = bits_count(cause->bits), all = bits_count(d->suspects);
    uint32_t named = diagnosis_suspects_of(d, cause);
    const char *noun = names_slots(cause) ? "slot" : "module";

    if (!d->suspects || (!names_slots(cause) && !names_modules(cause)))
        return;
    fmt_append(out, "The memory controller's registers ");
    if (!named)
        fmt_append(out, "pointed elsewhere, but the runs count for more. ");
    else if (named != cause->bits)
        fmt_append(out, "point to one of these, too. ");
    else if (all == n)
        fmt_append(out, "point to %s %s%s, too. ", n == 1 ? "this" : "these", noun, fmt_plural(n));
    else
        fmt_append(out, "point to %u %ss, %s among them. ", all, noun,
                   n == 1 ? "this one" : "these");
}

/* Less than half may be as likely as another cause: then none is named. */
static void write_end(const struct diagnosis *d, const struct diagnosis_end *end,
                      struct diagnosis_record *r)
{
    const struct end_words *w = &end_words[end->cause.kind];
    struct fmt_buffer found = BUFFER(r->found), reasons = BUFFER(r->reasons);

    r->end = end->is_decided ? w->name : "undecided";
    r->headline = end->is_decided ? w->headline : "UNDECIDED";
    r->remedy = w->remedy;
    if (!end->is_decided)
        fmt_append(&found, "It cannot be decided by what can be tried here. ");
    if (!end->is_decided && end->sure < 0.5) {
        fmt_append(&found, "No single cause is more likely than all others together.");
        r->remedy = "A module of the same kind from another machine can tell: exchange one module "
                    "after the other for it.";
    } else {
        if (!end->is_decided)
            fmt_append(&found, "Most likely, by %u %%: ", (unsigned)(end->sure * 100));
        fmt_append(&found, "%s", w->found);
        append_named(d, &end->cause, false, &found);
        fmt_append(&found, "%s", w->found_end);
        append_tally(d, &end->cause, true, w->with, &reasons);
        append_tally(d, &end->cause, false, w->without, &reasons);
        fmt_append(&reasons, ". ");
        append_suspicion(d, &end->cause, &reasons);
    }
    fmt_append(&reasons, "%s", r->remedy);
}

static void write_next(const struct diagnosis *d, const struct diagnosis_step *step,
                       const struct arrangement *now, struct diagnosis_record *r)
{
    struct fmt_buffer next = BUFFER(r->next), words = BUFFER(r->words);

    append_step(d, step, now, &next);
    r->headline = "NEXT STEP";
    r->next_passes = step->passes;
    if (d->tests[0])
        fmt_append(&words, "tests=%s ", d->tests);
    if (d->march[0]) /* quotes: in GRUB a ; would end the command */
        fmt_append(&words, "'march=%s' ", d->march);
    fmt_append(&words, "passes=%u diagnosis=%s", r->next_passes, r->code);
}

/* "DIMM_A1 and DIMM_B1: faults in 3 of 4 passes", "DIMM_A1 (module of DIMM_B1): did not start" */
static void write_history(const struct diagnosis *d, struct diagnosis_record *r)
{
    struct fmt_buffer out = BUFFER(r->history);

    for (unsigned i = 0; i < d->n_runs; i++) {
        const struct diagnosis_run *run = &d->run[i];

        append_arrangement(d, &run->at, &out);
        if (!run->passes)
            fmt_append(&out, ": did not start\n");
        else if (!run->failed)
            fmt_append(&out, ": no fault in %u pass%s\n", run->passes,
                       run->passes == 1 ? "" : "es");
        else
            fmt_append(&out, ": faults in %u of %u pass%s%s\n", run->failed, run->passes,
                       run->passes == 1 ? "" : "es",
                       run->always ? ", and each time that a bad page was tested again" : "");
    }
}

void diagnosis_record_make(const struct diagnosis *d, const struct arrangement *now,
                           struct diagnosis_record *ret_record)
{
    struct diagnosis_record *r = ret_record;
    struct fmt_buffer code, summary;

    *r = (struct diagnosis_record){ .runs = d->n_runs };
    diagnosis_next(d, &r->step, &r->cause);
    code = BUFFER(r->code);
    summary = BUFFER(r->summary);
    diagnosis_append_code(d, false, &code);
    string_copy(r->tests, d->tests, sizeof(r->tests));
    string_copy(r->march, d->march, sizeof(r->march));
    write_history(d, r);
    if (r->step.kind == DIAGNOSIS_ENDS)
        write_end(d, &r->cause, r);
    else
        write_next(d, &r->step, now, r);
    fmt_append(&summary, "%s", r->headline);
    if (r->step.kind != DIAGNOSIS_ENDS)
        append_short_step(d, &r->step, now, &summary);
    else if (r->cause.is_decided)
        append_named(d, &r->cause.cause, true, &summary);
}

void diagnosis_append_change(const struct diagnosis *d, const struct arrangement *asked,
                             const struct arrangement *before, const struct arrangement *now,
                             struct fmt_buffer *out)
{
    if (diagnosis_is_same(asked, now))
        return;
    if (diagnosis_is_same(before, now)) {
        fmt_append(out, "Nothing has been changed since the last run.");
        return;
    }
    fmt_append(out, "What is fitted now is not what was asked for: ");
    append_arrangement(d, now, out);
    fmt_append(out, ". It can be tested like this: the result counts all the same.");
}
