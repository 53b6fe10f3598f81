// SPDX-License-Identifier: MIT
/*
 * A management controller behind KCS that answers anything. The input begins with how it is: what
 * its status is for ever, or 0: it does what it should (IPMI 2.0, 9.15), but each byte that is read
 * of it is changed by one of the input; where that has ended, by none. Then comes its answer to
 * each request. Whatever it does, asking it ends, and no other commands are written to it.
 */
#include "bmc/bmc.h"
#include "watchdog/kinds.h"

#include <string.h>

#include "fake_clock.h"
#include "fuzz.h"
#include "io/ports.h"

enum { DATA = 0xca2, STATUS = 0xca3, ANSWER_US = 5000, ABORTS = 2, ABORT_US = 100000, ASKED = 4 };
enum { IDLE = 0 << 6, READ = 1 << 6, WRITE = 2 << 6, OUTPUT = 1 };
enum { GET_STATUS = 0x60, WRITE_START = 0x61, WRITE_END = 0x62 };

/* An answer, as long as the driver takes any, is read by some looks at each byte. */
#define READS_MAX (ASKED * (ANSWER_US + ABORTS * ABORT_US) * UINT64_C(8))

static struct {
    struct fuzz_input in;
    uint8_t stuck, state, output;
    bool has_output, is_last, is_aborted;
    uint8_t answer[48];
    size_t n_answer, at;
    uint64_t reads;
} bmc;

static void put(uint8_t byte)
{
    bmc.output = byte;
    bmc.has_output = true;
}

static void next_of_answer(void)
{
    bmc.state = bmc.at < bmc.n_answer ? READ : IDLE;
    put(bmc.at < bmc.n_answer ? bmc.answer[bmc.at++] : 0);
}

static void take_command(uint8_t code)
{
    CHECK(code == GET_STATUS || code == WRITE_START || code == WRITE_END);
    bmc.is_aborted = code == GET_STATUS;
    bmc.is_last = code == WRITE_END;
    bmc.state = WRITE;
}

static void take_data(void)
{
    if (bmc.state == READ) {
        next_of_answer();
        return;
    }
    if (bmc.is_aborted) {
        bmc.is_aborted = false;
        bmc.at = bmc.n_answer;
        bmc.state = READ;
        put(1);
    } else if (bmc.is_last) {
        bmc.at = 0;
        next_of_answer();
    }
}

uint8_t io_in8(uint16_t port)
{
    uint8_t change = (uint8_t)fuzz_number(&bmc.in, 1);

    CHECK(port == DATA || port == STATUS);
    CHECK(bmc.reads++ < READS_MAX);
    if (bmc.stuck)
        return port == STATUS ? bmc.stuck : change;
    if (port == STATUS)
        return (bmc.state | (bmc.has_output ? OUTPUT : 0)) ^ change;
    bmc.has_output = false;
    return bmc.output ^ change;
}

void io_out8(uint16_t port, uint8_t value)
{
    CHECK(port == DATA || port == STATUS);
    if (port == STATUS)
        take_command(value);
    else
        take_data();
}

static void begin(const uint8_t *bytes, size_t size)
{
    const uint8_t *answer;
    size_t n;

    memset(&bmc, 0, sizeof(bmc));
    bmc.in = (struct fuzz_input){ bytes, size };
    fake_clock_begin();
    bmc.stuck = (uint8_t)fuzz_number(&bmc.in, 1);
    n = fuzz_number(&bmc.in, 1) % sizeof(bmc.answer);
    answer = fuzz_bytes(&bmc.in, n, &bmc.n_answer);
    memcpy(bmc.answer, answer, bmc.n_answer);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const struct kcs kcs = { .data = DATA, .status = STATUS };
    const struct ipmi_request request = { .netfn = 6, .command = 0x25, .n = 1, .data = { 7 } };
    struct ipmi_answer answer = { .n = 0 };
    struct watchdog_found found = { 0 };

    begin(bytes, size);
    if (kcs_ask(&kcs, &request, ANSWER_US, &answer) == STATUS_OK)
        CHECK(answer.n <= IPMI_DATA_MAX);
    else
        CHECK(answer.n == 0);
    ipmi_watchdog_stop(&kcs, ANSWER_US, &found);
    CHECK(found.state == WATCHDOG_OFF || found.effect);
    CHECK(fake_clock_looks() <= ASKED * (ANSWER_US + ABORTS * ABORT_US + 16));
    return 0;
}
