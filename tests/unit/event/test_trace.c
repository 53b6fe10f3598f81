// SPDX-License-Identifier: MIT
#include "event/trace.h"

#include "tests/unit/unit.h"

#define QUEUED_MAX   64
#define VARIABLE_MAX 80

static struct event_trace sent[3 * QUEUED_MAX];
static char variables[3 * QUEUED_MAX][VARIABLE_MAX];
static size_t n_sent;

/* Of event/events.c: the receivers. */
void events_send(struct event *e)
{
    assert_int_equal(e->type, EVENT_TRACE);
    assert_true(n_sent < 3 * QUEUED_MAX);
    if (e->trace.variable)
        strcpy(variables[n_sent], e->trace.variable);
    sent[n_sent++] = e->trace;
}

/* A call of firmware, whose texts are gone when it is sent. */
static void call(unsigned number)
{
    char variable[16];

    snprintf(variable, sizeof(variable), "V%u", number);
    trace_queue(&(struct event_trace){
        .what = OPTION_TRACE_FIRMWARE, .state = "called", .status = number, .variable = variable });
    memset(variable, 'x', sizeof(variable) - 1);
}

static int begin(void **state)
{
    trace_begin(OPTION_TRACE_MOVES | OPTION_TRACE_CPUS | OPTION_TRACE_FIRMWARE);
    trace_send_queued();
    n_sent = 0;
    return 0;
}

TEST(tells_what_is_asked_for, begin)
{
    static const enum option_trace all[] = { OPTION_TRACE_MOVES, OPTION_TRACE_CPUS,
                                             OPTION_TRACE_FIRMWARE };

    for (uint32_t wanted = 0; wanted < 8; wanted++) {
        size_t n = 0;

        n_sent = 0;
        trace_begin(wanted);
        for (size_t i = 0; i < 3; i++) {
            trace_send(&(struct event_trace){ .what = all[i], .state = "" });
            n += wanted >> i & 1;
            assert_int_equal(n_sent, n);
        }
        call(wanted);
        assert_int_equal(n_sent, n);
        trace_send_queued();
        assert_int_equal(n_sent, n + (wanted >> 2 & 1));
    }
}

TEST(what_is_queued_keeps_its_order_and_its_texts, begin)
{
    for (unsigned round = 0; round < 3; round++) {
        n_sent = 0;
        for (unsigned i = 0; i < QUEUED_MAX; i++)
            call(i);
        assert_int_equal(n_sent, 0);
        trace_send_queued();
        assert_int_equal(n_sent, QUEUED_MAX);
        for (unsigned i = 0; i < QUEUED_MAX; i++) {
            char name[16];

            snprintf(name, sizeof(name), "V%u", i);
            assert_int_equal(sent[i].status, i);
            assert_string_equal(variables[i], name);
            assert_int_equal(sent[i].missed, 0);
        }
        trace_send_queued();
        assert_int_equal(n_sent, QUEUED_MAX);
        call(0); /* the places are others in each round */
        trace_send_queued();
    }
}

TEST(what_has_no_room_is_counted, begin)
{
    for (unsigned i = 0; i < QUEUED_MAX + 3; i++)
        call(i);
    trace_send_queued();
    assert_int_equal(n_sent, QUEUED_MAX);
    assert_int_equal(sent[QUEUED_MAX - 1].status, QUEUED_MAX - 1);
    call(70);
    call(71);
    trace_send_queued();
    assert_int_equal(n_sent, QUEUED_MAX + 2);
    assert_int_equal(sent[QUEUED_MAX].status, 70);
    assert_int_equal(sent[QUEUED_MAX].missed, 3);
    assert_int_equal(sent[QUEUED_MAX + 1].missed, 0);
}

TEST(long_names_are_cut, begin)
{
    char name[200] = "";

    memset(name, 'n', sizeof(name) - 1);
    trace_queue(&(struct event_trace){ .what = OPTION_TRACE_FIRMWARE, .variable = name });
    trace_send_queued();
    assert_int_equal(n_sent, 1);
    assert_int_equal(strlen(variables[0]), VARIABLE_MAX - 1);
}
