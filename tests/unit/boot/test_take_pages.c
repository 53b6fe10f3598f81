// SPDX-License-Identifier: MIT
#include "boot/guard/take_pages.h"

#include "../guardlist/samples.h"

#include <efi.h>
#include <efilib.h>

#include "boot/guard/clock.h"
#include "lib/splitmix.h"

#define PAGES  256 /* of the machine */
#define ROOM   4096
#define ROUNDS 10000

enum {
    NO_RAM = 4,
    LOCKED
}; /* in addition to enum guard_use; LOCKED: free in the map, taken since then */

/* Firmware: what each page is, and what was asked. */
static struct {
    int use[PAGES];
    uint64_t now, us_a_call, last;
    unsigned calls, refused;
    bool is_ascending; /* a call for a page above the one before */
} firmware;

static uint8_t bytes[ROOM];
static struct guard_piece piece[PAGES];

uint64_t guard_clock_us(void)
{
    return firmware.now;
}

static EFI_STATUS EFIAPI allocate_pages(EFI_ALLOCATE_TYPE type, EFI_MEMORY_TYPE memory_type,
                                        UINTN n, EFI_PHYSICAL_ADDRESS *address)
{
    uint64_t first = *address >> EFI_PAGE_SHIFT;

    firmware.calls++;
    firmware.now += firmware.us_a_call;
    assert_int_equal(type, AllocateAddress);
    assert_int_equal(memory_type, EfiUnusableMemory);
    assert_int_equal(*address % EFI_PAGE_SIZE, 0);
    assert_true(n && first + n <= PAGES);
    firmware.is_ascending |= first + n > firmware.last && n > 1;
    firmware.last = first + n;
    for (UINTN i = 0; i < n; i++) {
        assert_true(firmware.use[first + i] == GUARD_FREE || firmware.use[first + i] == LOCKED ||
                    firmware.use[first + i] == GUARD_UNUSABLE);
        if (firmware.use[first + i] != GUARD_FREE) {
            firmware.refused++;
            return EFI_NOT_FOUND;
        }
    }
    for (UINTN i = 0; i < n; i++)
        firmware.use[first + i] = GUARD_UNUSABLE;
    return EFI_SUCCESS;
}

static EFI_BOOT_SERVICES services = { .AllocatePages = allocate_pages };
EFI_BOOT_SERVICES *BS = &services;

static void firmware_make(int use)
{
    memset(&firmware, 0, sizeof(firmware));
    firmware.last = PAGES;
    for (unsigned i = 0; i < PAGES; i++)
        firmware.use[i] = use;
}

/* The map as the guard has read it. */
static struct guard_ram_use map(void)
{
    struct guard_ram_use pieces = { piece, 0 };

    for (unsigned i = 0; i < PAGES; i++) {
        int use = firmware.use[i] == LOCKED ? GUARD_FREE : firmware.use[i];

        if (use == NO_RAM)
            continue;
        if (pieces.n && (int)piece[pieces.n - 1].use == use &&
            piece[pieces.n - 1].first + piece[pieces.n - 1].n == i)
            piece[pieces.n - 1].n++;
        else
            piece[pieces.n++] = (struct guard_piece){ i, 1, (enum guard_use)use };
    }
    return pieces;
}

static bool take(const struct guard_run *run, size_t n)
{
    struct guard_ram_use pieces = map();
    struct guard_list list;
    const char *why;

    assert_int_equal(guard_list_open(bytes, make_list(run, n, bytes, ROOM), &list, &why),
                     STATUS_OK);
    return guard_take_pages(&list, &pieces);
}

TEST(a_run_is_one_call)
{
    static const struct guard_run runs[] = { { 3, 1 }, { 10, 100 }, { 200, 56 } };

    firmware_make(GUARD_FREE);
    assert_true(take(runs, 3));
    assert_int_equal(firmware.calls, 3);
    assert_false(firmware.is_ascending);
    for (unsigned i = 0; i < PAGES; i++)
        assert_int_equal(firmware.use[i] == GUARD_UNUSABLE,
                         i == 3 || (i >= 10 && i < 110) || i >= 200);
}

TEST(a_run_in_use_is_taken_page_by_page)
{
    static const struct guard_run run = { 10, 20 };

    firmware_make(GUARD_FREE);
    firmware.use[15] = LOCKED;
    firmware.use[20] = GUARD_HELD;
    assert_true(take(&run, 1));
    for (unsigned i = 10; i < 30; i++)
        assert_int_equal(firmware.use[i], i == 15   ? LOCKED
                                          : i == 20 ? (int)GUARD_HELD
                                                    : (int)GUARD_UNUSABLE);
    assert_int_equal(firmware.refused, 2); /* the part, and its page */
}

TEST(ends_when_the_time_is_over)
{
    static const struct guard_run runs[] = { { 1, 1 }, { 3, 1 }, { 5, 1 } };
    static const struct guard_run long_run = { 0, PAGES };

    firmware_make(GUARD_FREE);
    firmware.us_a_call = 40 * 1000 * 1000;
    assert_false(take(runs, 3));
    assert_int_equal(firmware.calls, 2);
    assert_int_equal(firmware.use[1], GUARD_FREE);

    firmware_make(GUARD_FREE);
    firmware.use[PAGES - 1] = LOCKED;
    firmware.us_a_call = 1000 * 1000;
    assert_false(take(&long_run, 1));
    assert_int_equal(firmware.calls, 61);
}

TEST(addresses_far_beyond)
{
    static const struct guard_run runs[] = { { 0, GUARD_LIST_PAGES } };

    firmware_make(NO_RAM);
    firmware.use[7] = GUARD_FREE;
    assert_true(take(runs, 1));
    assert_int_equal(firmware.calls, 1);
    assert_int_equal(firmware.use[7], GUARD_UNUSABLE);
}

/* Whatever is listed: exactly the listed pages that are free are taken, and no other is asked for.
 */
TEST(random_lists)
{
    uint64_t seed = 11;

    for (unsigned round = 0; round < ROUNDS; round++) {
        struct guard_run run[PAGES];
        int before[PAGES];
        bool listed[PAGES] = { false };
        size_t n = 0;

        firmware_make(GUARD_FREE);
        for (unsigned i = 0, left = 0, use = 0; i < PAGES; i++, left--) {
            if (!left) {
                left = 1 + (unsigned)splitmix_below(&seed, 30);
                use = (unsigned)splitmix_below(&seed, 6);
            }
            firmware.use[i] = before[i] = (int)use;
        }
        for (uint64_t at = splitmix_below(&seed, 50); at < 2 * PAGES;
             at += run[n - 1].n + 1 + splitmix_below(&seed, 50)) {
            run[n++] = (struct guard_run){ at, 1 + splitmix_below(&seed, 40) };
            for (uint64_t i = at; i < at + run[n - 1].n && i < PAGES; i++)
                listed[i] = true;
        }
        assert_true(take(run, n));
        for (unsigned i = 0; i < PAGES; i++)
            assert_int_equal(firmware.use[i], listed[i] && before[i] == GUARD_FREE
                                                  ? (int)GUARD_UNUSABLE
                                                  : before[i]);
    }
}
