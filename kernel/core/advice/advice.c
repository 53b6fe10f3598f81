// SPDX-License-Identifier: MIT
#include "advice/advice.h"

#include "lib/span.h"
#include "lib/string.h"

/* Half of the memory: the guard takes no more (guardlist/guard_choose.h), and no more is of use. */
static bool is_too_much(const struct advice_facts *f, uint64_t pages)
{
    return pages > f->ram_bytes / PAGE_SIZE / 2;
}

static bool has_step(const struct advice_facts *f)
{
    return f->diagnosis && f->diagnosis[0];
}

static bool is_one_cpu(const struct advice_facts *f)
{
    return f->cause && f->cause->is_known && f->cause->cause == KIND_CAUSE_CPU;
}

/*
 * Where a search can begin, its first step follows from this advice. No module is replaced while
 * memory is faster than its standard speed.
 */
static enum advice_case case_of_fault(const struct advice_facts *f)
{
    if (f->false_size)
        return ADVICE_CASE_FALSE_SIZE;
    if (is_one_cpu(f))
        return ADVICE_CASE_CPU;
    if (f->fast_mt_s && (!has_step(f) || f->diagnosis_is_settings || f->is_named))
        return ADVICE_CASE_SETTINGS;
    if (f->are_in_all || (f->kind == KIND_EVERYWHERE && f->confidence != KIND_POSSIBLE))
        return ADVICE_CASE_NOT_MODULES;
    if (!f->bad_pages)
        return ADVICE_CASE_RESEAT;
    if (f->has_soldered)
        return f->n_modules ? ADVICE_CASE_PARTLY_SOLDERED : ADVICE_CASE_SOLDERED;
    return f->n_modules == 1 || f->is_named ? ADVICE_CASE_ONE_MODULE : ADVICE_CASE_FIND_MODULE;
}

static bool is_diagnosis(const struct advice_facts *f)
{
    return f->diagnosis_has_begun && has_step(f) && f->run != ADVICE_BROKEN &&
           f->run != ADVICE_NOT_TESTED;
}

static bool is_without_fault(const struct advice_facts *f)
{
    return f->run != ADVICE_FAILED && f->run != ADVICE_BROKEN && f->run != ADVICE_NOT_TESTED;
}

enum advice_case advice_case_of(const struct advice_facts *f)
{
    if (is_diagnosis(f))
        return ADVICE_CASE_DIAGNOSIS;
    if (is_without_fault(f) && is_one_cpu(f))
        return ADVICE_CASE_CPU;
    if (is_without_fault(f) && f->run != ADVICE_CORRECTED && f->starts_with_errors)
        return ADVICE_CASE_STARTS;
    switch (f->run) {
    case ADVICE_PASSED: return ADVICE_CASE_GOOD;
    case ADVICE_UNTESTED:
    case ADVICE_HIDDEN:
    case ADVICE_PART: return ADVICE_CASE_REST;
    case ADVICE_UNSEEN: return ADVICE_CASE_MISSING;
    case ADVICE_STOPPED: return ADVICE_CASE_AGAIN;
    case ADVICE_CORRECTED: return ADVICE_CASE_WATCH;
    case ADVICE_FAILED: return case_of_fault(f);
    case ADVICE_BROKEN: return is_one_cpu(f) ? ADVICE_CASE_CPU : ADVICE_CASE_REPORT;
    case ADVICE_NOT_TESTED: break;
    }
    return ADVICE_CASE_OPTIONS;
}

static void append_holes(const struct advice_facts *f, const char *keep, struct fmt_buffer *out)
{
    fmt_append(out, "%lu page%s missing from the memory map: if GRUB's badram or cutmem hid %s, %s",
               (unsigned long)f->hidden_pages, f->hidden_pages == 1 ? " is" : "s are",
               f->hidden_pages == 1 ? "it" : "them", keep);
}

static void append_good(const struct advice_facts *f, struct fmt_buffer *out)
{
    fmt_append(out, "The memory tested is good. ");
    if (f->hidden_pages) {
        fmt_append(out, "But ");
        append_holes(f, "keep the old line. ", out);
    }
    fmt_append(out,
               "If the machine still crashes, choose \"Thorough, all night\" in okram's menu; if "
               "that finds nothing, look at heat, power supply, disk and drivers.");
}

