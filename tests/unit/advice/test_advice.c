// SPDX-License-Identifier: MIT
#include "advice/advice.h"

#include "firmware/smbios_memory.h"
#include "lib/span.h"
#include "tests/unit/unit.h"

#define GUARD_HAS_TIME                                                                             \
    " Until then, choose \"The guard\" in okram's menu at the next start, and Windows and Linux "  \
    "leave the bad memory alone ("
#define GUARD_NEEDS                                                                                \
    "). With Windows, suspend BitLocker first, and shut down with shutdown /s /f /t 0. With "      \
    "Secure Boot on, the guard must be enrolled once."
#define LIST_IS_MISSING                                                                            \
    " For Windows there is the guard in okram's menu, but the list that it needs is not kept: "    \
    "save=off was given, or the warnings say why."
#define LINE_HAS_TIME " Until then, Linux leaves the bad memory alone if you "
#define GRUB_LINE                                                                                  \
    "put the text after badram= into GRUB_BADRAM=\"\" in /etc/default/grub and run update-grub"
#define ONE_BAD "The module, the only one, is almost certainly bad: have it replaced."
#define SEVERAL                                                                                    \
    "One of the 4 modules is most likely bad: start okram with one at a time, always in the same " \
    "slot, and have the one with faults replaced."

static char text[ADVICE_TEXT_SIZE];

static void assert_advice(struct advice_facts facts, const char *name, const char *wanted)
{
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    advice_append(&facts, &b);
    assert_string_equal(advice_case_name(advice_case_of(&facts)), name);
    assert_string_equal(text, wanted);
    assert_false(b.cut);
}

/* A run on 8 GiB that found one bad page, on a machine with BIOS. */
static struct advice_facts failed(unsigned n_modules)
{
    return (struct advice_facts){ .run = ADVICE_FAILED,
                                  .ram_bytes = 8 * GIB,
                                  .n_modules = n_modules,
                                  .kind = KIND_CELL,
                                  .confidence = KIND_SURE,
                                  .bad_pages = 1,
                                  .lost_pages = 1,
                                  .line_fits = true };
}

TEST(no_fault)
{
    struct advice_facts f = { .run = ADVICE_PASSED, .ram_bytes = 8 * GIB };

    assert_advice(
        f, "good",
        "The memory tested is good. If the machine still crashes, choose \"Thorough, all "
        "night\" in okram's menu; if that finds nothing, look at heat, power supply, disk "
        "and drivers.");
}

TEST(pages_were_hidden)
{
    struct advice_facts f = { .run = ADVICE_HIDDEN, .hidden_pages = 3 };

    assert_advice(
        f, "rest",
        "No fault was found, but 3 pages were hidden before okram started, and so not "
        "tested: keep the old badram, cutmem or memmap line, or the guard's list. To test "
        "them, start okram without it, for example from its stick.");
    f.run = ADVICE_PASSED; /* by BIOS there are holes, which may be that */
    f.hidden_pages = 1;
    assert_advice(
        f, "good",
        "The memory tested is good. But 1 page is missing from the memory map: if GRUB's "
        "badram or cutmem hid it, keep the old line. If the machine still crashes, choose "
        "\"Thorough, all night\" in okram's menu; if that finds nothing, look at heat, power supply, "
        "disk and drivers.");
}

/* What comes with them does not take their place: a line that is taken out protects nothing. */
TEST(hidden_pages_beside_something_else)
{
    static const enum advice_run runs[] = { ADVICE_UNTESTED, ADVICE_UNSEEN, ADVICE_PART,
                                            ADVICE_STOPPED, ADVICE_CORRECTED };
    static const char holes[] = " 3 pages are missing from the memory map: if GRUB's badram or "
                                "cutmem hid them, keep the old line.";
    static const char unusable[] = " 3 pages were hidden before okram started: keep the old line.";

    for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
        for (int are_holes = 0; are_holes < 2; are_holes++) {
            struct advice_facts f = { .run = runs[i], .hidden_pages = 3, .are_holes = are_holes };
            struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));
            const char *end = are_holes ? holes : unusable;

            advice_append(&f, &b);
            assert_false(b.cut);
            assert_string_equal(text + strlen(text) - strlen(end), end);
        }
    }
}

