// SPDX-License-Identifier: MIT
#include "diagnosis/observe.h"

#include "fitted.h"

#define GIB       (UINT64_C(1) << 30)
#define ONE_FAULT ((struct diagnosis_count){ 1, 1, false })

/* What is fitted now, as it is after `asked` was asked for. */
static struct arrangement observed(struct diagnosis *d, const struct diagnosis_machine *m,
                                   struct arrangement asked, unsigned notes)
{
    struct arrangement now;
    unsigned found;

    assert_int_equal(diagnosis_observe(d, m, &asked, &now, &found), STATUS_OK);
    assert_int_equal(found, notes);
    return now;
}

static void assert_arranged(const struct diagnosis *d, struct arrangement now,
                            struct arrangement wanted)
{
    assert_true(diagnosis_same_modules(&now, &wanted, DIAGNOSIS_MODULES_MAX));
}

static void begins(void **state)
{
    struct diagnosis_machine m = machine_of(2);
    struct diagnosis d;
    unsigned notes;

    fit(&m, 2, NULL);
    set_speed(&m, FAST, SLOW);
    assert_int_equal(diagnosis_begin(&m, DIAGNOSIS_KIND_CELLS, "address,march-c-",
                                     (struct diagnosis_count){ 20, 3, false }, &d, &notes),
                     STATUS_OK);
    assert_int_equal(notes, 0);
    assert_int_equal(d.n_slots, 3);
    assert_string_equal(d.slot_name[2], "DIMM_B1");
    assert_int_equal(d.n_modules, 2);
    assert_string_equal(d.module[1].serial, "1000AAA1");
    assert_string_equal(d.module[1].part, "F5-6000");
    assert_int_equal(d.module[1].size_mib, 16 << 10);
    assert_int_equal(d.kind, DIAGNOSIS_KIND_CELLS);
    assert_int_equal(d.first_mt_s, FAST);
    assert_int_equal(d.jedec_mt_s, SLOW);
    assert_string_equal(d.tests, "address,march-c-");
    assert_int_equal(d.n_runs, 1);
    assert_int_equal(d.run[0].passes, 20);
    assert_int_equal(d.run[0].failed, 3);
    assert_true(d.run[0].at.is_raised);
    assert_arranged(&d, d.run[0].at, ARRANGED(true, 0, 1));
    assert_false(d.is_running);
}

static void cannot_begin(void **state)
{
    struct diagnosis_machine none = { 0 }, empty = { 0 }, one = machine_of(1), many = machine_of(9);
    struct diagnosis_machine too_many_slots = { .n_slots = DIAGNOSIS_SLOTS_MAX + 1 };
    const struct {
        const struct diagnosis_machine *machine;
        unsigned notes;
    } cases[] = {
        { &none, DIAGNOSIS_NO_SLOTS },
        { &empty, DIAGNOSIS_NO_SLOTS },
        { &one, DIAGNOSIS_NO_SLOTS },
        { &many, DIAGNOSIS_TOO_MANY },
        { &too_many_slots, DIAGNOSIS_TOO_MANY },
    };
    struct diagnosis d;
    unsigned notes;

    fit(&empty, 3, NULL);
    fit(&one, 1, NULL);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(
            diagnosis_begin(cases[i].machine, DIAGNOSIS_KIND_UNKNOWN, "", ONE_FAULT, &d, &notes),
            cases[i].notes == DIAGNOSIS_TOO_MANY ? STATUS_NO_SPACE : STATUS_NOT_FOUND);
        assert_int_equal(notes, cases[i].notes);
    }
}

static void tests_that_are_too_many_are_all(void **state)
{
    struct diagnosis_machine m = machine_of(2);
    char tests[DIAGNOSIS_TESTS + 1];
    struct diagnosis d;
    unsigned notes;

    memset(tests, 'a', sizeof(tests));
    tests[DIAGNOSIS_TESTS] = 0;
    diagnosis_begin(&m, 0, tests, ONE_FAULT, &d, &notes);
    assert_string_equal(d.tests, "");
    tests[DIAGNOSIS_TESTS - 1] = 0;
    diagnosis_begin(&m, 0, tests, ONE_FAULT, &d, &notes);
    assert_string_equal(d.tests, tests);
}

