// SPDX-License-Identifier: MIT
#include "log/fault_log.h"

#include <pthread.h>

#include "badram/machine.h"
#include "tests/host/add_fault.h"

static const struct span ram[] = {
    { 0, 0x9f000 }, { 0x100000, 64 * MIB }, { 4 * GIB, 64 * MIB + 0x5000 }, { 0 }
};

static struct fault listed[FAULT_RECORDS];

TEST(an_empty_log_is_empty)
{
    OWN_MACHINE m = machine_make(ram);
    uint64_t index = 0, addr = 1;
    struct page_run run;
    struct fault fault;

    assert_int_equal(fault_log_bad_pages(&m->log), 0);
    assert_int_equal(fault_log_outside(&m->log, &addr), 0);
    assert_int_equal(addr, 1);
    assert_false(fault_log_drain(&m->log, &fault));
    assert_false(fault_log_next_run(&m->log, &index, &run));
}

TEST(faults_are_counted_and_kept)
{
    OWN_MACHINE m = machine_make(ram);
    struct fault a = { .addr = 4 * GIB + 0x4ff8,
                       .expected = 0xff,
                       .found = 0xfe,
                       .test = 3,
                       .again = FAULT_AGAIN_WRONG,
                       .pass = 1,
                       .node = 1,
                       .cpu = 2,
                       .writer = 3,
                       .heat = 77 },
                 got;
    struct fault b = {
        .addr = 4 * GIB + 0x4000, .found = UINT64_C(1) << 63, .test = FAULT_TESTS_MAX, .pass = 1
    };

    add_fault(&m->log, &a);
    assert_int_equal(fault_log_bad_pages(&m->log), 1);
    add_fault(&m->log, &b); /* the same page */
    assert_int_equal(fault_log_bad_pages(&m->log), 1);
    assert_int_equal(fault_log_faults(&m->log), 2);
    assert_int_equal(fault_log_test_faults(&m->log, 3), 1);
    assert_int_equal(fault_log_test_faults(&m->log, FAULT_TESTS_MAX - 1), 0);
    assert_int_equal(fault_log_test_faults(&m->log, FAULT_TESTS_MAX), 0);
    assert_true(fault_log_failing_bits(&m->log) == (1 | UINT64_C(1) << 63));
    assert_true(fault_log_is_bad(&m->log, 4 * GIB + 0x4123));
    assert_false(fault_log_is_bad(&m->log, 4 * GIB + 0x5000));
    assert_false(fault_log_is_bad(&m->log, 0xa0000));

    assert_true(fault_log_drain(&m->log, &got));
    assert_memory_equal(&got, &a, sizeof(a));
    assert_true(fault_log_drain(&m->log, &got));
    assert_memory_equal(&got, &b, sizeof(b));
    assert_false(fault_log_drain(&m->log, &got));
    assert_int_equal(fault_log_list(&m->log, listed), 2); /* drained, and still there */
    assert_memory_equal(&listed[0], &a, sizeof(a));
    assert_memory_equal(&listed[1], &b, sizeof(b));
}

TEST(an_incomplete_record_holds_back_the_next)
{
    OWN_MACHINE m = machine_make(ram);
    struct fault fault = { .addr = 0x1000 }, got;
    _Atomic uint64_t *head;
    uint64_t whole;

    add_fault(&m->log, &fault);
    fault.addr = 0x2000;
    add_fault(&m->log, &fault);
    head = m->log.records.copy[0];
    whole = atomic_exchange(head, LOG_RECORD_CLAIMED); /* as if its CPU were still writing */
    assert_false(fault_log_drain(&m->log, &got));
    atomic_store(head, whole);
    assert_true(fault_log_drain(&m->log, &got));
    assert_int_equal(got.addr, 0x1000);
    assert_true(fault_log_drain(&m->log, &got));
}

