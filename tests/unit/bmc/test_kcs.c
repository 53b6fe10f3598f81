// SPDX-License-Identifier: MIT
/* A controller that follows the figures of IPMI 2.0, 9.15, and some that do not. */
#include "bmc/bmc.h"

#include "arch/tsc.h"
#include "io/ports.h"
#include "tests/unit/unit.h"

#define READS_MAX 100000000 /* 20 ms are far fewer */

enum { DATA = 0xca2, STATUS = 0xca3, ANSWER_US = 20000 };
enum { IDLE = 0 << 6, READ = 1 << 6, WRITE = 2 << 6, ERROR = 3 << 6, OUTPUT = 1, INPUT = 2 };

static struct {
    uint8_t state, output;
    bool has_output, is_last, is_absent, is_stuck, is_endless, goes_on, never_answers, aborted;
    uint8_t stuck_at; /* not 0: this is its status, always, and its data */
    unsigned n_reads;
    int errors; /* how many of the next requests end in an error */
    int busy;   /* how often the status is read until a byte has been taken */
    uint8_t request[64], answer[64];
    unsigned n_request, n_answer, at, n_aborts, n_requests;
} bmc;

static void put_output(uint8_t byte)
{
    assert_false(bmc.has_output); /* what was there has been read */
    bmc.output = byte;
    bmc.has_output = true;
}

static void next_of_answer(void)
{
    if (bmc.goes_on)
        bmc.at %= bmc.n_answer;
    if (bmc.at < bmc.n_answer) {
        put_output(bmc.answer[bmc.at++]);
        return;
    }
    bmc.state = IDLE;
    put_output(0);
}

static void answer(void)
{
    bmc.n_requests++;
    if (bmc.never_answers) {
        bmc.is_stuck = true; /* the last byte is not taken */
        return;
    }
    if (bmc.errors > 0) {
        bmc.errors--;
        bmc.state = ERROR;
        return;
    }
    bmc.state = READ;
    bmc.at = 0;
    bmc.goes_on = bmc.is_endless;
    next_of_answer();
}

static void take_command(uint8_t code)
{
    switch (code) {
    case 0x61:
        assert_int_equal(bmc.state, IDLE);
        bmc.state = WRITE;
        bmc.n_request = 0;
        bmc.is_last = false;
        put_output(0); /* a dummy byte, which is dropped */
        break;
    case 0x62: bmc.is_last = true; break;
    case 0x60:
        bmc.n_aborts++;
        bmc.aborted = true;
        bmc.goes_on = false;
        bmc.has_output = false;
        bmc.state = WRITE;
        break;
    default: fail();
    }
}

static void take_data(uint8_t byte)
{
    if (bmc.aborted) {
        bmc.aborted = false;
        bmc.state = READ;
        bmc.at = bmc.n_answer; /* nothing after this byte */
        put_output(1);
        return;
    }
    if (bmc.state == READ) {
        assert_int_equal(byte, 0x68);
        next_of_answer();
        return;
    }
    bmc.request[bmc.n_request++] = byte;
    if (bmc.is_last)
        answer();
}

uint8_t io_in8(uint16_t port)
{
    assert_true(bmc.n_reads++ < READS_MAX);
    if (bmc.is_absent)
        return 0xff;
    if (bmc.stuck_at)
        return bmc.stuck_at;
    if (port == DATA) {
        bmc.has_output = false;
        return bmc.output;
    }
    assert_int_equal(port, STATUS);
    if (bmc.busy > 0 || bmc.is_stuck) {
        bmc.busy--;
        return bmc.state | INPUT;
    }
    return bmc.state | (bmc.has_output ? OUTPUT : 0);
}

void io_out8(uint16_t port, uint8_t value)
{
    if (bmc.stuck_at)
        return;
    assert_true(bmc.busy <= 0); /* the byte before was taken */
    bmc.busy = 2;
    if (port == DATA)
        take_data(value);
    else
        take_command(value);
}

static const struct kcs kcs = { .data = DATA, .status = STATUS };
static const struct ipmi_request get_id = { .netfn = 6, .command = 1, .n = 2, .data = { 7, 8 } };

static int begin(void **state)
{
    memset(&bmc, 0, sizeof(bmc));
    tsc_set_hz(1000000000);
    memcpy(bmc.answer, (uint8_t[]){ 7 << 2, 1, 0, 0x20, 0x81 }, bmc.n_answer = 5);
    return 0;
}