/* Results that an owner might take for a whole pass. */
static void append_rest(const struct advice_facts *f, struct fmt_buffer *out)
{
    char part[60] = "";

    if (f->part_of_bytes)
        fmt_print(part, sizeof(part), " in the part that was tested, %s of %s",
                  FMT_SIZE(f->tested_bytes), FMT_SIZE(f->part_of_bytes));
    if (f->run == ADVICE_HIDDEN)
        fmt_append(out,
                   "No fault was found%s, but %lu page%s hidden before okram started, and so not "
                   "tested: keep the old badram, cutmem or memmap line, or the guard's list. To "
                   "test %s, start okram without it, for example from its stick.",
                   part, (unsigned long)f->hidden_pages, f->hidden_pages == 1 ? " was" : "s were",
                   f->hidden_pages == 1 ? "it" : "them");
    else if (f->run == ADVICE_PART)
        fmt_append(out,
                   "No fault was found%s. That says nothing about the rest. To test all memory, "
                   "start okram without range=, nodes= and lowmem=.",
                   part);
    else
        fmt_append(out, "Some of the memory was not tested: the list above and the warnings say "
                        "what, and why. Change that if you can, and test again.");
}

static void append_missing(const struct advice_facts *f, struct fmt_buffer *out)
{
    fmt_append(out,
               "The machine has modules of %s, but only %s of it are there: switch it off, take "
               "the modules out and put them in again, and see which of them BIOS setup lists. "
               "Much memory for graphics, or mirroring, looks the same: look there, too.",
               FMT_SIZE(f->installed_bytes), FMT_SIZE(f->ram_bytes));
}

/* XMP or EXPO. */
static void append_switch_off(const struct advice_facts *f, struct fmt_buffer *out)
{
    if (f->jedec_mt_s)
        fmt_append(out,
                   "The memory runs at %u MT/s, faster than its standard speed of %u: switch off "
                   "XMP or EXPO (on some boards DOCP) in BIOS setup, and test again. ",
                   f->fast_mt_s, f->jedec_mt_s);
    else
        fmt_append(out,
                   "The memory may run with tighter settings than the standard ones: switch off "
                   "XMP or EXPO (on some boards DOCP) in BIOS setup if one is on, and test "
                   "again. ");
}

static void append_watch(const struct advice_facts *f, struct fmt_buffer *out)
{
    bool one = f->n_modules == 1;

    fmt_append(out, "No data were lost%s", f->fast_mt_s ? ". " : ", but ");
    if (f->fast_mt_s) {
        append_switch_off(f, out);
        fmt_append(out, "If errors come back, ");
    }
    if (f->has_soldered && !f->n_modules)
        fmt_append(out, "the memory, which is soldered to the board, has begun to fail: keep "
                        "backups, and test again in a week. ");
    else
        fmt_append(out,
                   "a memory module is failing or not seated properly: switch the machine off, "
                   "take the module%s out and put %s in again, and test again in a week. ",
                   one ? "" : "s", one ? "it" : "them");
    if (f->has_soldered && !f->n_modules)
        fmt_append(out, "If the errors become more, have the board repaired.");
    else if (one)
        fmt_append(out, "If errors come back, have it replaced.");
    else
        fmt_append(out, "If errors come back, test the modules one at a time, and have the one "
                        "with errors replaced.");
}

static void append_settings(const struct advice_facts *f, struct fmt_buffer *out)
{
    if (f->is_named)
        fmt_append(out, "All faults are in one module: %s. ", f->named);
    append_switch_off(f, out);
    fmt_append(out,
               "If no fault is found then, leave it off: nothing is broken; if there are faults, "
               "%s.",
               f->is_named ? "that module is bad: have it replaced" : "a module is bad");
}

static void append_module(const struct advice_module *m, struct fmt_buffer *out)
{
    const char *part[] = { m->maker, m->part };
    const char *between = " (";

    if (m->place && m->place[0])
        fmt_append(out, " in %s", m->place);
    for (size_t i = 0; i < 2; i++) {
        if (!part[i] || !part[i][0])
            continue;
        fmt_append(out, "%s%s", between, part[i]);
        between = " ";
    }
    if (m->serial && m->serial[0]) {
        fmt_append(out, "%sserial %s", between[1] ? " (" : ", ", m->serial);
        between = " ";
    }
    if (!between[1])
        fmt_append(out, ")");
}

