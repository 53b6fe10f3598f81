// SPDX-License-Identifier: MIT
#include "diagnosis/state_bytes.h"

#include <stdlib.h>

#include "fitted.h"

static struct diagnosis sample(void)
{
    struct diagnosis_machine m = machine_of(3);
    struct diagnosis d;
    struct diagnosis_arrangement at = ARRANGED(false, 0, -1, 1);

    fit(&m, 3, NULL);
    set_speed(&m, FAST, SLOW);
    d = begun(&m, 20, 3);
    d.kind = DIAGNOSIS_KIND_LINE;
    d.settings_stayed = 2;
    run_at(&d, ARRANGED(true, -1, 3, -1), 9000, 300);
    d.run[1].always = true;
    diagnosis_not_started(&d, &at);
    d.running = at;
    d.is_running = true;
    return d;
}

static void assert_same(const struct diagnosis *a, const struct diagnosis *b)
{
    uint8_t x[DIAGNOSIS_BYTES_MAX], y[DIAGNOSIS_BYTES_MAX];
    size_t n = diagnosis_write(a, x);

    assert_int_equal(diagnosis_write(b, y), n);
    assert_memory_equal(x, y, n);
}

static void comes_back(void **state)
{
    struct diagnosis d = sample(), read;
    uint8_t bytes[DIAGNOSIS_BYTES_MAX];
    size_t n = diagnosis_write(&d, bytes);
    const char *why;

    assert_int_equal(diagnosis_read(bytes, n, &read, &why), STATUS_OK);
    assert_same(&d, &read);
    assert_int_equal(read.n_slots, 4);
    assert_string_equal(read.slot_name[3], "DIMM_B2");
    assert_string_equal(read.module[2].serial, "1000AAA2");
    assert_int_equal(read.module[2].id, d.module[2].id);
    assert_int_equal(read.module[2].size_mib, 16 << 10);
    assert_int_equal(read.kind, DIAGNOSIS_KIND_LINE);
    assert_int_equal(read.settings_stayed, 2);
    assert_int_equal(read.first_mt_s, FAST);
    assert_int_equal(read.jedec_mt_s, SLOW);
    assert_string_equal(read.tests, "march-c-");
    assert_int_equal(read.n_runs, 3);
    assert_int_equal(read.run[1].passes, 9000);
    assert_int_equal(read.run[1].failed, 300);
    assert_true(read.run[1].always);
    assert_false(read.run[0].always);
    assert_true(read.run[1].at.is_raised);
    assert_int_equal(read.run[1].at.slot_of[1], 3);
    assert_int_equal(read.run[2].outcome, DIAGNOSIS_NOT_STARTED);
    assert_true(read.is_running);
    assert_int_equal(read.running.slot_of[2], 1);
}

static void the_largest_fits(void **state)
{
    struct diagnosis d = { .n_slots = DIAGNOSIS_SLOTS_MAX,
                           .n_modules = DIAGNOSIS_MODULES_MAX,
                           .n_runs = DIAGNOSIS_RUNS_MAX,
                           .is_running = true },
                     read;
    uint8_t bytes[DIAGNOSIS_BYTES_MAX];
    const char *why;

    for (unsigned i = 0; i < DIAGNOSIS_SLOTS_MAX; i++)
        memset(d.slot_name[i], 'x', DIAGNOSIS_SLOT_NAME - 1);
    for (unsigned i = 0; i < DIAGNOSIS_MODULES_MAX; i++) {
        memset(d.module[i].serial, 'x', DIAGNOSIS_SERIAL - 1);
        memset(d.module[i].part, 'x', DIAGNOSIS_PART - 1);
        d.running.slot_of[i] = (uint8_t)i;
    }
    memset(d.tests, 'x', DIAGNOSIS_TESTS - 1);
    for (unsigned i = 0; i < DIAGNOSIS_RUNS_MAX; i++)
        d.run[i] = (struct diagnosis_run){ d.running, DIAGNOSIS_RAN, 65535, 65535, true };
    assert_int_equal(diagnosis_read(bytes, diagnosis_write(&d, bytes), &read, &why), STATUS_OK);
    assert_same(&d, &read);
}

/* Each byte changed, each length: never read, never a read past the end (ASan). */
static void notices_damage(void **state)
{
    struct diagnosis d = sample(), read;
    uint8_t bytes[DIAGNOSIS_BYTES_MAX];
    size_t n = diagnosis_write(&d, bytes);
    const char *why;

    for (size_t i = 0; i < n; i++) {
        uint8_t *cut = malloc(i ? i : 1);

        bytes[i] ^= 0x10;
        assert_int_equal(diagnosis_read(bytes, n, &read, &why), STATUS_INVALID);
        assert_non_null(why);
        bytes[i] ^= 0x10;
        memcpy(cut, bytes, i);
        assert_int_equal(diagnosis_read(cut, i, &read, &why), STATUS_INVALID);
        free(cut);
    }
}

