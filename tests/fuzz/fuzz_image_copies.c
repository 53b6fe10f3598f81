// SPDX-License-Identifier: MIT
/*
 * Copies of the kernel image, damaged or not. The input: flags (1), and two copies of half the rest
 * each. With MEND the checksums of the first copy are corrected, for else few would be read.
 */
#include "boot/check/image_check.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "lib/crc32c.h"

#define MEND        1u
#define PLACED_MAX  64u /* pages */
#define BAD_NUMBERS 4u

static void mend(uint8_t *copy, size_t size)
{
    struct image_check *check = (void *)copy;

    if (size < sizeof(*check))
        return;
    check->magic = IMAGE_CHECK_MAGIC;
    check->n_pages = (uint32_t)(size / IMAGE_PAGE);
    for (uint32_t i = 1; i < check->n_pages && i < IMAGE_CHECK_PAGES_MAX; i++)
        check->crc[i] = crc32c(copy + (size_t)i * IMAGE_PAGE, IMAGE_PAGE);
    check->own_crc = crc32c(check, offsetof(struct image_check, own_crc));
}

static void check_copies(const struct image_copies *copies)
{
    const struct image_check *check = copies->check;
    uint32_t bad[BAD_NUMBERS], n_bad;
    uint8_t *to;

    CHECK(image_check_valid(check) && copies->n_copies <= IMAGE_COPIES_MAX);
    CHECK(check->n_pages <= IMAGE_CHECK_PAGES_MAX && check->n_fixed_pages <= check->n_pages);
    for (uint32_t page = 0; page < check->n_pages; page++) {
        const uint8_t *bytes = image_copies_page(copies, page);

        CHECK(!bytes || image_check_page(check, bytes, page));
    }
    if (check->n_memory_pages > PLACED_MAX)
        return;
    CHECK(check->n_memory_pages >= check->n_pages);
    to = calloc(check->n_memory_pages, IMAGE_PAGE);
    CHECK(to);
    for (uint32_t page = 0; page < check->n_memory_pages; page++)
        CHECK(image_copies_place(copies, page, to + page * IMAGE_PAGE) ==
              (page >= check->n_pages || image_copies_page(copies, page)));
    n_bad = image_check_pages(check, to, check->n_pages, bad, BAD_NUMBERS);
    for (uint32_t i = 0; i < n_bad && i < BAD_NUMBERS; i++)
        CHECK(bad[i] < check->n_pages && !image_copies_page(copies, bad[i]));
    free(to);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_input in = { bytes, size };
    uint64_t flags = fuzz_number(&in, 1);
    size_t half = in.left / 2;
    uint8_t *first = fuzz_copy(in.bytes, half),
            *second = fuzz_copy(in.bytes + half, in.left - half);
    struct image_copy copy[] = { { first, half }, { second, in.left - half } };
    struct image_copies copies;

    if (flags & MEND)
        mend(first, half);
    if (image_copies_open(copy, 2, &copies) == STATUS_OK)
        check_copies(&copies);
    free(first);
    free(second);
    return 0;
}