/* The new line has pages that are unusable in UEFI's map, but not what BIOS's map leaves out. */
TEST(a_new_line_beside_an_old_one)
{
    struct advice_facts f = failed(1);

    f.hidden_pages = 1;
    assert_advice(f, "one-module", ONE_BAD LINE_HAS_TIME GRUB_LINE ".");
    f.are_holes = true;
    assert_advice(f, "one-module",
                  ONE_BAD LINE_HAS_TIME GRUB_LINE
                  ". 1 page is missing from the memory map: if GRUB's badram or cutmem hid it, add "
                  "the new line to the old one.");
}

/* Before settings: no profile adds addresses. */
TEST(a_module_that_lies)
{
    struct advice_facts f = failed(2);

    f.false_size = "A module states 8 GiB";
    f.fast_mt_s = 3200;
    assert_advice(f, "false-size",
                  "A module states 8 GiB. Have the module replaced, and keep secrets off this "
                  "machine until then, even in encrypted memory." LINE_HAS_TIME GRUB_LINE ".");
}

TEST(a_part_beside_something_else)
{
    static const enum advice_run runs[] = { ADVICE_UNTESTED, ADVICE_UNSEEN };

    for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
        struct advice_facts f = { .run = runs[i],
                                  .tested_bytes = 32 << 20,
                                  .part_of_bytes = 255 << 20 };
        struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

        advice_append(&f, &b);
        assert_non_null(strstr(text, " Only 32 MiB of 255 MiB was tested."));
    }
}

/* A line of its bad pages protects that part alone. */
TEST(faults_in_a_part)
{
    struct advice_facts f = failed(1);

    f.tested_bytes = 32 << 20;
    f.part_of_bytes = 255 << 20;
    assert_advice(f, "one-module",
                  ONE_BAD LINE_HAS_TIME GRUB_LINE ". Only 32 MiB of 255 MiB was tested.");
}

TEST(hidden_pages_outside_a_part)
{
    struct advice_facts f = { .run = ADVICE_HIDDEN,
                              .hidden_pages = 1,
                              .tested_bytes = 32 << 20,
                              .part_of_bytes = 255 << 20 };

    assert_advice(f, "rest",
                  "No fault was found in the part that was tested, 32 MiB of 255 MiB, but 1 page "
                  "was hidden before okram started, and so not tested: keep the old badram, cutmem "
                  "or memmap line, or the guard's list. To test it, start okram without it, for "
                  "example from its stick.");
}

TEST(a_part_is_not_the_whole)
{
    struct advice_facts f = { .run = ADVICE_PART,
                              .tested_bytes = 32 << 20,
                              .part_of_bytes = 255 << 20 };

    assert_advice(f, "rest",
                  "No fault was found in the part that was tested, 32 MiB of 255 MiB. That says "
                  "nothing about the rest. To test all memory, start okram without range=, nodes= "
                  "and lowmem=.");
}

TEST(not_all_was_tested)
{
    struct advice_facts f = { .run = ADVICE_UNTESTED, .ram_bytes = 8 * GIB };

    assert_advice(f, "rest",
                  "Some of the memory was not tested: the list above and the warnings say what, "
                  "and why. Change that if you can, and test again.");
    f.run = ADVICE_STOPPED;
    assert_advice(f, "again",
                  "The test was stopped too early to say that the memory is good. Start okram "
                  "again, and let it run until the result appears.");
    f.run = ADVICE_UNSEEN;
    f.installed_bytes = 16 * GIB;
    assert_advice(f, "missing",
                  "The machine has modules of 16 GiB, but only 8 GiB of it are there: switch it "
                  "off, take the modules out and put them in again, and see which of them BIOS "
                  "setup lists. Much memory for graphics, or mirroring, looks the same: look "
                  "there, too.");
}

