// SPDX-License-Identifier: MIT
#include "diagnosis/from_smbios.h"

#include "fitted.h"

#define GIB (UINT64_C(1) << 30)

static struct smbios_memory memory;

static struct smbios_slot *add(const char *locator, bool is_populated)
{
    struct smbios_slot *s = &memory.slot[memory.n_slot++];

    *s = (struct smbios_slot){ .is_populated = is_populated, .is_ordinary = true };
    strcpy(s->locator, locator);
    return s;
}

static int begin(void **state)
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
    diagnosis_from_smbios(&memory, &m);
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
    diagnosis_from_smbios(&memory, &m);
    assert_int_equal(m.n_slots, 0);
    diagnosis_from_smbios(NULL, &m);
    assert_int_equal(m.n_slots, 0);
}

static void names_with_banks_where_they_are_the_same(void **state)
{
    struct diagnosis_machine m;

    strcpy(add("DIMM 0", true)->bank, "CHANNEL A");
    strcpy(add("DIMM 0", true)->bank, "P0 CHANNEL B LONG");
    strcpy(add("DIMM 1", true)->bank, "CHANNEL A");
    diagnosis_from_smbios(&memory, &m);
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
    diagnosis_from_smbios(&memory, &m);
    assert_int_equal(m.n_slots, 1);
    assert_string_equal(m.slot[0].name, "DIMM_Q");
    for (unsigned i = 0; i < DIAGNOSIS_SLOTS_MAX; i++)
        add("DIMM", true);
    diagnosis_from_smbios(&memory, &m);
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
    diagnosis_from_smbios(&memory, &m);
    diagnosis_add_speeds(&memory, &modules, &m);
    assert_int_equal(m.n_slots, 4);
    assert_int_equal(m.slot[0].jedec_mt_s, 4800);
    assert_int_equal(m.slot[1].jedec_mt_s, 0);
    assert_int_equal(m.slot[2].jedec_mt_s, 2667);
    assert_int_equal(m.slot[3].jedec_mt_s, 0);
    diagnosis_from_smbios(NULL, &m);
    diagnosis_add_speeds(NULL, &modules, &m);
    assert_int_equal(m.n_slots, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(takes_what_counts, begin),
        cmocka_unit_test_setup(leaves_out_what_is_no_module, begin),
        cmocka_unit_test_setup(names_with_banks_where_they_are_the_same, begin),
        cmocka_unit_test_setup(of_many_slots_those_with_modules, begin),
        cmocka_unit_test_setup(adds_speeds, begin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