static void serials_that_count(void **state)
{
    static const struct {
        const char *serial;
        bool counts;
    } cases[] = {
        { "1A2B3C4D", true },  { "0x1a2b3c4d", true }, { "12345678", true },
        { "00000000", false }, { "FFFFFFFF", false },  { "0x000000", false },
        { "", false },         { "Unknown", false },   { "A1_SerNum0", false },
        { "123", false },      { "00000001", true },   { "12 4567", false },
        { "01234", true },     { "0x123", false },     { "1x12345", false },
        { "09afAF", true },    { "0/1234", false },    { "01234:", false },
        { "01234@", false },   { "01234G", false },    { "01234`", false },
        { "01234g", false },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct diagnosis_machine m = machine_of(2);
        struct diagnosis d;
        unsigned notes;

        fit(&m, 0, cases[i].serial);
        assert_int_equal(diagnosis_begin(&m, DIAGNOSIS_KIND_UNKNOWN, "", ONE_FAULT, &d, &notes),
                         STATUS_OK);
        assert_int_equal(notes, cases[i].counts ? 0 : DIAGNOSIS_NO_SERIALS);
        assert_int_equal(d.module[0].id != 0, cases[i].counts);
        assert_string_equal(d.module[0].serial, cases[i].counts ? cases[i].serial : "");
        assert_string_equal(d.module[0].part, m.slot[0].part);
    }
}

#define A "1000AAA0"
#define B "1000AAA1"
#define C "1000AAA2"

/* Serial numbers by slot; "": it has none; "+": nor that, and twice the size; NULL: no module. */
static struct diagnosis_machine fitted_with(const char *const serials[4])
{
    struct diagnosis_machine m = { 0 };

    for (unsigned i = 0; i < 4; i++) {
        bool is_large = serials[i] && serials[i][0] == '+';

        fit(&m, i, is_large ? "" : serials[i]);
        m.slot[i].size_bytes *= is_large ? 2 : 1;
    }
    return m;
}

/* By serial numbers; else by the slot that was asked for, the slots before, and the size. */
static void knows_modules_again(void **state)
{
    static const struct {
        const char *first[4], *now[4];
        int asked[4], wanted[4];
        unsigned notes;
    } cases[] = {
        { { A, B, C }, { C }, { 0, -1, -1, -1 }, { -1, -1, 0, -1 }, 0 },
        { { "", "" }, { NULL, "" }, { 1, -1, -1, -1 }, { 1, -1, -1, -1 }, DIAGNOSIS_NO_SERIALS },
        { { "", "" }, { NULL, "" }, { 0, -1, -1, -1 }, { -1, 1, -1, -1 }, DIAGNOSIS_NO_SERIALS },
        { { "00000000", "00000000" },
          { NULL, "00000000" },
          { 0, -1, -1, -1 },
          { -1, 1, -1, -1 },
          DIAGNOSIS_NO_SERIALS },
        { { "", "" }, { 0, 0, "", "" }, { 0, -1, -1, -1 }, { 2, 3, -1, -1 }, DIAGNOSIS_NO_SERIALS },
        { { "", "+" }, { "+" }, { 0, -1, -1, -1 }, { -1, 0, -1, -1 }, DIAGNOSIS_NO_SERIALS },
        { { A, A, C }, { NULL, A }, { 0, -1, -1, -1 }, { -1, 1, -1, -1 }, 0 },
        { { A, B }, { A, B, C }, { 0, -1, -1, -1 }, { 0, 1, 2, -1 }, DIAGNOSIS_ADDED },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct diagnosis_machine m = fitted_with(cases[i].first), now = fitted_with(cases[i].now);
        struct arrangement asked = arranged(cases[i].asked, 4, false);
        struct diagnosis d = begun(&m, 1, 1);
        unsigned n = d.n_modules + (cases[i].notes == DIAGNOSIS_ADDED);

        assert_arranged(&d, observed(&d, &now, asked, cases[i].notes),
                        arranged(cases[i].wanted, 4, false));
        assert_int_equal(d.n_modules, n);
        assert_int_equal(d.run[0].at.slot_of[3], DIAGNOSIS_ABSENT);
    }
}

static void names_the_same_serial_twice(void **state)
{
    struct diagnosis_machine m = fitted_with((const char *const[]){ A, A, C, NULL });
    struct diagnosis d;
    unsigned notes;

    assert_int_equal(diagnosis_begin(&m, DIAGNOSIS_KIND_UNKNOWN, "", ONE_FAULT, &d, &notes),
                     STATUS_OK);
    assert_int_equal(notes, DIAGNOSIS_SAME_SERIALS);
}

static void starts_again_with_other_modules(void **state)
{
    struct diagnosis_machine m = machine_of(2), other = { 0 }, none = { 0 }, many = machine_of(8);
    struct diagnosis d = begun(&m, 1, 1), before = d;
    struct arrangement now, asked = ARRANGED(false, 0);
    unsigned notes;

    fit(&other, 0, "2000BBB0");
    other.slot[0].size_bytes = UINT64_C(8) << 30;
    assert_int_equal(diagnosis_observe(&d, &other, &asked, &now, &notes), STATUS_NOT_FOUND);
    assert_int_equal(notes, DIAGNOSIS_OTHER_MACHINE);
    assert_int_equal(diagnosis_observe(&d, &none, &asked, &now, &notes), STATUS_NOT_FOUND);
    assert_int_equal(notes, DIAGNOSIS_NO_SLOTS);
    fit(&many, 8, "2000BBB0");
    assert_int_equal(diagnosis_observe(&d, &many, &asked, &now, &notes), STATUS_NO_SPACE);
    assert_int_equal(notes, DIAGNOSIS_TOO_MANY);
    assert_memory_equal(&d, &before, sizeof(d));
}

