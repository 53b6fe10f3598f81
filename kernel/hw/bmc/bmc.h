// SPDX-License-Identifier: MIT
/*
 * The management controller (BMC) of a server, where SMBIOS says that it has one with a KCS
 * interface (IPMI 2.0, 9: keyboard controller style): how it is reached, what it is asked (kcs.c),
 * and its event log. Boot CPU only.
 */
#pragma once

#include <stdint.h>

#include "firmware/ipmi.h"
#include "lib/status.h"

/* Where its two registers are, on I/O ports or in memory: data, then status and command. */
struct kcs {
    uint16_t data, status;                             /* ports, or */
    volatile uint8_t *data_register, *status_register; /* in memory; NULL: ports */
};

#define IPMI_DATA_MAX 32 /* of the requests and answers here */

struct ipmi_request {
    uint8_t netfn; /* network function: an even number */
    uint8_t command;
    uint8_t n; /* bytes of data */
    uint8_t data[IPMI_DATA_MAX];
};

struct ipmi_answer {
    uint8_t completion; /* 0: done; else IPMI 2.0, 5.2 */
    uint8_t n;          /* bytes of data, at most IPMI_DATA_MAX */
    uint8_t data[IPMI_DATA_MAX];
};

/*
 * Sends a request and waits for the answer. STATUS_NOT_FOUND: nothing is there (all bits of the
 * status are 1); STATUS_TIMEOUT: no answer within `us` microseconds, and the transfer has been
 * aborted; STATUS_INVALID: what came is no answer to it, or the controller reports an error, twice.
 */
enum status kcs_ask(const struct kcs *kcs, const struct ipmi_request *request, uint64_t us,
                    struct ipmi_answer *ret_answer);

/* How long a controller may take (IPMI 2.0, 9.18: it has five seconds at most). */
#define BMC_ANSWER_US 5000000

/* NULL: it can be asked; else why not, such as "SMBIOS lists none". */
const char *bmc_find(struct kcs *ret_kcs);

/* In words, what kcs_ask returned other than STATUS_OK. */
const char *bmc_reason(enum status status);

/*
 * Adds the verdict to its event log (sel=on). What keeps it from that is said in one notice, after
 * a few seconds at most.
 */
void bmc_log(const struct sel_verdict *verdict);