TEST(nothing_was_learned)
{
    assert_advice((struct advice_facts){ .run = ADVICE_BROKEN }, "report",
                  "The memory may be good or bad: the warnings say what happened. Please report "
                  "this error: start okram again with support=on, and send the whole report.");
    assert_advice((struct advice_facts){ .run = ADVICE_NOT_TESTED,
                                         .diagnosis_has_begun = true,
                                         .diagnosis = "Take it.",
                                         .left_out = "outside range=" },
                  "options",
                  "No memory was tested: all of it is left out (outside range=). Correct range=, "
                  "nodes= and cpus= if they are given, and test again.");
    assert_advice((struct advice_facts){ .run = ADVICE_NOT_TESTED }, "options",
                  "No memory was tested. Correct range=, nodes= and cpus= if they are given, and "
                  "test again.");
}

TEST(ecc_corrected)
{
    struct advice_facts f = { .run = ADVICE_CORRECTED, .n_modules = 1 };

    assert_advice(f, "watch",
                  "No data were lost, but a memory module is failing or not seated properly: "
                  "switch the machine off, take the module out and put it in again, and test again "
                  "in a week. If errors come back, have it replaced.");
    f.n_modules = 8;
    assert_advice(f, "watch",
                  "No data were lost, but a memory module is failing or not seated properly: "
                  "switch the machine off, take the modules out and put them in again, and test "
                  "again in a week. If errors come back, test the modules one at a time, and have "
                  "the one with errors replaced.");
    f.fast_mt_s = 3600;
    assert_advice(f, "watch",
                  "No data were lost. The memory may run with tighter settings than the standard "
                  "ones: switch off XMP or EXPO (on some boards DOCP) in BIOS setup if one is on, "
                  "and test again. If errors come back, a memory module is failing or not seated "
                  "properly: switch the machine off, take the modules out and put them in again, "
                  "and test again in a week. If errors come back, test the modules one at a time, "
                  "and have the one with errors replaced.");
    f.fast_mt_s = 0;
    f.n_modules = 0;
    f.has_soldered = true;
    assert_advice(f, "watch",
                  "No data were lost, but the memory, which is soldered to the board, has begun to "
                  "fail: keep backups, and test again in a week. If the errors become more, have "
                  "the board repaired.");
}

TEST(errors_without_a_place)
{
    struct advice_facts f = { .run = ADVICE_FAILED, .ram_bytes = 8 * GIB, .n_modules = 1 };

    assert_advice(f, "reseat",
                  "Memory has lost data, but the hardware did not say where: switch the machine "
                  "off, take the modules out and put them in again, and test again. If errors "
                  "come back, test the modules one at a time, and have the one with errors "
                  "replaced.");
}

TEST(settings_come_first)
{
    struct advice_facts f = failed(1);

    f.fast_mt_s = 6000;
    f.jedec_mt_s = 4800;
    assert_advice(f, "settings",
                  "The memory runs at 6000 MT/s, faster than its standard speed of 4800: switch "
                  "off XMP or EXPO (on some boards DOCP) in BIOS setup, and test again. If no "
                  "fault is found then, leave it off: nothing is broken; if there are faults, a "
                  "module is bad.");
    f.jedec_mt_s = 0;
    f.has_soldered = true;
    f.kind = KIND_EVERYWHERE;
    assert_advice(f, "settings",
                  "The memory may run with tighter settings than the standard ones: switch off XMP "
                  "or EXPO (on some boards DOCP) in BIOS setup if one is on, and test again. If no "
                  "fault is found then, leave it off: nothing is broken; if there are faults, a "
                  "module is bad.");
    f.run = ADVICE_PASSED; /* as long as it works */
    assert_int_equal(advice_case_of(&f), ADVICE_CASE_GOOD);
}

TEST(changing_places)
{
    struct advice_facts f = failed(2);

    f.kind = KIND_EVERYWHERE;
    f.confidence = KIND_LIKELY;
    assert_advice(f, "not-modules",
                  "The faults come at changing places, which a bad module rarely causes: load the "
                  "default settings in BIOS setup, look for heat, take the modules out and put "
                  "them in again, and test again. If faults stay, try another power supply, then "
                  "other modules.");
    f.confidence = KIND_POSSIBLE;
    assert_int_equal(advice_case_of(&f), ADVICE_CASE_FIND_MODULE);
}