static void slots_by_their_names(void **state)
{
    struct diagnosis_machine m = machine_of(4), now = { 0 };
    struct diagnosis d = begun(&m, 1, 1);

    fit(&now, 0, "1000AAA3"); /* a board that lists only slots with a module */
    strcpy(now.slot[0].name, "DIMM_B2");
    assert_arranged(&d, observed(&d, &now, ARRANGED(false, 0), 0), ARRANGED(false, -1, -1, -1, 3));
    assert_int_equal(d.n_slots, 4);
}

static void slots_without_names_and_with_the_same(void **state)
{
    static const char *const names[] = { "", "DIMM 0" };

    for (size_t i = 0; i < 2; i++) {
        struct diagnosis_machine m = machine_of(2), now = machine_of(2);
        struct diagnosis d;

        for (unsigned k = 0; k < 2; k++) {
            strcpy(m.slot[k].name, names[i]);
            strcpy(now.slot[k].name, names[i]);
        }
        d = begun(&m, 1, 1);
        assert_int_equal(d.n_slots, 2);
        assert_string_equal(d.slot_name[1], i ? "DIMM 0" : "slot 2");
        now.slot[0].is_present = false;
        assert_arranged(&d, observed(&d, &now, ARRANGED(false, 0), 0), ARRANGED(false, -1, 1));
    }
}

static void says_whether_settings_are_raised(void **state)
{
    static const struct {
        uint32_t first, now, jedec;
        bool at_first, raised;
    } cases[] = {
        { FAST, FAST, SLOW, true, true },   { FAST, SLOW, SLOW, true, false },
        { SLOW, SLOW, SLOW, false, false }, { SLOW, FAST, SLOW, false, true },
        { FAST, FAST, 0, true, true },      { FAST, SLOW, 0, true, false },
        { SLOW, SLOW, 0, true, true },      { 0, 0, SLOW, false, false },
        { 0, 0, 0, false, false },          { 2667, 2667, 2666, false, false },
        { 2667, 2800, 2666, false, true },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct diagnosis_machine m = machine_of(2);
        struct diagnosis d;

        set_speed(&m, cases[i].first, cases[i].jedec);
        d = begun(&m, 1, 1);
        assert_int_equal(d.run[0].at.is_raised, cases[i].at_first);
        set_speed(&m, cases[i].now, cases[i].jedec);
        assert_int_equal(observed(&d, &m, ARRANGED(true, 0, 1), 0).is_raised, cases[i].raised);
        set_speed(&m, cases[i].now, 0); /* the loader does not read SPDs */
        assert_int_equal(observed(&d, &m, ARRANGED(true, 0, 1), 0).is_raised, cases[i].raised);
    }
}

/* A typed word has 2700 MT/s for 2666, and the modules still run as at first. */
static void rounded_speeds_are_the_same(void **state)
{
    struct diagnosis_machine m = machine_of(2);
    struct diagnosis d;

    set_speed(&m, 2666, 0);
    d = begun(&m, 1, 1);
    d.first_mt_s = 2700;
    assert_true(observed(&d, &m, ARRANGED(true, 0, 1), 0).is_raised);
    set_speed(&m, 2400, 0);
    assert_false(observed(&d, &m, ARRANGED(true, 0, 1), 0).is_raised);
}

static void says_what_was_odd(void **state)
{
    for (unsigned note = 1; note <= DIAGNOSIS_NO_SLOTS; note *= 2) {
        char text[400];
        struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

        diagnosis_append_notes(note, &b);
        assert_in_range(b.length, 40, sizeof(text) - 1);
        assert_int_equal(text[b.length - 1], '\n');
    }
}

static struct smbios_memory memory;

static struct smbios_slot *add(const char *locator, bool is_populated)
{
    struct smbios_slot *s = &memory.slot[memory.n_slot++];

    *s = (struct smbios_slot){ .is_populated = is_populated, .is_ordinary = true };
    strcpy(s->locator, locator);
    return s;
}

static int clear(void **state)
{
    memset(&memory, 0, sizeof(memory));
    return 0;
}

