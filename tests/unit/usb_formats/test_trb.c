// SPDX-License-Identifier: MIT
#include "tests/unit/unit.h"
#include "usb_formats/trb.h"

#define PHYS UINT64_C(0x123456000)
#define N    4

static struct trb memory[N];

static struct trb numbered(uint64_t n)
{
    return (struct trb){ .parameter = n, .control = trb_control(TRB_NORMAL, 0, 0) };
}

TEST(ring_wraps_at_its_link)
{
    struct trb_ring r;

    memset(memory, 0xff, sizeof(memory));
    trb_ring_init(&r, memory, PHYS, N);
    for (uint64_t i = 0; i < 7; i++) {
        uint32_t cycle = i / 3 % 2 ? 0 : TRB_CYCLE;

        assert_int_equal(trb_ring_dequeue(&r), (PHYS + i % 3 * 16) | cycle);
        assert_int_equal(trb_ring_add(&r, numbered(i)), PHYS + i % 3 * 16);
        assert_int_equal(memory[i % 3].parameter, i);
        assert_int_equal(memory[i % 3].control, 1u << 10 | cycle);
        if (i % 3 == 2) {
            assert_int_equal(memory[3].parameter, PHYS);
            assert_int_equal(memory[3].control, 6u << 10 | 2u | cycle);
        }
    }
}

TEST(only_addresses_of_the_ring_have_an_index)
{
    static const struct {
        uint64_t phys;
        uint32_t index;
    } cases[] = {
        { PHYS, 0 },      { PHYS + 16, 1 }, { PHYS + 32, 2 },  { PHYS + 48, N }, /* the link */
        { PHYS + 64, N }, { PHYS + 8, N },  { PHYS + 1, N },   { PHYS - 16, N },
        { 0, N },         { 16, N },        { UINT64_MAX, N },
    };
    struct trb_ring r;

    trb_ring_init(&r, memory, PHYS, N);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(trb_ring_index(&r, cases[i].phys), cases[i].index);
}

TEST(events_come_once)
{
    struct event_ring r;
    struct trb event;

    memset(memory, 0xff, sizeof(memory));
    event_ring_init(&r, memory, PHYS, N);
    for (uint64_t i = 0; i < 10; i++) {
        uint32_t cycle = i / N % 2 ? 0 : TRB_CYCLE;

        assert_int_equal(event_ring_dequeue(&r), PHYS + i % N * 16);
        assert_false(event_ring_next(&r, &event));
        memory[i % N] = (struct trb){ i, 0x0d000007, 0x12030000 | 32u << 10 | cycle };
        assert_true(event_ring_next(&r, &event));
        assert_int_equal(event.parameter, i);
        assert_int_equal(trb_type(&event), TRB_EVENT_TRANSFER);
        assert_int_equal(trb_slot(&event), 0x12);
        assert_int_equal(trb_endpoint(&event), 3);
        assert_int_equal(trb_code(&event), TRB_CODE_SHORT_PACKET);
        assert_int_equal(trb_residue(&event), 7);
    }
}

TEST(port_of_an_event)
{
    struct trb event = { .parameter = 0xff00000005000000 };

    assert_int_equal(trb_port(&event), 5);
}