static void append_one_module(const struct advice_facts *f, struct fmt_buffer *out)
{
    if (f->named && f->n_modules != 1) {
        fmt_append(
            out,
            "All faults are in one module: %s. It is almost certainly bad, or else its slot: "
            "have it replaced.",
            f->named);
        return;
    }
    fmt_append(out, "The module");
    append_module(&f->only, out);
    fmt_append(out, ", the only one, is almost certainly bad: have it replaced.");
}

static void append_false_size(const struct advice_facts *f, struct fmt_buffer *out)
{
    fmt_append(out,
               "%s. Have the module replaced, and keep secrets off this machine until then, even "
               "in encrypted memory.",
               f->false_size);
}

static void append_find_module(const struct advice_facts *f, struct fmt_buffer *out)
{
    bool step = !f->menu_has_search && has_step(f);

    if (f->named)
        fmt_append(out, "All faults are in one module: %s", f->named);
    else if (f->in_modules)
        fmt_append(out, "Faults are %s: one of them is most likely bad, or more", f->in_modules);
    else if (f->n_modules)
        fmt_append(out, "One of the %u modules is most likely bad", f->n_modules);
    else
        fmt_append(out, "A memory module is most likely bad");
    fmt_append(out, step || f->named || f->in_modules ? ". To find it: " : ": ");
    if (f->menu_has_search)
        fmt_append(out, "start okram again, press a key when its menu appears, and choose \"Find "
                        "the bad module\": it says step by step what to take out.");
    else if (step)
        fmt_append(out, "%s", f->diagnosis);
    else
        fmt_append(out,
                   "%sstart okram with one at a time, always in the same slot, and have the one "
                   "with faults replaced.",
                   f->n_modules ? "" : "if there are several, ");
}

/* Why GRUB does not do; "": it does. */
static const char *why_not_grub(const struct advice_facts *f)
{
    switch (f->use) {
    case BADRAM_IGNORED:
    case BADRAM_IGNORED_NO_GUARD: return "Secure Boot is on, and GRUB then ignores the badram line";
    case BADRAM_FALLS_SHORT: return "with the badram line, GRUB would leave some of it in use";
    case BADRAM_WORKS: break;
    }
    return f->line_fits ? "" : "the badram line has more parts than Linux can take";
}

/* A TPM measures drivers, and what Windows hibernates belongs to one memory map: docs/guard.md. */
static void append_guard(const struct advice_facts *f, struct fmt_buffer *out)
{
    const char *why = why_not_grub(f);

    fmt_append(out, "Until then, choose \"The guard\" in okram's menu at the next start, and "
                    "Windows and Linux leave the bad memory alone (");
    if (*why)
        fmt_append(out, "%s). ", why);
    else
        fmt_append(out, "for Linux alone, put the text after badram= into GRUB_BADRAM=\"\" in "
                        "/etc/default/grub and run update-grub). ");
    fmt_append(out,
               "With Windows, suspend BitLocker first, and shut down with shutdown /s /f /t 0. "
               "With Secure Boot on, the guard must be enrolled once.");
}

static void append_line(const struct advice_facts *f, struct fmt_buffer *out)
{
    const char *why = why_not_grub(f);

    if (*why)
        fmt_append(out,
                   "Until then, Linux leaves the bad memory alone if you give it the memmap line "
                   "(key l); %s.",
                   why);
    else
        fmt_append(out,
                   "Until then, Linux leaves the bad memory alone if you put the text after "
                   "badram= into GRUB_BADRAM=\"\" in /etc/default/grub and run update-grub%s.",
                   f->is_loaded_over ? " (GRUB may still load Linux there by BIOS, but not by UEFI)"
                                     : "");
    if (f->guard == ADVICE_GUARD_WITHOUT_LIST)
        fmt_append(out,
                   " For Windows there is the guard in okram's menu, but the list that it needs "
                   "is not kept: save=off was given, or the warnings say why.");
}