TEST(one_module)
{
    struct advice_facts f = failed(1);

    assert_advice(f, "one-module", ONE_BAD LINE_HAS_TIME GRUB_LINE ".");
    f.only = (struct advice_module){ "DIMM_A1", "Kingston", "KF560C36-16", "1A2B3C4D" };
    assert_advice(f, "one-module",
                  "The module in DIMM_A1 (Kingston KF560C36-16, serial 1A2B3C4D), the only one, is "
                  "almost certainly bad: have it replaced." LINE_HAS_TIME GRUB_LINE ".");
    f.only = (struct advice_module){ "DIMM_A1", "", "", "1A2B3C4D" };
    assert_advice(f, "one-module",
                  "The module in DIMM_A1 (serial 1A2B3C4D), the only one, is almost certainly bad: "
                  "have it replaced." LINE_HAS_TIME GRUB_LINE ".");
    f.only = (struct advice_module){ "", "Kingston", "", "" };
    assert_advice(f, "one-module",
                  "The module (Kingston), the only one, is almost certainly bad: have it "
                  "replaced." LINE_HAS_TIME GRUB_LINE ".");
}

/* All faults are in one of several, by the memory controller's registers. */
TEST(measured_module)
{
    struct advice_facts f = failed(4);

    f.named = "DIMM_A2: 16 GiB, serial 1A2B";
    f.is_named = true;
    assert_advice(f, "one-module",
                  "All faults are in one module: DIMM_A2: 16 GiB, serial 1A2B. It is almost "
                  "certainly bad, or else its slot: have it replaced." LINE_HAS_TIME GRUB_LINE ".");
    f.diagnosis = "Take out the module in DIMM_A2, then start okram again.";
    f.fast_mt_s = 6000;
    f.jedec_mt_s = 4800;
    assert_advice(f, "settings",
                  "All faults are in one module: DIMM_A2: 16 GiB, serial 1A2B. The memory runs at "
                  "6000 MT/s, faster than its standard speed of 4800: switch off XMP or EXPO (on "
                  "some boards DOCP) in BIOS setup, and test again. If no fault is found then, "
                  "leave it off: nothing is broken; if there are faults, that module is bad: have "
                  "it replaced.");
    f.fast_mt_s = 0;
    f.diagnosis = NULL;
    f.named = "memory channel 1, 16 GiB";
    f.is_named = false;
    f.menu_has_search = true;
    assert_advice(
        f, "find-module",
        "All faults are in one module: memory channel 1, 16 GiB. To find it: start okram "
        "again, press a key when its menu appears, and choose \"Find the bad module\": it "
        "says step by step what to take out." LINE_HAS_TIME GRUB_LINE ".");
}

TEST(measured_modules)
{
    struct advice_facts f = failed(4);

    f.in_modules = "in 2 of 4 modules: DIMM_A2, DIMM_B1";
    f.menu_has_search = true;
    assert_advice(
        f, "find-module",
        "Faults are in 2 of 4 modules: DIMM_A2, DIMM_B1: one of them is most likely bad, or more. "
        "To find it: start okram again, press a key when its menu appears, and choose \"Find the "
        "bad module\": it says step by step what to take out." LINE_HAS_TIME GRUB_LINE ".");
    f.in_modules = "in all 4 modules";
    f.are_in_all = true;
    assert_advice(f, "not-modules",
                  "The faults are in all 4 modules, which a bad module rarely causes: load the "
                  "default settings in BIOS setup, look for heat, take the modules out and put "
                  "them in again, and test again. If faults stay, try another power supply, then "
                  "other modules.");
}

TEST(several_modules)
{
    struct advice_facts f = failed(4);

    assert_advice(f, "find-module", SEVERAL LINE_HAS_TIME GRUB_LINE ".");
    f.menu_has_search = true;
    f.guard = ADVICE_GUARD;
    assert_advice(
        f, "find-module",
        "One of the 4 modules is most likely bad: start okram again, press a key when its menu "
        "appears, and choose \"Find the bad module\": it says step by step what to take "
        "out." GUARD_HAS_TIME "for Linux alone, " GRUB_LINE GUARD_NEEDS);
    f.n_modules = 0;
    f.menu_has_search = false;
    f.guard = ADVICE_NO_GUARD;
    assert_advice(
        f, "find-module",
        "A memory module is most likely bad: if there are several, start okram with one "
        "at a time, always in the same slot, and have the one with faults replaced." LINE_HAS_TIME
            GRUB_LINE ".");
}

