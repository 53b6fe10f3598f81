// SPDX-License-Identifier: MIT
/* The watchdog timer of a management controller that the test plays: kcs_ask is its own. */
#include "watchdog/kinds.h"

#include "tests/unit/unit.h"

enum { SET = 0x24, GET = 0x25, RUNS = 0x40, OS = 4, DO_NOT_LOG = 0x80 };

static struct {
    enum status status;
    uint8_t completion, n;
    uint8_t timer[8]; /* as Get answers it */
    bool refuses_set, stays;
    int sets;
} bmc;

enum status kcs_ask(const struct kcs *kcs, const struct ipmi_request *request, uint64_t us,
                    struct ipmi_answer *ret)
{
    assert_int_equal(request->netfn, 6);
    assert_int_equal(us, 5);
    if (bmc.status != STATUS_OK)
        return bmc.status;
    *ret = (struct ipmi_answer){ .completion = bmc.completion };
    if (request->command == GET) {
        ret->n = bmc.n;
        memcpy(ret->data, bmc.timer, bmc.n);
        return STATUS_OK;
    }
    assert_int_equal(request->command, SET);
    assert_int_equal(request->n, 6);
    bmc.sets++;
    if (bmc.refuses_set) {
        ret->completion = 0xcc;
    } else if (!bmc.stays) {
        memcpy(bmc.timer, request->data, 6);
        bmc.timer[6] = bmc.timer[7] = 0;
    }
    return STATUS_OK;
}

static int set_up(void **state)
{
    memset(&bmc, 0, sizeof(bmc));
    bmc.n = 8;
    memcpy(bmc.timer, (uint8_t[]){ RUNS | OS | DO_NOT_LOG, 0x21, 10, 8, 0x10, 0x0e, 0xe8, 0x03 },
           8);
    return 0;
}

static struct watchdog_found stop(enum status expected)
{
    struct watchdog_found found;

    assert_int_equal(ipmi_watchdog_stop(&(struct kcs){ 0 }, 5, &found), expected);
    return found;
}

TEST(it_is_stopped, set_up)
{
    struct watchdog_found found = stop(STATUS_OK);

    assert_int_equal(found.state, WATCHDOG_STOPPED);
    assert_true(found.has_time);
    assert_int_equal(found.seconds_left, 100);
    assert_string_equal(found.effect, "reset the machine");
    assert_memory_equal(bmc.timer, ((uint8_t[]){ OS | DO_NOT_LOG, 0, 0, 0, 0x10, 0x0e }), 6);
    assert_int_equal(stop(STATUS_OK).state, WATCHDOG_OFF);
    assert_int_equal(bmc.sets, 1);
}

TEST(what_it_would_do, set_up)
{
    static const char *const effects[] = { NULL,
                                           "reset the machine",
                                           "switch the machine off",
                                           "switch the machine off and on",
                                           NULL,
                                           NULL,
                                           NULL,
                                           NULL };

    for (uint8_t action = 0; action < 8; action++) {
        struct watchdog_found found;

        set_up(state);
        bmc.timer[1] = action;
        found = stop(STATUS_OK);
        assert_int_equal(found.state, effects[action] ? WATCHDOG_STOPPED : WATCHDOG_OFF);
        assert_int_equal(bmc.sets, effects[action] != NULL);
        if (effects[action])
            assert_string_equal(found.effect, effects[action]);
    }
}

TEST(one_that_is_not_running, set_up)
{
    bmc.timer[0] = OS;
    assert_int_equal(stop(STATUS_OK).state, WATCHDOG_OFF);
    assert_int_equal(bmc.sets, 0);
}

TEST(one_that_goes_on, set_up)
{
    bmc.stays = true;
    assert_int_equal(stop(STATUS_OK).state, WATCHDOG_RUNS);
    set_up(state);
    bmc.refuses_set = true;
    assert_int_equal(stop(STATUS_OK).state, WATCHDOG_RUNS);
    assert_int_equal(bmc.sets, 1);
}

TEST(answers_that_are_none, set_up)
{
    bmc.completion = 0xc1; /* it has no watchdog */
    assert_int_equal(stop(STATUS_OK).state, WATCHDOG_OFF);
    bmc.completion = 0xc0;
    stop(STATUS_UNSUPPORTED);
    set_up(state);
    bmc.n = 7;
    stop(STATUS_INVALID);
    bmc.status = STATUS_TIMEOUT;
    stop(STATUS_TIMEOUT);
    assert_int_equal(bmc.sets, 0);
}