static void append_cpu_steps(const struct advice_facts *f, struct fmt_buffer *out)
{
    fmt_append(out, "load the default settings in BIOS setup, without overclocking or a lower "
                    "voltage, update the BIOS, look at the processor's cooling, and test again. ");
    fmt_append(out, is_without_fault(f) ? "If it fails again, " : "If faults stay, ");
    if (is_without_fault(f))
        fmt_append(out, "switch that core off in BIOS setup where it can be, and ");
    else if (f->other_cpus && f->other_cpus[0])
        fmt_append(out,
                   "test with cpus=%s; if there are none then, switch that core off in BIOS "
                   "setup where it can be, and ",
                   f->other_cpus);
    fmt_append(out, "have the processor replaced: it is usually under warranty for years.");
}

static void append_cpu(const struct advice_facts *f, struct fmt_buffer *out)
{
    fmt_append(out, "CPU %u (core %u) computes or reads wrong; the memory is most likely good%s: ",
               f->cause->cpu, f->cause->core,
               f->run == ADVICE_FAILED ? ", and no badram line helps" : "");
    append_cpu_steps(f, out);
}

static void append_starts(const struct advice_facts *f, struct fmt_buffer *out)
{
    fmt_append(out,
               "Errors came in %u of %u starts; memory is trained at each. Load the default "
               "settings in BIOS setup, without XMP, EXPO, overclocking or a lower voltage, update "
               "the BIOS, and begin again. If errors come back, the report of a start that had "
               "them says where.",
               f->starts_with_errors, f->starts);
}

/* Where memory is bad, too. */
static void append_cpu_as_well(const struct advice_facts *f, struct fmt_buffer *out)
{
    fmt_append(out, " CPU %u (core %u) is at fault as well: ", f->cause->cpu, f->cause->core);
    append_cpu_steps(f, out);
}

/* Before modules are touched. */
static void append_heals(struct fmt_buffer *out)
{
    fmt_append(out, "This server can replace failing rows of its memory by spare ones when it "
                    "starts (post package repair): restart it once, with all modules where they "
                    "are, and test again. If errors come back: ");
}

/* How to go on with bad pages. */
static void append_until_then(const struct advice_facts *f, struct fmt_buffer *out)
{
    if (is_too_much(f, f->guard == ADVICE_GUARD ? f->bad_pages : f->lost_pages))
        fmt_append(out, "Until then, do not use the machine for anything that matters: too much of "
                        "its memory is bad to leave it out.");
    else if (f->guard == ADVICE_GUARD)
        append_guard(f, out);
    else
        append_line(f, out);
}

static const char *const whole_text[ADVICE_CASES] = {
    [ADVICE_CASE_AGAIN] = "The test was stopped too early to say that the memory is good. Start "
                          "okram again, and let it run until the result appears.",
    [ADVICE_CASE_REPORT] = "The memory may be good or bad: the warnings say what happened. Please "
                           "report this error: start okram again with support=on, and send the "
                           "whole report.",
    [ADVICE_CASE_RESEAT] = "Memory has lost data, but the hardware did not say where: switch the "
                           "machine off, take the modules out and put them in again, and test "
                           "again. If errors come back, test the modules one at a time, and have "
                           "the one with errors replaced.",
    [ADVICE_CASE_SOLDERED] = "The memory is soldered to the board: only the maker or a workshop "
                             "can replace it.",
};

static void append_not_modules(const struct advice_facts *f, struct fmt_buffer *out)
{
    fmt_append(out, "The faults %s", f->are_in_all ? "are " : "come at changing places");
    fmt_append(out,
               "%s, which a bad module rarely causes: load the default settings in BIOS setup, "
               "look for heat, take the modules out and put them in again, and test again. If "
               "faults stay, try another power supply, then other modules.",
               f->are_in_all ? f->in_modules : "");
}

static void append_partly_soldered(const struct advice_facts *f, struct fmt_buffer *out)
{
    fmt_append(out,
               "A part of the memory is soldered to the board: take out the module%s and test "
               "again; if no fault is found then, %s is bad, else the board.",
               f->n_modules > 1 ? "s" : "", f->n_modules > 1 ? "one of them" : "it");
}

static void append_options(const struct advice_facts *f, struct fmt_buffer *out)
{
    fmt_append(out, "No memory was tested");
    if (f->left_out)
        fmt_append(out, ": all of it is left out (%s)", f->left_out);
    fmt_append(out, ". Correct range=, nodes= and cpus= if they are given, and test again.");
}