TEST(soldered_memory)
{
    struct advice_facts f = failed(0);

    f.has_soldered = true;
    f.guard = ADVICE_GUARD;
    assert_advice(f, "soldered",
                  "The memory is soldered to the board: only the maker or a workshop can replace "
                  "it." GUARD_HAS_TIME "for Linux alone, " GRUB_LINE GUARD_NEEDS);
    f.n_modules = 1;
    f.guard = ADVICE_NO_GUARD;
    assert_advice(
        f, "partly-soldered",
        "A part of the memory is soldered to the board: take out the module and test "
        "again; if no fault is found then, it is bad, else the board." LINE_HAS_TIME GRUB_LINE ".");
    f.n_modules = 2;
    assert_advice(
        f, "partly-soldered",
        "A part of the memory is soldered to the board: take out the modules and test "
        "again; if no fault is found then, one of them is bad, else the board." LINE_HAS_TIME
            GRUB_LINE ".");
}

/* Where GRUB does not do, and where nothing does. */
TEST(until_then)
{
    struct advice_facts f = failed(1);

    f.is_loaded_over = true;
    assert_advice(f, "one-module",
                  ONE_BAD LINE_HAS_TIME GRUB_LINE
                  " (GRUB may still load Linux there by BIOS, but not by UEFI).");
    f.use = BADRAM_FALLS_SHORT;
    assert_advice(f, "one-module",
                  ONE_BAD LINE_HAS_TIME "give it the memmap line (key l); with the badram line, "
                                        "GRUB would leave some of it in use.");
    f.use = BADRAM_IGNORED_NO_GUARD;
    assert_advice(f, "one-module",
                  ONE_BAD LINE_HAS_TIME "give it the memmap line (key l); Secure Boot is on, and "
                                        "GRUB then ignores the badram line.");
    f.use = BADRAM_IGNORED;
    f.guard = ADVICE_GUARD;
    assert_advice(f, "one-module",
                  ONE_BAD GUARD_HAS_TIME
                  "Secure Boot is on, and GRUB then ignores the badram line" GUARD_NEEDS);
    f.use = BADRAM_WORKS;
    f.line_fits = false;
    assert_advice(f, "one-module",
                  ONE_BAD GUARD_HAS_TIME
                  "the badram line has more parts than Linux can take" GUARD_NEEDS);
}

TEST(too_much_is_bad)
{
    const char *wanted = ONE_BAD " Until then, do not use the machine for anything that matters: "
                                 "too much of its memory is bad to leave it out.";
    struct advice_facts f = failed(1);

    f.bad_pages = 1000;
    f.lost_pages = 4 * GIB / PAGE_SIZE;
    assert_advice(f, "one-module", ONE_BAD LINE_HAS_TIME GRUB_LINE ".");
    f.lost_pages++;
    assert_advice(f, "one-module", wanted);
    f.guard = ADVICE_GUARD; /* it leaves out bad pages alone */
    f.line_fits = false;
    assert_advice(f, "one-module",
                  ONE_BAD GUARD_HAS_TIME
                  "the badram line has more parts than Linux can take" GUARD_NEEDS);
    f.bad_pages = f.lost_pages;
    assert_advice(f, "one-module", wanted);
}

TEST(a_diagnosis_goes_on)
{
    struct advice_facts f = failed(4);

    f.diagnosis = "Take out the module in DIMM_A2, then start okram again.";
    f.diagnosis_has_begun = true;
    f.fast_mt_s = 6000;
    assert_advice(f, "diagnosis", "Take out the module in DIMM_A2, then start okram again.");
    f.run = ADVICE_PASSED;
    assert_advice(f, "diagnosis", "Take out the module in DIMM_A2, then start okram again.");
    f.diagnosis = "";
    assert_int_equal(advice_case_of(&f), ADVICE_CASE_GOOD);
}

