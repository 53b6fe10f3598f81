// SPDX-License-Identifier: MIT
/* A faulty cell fails in each try; what firmware writes now and then does not. */
#include "external/low_retest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PHYS       UINT64_C(0x30000)
#define LINES      (PAGE_SIZE / sizeof(struct line))
#define AT_LINE    4
#define AT_WORD    4
#define ADDR       (PHYS + AT_LINE * sizeof(struct line) + AT_WORD * sizeof(uint64_t))
#define TRY_WRITES 10 /* elements that write, of both backgrounds */

static struct {
    struct line *page;
    uint64_t stuck_at_0, stuck_at_1; /* bits of the word */
    unsigned writes, tries;          /* of the whole page; firmware writes in so many tries */
    uint64_t firmware;               /* what it writes to the word; 0: nothing */
} machine;

static void after_writing(void)
{
    uint64_t *word = &machine.page[AT_LINE].word[AT_WORD];

    *word = (*word & ~machine.stuck_at_0) | machine.stuck_at_1;
    if (machine.firmware && machine.writes / TRY_WRITES < machine.tries)
        *word = machine.firmware;
    machine.writes++;
}

static void fill(const struct line_run *run, const struct data *data, bool complement)
{
    line_ops_scalar.fill(run, data, complement);
    after_writing();
}

static void verify_write(const struct line_run *run, const struct data *data, bool read_complement,
                         bool write_complement, const struct line_faults *faults)
{
    line_ops_scalar.verify_write(run, data, read_complement, write_complement, faults);
    after_writing();
}

static bool is_fault(void)
{
    struct line_ops ops = line_ops_scalar;
    bool result;

    ops.fill = fill;
    ops.verify_write = verify_write;
    machine.page = aligned_alloc(PAGE_SIZE, PAGE_SIZE);
    assert_non_null(machine.page);
    machine.writes = 0;
    result = low_retest_is_fault(&ops, true, (struct slice){ machine.page, PHYS, LINES }, ADDR);
    free(machine.page);
    return result;
}

static int start(void **state)
{
    memset(&machine, 0, sizeof(machine));
    return 0;
}

static void faulty_cells(void **state)
{
    machine.stuck_at_1 = 1;
    assert_true(is_fault());
    assert_int_equal(machine.writes, LOW_RETEST_TRIES * TRY_WRITES);
    machine.stuck_at_1 = 0;
    machine.stuck_at_0 = UINT64_C(1) << 63;
    assert_true(is_fault());
    machine.stuck_at_0 = 0xff00;
    machine.stuck_at_1 = 0x00ff;
    assert_true(is_fault());
}

static void sound_memory(void **state)
{
    assert_false(is_fault());
    assert_int_equal(machine.writes, TRY_WRITES); /* one try is enough */
}

/* Even in all but the last one. */
static void firmware_in_some_tries(void **state)
{
    machine.firmware = 0x1234;
    for (machine.tries = 0; machine.tries < LOW_RETEST_TRIES; machine.tries++)
        assert_false(is_fault());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(faulty_cells, start),
        cmocka_unit_test_setup(sound_memory, start),
        cmocka_unit_test_setup(firmware_in_some_tries, start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