static void append_diagnosis(const struct advice_facts *f, struct fmt_buffer *out)
{
    fmt_append(out, "%s", f->diagnosis);
    if (f->diagnosis_remedy)
        fmt_append(out, " %s", f->diagnosis_remedy);
}

static void append_first(const struct advice_facts *f, enum advice_case what,
                         struct fmt_buffer *out)
{
    if (f->heals_rows && (what == ADVICE_CASE_WATCH || what == ADVICE_CASE_RESEAT ||
                          what == ADVICE_CASE_ONE_MODULE || what == ADVICE_CASE_FIND_MODULE))
        append_heals(out);
    switch (what) {
    case ADVICE_CASE_CPU: append_cpu(f, out); break;
    case ADVICE_CASE_STARTS: append_starts(f, out); break;
    case ADVICE_CASE_GOOD: append_good(f, out); break;
    case ADVICE_CASE_REST: append_rest(f, out); break;
    case ADVICE_CASE_MISSING: append_missing(f, out); break;
    case ADVICE_CASE_WATCH: append_watch(f, out); break;
    case ADVICE_CASE_OPTIONS: append_options(f, out); break;
    case ADVICE_CASE_DIAGNOSIS: append_diagnosis(f, out); break;
    case ADVICE_CASE_SETTINGS: append_settings(f, out); break;
    case ADVICE_CASE_FALSE_SIZE: append_false_size(f, out); break;
    case ADVICE_CASE_NOT_MODULES: append_not_modules(f, out); break;
    case ADVICE_CASE_ONE_MODULE: append_one_module(f, out); break;
    case ADVICE_CASE_PARTLY_SOLDERED: append_partly_soldered(f, out); break;
    case ADVICE_CASE_FIND_MODULE: append_find_module(f, out); break;
    default: fmt_append(out, "%s", whole_text[what]); break;
    }
}

/* The first sentence says how to replace what is bad, which takes days. A diagnosis goes on at the
 * next start, at which nothing else is to be done. */
static bool leaves_time(const struct advice_facts *f, enum advice_case what)
{
    return f->run == ADVICE_FAILED && f->bad_pages &&
           (what == ADVICE_CASE_DIAGNOSIS ? f->diagnosis_remedy != NULL
                                          : what >= ADVICE_CASE_FALSE_SIZE);
}

/* Where the first sentence does not say so: what the line leaves out is of this part. */
static void append_part(const struct advice_facts *f, enum advice_case what, struct fmt_buffer *out)
{
    if (f->part_of_bytes &&
        (f->run == ADVICE_UNTESTED || f->run == ADVICE_UNSEEN || leaves_time(f, what)))
        fmt_append(out, " Only %s of %s was tested.", FMT_SIZE(f->tested_bytes),
                   FMT_SIZE(f->part_of_bytes));
}

/* Otherwise a reader would remove the old line, or replace it by the new one. */
static void append_keep(const struct advice_facts *f, enum advice_case what, struct fmt_buffer *out)
{
    bool is_told = (f->run == ADVICE_PASSED && what == ADVICE_CASE_GOOD) ||
                   (f->run == ADVICE_HIDDEN && what == ADVICE_CASE_REST);
    bool is_failed = f->run == ADVICE_FAILED;

    if (!f->hidden_pages || is_told || (what == ADVICE_CASE_DIAGNOSIS && !leaves_time(f, what)))
        return;
    if (f->are_holes) {
        fmt_append(out, " ");
        append_holes(f, is_failed ? "add the new line to the old one." : "keep the old line.", out);
    } else if (!is_failed) {
        fmt_append(out, " %lu page%s hidden before okram started: keep the old line.",
                   (unsigned long)f->hidden_pages, f->hidden_pages == 1 ? " was" : "s were");
    }
}

static void append_onset(const struct heat_onset *onset, struct fmt_buffer *out)
{
    fmt_append(out,
               " All %lu faults came while %s was above %d C; below that, the same tests moved %s "
               "without one. "
               "Clean fans and filters, let air reach the modules, and test again.",
               (unsigned long)onset->faults, onset->by_module ? "the hottest module" : "the CPU",
               onset->from_degrees - 1, FMT_SIZE(onset->bytes_below));
}