/* A name of just as many bytes as it has room for leaves none for its end. */
static void texts_have_an_end(void **state)
{
    struct diagnosis d = sample(), read;
    uint8_t bytes[DIAGNOSIS_BYTES_MAX];
    const char *why;

    memset(d.slot_name[0], 'x', DIAGNOSIS_SLOT_NAME);
    d.slot_name[1][0] = 0;
    assert_int_equal(diagnosis_read(bytes, diagnosis_write(&d, bytes), &read, &why),
                     STATUS_INVALID);
    assert_string_equal(why, "it holds what cannot be");
}

/* Through the bytes. */
static enum status read_march(const char *march, struct diagnosis *ret_read, const char **ret_why)
{
    struct diagnosis d = sample();
    uint8_t bytes[DIAGNOSIS_BYTES_MAX];

    strcpy(d.march, march);
    return diagnosis_read(bytes, diagnosis_write(&d, bytes), ret_read, ret_why);
}

/* A march of any length that the option has comes back; one that is none is not believed. */
static void marches_come_back(void **state)
{
    static const char march[] = "{any(w0);up(r0,w1)}";
    char longest[DIAGNOSIS_MARCH];
    struct diagnosis read;
    const char *why;

    assert_int_equal(read_march(march, &read, &why), STATUS_OK);
    assert_string_equal(read.march, march);
    memset(longest, ' ', sizeof(longest));
    memcpy(longest + sizeof(longest) - sizeof(march), march, sizeof(march));
    assert_int_equal(read_march(longest, &read, &why), STATUS_OK);
    assert_string_equal(read.march, longest);
    assert_int_equal(read_march("{any(r0)}", &read, &why), STATUS_INVALID);
    assert_string_equal(why, "it holds what cannot be");
}

static void names_what_is_wrong(void **state)
{
    struct diagnosis d = sample(), read;
    uint8_t bytes[DIAGNOSIS_BYTES_MAX + 1] = { 0 };
    size_t n = diagnosis_write(&d, bytes);
    const char *why;

    diagnosis_read(bytes, n + 1, &read, &why);
    assert_string_equal(why, "it is cut or too long");
    bytes[4]++;
    diagnosis_read(bytes, n, &read, &why);
    assert_string_equal(why, "it is of another version of okram");
    bytes[4]--;
    bytes[n - 1]++;
    diagnosis_read(bytes, n, &read, &why);
    assert_string_equal(why, "its checksum is wrong");
    bytes[0] = 0;
    diagnosis_read(bytes, n, &read, &why);
    assert_string_equal(why, "it is not a state of okram");
}

static void refuses_what_cannot_be(void **state)
{
    struct diagnosis good = sample(), bad[13], read;
    uint8_t bytes[DIAGNOSIS_BYTES_MAX];
    const char *why;

    for (size_t i = 0; i < 13; i++)
        bad[i] = good;
    bad[0].n_modules = 0;
    bad[1].kind = DIAGNOSIS_KINDS;
    bad[2].n_runs = 0;
    bad[3].run[0].failed = 0;
    bad[4].run[1].failed = 9001;
    bad[5].run[1].passes = 0;
    bad[6].run[2].passes = 1;
    bad[7].run[1].at.slot_of[1] = 4;                           /* of 4 slots */
    bad[8].run[0].at.slot_of[1] = bad[8].run[0].at.slot_of[0]; /* two in one slot */
    memset(bad[9].run[1].at.slot_of, DIAGNOSIS_ABSENT, DIAGNOSIS_MODULES_MAX);
    bad[10].running.slot_of[0] = 9;
    bad[11].run[0].outcome = DIAGNOSIS_NOT_STARTED;
    bad[12].n_modules = 1;
    assert_true(diagnosis_is_sane(&good));
    for (size_t i = 0; i < 13; i++) {
        assert_false(diagnosis_is_sane(&bad[i]));
        assert_int_equal(diagnosis_read(bytes, diagnosis_write(&bad[i], bytes), &read, &why),
                         STATUS_INVALID);
        assert_string_equal(why, "it holds what cannot be");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back),
        cmocka_unit_test(the_largest_fits),
        cmocka_unit_test(notices_damage),
        cmocka_unit_test(texts_have_an_end),
        cmocka_unit_test(marches_come_back),
        cmocka_unit_test(names_what_is_wrong),
        cmocka_unit_test(refuses_what_cannot_be),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
