// SPDX-License-Identifier: MIT
#include "diagnosis/observe.h"

#include "fitted.h"

#define ONE_FAULT ((struct diagnosis_count){ 1, 1, false })

/* What is fitted now, as it is after `asked` was asked for. */
static struct arrangement observed(struct diagnosis *d, const struct diagnosis_machine *m,
                                   struct arrangement asked)
{
    struct arrangement now;

    assert_int_equal(diagnosis_observe(d, m, &asked, &now), STATUS_OK);
    return now;
}

static void assert_arranged(struct arrangement now, struct arrangement wanted)
{
    assert_true(diagnosis_same_modules(&now, &wanted));
}

TEST(begins)
{
    struct diagnosis_machine m = machine_of(2);
    struct diagnosis d;

    fit(&m, 2, NULL);
    set_speed(&m, FAST, SLOW);
    assert_int_equal(
        diagnosis_begin(&m, DIAGNOSIS_KIND_CELLS, (struct diagnosis_count){ 20, 3, false }, &d),
        STATUS_OK);
    assert_int_equal(d.n_slots, 3);
    assert_string_equal(d.names.slot[2], "DIMM_B1");
    assert_int_equal(d.n_modules, 2);
    assert_string_equal(d.names.serial[1], "1000AAA1");
    assert_string_equal(d.names.part[1], "F5-6000");
    assert_int_equal(d.module[1].size_mib, 16 << 10);
    assert_int_equal(d.kind, DIAGNOSIS_KIND_CELLS);
    assert_int_equal(d.first_mt_s, FAST);
    assert_int_equal(d.jedec_mt_s, SLOW);
    assert_int_equal(d.n_runs, 1);
    assert_int_equal(d.run[0].passes, 20);
    assert_int_equal(d.run[0].failed, 3);
    assert_true(d.run[0].at.is_raised);
    assert_arranged(d.run[0].at, ARRANGED(true, 0, 1));
}

TEST(cannot_begin)
{
    struct diagnosis_machine empty = { 0 }, one = machine_of(1), many = machine_of(9);
    struct diagnosis_machine too_many_slots = { .n_slots = DIAGNOSIS_SLOTS_MAX + 1 };
    struct diagnosis d;

    fit(&empty, 3, NULL);
    fit(&one, 1, NULL);
    assert_int_equal(diagnosis_begin(&empty, 0, ONE_FAULT, &d), STATUS_NOT_FOUND);
    assert_int_equal(diagnosis_begin(&one, 0, ONE_FAULT, &d), STATUS_NOT_FOUND);
    assert_int_equal(diagnosis_begin(&many, 0, ONE_FAULT, &d), STATUS_NO_SPACE);
    assert_int_equal(diagnosis_begin(&too_many_slots, 0, ONE_FAULT, &d), STATUS_NO_SPACE);
}

TEST(serials_that_count)
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

        fit(&m, 0, cases[i].serial);
        d = begun(&m, 1, 1);
        assert_int_equal(d.module[0].id != 0, cases[i].counts);
        assert_string_equal(d.names.serial[0], cases[i].counts ? cases[i].serial : "");
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
TEST(knows_modules_again)
{
    static const struct {
        const char *first[4], *now[4];
        int asked[4], wanted[4];
    } cases[] = {
        { { A, B, C }, { C }, { 0, -1, -1, -1 }, { -1, -1, 0, -1 } },
        { { "", "" }, { NULL, "" }, { 1, -1, -1, -1 }, { 1, -1, -1, -1 } },
        { { "", "" }, { NULL, "" }, { 0, -1, -1, -1 }, { -1, 1, -1, -1 } },
        { { "00000000", "00000000" }, { NULL, "00000000" }, { 0, -1, -1, -1 }, { -1, 1, -1, -1 } },
        { { "", "" }, { 0, 0, "", "" }, { 0, -1, -1, -1 }, { 2, 3, -1, -1 } },
        { { "", "+" }, { "+" }, { 0, -1, -1, -1 }, { -1, 0, -1, -1 } },
        { { A, A, C }, { NULL, A }, { 0, -1, -1, -1 }, { -1, 1, -1, -1 } },
        { { A, B }, { A, B, C }, { 0, -1, -1, -1 }, { 0, 1, 2, -1 } }, /* added */
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct diagnosis_machine m = fitted_with(cases[i].first), now = fitted_with(cases[i].now);
        struct diagnosis d = begun(&m, 1, 1);

        assert_arranged(observed(&d, &now, arranged(cases[i].asked, 4, false)),
                        arranged(cases[i].wanted, 4, false));
        assert_int_equal(d.n_modules, i == 0 || i == 6 ? 3 : i == 7 ? 3 : 2);
        assert_int_equal(diagnosis_first_slot(&d, 3), DIAGNOSIS_ABSENT);
    }
}