TEST(the_first_1000_are_kept_and_all_pages_marked)
{
    OWN_MACHINE m = machine_make(ram);
    struct fault got;

    for (uint64_t i = 0; i < 3000; i++)
        add_fault(&m->log, &(struct fault){ .addr = 0x100000 + i * PAGE_SIZE, .expected = i });
    for (uint64_t i = 0; i < FAULT_RECORDS; i++) {
        assert_true(fault_log_drain(&m->log, &got));
        assert_int_equal(got.expected, i);
    }
    assert_false(fault_log_drain(&m->log, &got));
    assert_int_equal(fault_log_faults(&m->log), 3000);
    assert_int_equal(fault_log_test_faults(&m->log, 0), 3000);
    assert_int_equal(fault_log_bad_pages(&m->log), 3000);
}

TEST(a_tally_marks_at_once_and_counts_later)
{
    OWN_MACHINE m = machine_make(ram);
    struct fault_tally tally = { .test = 2 };

    assert_false(fault_tally_has_marked(&tally, 0));
    for (uint64_t i = 0; i < 512; i++)
        fault_log_tally(&m->log, &tally, 0x3000 + 8 * i, UINT64_C(1) << i % 5);
    fault_log_tally(&m->log, &tally, 0x5008, 0x80);
    assert_int_equal(fault_log_bad_pages(&m->log), 2);
    assert_true(fault_log_is_bad(&m->log, 0x3000) && fault_log_is_bad(&m->log, 0x5000));
    assert_int_equal(fault_log_faults(&m->log), 0);
    assert_true(fault_tally_has_marked(&tally, 0x5fff));
    assert_false(fault_tally_has_marked(&tally, 0x6000));
    for (int i = 0; i < 2; i++) { /* the second adds nothing */
        fault_log_add_tally(&m->log, &tally);
        assert_int_equal(fault_log_test_faults(&m->log, 2), 513);
        assert_int_equal(fault_log_faults(&m->log), 513);
        assert_int_equal(fault_log_failing_bits(&m->log), 0x9f);
        assert_int_equal(fault_log_errors(&m->log), 2); /* pages, one after the other */
    }
    fault_log_tally(&m->log, &(struct fault_tally){ .test = 2 }, 0x3000, 1);
    tally = (struct fault_tally){ .test = 2 }; /* of another sweep */
    fault_log_tally(&m->log, &tally, 0x5008, 1);
    fault_log_add_tally(&m->log, &tally);
    assert_int_equal(fault_log_errors(&m->log), 3);
    fault_log_add_errors(&m->log, 40);
    assert_int_equal(fault_log_errors(&m->log), 43);
    assert_int_equal(fault_log_faults(&m->log), 514);
}

TEST(a_tally_tells_each_address_outside)
{
    OWN_MACHINE m = machine_make(ram);
    struct fault_tally tally = { 0 };
    uint64_t addr = 0;

    for (uint64_t i = 0; i < 3; i++)
        fault_log_tally(&m->log, &tally, 0x9f000 + 8 * i, 1);
    fault_log_add_tally(&m->log, &tally);
    assert_int_equal(fault_log_outside(&m->log, &addr), 3);
    assert_int_equal(addr, 0x9f000);
    assert_int_equal(fault_log_faults(&m->log), 3);
    assert_int_equal(fault_log_bad_pages(&m->log), 0);
}

TEST(there_is_room_for_1000_records)
{
    OWN_MACHINE m = machine_make(ram);
    struct fault got;

    for (uint64_t i = 0; i < FAULT_RECORDS; i++) {
        assert_true(fault_log_has_room(&m->log));
        fault_log_add_record(&m->log, &(struct fault){ .addr = 0x3000, .expected = i });
    }
    assert_false(fault_log_has_room(&m->log));
    for (uint64_t i = 0; i < FAULT_RECORDS; i++) {
        assert_true(fault_log_drain(&m->log, &got));
        assert_int_equal(got.expected, i);
    }
    assert_false(fault_log_drain(&m->log, &got));
    assert_int_equal(fault_log_faults(&m->log), 0);
}