static void takes_what_counts(void **state)
{
    struct diagnosis_machine m;
    struct smbios_slot *s = add("DIMM_A1", true);

    s->size_bytes = 16 * GIB;
    s->configured_mt_s = 6000;
    strcpy(s->serial, "1A2B3C4D");
    strcpy(s->part, "F5-6000");
    add("DIMM_A2", false);
    diagnosis_list(&memory, NULL, &m);
    assert_int_equal(m.n_slots, 2);
    assert_string_equal(m.slot[0].name, "DIMM_A1");
    assert_true(m.slot[0].is_present && !m.slot[1].is_present);
    assert_int_equal(m.slot[0].size_bytes, 16 * GIB);
    assert_int_equal(m.slot[0].configured_mt_s, 6000);
    assert_int_equal(m.slot[0].jedec_mt_s, 0);
    assert_string_equal(m.slot[0].serial, "1A2B3C4D");
    assert_string_equal(m.slot[0].part, "F5-6000");
}

static void leaves_out_what_is_no_module(void **state)
{
    struct diagnosis_machine m;

    add("CHIPS", true)->is_soldered = true;
    add("NVDIMM", true)->is_ordinary = false;
    diagnosis_list(&memory, NULL, &m);
    assert_int_equal(m.n_slots, 0);
    diagnosis_list(NULL, NULL, &m);
    assert_int_equal(m.n_slots, 0);
}

static void names_with_banks_where_they_are_the_same(void **state)
{
    struct diagnosis_machine m;

    strcpy(add("DIMM 0", true)->bank, "CHANNEL A");
    strcpy(add("DIMM 0", true)->bank, "P0 CHANNEL B LONG");
    strcpy(add("DIMM 1", true)->bank, "CHANNEL A");
    diagnosis_list(&memory, NULL, &m);
    assert_string_equal(m.slot[0].name, "CHANNEL A DIMM 0");
    assert_string_equal(m.slot[1].name, "P0 CHANNEL B LONG D"); /* cut */
    assert_string_equal(m.slot[2].name, "DIMM 1");
}

static void of_many_slots_those_with_modules(void **state)
{
    struct diagnosis_machine m;

    for (unsigned i = 0; i < DIAGNOSIS_SLOTS_MAX; i++)
        add("EMPTY", false);
    add("DIMM_Q", true);
    diagnosis_list(&memory, NULL, &m);
    assert_int_equal(m.n_slots, 1);
    assert_string_equal(m.slot[0].name, "DIMM_Q");
    for (unsigned i = 0; i < DIAGNOSIS_SLOTS_MAX; i++)
        add("DIMM", true);
    diagnosis_list(&memory, NULL, &m);
    assert_true(m.n_slots > DIAGNOSIS_SLOTS_MAX);
}

/* What the standard promises is known of modules whose slot is known. */
static void adds_speeds(void **state)
{
    static struct modules modules;
    struct diagnosis_machine m;

    add("SOLDERED", true)->is_soldered = true;
    for (unsigned i = 0; i < 4; i++)
        add("DIMM", i != 1);
    modules = (struct modules){ .n = 4 };
    modules.module[0] =
        (struct module){ .slot = &memory.slot[1], .jedec_mt_s = 4800, .configured_mt_s = 6000 };
    modules.module[1] =
        (struct module){ .slot = &memory.slot[3], .jedec_mt_s = 2666, .configured_mt_s = 2667 };
    modules.module[2] = (struct module){ .jedec_mt_s = 4800 };
    modules.module[3] = (struct module){ .slot = &memory.slot[4] };
    diagnosis_list(&memory, &modules, &m);
    assert_int_equal(m.n_slots, 4);
    assert_int_equal(m.slot[0].jedec_mt_s, 4800);
    assert_int_equal(m.slot[1].jedec_mt_s, 0);
    assert_int_equal(m.slot[2].jedec_mt_s, 2666);
    assert_int_equal(m.slot[3].jedec_mt_s, 0);
    diagnosis_list(NULL, &modules, &m);
    assert_int_equal(m.n_slots, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(begins),
        cmocka_unit_test(cannot_begin),
        cmocka_unit_test(tests_that_are_too_many_are_all),
        cmocka_unit_test(serials_that_count),
        cmocka_unit_test(knows_modules_again),
        cmocka_unit_test(names_the_same_serial_twice),
        cmocka_unit_test(starts_again_with_other_modules),
        cmocka_unit_test(slots_by_their_names),
        cmocka_unit_test(slots_without_names_and_with_the_same),
        cmocka_unit_test(says_whether_settings_are_raised),
        cmocka_unit_test(rounded_speeds_are_the_same),
        cmocka_unit_test(says_what_was_odd),
        cmocka_unit_test_setup(takes_what_counts, clear),
        cmocka_unit_test_setup(leaves_out_what_is_no_module, clear),
        cmocka_unit_test_setup(names_with_banks_where_they_are_the_same, clear),
        cmocka_unit_test_setup(of_many_slots_those_with_modules, clear),
        cmocka_unit_test_setup(adds_speeds, clear),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
