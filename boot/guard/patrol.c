// SPDX-License-Identifier: MIT
#include "patrol.h"

#include <efilib.h>

#include "boot/guard/patrol/patrol_march.h"
#include "boot/guard/patrol/patrol_walk.h"
#include "clock.h"
#include "lib/string.h"
#include "memory.h"
#include "saved/saved.h"

#define PLACE_NAME       L"OkramPatrol"
#define PLACE_ATTRIBUTES (EFI_VARIABLE_NON_VOLATILE | EFI_VARIABLE_BOOTSERVICE_ACCESS)

/* For writing the place and the list: some times what a variable took before the patrol. */
#define RESERVE_WRITES 4
#define RESERVE_MIN_US 100000

static EFI_GUID vendor = SAVED_GUID;

struct round {
    struct guard_patrol *patrol;
    struct patrol_cursor place;
    uint64_t deadline_us;
};

static bool key_is_pressed(void)
{
    EFI_INPUT_KEY key;

    return ST->ConIn && BS->CheckEvent(ST->ConIn->WaitForKey) == EFI_SUCCESS &&
           !EFI_ERROR(ST->ConIn->ReadKeyStroke(ST->ConIn, &key));
}

static bool is_over(void *ctx)
{
    struct round *round = ctx;

    if (!round->patrol->why && key_is_pressed())
        round->patrol->why = "a key was pressed";
    return round->patrol->why || guard_clock_us() >= round->deadline_us;
}

static uint64_t left_us(const struct round *round)
{
    uint64_t now = guard_clock_us();

    return now < round->deadline_us ? round->deadline_us - now : 0;
}

static bool take(struct span block)
{
    EFI_PHYSICAL_ADDRESS address = block.base;

    return !EFI_ERROR(
        BS->AllocatePages(AllocateAddress, EfiUnusableMemory, block.size / PAGE_SIZE, &address));
}

/*
 * Where firmware has taken memory since the map was read, smaller blocks, and then those after it.
 */
static bool take_next(struct round *round, struct patrol_walk *walk, uint64_t bytes,
                      struct span *ret_block)
{
    while (!is_over(round) && patrol_walk_next(walk, bytes, ret_block)) {
        if (take(*ret_block))
            return true;
        if (ret_block->size > PATROL_BLOCK_MIN) {
            bytes = align_up(ret_block->size / 2, PAGE_SIZE);
            patrol_walk_back(walk, *ret_block);
        }
    }
    return false;
}

static void note_found(struct guard_patrol *patrol, uint64_t page)
{
    if (patrol->n_found == GUARD_PATROL_FOUND_MAX)
        patrol->why = "there are too many bad pages: test with okram";
    else
        patrol->found[patrol->n_found++] = page;
}

/* Gives the good pages back, and keeps the bad ones. */
static void settle(struct guard_patrol *patrol, const struct patrol_found *found)
{
    uint64_t n = found->block.size / PAGE_SIZE, first = 0;

    for (uint64_t i = 0; i <= n; i++) {
        if (i < n && !patrol_found_is_bad(found, i))
            continue;
        if (i > first)
            BS->FreePages(found->block.base + first * PAGE_SIZE, i - first);
        if (i < n)
            note_found(patrol, found->block.base / PAGE_SIZE + i);
        first = i + 1;
    }
}

/* False: it was aborted. */
static bool test_block(struct round *round, uint32_t lap, struct span block)
{
    static struct patrol_found found;
    const struct patrol_march march = {
        .ops = &line_ops_sse2,
        .lap = lap,
        .is_over = is_over,
        .ctx = round,
    };
    bool is_whole = patrol_march_run(&march, block, &found);

    settle(round->patrol, &found);
    return is_whole;
}

/* Tests block after block; the place is then where to go on. */
static void walk_memory(struct round *round, const struct guard_ram_use *pieces)
{
    struct patrol_walk walk = patrol_walk_begin(pieces, round->place.page << PAGE_SHIFT);
    uint64_t begin = guard_clock_us(), bytes;
    struct patrol_pace pace = { 0 };
    struct span block;

    while ((bytes = patrol_pace_block(pace, left_us(round))) != 0 &&
           take_next(round, &walk, bytes, &block)) {
        if (!test_block(round, round->place.lap + walk.wrapped, block)) {
            patrol_walk_back(&walk, block);
            break;
        }
        pace.bytes += block.size;
        pace.us = guard_clock_us() - begin;
    }
    round->patrol->bytes = pace.bytes;
    round->place.page = walk.next >> PAGE_SHIFT;
    round->place.lap += walk.wrapped;
}

/*
 * A variable that is not such a cursor is deleted, and memory is tested from the lowest address on.
 */
static struct patrol_cursor read_place(void)
{
    uint64_t packed = 0;
    UINTN size = sizeof(packed);
    UINT32 attributes = 0;
    EFI_STATUS status = RT->GetVariable(PLACE_NAME, &vendor, &attributes, &size, &packed);

    if (status == EFI_NOT_FOUND)
        return (struct patrol_cursor){ 0 };
    if (EFI_ERROR(status) || size != sizeof(packed) || attributes != PLACE_ATTRIBUTES) {
        RT->SetVariable(PLACE_NAME, &vendor, 0, 0, NULL);
        return (struct patrol_cursor){ 0 };
    }
    return patrol_cursor_unpack(packed);
}

static EFI_STATUS write_place(struct patrol_cursor place)
{
    uint64_t packed = patrol_cursor_pack(place);

    return RT->SetVariable(PLACE_NAME, &vendor, PLACE_ATTRIBUTES, sizeof(packed), &packed);
}

/* False: there is no patrol at this boot. */
static bool begin(struct round *round)
{
    struct guard_patrol *patrol = round->patrol;

    round->place = read_place();
    if (round->place.unfinished++ >= PATROL_UNFINISHED_MAX)
        patrol->why = "it did not end at the last two boots: test with okram";
    else if (EFI_ERROR(write_place(round->place)))
        patrol->why = "firmware does not store how far it got";
    patrol->next = round->place.page << PAGE_SHIFT;
    patrol->lap = round->place.lap;
    return !patrol->why;
}

/* Between the begin and the end of what was promised. */
static uint64_t reserve_us(uint64_t promised_us, uint64_t write_us)
{
    return min_u64(max_u64(RESERVE_WRITES * write_us, RESERVE_MIN_US), promised_us / 2);
}

void guard_patrol_run(unsigned seconds, struct guard_patrol *ret_patrol)
{
    uint64_t promised_us = min_u64(seconds, GUARD_PATROL_MAX_S) * UINT64_C(1000000);
    uint64_t started_us = guard_clock_us();
    struct round round = { .patrol = ret_patrol };
    struct guard_memory memory;

    memset(ret_patrol, 0, sizeof(*ret_patrol));
    if (!begin(&round))
        return;
    round.deadline_us =
        started_us + promised_us - reserve_us(promised_us, guard_clock_us() - started_us);
    if (EFI_ERROR(guard_memory_read(&memory))) {
        ret_patrol->why = "firmware has no memory map";
    } else {
        ret_patrol->free_bytes = patrol_walk_bytes(&memory.pieces);
        ret_patrol->why = ret_patrol->free_bytes ? NULL : "there is no free memory";
        walk_memory(&round, &memory.pieces);
        guard_memory_free(&memory);
    }
    round.place.unfinished = 0;
    write_place(round.place);
    ret_patrol->next = round.place.page << PAGE_SHIFT;
    ret_patrol->us = guard_clock_us() - started_us;
}