TEST(a_diagnosis_ends)
{
    struct advice_facts f = failed(4);

    f.diagnosis = "One module is bad: the one in DIMM_A2.";
    f.diagnosis_remedy = "Have it replaced.";
    f.diagnosis_has_begun = true;
    assert_advice(f, "diagnosis",
                  "One module is bad: the one in DIMM_A2. Have it replaced." LINE_HAS_TIME GRUB_LINE
                  ".");
    f.run = ADVICE_PASSED; /* without it */
    assert_advice(f, "diagnosis", "One module is bad: the one in DIMM_A2. Have it replaced.");
}

/* By BIOS the first run says how it begins; the menu does so by itself. */
TEST(a_diagnosis_can_begin)
{
    struct advice_facts f = failed(4);

    f.diagnosis = "Take out the module in DIMM_A2, then start okram again.";
    assert_advice(f, "find-module",
                  "One of the 4 modules is most likely bad. To find it: Take out the module in "
                  "DIMM_A2, then start okram again." LINE_HAS_TIME GRUB_LINE ".");
    f.fast_mt_s = 6000; /* the search begins elsewhere: that is the one advice */
    assert_int_equal(advice_case_of(&f), ADVICE_CASE_FIND_MODULE);
    f.diagnosis_is_settings = true;
    assert_int_equal(advice_case_of(&f), ADVICE_CASE_SETTINGS);
    f.fast_mt_s = 0; /* no SPD shows that they are */
    assert_int_equal(advice_case_of(&f), ADVICE_CASE_FIND_MODULE);
}

TEST(faults_above_a_temperature)
{
    struct advice_facts f = failed(4);

    f.onset = (struct heat_onset){ true, 14, 62, UINT64_C(1229) << 30 };
    assert_advice(
        f, "find-module",
        SEVERAL LINE_HAS_TIME GRUB_LINE
        ". All 14 faults came while the hottest module was above 61 C; below that, the same tests "
        "moved 1.2 TiB without one. Clean fans and filters, let air reach the modules, and test "
        "again.");
    f.onset.by_module = false;
    assert_advice(
        f, "find-module",
        SEVERAL LINE_HAS_TIME GRUB_LINE
        ". All 14 faults came while the CPU was above 61 C; below that, the same tests moved "
        "1.2 TiB without one. Clean fans and filters, let air reach the modules, and test again.");
    f.run = ADVICE_CORRECTED;
    assert_int_equal(advice_case_of(&f), ADVICE_CASE_WATCH);
    advice_append(&f, &(struct fmt_buffer){ text, sizeof(text), 0, false, { 0 } });
    assert_null(strstr(text, "61 C"));
}

/* The longest of all fits. */
TEST(there_is_room)
{
    char name[SMBIOS_NAME_SIZE];
    struct advice_facts f = failed(1);

    memset(name, 'M', sizeof(name) - 1);
    name[sizeof(name) - 1] = 0;
    f.only = (struct advice_module){ name, name, name, name };
    f.guard = ADVICE_GUARD;
    advice_append(&f, &(struct fmt_buffer){ text, sizeof(text), 0, false, { 0 } });
    assert_string_equal(text + strlen(text) - 5, "once.");
    assert_true(strlen(text) < ADVICE_TEXT_SIZE - 1);
}

/* It is not named where it would find nothing. */
TEST(a_list_that_is_not_kept)
{
    struct advice_facts f = failed(1);

    f.guard = ADVICE_GUARD_WITHOUT_LIST;
    assert_advice(f, "one-module", ONE_BAD LINE_HAS_TIME GRUB_LINE "." LIST_IS_MISSING);
    f.use = BADRAM_FALLS_SHORT;
    assert_advice(f, "one-module",
                  ONE_BAD LINE_HAS_TIME
                  "give it the memmap line (key l); with the badram line, GRUB would leave some of "
                  "it in use." LIST_IS_MISSING);
    f.lost_pages = 4 * GIB / PAGE_SIZE + 1; /* by the line, which is all that there is */
    assert_advice(f, "one-module",
                  ONE_BAD " Until then, do not use the machine for anything that matters: too much "
                          "of its memory is bad to leave it out.");
}

