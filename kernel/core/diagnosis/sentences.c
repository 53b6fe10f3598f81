// SPDX-License-Identifier: MIT
#include "diagnosis/sentences.h"

#include "lib/bits.h"
#include "lib/string.h"

#define CHANGES_LISTED_MAX 3 /* modules that are named one by one; more: those that stay in */
#define SHORT_MAX          60

/* What happens to a module between two arrangements. */
enum move { STAYS, OUT, IN, MOVES };

static enum move move_of(const struct diagnosis_arrangement *from,
                         const struct diagnosis_arrangement *to, unsigned module)
{
    uint8_t a = from->slot_of[module], b = to->slot_of[module];

    if (a == b)
        return STAYS;
    return b == DIAGNOSIS_ABSENT ? OUT : a == DIAGNOSIS_ABSENT ? IN : MOVES;
}

static unsigned n_moves(const struct diagnosis *d, const struct diagnosis_arrangement *from,
                        const struct diagnosis_arrangement *to)
{
    unsigned n = 0;

    for (unsigned i = 0; i < d->n_modules; i++)
        n += from->slot_of[i] != to->slot_of[i];
    return n;
}

static unsigned count(uint32_t bits)
{
    return bits_count(bits);
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

static void append_serial(const struct diagnosis *d, unsigned module, struct fmt_buffer *out)
{
    if (d->module[module].serial[0])
        fmt_append(out, " (serial %s)", d->module[module].serial);
}

/* One that is in: by its slot. */
static void append_fitted(const struct diagnosis *d, const struct diagnosis_arrangement *at,
                          unsigned module, struct fmt_buffer *out)
{
    fmt_append(out, "the module in %s", slot_name(d, at->slot_of[module]));
    append_serial(d, module, out);
}

/* One that is out, and goes to `slot`: by its serial number, or by where it was. */
static void append_loose(const struct diagnosis *d, unsigned module, unsigned slot,
                         struct fmt_buffer *out)
{
    unsigned first = diagnosis_first_slot(d, module);

    if (d->module[module].serial[0])
        fmt_append(out, "the module with serial %s", d->module[module].serial);
    else
        fmt_append(out, "the module that was in %s%s", slot_name(d, first),
                   slot == first ? "" : " in the first run");
}

/*
 * By what is printed on it, and where the person took it from or finds it now: the slot that it
 * had in the first run may hold a good one.
 */
static void append_the_one(const struct diagnosis *d, unsigned module, struct fmt_buffer *out)
{
    const struct diagnosis_module *m = &d->module[module];
    unsigned first = diagnosis_first_slot(d, module), last = last_slot(d, module);
    bool is_out = diagnosis_last(d)->slot_of[module] == DIAGNOSIS_ABSENT;

    fmt_append(out, "the one");
    if (m->serial[0])
        fmt_append(out, " with serial number %s", m->serial);
    if (m->part[0])
        fmt_append(out, " (part %s)", m->part);
    fmt_append(out, "%s %s %s", m->serial[0] ? ", which" : " that",
               is_out ? "you took out of" : "is now in", slot_name(d, last));
    if (last != first)
        fmt_append(out, " (in the first run it was in %s)", slot_name(d, first));
}

/* Of a module that goes out: its slot is not the only one of that name from which it could be. */
static void append_either(const struct diagnosis *d, const struct diagnosis_arrangement *from,
                          const struct diagnosis_arrangement *to, unsigned module,
                          struct fmt_buffer *out)
{
    unsigned slots = 0, stay = 0;

    if (d->module[module].serial[0])
        return;
    for (unsigned i = 0; i < d->n_slots; i++)
        slots += same_name(d, i, from->slot_of[module]);
    for (unsigned i = 0; i < d->n_modules; i++)
        stay += move_of(from, to, i) == STAYS && from->slot_of[i] != DIAGNOSIS_ABSENT &&
                same_name(d, from->slot_of[i], from->slot_of[module]);
    if (stay)
        fmt_append(out, " (firmware gives %s slots the same name: take out %s, and mark it)",
                   slots == 2 ? "both" : "several", slots == 2 ? "either" : "any of them");
}

static void append_move(const struct diagnosis *d, const struct diagnosis_arrangement *from,
                        const struct diagnosis_arrangement *to, unsigned module,
                        struct fmt_buffer *out)
{
    switch (move_of(from, to, module)) {
    case OUT:
        fmt_append(out, "take out ");
        append_fitted(d, from, module, out);
        append_either(d, from, to, module, out);
        break;
    case IN:
        fmt_append(out, "put ");
        append_loose(d, module, to->slot_of[module], out);
        fmt_append(out, "%s into %s",
                   to->slot_of[module] == diagnosis_first_slot(d, module) ? " back" : "",
                   slot_name(d, to->slot_of[module]));
        break;
    case MOVES:
        fmt_append(out, "move ");
        append_fitted(d, from, module, out);
        fmt_append(out, " to %s%s",
                   same_name(d, from->slot_of[module], to->slot_of[module])
                       ? "the other slot with the name "
                       : "",
                   slot_name(d, to->slot_of[module]));
        break;
    default: break;
    }
}

/* What goes out first makes room for what comes in. */
static void append_moves(const struct diagnosis *d, const struct diagnosis_arrangement *from,
                         const struct diagnosis_arrangement *to, struct fmt_buffer *out)
{
    static const enum move order[] = { OUT, MOVES, IN };
    unsigned n = n_moves(d, from, to), done = 0;

    for (unsigned k = 0; k < sizeof(order) / sizeof(order[0]); k++) {
        for (unsigned i = 0; i < d->n_modules; i++) {
            if (move_of(from, to, i) != order[k])
                continue;
            fmt_append(out, "%s", between(done++, n));
            append_move(d, from, to, i, out);
        }
    }
}

/* All that is to be in, by slot. */
static void append_all_in(const struct diagnosis *d, const struct diagnosis_arrangement *from,
                          const struct diagnosis_arrangement *to, struct fmt_buffer *out)
{
    unsigned n = count(diagnosis_modules_in(to)), done = 0;

    fmt_append(out, "have only %s in: ", n == 1 ? "this module" : "these modules");
    for (unsigned i = 0; i < d->n_modules; i++) {
        if (to->slot_of[i] == DIAGNOSIS_ABSENT)
            continue;
        fmt_append(out, "%s", between(done++, n));
        if (from->slot_of[i] == to->slot_of[i]) {
            append_fitted(d, from, i, out);
        } else {
            append_loose(d, i, to->slot_of[i], out);
            fmt_append(out, "%s in %s", d->module[i].serial[0] ? "" : ",",
                       slot_name(d, to->slot_of[i]));
        }
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

static void append_arrange(const struct diagnosis *d, const struct diagnosis_arrangement *to,
                           const struct diagnosis_arrangement *now, struct fmt_buffer *out)
{
    fmt_append(out, "Switch the machine off, ");
    if (n_moves(d, now, to) > CHANGES_LISTED_MAX)
        append_all_in(d, now, to, out);
    else
        append_moves(d, now, to, out);
    fmt_append(out, ". ");
}

void diagnosis_append_step(const struct diagnosis *d, const struct diagnosis_step *step,
                           const struct diagnosis_arrangement *now, struct fmt_buffer *out)
{
    bool settings = step->at.is_raised != now->is_raised, modules = n_moves(d, now, &step->at);

    if (step->kind == DIAGNOSIS_ENDS)
        return;
    if (settings)
        append_settings(d, step->at.is_raised, out);
    if (modules)
        append_arrange(d, &step->at, now, out);
    if (settings && !modules)
        fmt_append(out, "Leave the modules as they are. ");
    fmt_append(out, "%s\n",
               settings || modules ? "Then start okram again."
                                   : "Leave everything as it is, and test again.");
}

static void append_slot_names(const struct diagnosis *d, uint32_t slots, struct fmt_buffer *out)
{
    unsigned n = count(slots), done = 0;

    for (unsigned i = 0; i < d->n_slots; i++) {
        if (slots >> i & 1)
            fmt_append(out, "%s%s", between(done++, n), slot_name(d, i));
    }
}

static void append_slots(const struct diagnosis *d, const struct diagnosis_arrangement *at,
                         struct fmt_buffer *out)
{
    append_slot_names(d, diagnosis_slots_used(at), out);
}

/* "serial 1000AAA1, taken out of DIMM_A2"; of several with serial numbers these alone. */
static void append_short_module(const struct diagnosis *d, unsigned module, unsigned n,
                                struct fmt_buffer *out)
{
    bool is_out = diagnosis_last(d)->slot_of[module] == DIAGNOSIS_ABSENT;
    const char *serial = d->module[module].serial;

    if (serial[0])
        fmt_append(out, "serial %s", serial);
    else
        fmt_append(out, "the module");
    if (!serial[0] || n == 1)
        fmt_append(out, "%s%s %s", serial[0] ? ", " : " ", is_out ? "taken out of" : "in",
                   slot_name(d, last_slot(d, module)));
}

static void append_short_end(const struct diagnosis *d, const struct diagnosis_end *end,
                             struct fmt_buffer *out)
{
    static const char *const texts[] = {
        [DIAGNOSIS_END_CONTROLLER] = "CPU, controller or board, not a module",
        [DIAGNOSIS_END_CROWD] = "too many modules for CPU or board",
        [DIAGNOSIS_END_ALL] = "all modules, or CPU or board",
        [DIAGNOSIS_END_NOT_REPRODUCED] = "the fault did not come again",
        [DIAGNOSIS_END_UNDECIDED] = "not decided",
    };
    unsigned n = count(end->bits), done = 0;

    if (end->kind == DIAGNOSIS_END_SETTINGS)
        fmt_append(out, "%s, not a module",
                   d->jedec_mt_s ? "the settings (XMP, EXPO)" : "the speed of memory");
    if (end->kind == DIAGNOSIS_END_SLOT) {
        fmt_append(out, "board or slot ");
        append_slot_names(d, end->bits, out);
    }
    if (texts[end->kind])
        fmt_append(out, "%s", texts[end->kind]);
    if (end->kind != DIAGNOSIS_END_MODULES)
        return;
    fmt_append(out, "bad: ");
    for (unsigned i = 0; i < d->n_modules; i++) {
        if (!(end->bits >> i & 1))
            continue;
        fmt_append(out, "%s", between(done++, n));
        append_short_module(d, i, n, out);
    }
}

void diagnosis_append_short(const struct diagnosis *d, const struct diagnosis_step *step,
                            const struct diagnosis_end *end,
                            const struct diagnosis_arrangement *now, struct fmt_buffer *out)
{
    char text[SHORT_MAX + 1];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    if (step->kind == DIAGNOSIS_ENDS) {
        append_short_end(d, end, &b);
    } else if (step->at.is_raised != now->is_raised) {
        fmt_append(&b, "next: XMP or EXPO %s", step->at.is_raised ? "on again" : "off");
    } else if (n_moves(d, now, &step->at)) {
        fmt_append(&b, "next: test with ");
        append_slots(d, &step->at, &b);
        fmt_append(&b, " only");
    } else {
        fmt_append(&b, "next: test again");
    }
    fmt_append(out, "%s", text);
}

void diagnosis_append_change(const struct diagnosis *d, const struct diagnosis_step *asked,
                             const struct diagnosis_arrangement *before,
                             const struct diagnosis_arrangement *now, struct fmt_buffer *out)
{
    bool is_same = diagnosis_same_modules(before, now, d->n_modules);

    if (diagnosis_is_as_asked(d, &asked->at, now))
        return;
    if (is_same && before->is_raised == now->is_raised) {
        fmt_append(out, "Nothing has been changed since the last run.\n");
        return;
    }
    fmt_append(out, "Something else was changed than was asked for: ");
    if (is_same)
        fmt_append(out, "memory is %s than before", now->is_raised ? "faster" : "slower");
    else if (n_moves(d, before, now) > CHANGES_LISTED_MAX) {
        fmt_append(out, "now there are modules in ");
        append_slots(d, now, out);
    } else
        append_moves(d, before, now, out);
    fmt_append(out, ". It can be tested like this: the result counts all the same.\n");
}

/* Runs, and their passes and failing ones, of those that a test selects. */
struct tally {
    unsigned runs, passes, failed, slots;
};

/* in: those with any of these modules; else those with none of them. */
static struct tally tally_modules(const struct diagnosis *d, uint32_t modules, bool in)
{
    struct tally t = { 0 };
    uint32_t slots = 0;

    for (unsigned i = 0; i < d->n_runs; i++) {
        const struct diagnosis_run *r = &d->run[i];

        if (r->outcome != DIAGNOSIS_RAN || !(diagnosis_modules_in(&r->at) & modules) == in)
            continue;
        t.runs++;
        t.passes += r->passes;
        t.failed += r->failed;
        for (unsigned k = 0; k < d->n_modules; k++) {
            if (r->failed && modules >> k & 1 && r->at.slot_of[k] != DIAGNOSIS_ABSENT)
                slots |= UINT32_C(1) << r->at.slot_of[k];
        }
    }
    t.slots = count(slots);
    return t;
}

static struct tally tally_slots(const struct diagnosis *d, uint32_t slots, bool used)
{
    struct tally t = { 0 };

    for (unsigned i = 0; i < d->n_runs; i++) {
        const struct diagnosis_run *r = &d->run[i];

        if (r->outcome != DIAGNOSIS_RAN || !(diagnosis_slots_used(&r->at) & slots) == used)
            continue;
        t.runs++;
        t.passes += r->passes;
        t.failed += r->failed;
    }
    return t;
}

static struct tally tally_settings(const struct diagnosis *d, bool raised)
{
    struct tally t = { 0 };

    for (unsigned i = 0; i < d->n_runs; i++) {
        const struct diagnosis_run *r = &d->run[i];

        if (r->outcome != DIAGNOSIS_RAN || r->at.is_raised != raised)
            continue;
        t.runs++;
        t.passes += r->passes;
        t.failed += r->failed;
    }
    return t;
}

static void append_tally(const struct tally *t, struct fmt_buffer *out)
{
    fmt_append(out, "%u of %u pass%s in %u run%s", t->failed, t->passes, t->passes == 1 ? "" : "es",
               t->runs, fmt_plural(t->runs));
}

static void append_reasons_pair(const char *with, struct tally in, const char *without,
                                struct tally out_of, struct fmt_buffer *out)
{
    fmt_append(out, "%s faults came in ", with);
    append_tally(&in, out);
    if (out_of.runs) {
        fmt_append(out, ", %s in ", without);
        append_tally(&out_of, out);
    }
    fmt_append(out, ".\n");
}

static void append_end_modules(const struct diagnosis *d, uint32_t bits, struct fmt_buffer *out)
{
    struct tally in = tally_modules(d, bits, true);
    unsigned n = count(bits), done = 0;

    fmt_append(out, "The bad module%s ", n > 1 ? "s are" : " is");
    for (unsigned i = 0; i < d->n_modules; i++) {
        if (!(bits >> i & 1))
            continue;
        fmt_append(out, "%s", between(done++, n));
        append_the_one(d, i, out);
    }
    fmt_append(out, ".\n");
    append_reasons_pair(n > 1 ? "With either of them in," : "With it in,", in,
                        n > 1 ? "with neither" : "without it", tally_modules(d, bits, false), out);
    if (n == 1 && in.slots > 1)
        fmt_append(out, "They came in more than one slot, so it is not the slot.\n");
    fmt_append(out, "Have %s replaced. If you bought a kit, return the whole kit.\n",
               n > 1 ? "them" : "it");
}

static void append_end_slot(const struct diagnosis *d, uint32_t bits, struct fmt_buffer *out)
{
    unsigned n = count(bits);

    fmt_append(out, n > 1 ? "One of the slots " : "The slot ");
    append_slot_names(d, bits, out);
    fmt_append(out, " or the board is the cause, not a module.\n");
    append_reasons_pair("With a module there, whichever it was,", tally_slots(d, bits, true),
                        "with nothing there", tally_slots(d, bits, false), out);
    fmt_append(out,
               "Leave %s empty, or clean %s contacts and those of the modules and test again; "
               "if that does not help, have the board replaced.\n",
               n > 1 ? "them" : "it", n > 1 ? "their" : "its");
}

static void append_end_settings(const struct diagnosis *d, struct fmt_buffer *out)
{
    fmt_append(out, "The settings are the cause: memory was made to run faster than it can.\n");
    append_reasons_pair(d->jedec_mt_s ? "With XMP or EXPO on," : "At the speed of the first run,",
                        tally_settings(d, true), d->jedec_mt_s ? "with it off" : "slower",
                        tally_settings(d, false), out);
    fmt_append(out, "Leave XMP or EXPO off, or choose a lower speed there and test again. Modules "
                    "that do not run at the speed they were sold for can be sent back.\n");
}

static void append_end_all(const struct diagnosis *d, bool is_crowd, struct fmt_buffer *out)
{
    fmt_append(out, "%s\n",
               is_crowd ? "The modules work, but not all together: CPU or board cannot drive so "
                          "many."
                        : "CPU, memory controller or board is the cause, not a module.");
    append_reasons_pair(is_crowd ? "With all modules in," : "Whichever modules and slots,",
                        tally_modules(d, UINT32_MAX, true), "without modules", (struct tally){ 0 },
                        out);
    fmt_append(out, "%s\n",
               is_crowd ? "Use fewer modules, or a lower speed in BIOS setup."
                        : "Update the firmware, take the CPU out and put it back, and try it in "
                          "another board before you replace it.");
}

static void append_end_every(const struct diagnosis *d, struct fmt_buffer *out)
{
    fmt_append(out, "Either all modules are bad, or CPU, memory controller or board.\n");
    append_reasons_pair("Whichever modules and slots,", tally_modules(d, UINT32_MAX, true), "",
                        (struct tally){ 0 }, out);
    fmt_append(out, "Put in a module from another machine that is known to be good, alone, and "
                    "start okram again: that tells. Or try the modules in another machine.\n");
}

static void append_end_once(const struct diagnosis *d, struct fmt_buffer *out)
{
    unsigned first = d->run[0].passes, passes = 0;

    for (unsigned i = 1; i < d->n_runs; i++)
        passes += d->run[i].passes;
    fmt_append(
        out,
        "The fault did not come again.\nIt came in %u of %u pass%s of the first run, and then "
        "not in %u pass%s of the tests that had found it.\nTest again for a night. If it "
        "stays away, it was an event from outside, which happens to good memory, too.\n",
        d->run[0].failed, first, first == 1 ? "" : "es", passes, passes == 1 ? "" : "es");
}

static void append_end_of(const struct diagnosis *d, enum diagnosis_end_kind kind, uint32_t bits,
                          struct fmt_buffer *out)
{
    switch (kind) {
    case DIAGNOSIS_END_MODULES: append_end_modules(d, bits, out); break;
    case DIAGNOSIS_END_SLOT: append_end_slot(d, bits, out); break;
    case DIAGNOSIS_END_SETTINGS: append_end_settings(d, out); break;
    case DIAGNOSIS_END_CONTROLLER: append_end_all(d, false, out); break;
    case DIAGNOSIS_END_CROWD: append_end_all(d, true, out); break;
    case DIAGNOSIS_END_ALL: append_end_every(d, out); break;
    case DIAGNOSIS_END_NOT_REPRODUCED: append_end_once(d, out); break;
    default: break;
    }
}

/* Less than half may be as likely as another cause: then none is named. */
static void append_undecided(const struct diagnosis *d, const struct diagnosis_end *end,
                             struct fmt_buffer *out)
{
    fmt_append(out, "It cannot be decided by what can be tried here. ");
    if (end->sure < 0.5) {
        fmt_append(out, "No cause is likelier than all others together.\nA module of the same kind "
                        "from another machine can tell: exchange one module after the other for "
                        "it.\n");
        return;
    }
    fmt_append(out, "Most likely, by %u %%:\n", (unsigned)(end->sure * 100));
    append_end_of(d, end->likely, end->bits, out);
}

void diagnosis_append_end(const struct diagnosis *d, const struct diagnosis_end *end,
                          struct fmt_buffer *out)
{
    if (end->kind == DIAGNOSIS_END_UNDECIDED)
        append_undecided(d, end, out);
    else
        append_end_of(d, end->kind, end->bits, out);
}

static unsigned module_in(const struct diagnosis *d, const struct diagnosis_arrangement *at,
                          unsigned slot)
{
    unsigned module = 0;

    while (module < d->n_modules && at->slot_of[module] != slot)
        module++;
    return module;
}

/* The slots that are used; of a module that was elsewhere in the first run, where that was. */
static void append_arrangement(const struct diagnosis *d, const struct diagnosis_arrangement *at,
                               struct fmt_buffer *out)
{
    uint32_t slots = diagnosis_slots_used(at);
    unsigned n = count(slots), done = 0;

    for (unsigned i = 0; i < d->n_slots; i++) {
        unsigned first;

        if (!(slots >> i & 1))
            continue;
        first = diagnosis_first_slot(d, module_in(d, at, i));
        fmt_append(out, "%s%s", between(done++, n), slot_name(d, i));
        if (!same_name(d, first, i))
            fmt_append(out, " (module of %s)", slot_name(d, first));
    }
}

/* Without the SPD's speed it is only known whether memory is slower than in the first run. */
static void append_speed(const struct diagnosis *d, bool is_raised, struct fmt_buffer *out)
{
    if (!d->run[0].at.is_raised)
        return;
    if (d->jedec_mt_s)
        fmt_append(out, ", %s", is_raised ? "fast settings" : "JEDEC speed");
    else if (!is_raised)
        fmt_append(out, ", slower");
}

static void append_run(const struct diagnosis_run *r, struct fmt_buffer *out)
{
    const char *es = r->passes == 1 ? "" : "es";

    if (r->outcome == DIAGNOSIS_NOT_STARTED)
        fmt_append(out, "did not start");
    else if (r->failed)
        fmt_append(out, "faults in %u of %u pass%s%s", r->failed, r->passes, es,
                   r->always ? ", and each time that a bad page was tested again" : "");
    else
        fmt_append(out, "no fault in %u pass%s", r->passes, es);
}

void diagnosis_append_runs(const struct diagnosis *d, struct fmt_buffer *out)
{
    for (unsigned i = 0; i < d->n_runs; i++) {
        append_arrangement(d, &d->run[i].at, out);
        append_speed(d, d->run[i].at.is_raised, out);
        fmt_append(out, ": ");
        append_run(&d->run[i], out);
        fmt_append(out, "\n");
    }
}
