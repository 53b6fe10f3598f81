// SPDX-License-Identifier: MIT
/* Machine checks are reported, even if a panic stops the CPU that is reporting one. */
#include "ecc/mce_emit.h"

#include "arch/nmi.h"
#include "cpus/cpu_pool.h"
#include "ecc/ecc.h"
#include "event/events.h"
#include "event/notices.h"
#include "faults/cpu_evidence.h"
#include "log/fault_log.h"
#include "machine/machine.h"
#include "mce/mca.h"
#include "mce/mca_queue.h"
#include "memory/arena.h"
#include "tests/unit/unit.h"

#define CHECKS 3

struct machine machine;
const struct warnings notices;

/* The reporting CPU is stopped in the n-th step from now; 0: it is not. */
static unsigned stop_in;
static jmp_buf stopped;
static struct mca_queue queue;
static struct fault_log fault_log;

void cpu_evidence_machine_check(const struct mca_record *record)
{
}

static struct {
    unsigned counted, begun;
    uint64_t marked;                              /* the last */
    uint64_t addr[2 * CHECKS], count[2 * CHECKS]; /* of each event that is whole */
    size_t n;
} reported;

static void step(void)
{
    if (stop_in && --stop_in == 0)
        longjmp(stopped, 1);
}

bool mca_next(bool skip, struct mca_record *ret)
{
    bool any = mca_queue_first(&queue, skip, ret);

    step();
    return any;
}

void mca_done(void)
{
    mca_queue_remove(&queue);
}

void fault_log_mark_page(struct fault_log *log, uint64_t addr)
{
    step();
    reported.marked = addr;
}

void ecc_add_machine_check(struct fault_log *log, const struct mca_record *record)
{
    reported.counted++;
}

void events_send(struct event *e)
{
    assert_int_equal(e->type, EVENT_MCE);
    assert_int_equal(e->mce.addr, reported.marked);
    reported.begun++;
    step(); /* in the middle of its line */
    assert_true(reported.n < 2 * CHECKS);
    reported.addr[reported.n] = e->mce.addr;
    reported.count[reported.n++] = e->mce.count;
}

void ecc_channel_name(const struct mca_record *record, char ret[ECC_CHANNEL_SIZE])
{
    ret[0] = '\0';
}

void ecc_add(struct fault_log *log, const struct ecc_error *error)
{
    fail();
}

/* Not needed here. */
const struct footprint *arena_footprint(void)
{
    return NULL;
}
bool footprint_holds(const struct footprint *place, uint64_t phys)
{
    return false;
}
void cpu_pool_run_watched(const uint32_t *numbers, uint32_t n, struct cpu_pool_job job)
{
}
uint32_t cpu_pool_detached(void)
{
    return 0;
}
uint64_t mca_lost(void)
{
    return 0;
}
void mca_poll_now(void)
{
}
void mca_set_is_free(bool (*is_free)(const void *ctx, uint64_t phys), const void *ctx)
{
}
uint64_t nmi_count(void)
{
    return 0;
}
void nmi_poll(void)
{
}
uint8_t nmi_reasons(void)
{
    return 0;
}

static void run_until_stopped(void)
{
    if (!setjmp(stopped))
        mce_emit_begin(NULL, &fault_log);
}

static void put(uint64_t page)
{
    mca_queue_put(&queue, &(struct mca_record){ .status = UINT64_C(1) << 63,
                                                .addr = page * PAGE_SIZE,
                                                .has_addr = true,
                                                .is_memory = true,
                                                .of_memory = true,
                                                .count = 1 });
}

/* Each is marked and reported whole, in order. One that was cut off is begun twice. */
TEST(none_is_lost_to_a_panic)
{
    unsigned stop, n_stops = 0;

    for (stop = 1; stop_in == 0; stop++, n_stops++) {
        memset(&queue, 0, sizeof(queue));
        memset(&reported, 0, sizeof(reported));
        for (uint64_t page = 1; page <= CHECKS; page++)
            put(page + CHECKS * stop);
        stop_in = stop;
        run_until_stopped();
        if (stop_in)
            break;
        mce_emit_rest(&fault_log);
        assert_int_equal(reported.n, CHECKS);
        for (size_t i = 0; i < CHECKS; i++) {
            assert_int_equal(reported.addr[i] / PAGE_SIZE, CHECKS * stop + i + 1);
            assert_int_equal(reported.count[i], 1);
        }
        assert_in_range(reported.begun, CHECKS, CHECKS + 1);
        assert_in_range(reported.counted, CHECKS, CHECKS);
    }
    assert_int_equal(n_stops, 3 * CHECKS + 1); /* take, mark and report each; and find none */
}