static struct smbios_slot slot[3] = {
    { .locator = "DIMM_A1", .is_populated = true, .is_ordinary = true },
    { .locator = "On board", .is_populated = true, .is_ordinary = true, .is_soldered = true },
    { .locator = "CXL 1", .is_populated = true },
};

static char place[SMBIOS_NAME_SIZE];

static struct advice_facts take(const struct modules *modules)
{
    struct advice_facts f = { .run = ADVICE_FAILED };

    advice_take_modules(modules, place, &f);
    return f;
}

TEST(modules_are_counted)
{
    struct modules m = { .n = 1 };
    struct advice_facts f;

    strcpy(m.module[0].part, "KF560C36");
    m.module[0].slot = &slot[0];
    f = take(&m);
    assert_int_equal(f.n_modules, 1);
    assert_false(f.has_soldered);
    assert_string_equal(f.only.place, "DIMM_A1");
    assert_string_equal(f.only.part, "KF560C36");
    assert_string_equal(f.only.serial, "");
    m.n_others = 1; /* somewhere */
    assert_int_equal(take(&m).n_modules, 2);
    m = (struct modules){ .n = 3 };
    for (size_t i = 0; i < m.n; i++)
        m.module[i].slot = &slot[i];
    f = take(&m);
    assert_int_equal(f.n_modules, 1);
    assert_true(f.has_soldered);
    assert_string_equal(f.only.place, "DIMM_A1");
    assert_int_equal(take(&(struct modules){ 0 }).n_modules, 0);
}

TEST(speeds_are_compared)
{
    struct modules m = { .n = 2 };
    struct advice_facts f;

    for (size_t i = 0; i < 2; i++)
        m.module[i] =
            (struct module){ .slot = &slot[0], .configured_mt_s = 3200, .jedec_mt_s = 3200 };
    assert_int_equal(take(&m).fast_mt_s, 0);
    m.module[0].profile_mt_s = 3200;
    f = take(&m);
    assert_int_equal(f.fast_mt_s, 3200);
    assert_int_equal(f.jedec_mt_s, 0);
    for (size_t i = 0; i < 2; i++) { /* in any order */
        m.module[i].jedec_mt_s = 2666;
        f = take(&m);
        assert_int_equal(f.fast_mt_s, 3200);
        assert_int_equal(f.jedec_mt_s, 2666);
        m.module[i].jedec_mt_s = 3200;
    }
}

TEST(a_cpu_is_named_before_modules)
{
    struct advice_facts f = failed(4);
    struct kind_cause_verdict cause = {
        .is_known = true, .cause = KIND_CAUSE_CPU, .cpu = 3, .core = 1
    };

    f.cause = &cause;
    f.other_cpus = "0-1,4-7";
    f.fast_mt_s = 3600;
    assert_advice(
        f, "cpu",
        "CPU 3 (core 1) computes or reads wrong; the memory is most likely good, and no badram "
        "line helps: load the default settings in BIOS setup, without overclocking or a lower "
        "voltage, update the BIOS, look at the processor's cooling, and test again. If faults "
        "stay, test "
        "with cpus=0-1,4-7; if there are none then, switch that core off in BIOS setup "
        "where it can be, and have the processor replaced: it is usually under warranty "
        "for years.");
    cause.cause = KIND_CAUSE_MEMORY;
    f.fast_mt_s = 0;
    assert_int_equal(advice_case_of(&f), ADVICE_CASE_FIND_MODULE);
    cause.cause = KIND_CAUSE_BOTH;
    f.other_cpus = "";
    assert_advice(f, "find-module",
                  SEVERAL
                  " CPU 3 (core 1) is at fault as well: load the default settings in BIOS setup, "
                  "without overclocking or a lower voltage, update the BIOS, look at the "
                  "processor's cooling, and test again. If faults stay, have the processor "
                  "replaced: it is usually under warranty for years." LINE_HAS_TIME GRUB_LINE ".");
    cause.is_known = false;
    assert_int_equal(advice_case_of(&f), ADVICE_CASE_FIND_MODULE);
}

