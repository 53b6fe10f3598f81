#include "boot/place/settle.h"

#include "boot/place/march.h"

uint64_t settle_at(const struct image_copies *copies, uint8_t *at, uint64_t bytes,
                   struct bad_pages *bad)
{
    uint64_t bad_end = march_pages(at, bytes, bad);

    if (bad_end)
        return bad_end;
    image_copies_place(copies, at);
    march_flush(at, bytes);
    for (uint32_t page = 0; page < copies->check->n_pages; page++) {
        uint8_t *placed = at + page * IMAGE_PAGE;

        if (image_check_page(copies->check, placed, page))
            continue;
        bad_pages_add(bad, (uintptr_t)placed);
        bad_end = (uintptr_t)placed + IMAGE_PAGE;
    }
    return bad_end;
}
