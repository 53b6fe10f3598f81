// SPDX-License-Identifier: MIT
/*
 * A management controller (BMC) by its KCS interface (IPMI 2.0, 9: keyboard controller style), on
 * I/O ports or in memory. Nothing is asked but what the caller asks. Boot CPU only.
 */
#pragma once

#include <stdint.h>

#include "lib/status.h"

/* Where its two registers are: data, then status and command. */
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