#define CPU_STEPS                                                                                  \
    "load the default settings in BIOS setup, without overclocking or a lower voltage, update "    \
    "the BIOS, look at the processor's cooling, and test again. If it fails again, switch that "   \
    "core off in BIOS setup where it can be, and have the processor replaced: it is usually "      \
    "under warranty for years."

/* That no fault was found is not what counts then. */
TEST(a_bad_cpu_or_start_counts_more_than_a_pass)
{
    static const enum advice_run without_fault[] = {
        ADVICE_PASSED, ADVICE_UNTESTED, ADVICE_UNSEEN, ADVICE_HIDDEN, ADVICE_PART, ADVICE_STOPPED
    };
    const struct kind_cause_verdict cause = { true, KIND_CAUSE_CPU, .cpu = 1, .core = 1 };

    for (size_t i = 0; i < sizeof(without_fault) / sizeof(without_fault[0]); i++) {
        struct advice_facts f = { .run = without_fault[i], .starts = 20, .other_cpus = "" };

        assert_null(advice_headline(&f));
        f.starts_with_errors = 3;
        assert_string_equal(advice_headline(&f), "BAD STARTS");
        assert_advice(f, "starts",
                      "Errors came in 3 of 20 starts; memory is trained at each. Load the default "
                      "settings in BIOS setup, without XMP, EXPO, overclocking or a lower voltage, "
                      "update the BIOS, and begin again. If errors come back, the report of a "
                      "start that had them says where.");
        f.cause = &cause;
        assert_string_equal(advice_headline(&f), "BAD CPU");
        assert_advice(
            f, "cpu",
            "CPU 1 (core 1) computes or reads wrong; the memory is most likely good: " CPU_STEPS);
        f.run = ADVICE_CORRECTED; /* has errors of its own */
        assert_string_equal(advice_headline(&f), "BAD CPU");
        f.cause = NULL;
        assert_int_equal(advice_case_of(&f), ADVICE_CASE_WATCH);
        assert_null(advice_headline(&f));
        f.cause = &cause;
        f.run = ADVICE_FAILED;
        assert_null(advice_headline(&f));
    }
}

/* The old line stays, whatever else is said. */
TEST(a_bad_cpu_beside_hidden_pages)
{
    const struct kind_cause_verdict cause = { true, KIND_CAUSE_CPU, .cpu = 1, .core = 1 };
    const struct advice_facts f = {
        .run = ADVICE_HIDDEN, .hidden_pages = 2, .cause = &cause, .other_cpus = ""
    };

    assert_advice(
        f, "cpu",
        "CPU 1 (core 1) computes or reads wrong; the memory is most likely good: " CPU_STEPS
        " 2 pages were hidden before okram started: keep the old line.");
}

TEST(a_server_that_repairs_rows_is_restarted_first)
{
    struct advice_facts f = { .run = ADVICE_CORRECTED, .n_modules = 1, .heals_rows = true };

    assert_advice(f, "watch",
                  "This server can replace failing rows of its memory by spare ones when it starts "
                  "(post package repair): restart it once, with all modules where they are, and "
                  "test again. If errors come back: No data were lost, but a memory module is "
                  "failing or not seated properly: switch the machine off, take the module out and "
                  "put it in again, and test again in a week. If errors come back, have it "
                  "replaced.");
}

TEST(servers_that_repair_rows)
{
    static const struct {
        const char *maker, *product;
        bool is_ddr4, heals;
    } rows[] = {
        { "Dell Inc.", "PowerEdge R740", true, true },
        { "Dell Inc.", "PowerEdge R7525", true, true },
        { "Dell Inc.", "PowerEdge R730", false, false },
        { "Dell Inc.", "PowerEdge R7425", true, false },
        { "Dell Inc.", "OptiPlex 7070", true, false },
        { "Lenovo", "ThinkSystem SR650", true, true },
        { "LENOVO", "20XW", true, false },
        { "Intel Corporation", "S2600WFT", true, true },
        { "Intel Corporation", "NUC8i7BEH", true, false },
        { "Supermicro", "X11DPi-N", true, false },
        { "", "", true, false },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(advice_machine_heals(rows[i].maker, rows[i].product, rows[i].is_ddr4),
                         rows[i].heals);
}