TEST(starts_again_with_other_modules)
{
    struct diagnosis_machine m = machine_of(2), other = { 0 }, none = { 0 }, many = machine_of(8);
    struct diagnosis d = begun(&m, 1, 1), before = d;
    struct arrangement now, asked = ARRANGED(false, 0);

    fit(&other, 0, "2000BBB0");
    other.slot[0].size_bytes = UINT64_C(8) << 30;
    fit(&many, 8, "2000BBB0");
    assert_int_equal(diagnosis_observe(&d, &other, &asked, &now), STATUS_NOT_FOUND);
    assert_int_equal(diagnosis_observe(&d, &none, &asked, &now), STATUS_NOT_FOUND);
    assert_int_equal(diagnosis_observe(&d, &many, &asked, &now), STATUS_NO_SPACE);
    assert_memory_equal(&d, &before, sizeof(d));
    assert_non_null(strstr(diagnosis_refusal(STATUS_NOT_FOUND), "none of the modules"));
    assert_non_null(strstr(diagnosis_refusal(STATUS_NO_SPACE), "more modules or slots"));
}

/* A board that lists only slots with a module; and a typed word, which has no names. */
TEST(slots_by_their_names)
{
    struct diagnosis_machine m = machine_of(4), now = { 0 };
    struct diagnosis d = begun(&m, 1, 1);

    fit(&now, 0, "1000AAA3");
    strcpy(now.slot[0].name, "DIMM_B2");
    assert_arranged(observed(&d, &now, ARRANGED(false, 0)), ARRANGED(false, -1, -1, -1, 3));
    assert_int_equal(d.n_slots, 4);
    memset(&d.names, 0, sizeof(d.names));
    assert_arranged(observed(&d, &m, ARRANGED(false, 0)), ARRANGED(false, 0, 1, 2, 3));
    assert_int_equal(d.n_slots, 4);
    assert_string_equal(d.names.slot[2], "DIMM_B1");
    assert_string_equal(d.names.serial[3], "1000AAA3");
}

TEST(says_whether_settings_are_raised)
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
        assert_int_equal(observed(&d, &m, ARRANGED(true, 0, 1)).is_raised, cases[i].raised);
        set_speed(&m, cases[i].now, 0); /* the loader does not read SPDs */
        assert_int_equal(observed(&d, &m, ARRANGED(true, 0, 1)).is_raised, cases[i].raised);
    }
}

/* A typed word has 2700 MT/s for 2666, and the modules still run as at first. */
TEST(rounded_speeds_are_the_same)
{
    struct diagnosis_machine m = machine_of(2);
    struct diagnosis d;

    set_speed(&m, 2666, 0);
    d = begun(&m, 1, 1);
    d.first_mt_s = 2700;
    assert_true(observed(&d, &m, ARRANGED(true, 0, 1)).is_raised);
    set_speed(&m, 2400, 0);
    assert_false(observed(&d, &m, ARRANGED(true, 0, 1)).is_raised);
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

TEST(takes_what_counts, clear)
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

TEST(leaves_out_what_is_no_module, clear)
{
    struct diagnosis_machine m;

    add("CHIPS", true)->is_soldered = true;
    add("NVDIMM", true)->is_ordinary = false;
    diagnosis_list(&memory, NULL, &m);
    assert_int_equal(m.n_slots, 0);
    diagnosis_list(NULL, NULL, &m);
    assert_int_equal(m.n_slots, 0);
    for (unsigned i = 0; i < DIAGNOSIS_SLOTS_MAX + 1; i++)
        add("DIMM", false);
    diagnosis_list(&memory, NULL, &m);
    assert_int_equal(m.n_slots, DIAGNOSIS_SLOTS_MAX + 1); /* too many */
}

/* With banks where they are the same, and else by their number. */
TEST(names_each_slot, clear)
{
    static const char *const slots[][3] = {
        { "DIMM 0", "CHANNEL A", "CHANNEL A DIMM 0" },
        { "DIMM 0", "P0 CHANNEL B LONG", "P0 CHANNEL B LONG D" }, /* cut */
        { "DIMM 1", "CHANNEL A", "DIMM 1" },
        { "", "", "slot #4" },
        { "DIMM 2", "", "DIMM 2" },
        { "DIMM 2", "", "slot #6" },
    };
    struct diagnosis_machine m;

    for (size_t i = 0; i < 6; i++)
        strcpy(add(slots[i][0], true)->bank, slots[i][1]);
    diagnosis_list(&memory, NULL, &m);
    for (size_t i = 0; i < 6; i++)
        assert_string_equal(m.slot[i].name, slots[i][2]);
}

/* What the standard promises is known of modules whose slot is known. */
TEST(adds_speeds, clear)
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
