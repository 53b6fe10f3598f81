// SPDX-License-Identifier: MIT
#include "watchdog/kinds.h"

#include <stddef.h>

#define NETFN_APP    0x06
#define SET_WATCHDOG 0x24
#define GET_WATCHDOG 0x25

/* Completion codes (IPMI 2.0, 5.2). */
#define UNKNOWN_COMMAND 0xc1

/* What Get Watchdog Timer answers (27.7). */
enum { AT_USE = 0, AT_ACTION = 1, AT_INITIAL = 4, AT_PRESENT = 6, ANSWER_BYTES = 8 };

#define USE_RUNS     0x40u /* of Set: it goes on running */
#define ACTION       0x07u
#define TICKS_SECOND 10u

/* The actions, by their number. */
static const char *const effects[] = {
    [1] = "reset the machine",
    [2] = "switch the machine off",
    [3] = "switch the machine off and on",
};

#define EFFECTS (sizeof(effects) / sizeof(effects[0]))

static enum status ask(const struct kcs *kcs, const struct ipmi_request *request, uint64_t us,
                       struct ipmi_answer *ret)
{
    enum status status = kcs_ask(kcs, request, us, ret);

    return status == STATUS_OK && ret->completion ? STATUS_UNSUPPORTED : status;
}

/* Whether it is running, and what it was told to do. */
static enum status get(const struct kcs *kcs, uint64_t us, struct ipmi_answer *ret)
{
    const struct ipmi_request request = { .netfn = NETFN_APP, .command = GET_WATCHDOG };
    enum status status = ask(kcs, &request, us, ret);

    return status == STATUS_OK && ret->n < ANSWER_BYTES ? STATUS_INVALID : status;
}

static const char *effect_of(const struct ipmi_answer *a)
{
    unsigned action = a->data[AT_ACTION] & ACTION;

    return a->data[AT_USE] & USE_RUNS && action < EFFECTS ? effects[action] : NULL;
}

/* The same use and time, no action, and it does not run (27.6). */
static enum status stop(const struct kcs *kcs, uint64_t us, const struct ipmi_answer *was)
{
    const struct ipmi_request request = {
        .netfn = NETFN_APP,
        .command = SET_WATCHDOG,
        .n = 6,
        .data = { (uint8_t)(was->data[AT_USE] & ~USE_RUNS), 0, 0, 0, was->data[AT_INITIAL],
                  was->data[AT_INITIAL + 1] },
    };
    struct ipmi_answer answer;

    return ask(kcs, &request, us, &answer);
}

enum status ipmi_watchdog_stop(const struct kcs *kcs, uint64_t answer_us,
                               struct watchdog_found *ret_found)
{
    struct watchdog_found found = { .has_time = true };
    struct ipmi_answer was, now;
    enum status status = get(kcs, answer_us, &was);

    *ret_found = found;
    if (status != STATUS_OK)
        return status == STATUS_UNSUPPORTED && was.completion == UNKNOWN_COMMAND ? STATUS_OK
                                                                                 : status;
    found.effect = effect_of(&was);
    if (!found.effect)
        return STATUS_OK;
    found.seconds_left = (was.data[AT_PRESENT] | was.data[AT_PRESENT + 1] << 8) / TICKS_SECOND;
    status = stop(kcs, answer_us, &was);
    found.state = status == STATUS_OK && get(kcs, answer_us, &now) == STATUS_OK && !effect_of(&now)
                      ? WATCHDOG_STOPPED
                      : WATCHDOG_RUNS;
    *ret_found = found;
    return STATUS_OK;
}
