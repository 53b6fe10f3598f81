// SPDX-License-Identifier: MIT
#include "diagnosis/sentences.h"

#include "lib/bits.h"
#include "lib/string.h"

#define CHANGES_LISTED_MAX 3 /* modules that are named one by one; more: those that stay in */
#define SHORT_MAX          60

/* What happens to a module between two arrangements. */
enum move { STAYS, OUT, IN, MOVES, NOT_THERE };

static enum move move_of(const struct diagnosis_arrangement *from,
                         const struct diagnosis_arrangement *to, unsigned module)
{
    uint8_t a = from->slot_of[module], b = to->slot_of[module];

    if (a == b)
        return a == DIAGNOSIS_ABSENT ? NOT_THERE : STAYS;
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

static unsigned first_slot(const struct diagnosis *d, unsigned module)
{
    unsigned slot = DIAGNOSIS_ABSENT;

    for (unsigned i = 0; i < d->n_runs && slot == DIAGNOSIS_ABSENT; i++)
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

/* One that is out: by its serial number, or by where it was. */
static void append_loose(const struct diagnosis *d, unsigned module, struct fmt_buffer *out)
{
    if (d->module[module].serial[0])
        fmt_append(out, "the module with serial %s", d->module[module].serial);
    else
        fmt_append(out, "the module that was in %s at first", slot_name(d, first_slot(d, module)));
}

void diagnosis_append_module(const struct diagnosis *d, unsigned module, struct fmt_buffer *out)
{
    const struct diagnosis_module *m = &d->module[module];
    unsigned now = diagnosis_last(d)->slot_of[module];

    fmt_append(out, "the module");
    if (m->serial[0])
        fmt_append(out, " with serial number %s", m->serial);
    if (m->part[0])
        fmt_append(out, " (part %s)", m->part);
    fmt_append(out, "%s at first in %s", m->serial[0] || m->part[0] ? "," : " that was",
               slot_name(d, first_slot(d, module)));
    if (now != DIAGNOSIS_ABSENT && now != first_slot(d, module))
        fmt_append(out, " and now in %s", slot_name(d, now));
}

static void append_move(const struct diagnosis *d, const struct diagnosis_arrangement *from,
                        const struct diagnosis_arrangement *to, unsigned module,
                        struct fmt_buffer *out)
{
    switch (move_of(from, to, module)) {
    case OUT:
        fmt_append(out, "take out ");
        append_fitted(d, from, module, out);
        break;
    case IN:
        fmt_append(out, "put ");
        append_loose(d, module, out);
        fmt_append(out, " into %s", slot_name(d, to->slot_of[module]));
        break;
    case MOVES:
        fmt_append(out, "move ");
        append_fitted(d, from, module, out);
        fmt_append(out, " to %s", slot_name(d, to->slot_of[module]));
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
            append_loose(d, i, out);
            fmt_append(out, " in %s", slot_name(d, to->slot_of[i]));
        }
    }
}

static void append_settings(const struct diagnosis *d, bool on, struct fmt_buffer *out)
{
    if (on) {
        fmt_append(out,
                   "Switch XMP or EXPO on again in firmware's setup, to see whether the faults "
                   "come back. ");
        return;
    }
    fmt_append(out, "Switch off XMP or EXPO (on some boards DOCP) in firmware's setup");
    if (d->jedec_mt_s)
        fmt_append(out, ", so that memory runs at %u MT/s instead of %u", d->jedec_mt_s,
                   d->first_mt_s);
    fmt_append(out, ". %s",
               d->jedec_mt_s ? "" : "If it is off already, start okram again all the same. ");
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

static void append_short_end(const struct diagnosis *d, const struct diagnosis_end *end,
                             struct fmt_buffer *out)
{
    static const char *const texts[] = {
        [DIAGNOSIS_END_SETTINGS] = "the settings (XMP, EXPO), not a module",
        [DIAGNOSIS_END_CONTROLLER] = "CPU, controller or board, not a module",
        [DIAGNOSIS_END_CROWD] = "too many modules for CPU or board",
        [DIAGNOSIS_END_ALL] = "all modules, or CPU or board",
        [DIAGNOSIS_END_NOT_REPRODUCED] = "the fault did not come again",
        [DIAGNOSIS_END_UNDECIDED] = "not decided",
    };
    unsigned n = count(end->bits), done = 0;

    if (end->kind == DIAGNOSIS_END_SLOT) {
        fmt_append(out, "board or slot ");
        append_slot_names(d, end->bits, out);
    }
    if (texts[end->kind])
        fmt_append(out, "%s", texts[end->kind]);
    if (end->kind != DIAGNOSIS_END_MODULES)
        return;
    fmt_append(out, "bad: the module%s of ", n > 1 ? "s" : "");
    for (unsigned i = 0; i < d->n_modules; i++) {
        if (end->bits >> i & 1)
            fmt_append(out, "%s%s", between(done++, n), slot_name(d, first_slot(d, i)));
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

    if (diagnosis_same_modules(&asked->at, now, d->n_modules) &&
        asked->at.is_raised == now->is_raised)
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

    fmt_append(out, "%s bad: ", n > 1 ? "Two modules are" : "One module is");
    for (unsigned i = 0; i < d->n_modules; i++) {
        if (!(bits >> i & 1))
            continue;
        fmt_append(out, "%s", between(done++, n));
        diagnosis_append_module(d, i, out);
    }
    fmt_append(out, ".\n");
    append_reasons_pair(n > 1 ? "With either of them in," : "With it in,", in,
                        n > 1 ? "with neither" : "without it", tally_modules(d, bits, false), out);
    if (n == 1 && in.slots > 1)
        fmt_append(out, "They came in more than one slot, so it is not the slot.\n");
    if (d->n_modules == 1)
        fmt_append(out, "It is the only module here: CPU and board cannot be told from it without "
                        "another one, but fail far more seldom.\n");
    fmt_append(out, "Have %s replaced. What was sold as a kit is usually taken back as a kit.\n",
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
    append_reasons_pair("With XMP or EXPO on,", tally_settings(d, true), "with it off",
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
               is_crowd ? "Use fewer modules, or a lower speed in firmware's setup."
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
    unsigned passes = 0;

    for (unsigned i = 1; i < d->n_runs; i++)
        passes += d->run[i].passes;
    fmt_append(out,
               "The fault did not come again.\nIt came once, and then not in %u passes of the "
               "tests that had found it.\nTest again for a night. If it stays away, it was "
               "an event from outside, which happens to good memory, too.\n",
               passes);
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

/* The slots that are used; of a module that was elsewhere at first, where that was. */
static void append_arrangement(const struct diagnosis *d, const struct diagnosis_arrangement *at,
                               struct fmt_buffer *out)
{
    uint32_t slots = diagnosis_slots_used(at);
    unsigned n = count(slots), done = 0;

    for (unsigned i = 0; i < d->n_slots; i++) {
        unsigned first;

        if (!(slots >> i & 1))
            continue;
        first = first_slot(d, module_in(d, at, i));
        fmt_append(out, "%s%s", between(done++, n), slot_name(d, i));
        if (first != i)
            fmt_append(out, " (module of %s)", slot_name(d, first));
    }
}

void diagnosis_append_runs(const struct diagnosis *d, struct fmt_buffer *out)
{
    for (unsigned i = 0; i < d->n_runs; i++) {
        const struct diagnosis_run *r = &d->run[i];

        append_arrangement(d, &r->at, out);
        if (d->run[0].at.is_raised)
            fmt_append(out, ", %s", r->at.is_raised ? "fast settings" : "JEDEC speed");
        if (r->outcome == DIAGNOSIS_NOT_STARTED)
            fmt_append(out, ": did not start\n");
        else if (r->failed)
            fmt_append(out, ": faults in %u of %u pass%s\n", r->failed, r->passes,
                       r->passes == 1 ? "" : "es");
        else
            fmt_append(out, ": no fault in %u passes\n", r->passes);
    }
}
