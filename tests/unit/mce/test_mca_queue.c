// SPDX-License-Identifier: MIT
#include "mce/mca_queue.h"

#include <pthread.h>

#include "tests/unit/unit.h"
/* cmocka wants those before. */

#define WRITERS    4
#define PER_WRITER 200000

static struct mca_queue queue;

static int empty_queue(void **state)
{
    memset(&queue, 0, sizeof(queue));
    return 0;
}

static void put(uint32_t cpu, uint64_t n)
{
    mca_queue_put(&queue, &(struct mca_record){ .cpu = cpu, .status = n, .addr = ~n });
}

static bool take(bool skip, struct mca_record *ret)
{
    if (!mca_queue_first(&queue, skip, ret))
        return false;
    mca_queue_remove(&queue);
    return true;
}

TEST(comes_out_in_order, empty_queue)
{
    struct mca_record r;

    assert_false(take(false, &r));
    /* Several times around, with every distance between writer and reader. */
    for (uint64_t n = 0, taken = 0; n < 5 * MCA_QUEUE_PLACES; n++) {
        put(1, n);
        for (; n - taken > n % (MCA_QUEUE_PLACES - 1); taken++) {
            assert_true(take(false, &r));
            assert_int_equal(r.status, taken);
        }
    }
    assert_int_equal(mca_queue_lost(&queue), 0);
}

TEST(what_finds_no_room_is_counted, empty_queue)
{
    struct mca_record r;

    for (uint64_t n = 0; n < MCA_QUEUE_PLACES; n++)
        put(1, n);
    assert_int_equal(mca_queue_lost(&queue), 0);
    put(1, 1000);
    put(1, 1001);
    assert_int_equal(mca_queue_lost(&queue), 2);
    assert_true(take(false, &r));
    put(1, 1002);
    for (uint64_t n = 1; n < MCA_QUEUE_PLACES; n++) {
        assert_true(take(false, &r));
        assert_int_equal(r.status, n);
    }
    assert_true(take(false, &r));
    assert_int_equal(r.status, 1002);
    assert_false(take(false, &r));
    assert_int_equal(mca_queue_lost(&queue), 2);
}

/* A CPU that was stopped between taking a place and filling it. */
TEST(an_unfinished_record_holds_back_or_is_skipped, empty_queue)
{
    struct mca_record r;

    put(1, 0);
    atomic_fetch_add(&queue.n_put, 1);
    put(1, 2);
    assert_true(take(false, &r));
    assert_false(take(false, &r));
    assert_true(take(true, &r));
    assert_int_equal(r.status, 2);
    assert_false(take(true, &r));
    /* Its place is good again. */
    for (uint64_t n = 0; n < MCA_QUEUE_PLACES; n++)
        put(1, n);
    for (uint64_t n = 0; n < MCA_QUEUE_PLACES; n++) {
        assert_true(take(false, &r));
        assert_int_equal(r.status, n);
    }
    assert_int_equal(mca_queue_lost(&queue), 0);
}

/* So a panic finds it that stops the CPU which was dealing with it. */
TEST(the_first_stays_until_it_is_removed, empty_queue)
{
    struct mca_record r;

    put(1, 7);
    put(1, 8);
    for (size_t i = 0; i < 2; i++) {
        assert_true(mca_queue_first(&queue, i, &r));
        assert_int_equal(r.status, 7);
    }
    mca_queue_remove(&queue);
    assert_true(mca_queue_first(&queue, true, &r));
    assert_int_equal(r.status, 8);
}

static void *write_many(void *cpu)
{
    for (uint64_t n = 0; n < PER_WRITER; n++)
        put((uint32_t)(uintptr_t)cpu, n);
    return NULL;
}

TEST(nothing_is_torn_doubled_or_lost_uncounted, empty_queue)
{
    uint64_t next[WRITERS] = { 0 }, taken = 0;
    pthread_t thread[WRITERS];
    struct mca_record r;
    bool joined = false;

    for (size_t i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, write_many, (void *)i), 0);
    for (;;) {
        if (take(false, &r)) {
            assert_true(r.cpu < WRITERS && r.addr == ~r.status);
            assert_true(r.status >= next[r.cpu]);
            next[r.cpu] = r.status + 1;
            taken++;
        } else if (joined) {
            break;
        } else if (taken + mca_queue_lost(&queue) == (uint64_t)WRITERS * PER_WRITER) {
            for (size_t i = 0; i < WRITERS; i++)
                pthread_join(thread[i], NULL);
            joined = true;
        }
    }
    assert_int_equal(taken + mca_queue_lost(&queue), (uint64_t)WRITERS * PER_WRITER);
}
