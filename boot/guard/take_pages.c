// SPDX-License-Identifier: MIT
#include "take_pages.h"

#include <efi.h>
#include <efilib.h>

#include "clock.h"

/* No boot takes longer than this. */
#define TIME_MAX_US (UINT64_C(60) * 1000 * 1000)

static EFI_STATUS take(uint64_t first, uint64_t n)
{
    EFI_PHYSICAL_ADDRESS address = first << EFI_PAGE_SHIFT;

    return BS->AllocatePages(AllocateAddress, EfiUnusableMemory, n, &address);
}

static bool take_part(const struct guard_piece *part, uint64_t deadline)
{
    if (part->use != GUARD_FREE || !EFI_ERROR(take(part->first, part->n)) || part->n == 1)
        return true;
    for (uint64_t i = part->n; i-- > 0;) {
        if (guard_clock_us() > deadline)
            return false;
        take(part->first + i, 1);
    }
    return true;
}

bool guard_take_pages(const struct guard_list *list, const struct guard_ram_use *pieces)
{
    struct guard_back_reader reader = guard_list_read_back(list);
    uint64_t deadline = guard_clock_us() + TIME_MAX_US;
    struct guard_run run;

    while (guard_back_reader_next(&reader, &run)) {
        uint64_t end = run.first + run.n;
        struct guard_piece part;

        do {
            part = guard_ram_use_part(pieces, run);
            if (guard_clock_us() > deadline || (part.n && !take_part(&part, deadline)))
                return false;
            run = (struct guard_run){ part.first + part.n, end - part.first - part.n };
        } while (part.n && run.n);
    }
    return true;
}