void advice_append(const struct advice_facts *f, struct fmt_buffer *out)
{
    enum advice_case what = advice_case_of(f);

    append_first(f, what, out);
    if (f->run == ADVICE_FAILED && f->cause && f->cause->is_known &&
        f->cause->cause == KIND_CAUSE_BOTH && what != ADVICE_CASE_DIAGNOSIS)
        append_cpu_as_well(f, out);
    if (leaves_time(f, what)) {
        fmt_append(out, " ");
        append_until_then(f, out);
    }
    if (f->run == ADVICE_FAILED && f->onset.faults)
        append_onset(&f->onset, out);
    append_part(f, what, out);
    append_keep(f, what, out);
}

const char *advice_headline(const struct advice_facts *f)
{
    enum advice_case what = advice_case_of(f);

    if (!is_without_fault(f))
        return NULL;
    return what == ADVICE_CASE_CPU ? "BAD CPU" : what == ADVICE_CASE_STARTS ? "BAD STARTS" : NULL;
}

const char *advice_case_name(enum advice_case what)
{
    static const char *const names[ADVICE_CASES] = {
        [ADVICE_CASE_GOOD] = "good",
        [ADVICE_CASE_REST] = "rest",
        [ADVICE_CASE_MISSING] = "missing",
        [ADVICE_CASE_AGAIN] = "again",
        [ADVICE_CASE_WATCH] = "watch",
        [ADVICE_CASE_STARTS] = "starts",
        [ADVICE_CASE_REPORT] = "report",
        [ADVICE_CASE_OPTIONS] = "options",
        [ADVICE_CASE_DIAGNOSIS] = "diagnosis",
        [ADVICE_CASE_CPU] = "cpu",
        [ADVICE_CASE_SETTINGS] = "settings",
        [ADVICE_CASE_NOT_MODULES] = "not-modules",
        [ADVICE_CASE_RESEAT] = "reseat",
        [ADVICE_CASE_FALSE_SIZE] = "false-size",
        [ADVICE_CASE_ONE_MODULE] = "one-module",
        [ADVICE_CASE_SOLDERED] = "soldered",
        [ADVICE_CASE_PARTLY_SOLDERED] = "partly-soldered",
        [ADVICE_CASE_FIND_MODULE] = "find-module",
    };

    return names[what];
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool has_any(const char *text, const char *const *words)
{
    while (*words && !strstr(text, *words))
        words++;
    return *words;
}

bool advice_machine_heals(const char *maker, const char *product, bool is_ddr4)
{
    /* Dell's servers with AMD's first EPYC do not. */
    static const char *const dell_not[] = { "R6415", "R7415", "R7425", NULL };
    static const char *const intel[] = {
        "S2600BP", "S2600ST", "S2600WF", "D50TNP", "M50CYP", NULL
    };

    if (!is_ddr4)
        return false;
    if (begins(maker, "Dell"))
        return strstr(product, "PowerEdge") && !has_any(product, dell_not);
    if (begins(maker, "Lenovo"))
        return strstr(product, "ThinkSystem");
    return begins(maker, "Intel") && has_any(product, intel);
}

static bool is_counted(const struct module *m)
{
    return !m->slot || (m->slot->is_ordinary && !m->slot->is_soldered);
}

static void take_speed(const struct module *m, struct advice_facts *f)
{
    if (module_is_above_jedec(m)) {
        f->fast_mt_s = module_mt_s(m);
        f->jedec_mt_s = m->jedec_mt_s;
    } else if (module_runs_by_profile(m) && !f->fast_mt_s) {
        f->fast_mt_s = module_mt_s(m);
    }
}

void advice_take_modules(const struct modules *modules, char place[SMBIOS_NAME_SIZE],
                         struct advice_facts *f)
{
    f->n_modules = (unsigned)modules->n_others;
    for (size_t i = 0; i < modules->n; i++) {
        const struct module *m = &modules->module[i];

        f->has_soldered |= m->slot && m->slot->is_soldered;
        if (!is_counted(m))
            continue;
        f->n_modules++;
        f->only = (struct advice_module){ module_place(m, place), m->maker, m->part, m->serial };
        take_speed(m, f);
    }
}