static void ask(enum status expected, struct ipmi_answer *ret)
{
    assert_int_equal(kcs_ask(&kcs, &get_id, ANSWER_US, ret), expected);
}

TEST(asks_and_reads_the_answer, begin)
{
    struct ipmi_answer answer;

    ask(STATUS_OK, &answer);
    assert_int_equal(bmc.n_request, 4);
    assert_memory_equal(bmc.request, ((uint8_t[]){ 6 << 2, 1, 7, 8 }), 4);
    assert_int_equal(answer.completion, 0);
    assert_int_equal(answer.n, 2);
    assert_memory_equal(answer.data, ((uint8_t[]){ 0x20, 0x81 }), 2);
    assert_int_equal(bmc.state, IDLE);
    assert_false(bmc.has_output);
    ask(STATUS_OK, &answer); /* and once more */
}

TEST(an_output_from_before_is_dropped, begin)
{
    struct ipmi_answer answer;

    put_output(0x55);
    ask(STATUS_OK, &answer);
    assert_int_equal(answer.n, 2);
}

TEST(the_completion_is_the_callers, begin)
{
    struct ipmi_answer answer;

    bmc.answer[2] = 0xc4;
    bmc.n_answer = 3;
    ask(STATUS_OK, &answer);
    assert_int_equal(answer.completion, 0xc4);
    assert_int_equal(answer.n, 0);
}

TEST(a_long_answer_is_cut, begin)
{
    struct ipmi_answer answer;

    bmc.n_answer = sizeof(bmc.answer);
    ask(STATUS_OK, &answer);
    assert_int_equal(answer.n, IPMI_DATA_MAX);
    assert_int_equal(bmc.state, IDLE);
}

TEST(an_error_is_tried_again, begin)
{
    struct ipmi_answer answer;

    bmc.errors = 1;
    ask(STATUS_OK, &answer);
    assert_int_equal(answer.n, 2);
    assert_int_equal(bmc.n_aborts, 1);
    assert_int_equal(bmc.n_requests, 2);
}

TEST(errors_end_it, begin)
{
    struct ipmi_answer answer;

    bmc.errors = 5;
    ask(STATUS_INVALID, &answer);
    assert_int_equal(bmc.n_requests, 2);
    assert_int_equal(bmc.n_aborts, 2);
    assert_int_equal(bmc.state, IDLE);
}

TEST(another_commands_answer_is_none, begin)
{
    struct ipmi_answer answer;

    bmc.answer[1] = 2;
    ask(STATUS_INVALID, &answer);
    begin(NULL);
    bmc.n_answer = 2;
    ask(STATUS_INVALID, &answer);
}

TEST(nobody_is_there, begin)
{
    struct ipmi_answer answer;

    bmc.is_absent = true;
    ask(STATUS_NOT_FOUND, &answer);
}

TEST(a_controller_that_does_not_answer_has_a_deadline, begin)
{
    struct ipmi_answer answer;

    bmc.never_answers = true;
    ask(STATUS_TIMEOUT, &answer);
    assert_int_equal(bmc.n_requests, 1);
    begin(NULL);
    bmc.is_stuck = true;
    ask(STATUS_TIMEOUT, &answer);
    assert_int_equal(bmc.n_requests, 0);
}

/* Each status, for ever: those with a byte to read, such as 0x41, have never ended. */
TEST(a_controller_that_makes_no_sense_has_a_limit, begin)
{
    struct ipmi_answer answer = { .n = 77 };

    for (unsigned status = 1; status < 0xff; status++) {
        begin(NULL);
        bmc.stuck_at = (uint8_t)status;
        assert_int_equal(kcs_ask(&kcs, &get_id, 100, &answer),
                         status & INPUT ? STATUS_TIMEOUT : STATUS_INVALID);
        assert_int_equal(answer.n, 77);
    }
}

/* One more byte each time, and nothing to wait for. */
TEST(an_answer_without_an_end_has_a_limit, begin)
{
    struct ipmi_answer answer;

    bmc.is_endless = true;
    ask(STATUS_INVALID, &answer);
    assert_true(bmc.n_reads < 100000);
    begin(NULL);
    bmc.is_endless = true;
    assert_int_equal(kcs_ask(&kcs, &get_id, 0, &answer), STATUS_TIMEOUT);
}
