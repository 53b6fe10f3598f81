// SPDX-License-Identifier: MIT
/* The local APIC's timer, with registers and a clock that the test plays. */
#include "arch/lapic.h"

#include "arch/paging.h"
#include "arch/tsc.h"
#include "tests/unit/unit.h"

enum { ICR = 0x30 * 4, START = 0x38 * 4, COUNT = 0x39 * 4, TICKS_A_MS = 6250, WINDOWS = 3 };

extern volatile uint32_t *lapic_registers;

static volatile uint32_t registers[256];
static uint32_t late_us[WINDOWS]; /* by how much each window is longer than it should be */
static unsigned n_windows;
static bool stands_still;

void *paging_map_direct(uint64_t phys, uint64_t size, unsigned flags)
{
    return NULL;
}

bool paging_is_mapped(uint64_t phys, uint64_t size)
{
    return false;
}

void tsc_wait_us(uint64_t us)
{
    assert_true(n_windows < WINDOWS);
    us += late_us[n_windows++];
    registers[COUNT] = registers[START] - (stands_still ? 0 : (uint32_t)(us * TICKS_A_MS / 1000));
}

/* Ticks of a millisecond, as the timer is set for it. */
static uint32_t calibrated(uint32_t first, uint32_t second, uint32_t third)
{
    lapic_registers = registers;
    n_windows = 0;
    late_us[0] = first;
    late_us[1] = second;
    late_us[2] = third;
    assert_true(lapic_timer_calibrate());
    assert_int_equal(n_windows, WINDOWS);
    assert_int_equal(registers[START], 0);
    lapic_timer_in_us(1000);
    return registers[START];
}

TEST(the_smallest_window_counts)
{
    assert_int_equal(calibrated(0, 0, 0), TICKS_A_MS);
    assert_int_equal(calibrated(5000, 0, 700), TICKS_A_MS);
    assert_int_equal(calibrated(90000, 40000, 0), TICKS_A_MS);
    assert_int_equal(calibrated(0, 1000000, 1000000), TICKS_A_MS);
}

TEST(one_that_stands_still)
{
    lapic_registers = registers;
    n_windows = 0;
    stands_still = true;
    assert_false(lapic_timer_calibrate());
    stands_still = false;
}

/* Whoever is there, listed or not, but for the boot CPU itself: SDM vol. 3A, 11.6.1. */
TEST(init_to_all_others)
{
    lapic_registers = registers;
    lapic_send_init_to_others();
    assert_int_equal(registers[ICR], 3 << 18 | 1 << 14 | 5 << 8);
}