TEST(addresses_outside_are_reported)
{
    static const uint64_t outside[] = { 0x9f000, 0xfffff, 4 * GIB - 8, 4 * GIB + 64 * MIB + 0x5000,
                                        UINT64_MAX };
    OWN_MACHINE m = machine_make(ram);
    struct fault got;
    uint64_t addr = 0;

    for (size_t i = 0; i < 5; i++)
        add_fault(&m->log, &(struct fault){ .addr = outside[i], .found = 4 });
    assert_int_equal(fault_log_outside(&m->log, &addr), 5);
    assert_int_equal(addr, outside[0]);
    assert_int_equal(fault_log_faults(&m->log), 5);
    assert_int_equal(fault_log_bad_pages(&m->log), 0);
    assert_int_equal(fault_log_failing_bits(&m->log), 4);
    assert_true(fault_log_drain(&m->log, &got));
    assert_int_equal(got.addr, outside[0]);
}

TEST(runs_come_in_address_order)
{
    static const struct page_run expected[] = {
        { 0, 1 },         { 0x9e, 1 },   { 0x100, 2 },    { 0x140, 64 },   { 0x181, 1 },
        { 0x1000, 1000 }, { 0x40ff, 1 }, { 0x100000, 1 }, { 0x104003, 2 },
    };
    OWN_MACHINE m = machine_make(ram);
    uint64_t index = 0;
    struct page_run run;

    /* 0x9e and 0x100, 0x40ff and 0x100000 are neighbours by index, but not in RAM */
    for (size_t i = sizeof(expected) / sizeof(expected[0]); i-- > 0;)
        for (uint64_t page = expected[i].first; page < page_run_end(expected[i]); page++)
            machine_mark(m, page);
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        assert_true(fault_log_next_run(&m->log, &index, &run));
        assert_int_equal(run.first, expected[i].first);
        assert_int_equal(run.count, expected[i].count);
    }
    assert_false(fault_log_next_run(&m->log, &index, &run));
    assert_false(fault_log_next_run(&m->log, &index, &run));
    assert_int_equal(fault_log_bad_pages(&m->log), 1 + 1 + 2 + 64 + 1 + 1000 + 1 + 1 + 2);
    assert_int_equal(fault_log_faults(&m->log), 0);
}

#define WRITERS         4
#define WRITER_FAULTS   20000
#define WRITER_DISTINCT 2000

struct writer {
    struct machine *machine;
    uint32_t number;
};

/* Each page is hit by two writers, and by each of them several times. */
static void *write_faults(void *arg)
{
    struct writer *w = arg;

    for (uint64_t i = 0; i < WRITER_FAULTS; i++) {
        uint64_t page = 0x100 + (i % WRITER_DISTINCT) * WRITERS / 2 + w->number / 2;
        struct fault fault = { .addr = page << PAGE_SHIFT,
                               .expected = ~(page << PAGE_SHIFT),
                               .found = page << PAGE_SHIFT,
                               .test = w->number,
                               .cpu = w->number };

        add_fault(&w->machine->log, &fault);
    }
    return NULL;
}

TEST(all_cpus_log_at_once)
{
    OWN_MACHINE m = machine_make(ram);
    struct writer writer[WRITERS];
    pthread_t thread[WRITERS];
    size_t drained = 0;
    struct fault got;

    for (uint32_t i = 0; i < WRITERS; i++) {
        writer[i] = (struct writer){ m, i };
        assert_int_equal(pthread_create(&thread[i], NULL, write_faults, &writer[i]), 0);
    }
    while (drained < FAULT_RECORDS) {
        if (fault_log_drain(&m->log, &got)) {
            assert_int_equal(got.expected, ~got.addr);
            assert_int_equal(got.found, got.addr);
            assert_int_equal(got.cpu, got.test);
            drained++;
        }
    }
    for (uint32_t i = 0; i < WRITERS; i++)
        pthread_join(thread[i], NULL);
    assert_false(fault_log_drain(&m->log, &got));
    assert_int_equal(fault_log_faults(&m->log), WRITERS * WRITER_FAULTS);
    for (uint32_t i = 0; i < WRITERS; i++)
        assert_int_equal(fault_log_test_faults(&m->log, i), WRITER_FAULTS);
    assert_int_equal(fault_log_bad_pages(&m->log), WRITER_DISTINCT * WRITERS / 2);
    assert_true(fault_log_failing_bits(&m->log) == UINT64_MAX);
}
