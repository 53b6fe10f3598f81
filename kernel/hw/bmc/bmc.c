// SPDX-License-Identifier: MIT
#include "bmc/bmc.h"

#include <stdbool.h>
#include <stddef.h>

#include "event/notices.h"
#include "machine/board.h"
#include "machine/tables.h"

#define NETFN_STORAGE 0x0a
#define ADD_SEL_ENTRY 0x44

/* Completion codes (IPMI 2.0, 5.2 and 31.6). */
#define ERASING      0x81
#define TIMED_OUT    0xc3
#define OUT_OF_SPACE 0xc4

#define NOT_LOGGED "the result is not in the management controller's event log: "

const char *bmc_find(struct kcs *ret_kcs)
{
    const struct smbios_ipmi *ipmi = &board.ipmi;
    const unsigned registers = 2;
    volatile uint8_t *mapped;

    if (ipmi->interface == IPMI_NONE)
        return "SMBIOS lists none";
    if (ipmi->interface != IPMI_KCS || !ipmi->spacing)
        return "its interface is not KCS";
    if (!ipmi->is_memory) {
        *ret_kcs = (struct kcs){ .data = (uint16_t)ipmi->base,
                                 .status = (uint16_t)(ipmi->base + ipmi->spacing) };
        return ipmi->base + ipmi->spacing > UINT16_MAX ? "it has no such I/O port" : NULL;
    }
    mapped = tables_map_registers(ipmi->base, registers * ipmi->spacing);
    if (!mapped)
        return "its registers are where memory is";
    *ret_kcs = (struct kcs){ .data_register = mapped, .status_register = mapped + ipmi->spacing };
    return NULL;
}

const char *bmc_reason(enum status status)
{
    switch (status) {
    case STATUS_NOT_FOUND: return "nothing answers where SMBIOS has it";
    case STATUS_TIMEOUT: return "it did not answer within 5 s";
    case STATUS_UNSUPPORTED: return "it refuses";
    default: return "its answer makes no sense, or its interface reports an error";
    }
}

static const char *reason_of_code(uint8_t completion)
{
    switch (completion) {
    case ERASING: return "the log is being erased";
    case TIMED_OUT: return "it timed out";
    case OUT_OF_SPACE: return "the log is full";
    default: return "it refuses";
    }
}

void bmc_log(const struct sel_verdict *verdict)
{
    struct ipmi_request request = { .netfn = NETFN_STORAGE,
                                    .command = ADD_SEL_ENTRY,
                                    .n = SEL_RECORD_BYTES };
    struct ipmi_answer answer;
    struct kcs kcs;
    const char *why = bmc_find(&kcs);
    enum status status;

    sel_record_make(verdict, request.data);
    if (!why) {
        status = kcs_ask(&kcs, &request, BMC_ANSWER_US, &answer);
        why = status == STATUS_OK ? NULL : bmc_reason(status);
    }
    if (why)
        notice(NOT_LOGGED "%s", why);
    else if (answer.completion)
        notice(NOT_LOGGED "%s (0x%02x)", reason_of_code(answer.completion), answer.completion);
}
