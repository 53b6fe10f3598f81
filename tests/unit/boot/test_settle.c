#define _GNU_SOURCE
#include "boot/place/settle.h"

#include "faulty.h"
#include "image.h"

#define WINDOW_PAGES (IMAGE_MEMORY_PAGES + 1) /* room for something behind the image */

static union image image, second;
static struct image_copies copies;
static struct bad_pages bad;

static uint64_t settle(uint8_t *memory)
{
    const struct image_copy copy[] = {
        { image.byte, sizeof(image) },
        { second.byte, sizeof(second) },
    };

    memset(&bad, 0, sizeof(bad));
    assert_int_equal(image_copies_open(copy, 2, &copies), STATUS_OK);
    return settle_at(&copies, memory, WINDOW_PAGES * IMAGE_PAGE, &bad);
}

static void sound_place(void **state)
{
    uint8_t *memory = faulty_make(WINDOW_PAGES * IMAGE_PAGE, NULL, 0);

    image_make(&image, 15);
    second = image;
    second.page[4][0] ^= 1;
    assert_int_equal(settle(memory), 0);
    assert_int_equal(bad.n, 0);
    assert_memory_equal(memory, &image, sizeof(image));
    for (size_t i = sizeof(image); i < IMAGE_MEMORY_PAGES * IMAGE_PAGE; i++)
        assert_int_equal(memory[i], 0);
    faulty_free();
}

/* In the image, and behind it: nothing is put there. */
static void place_with_a_hole(void **state)
{
    static const size_t pages[] = { 3, WINDOW_PAGES - 1 };

    image_make(&image, 16);
    second = image;
    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
        struct faulty_cell cell = { STUCK1, (pages[i] * IMAGE_PAGE + 777) * 8 + 2, 0 };
        uint8_t *memory = faulty_make(WINDOW_PAGES * IMAGE_PAGE, &cell, 1);
        uint64_t page = (uintptr_t)memory + pages[i] * IMAGE_PAGE;

        assert_int_equal(settle(memory), page + IMAGE_PAGE);
        assert_int_equal(bad.n, 1);
        assert_int_equal(bad.page[0], page);
        assert_memory_not_equal(memory, &image, sizeof(image));
        faulty_free();
    }
}

/* Damage that only shows once the image is there. */
static void image_that_does_not_arrive(void **state)
{
    uint8_t *memory = faulty_make(WINDOW_PAGES * IMAGE_PAGE, NULL, 0);

    image_make(&image, 17);
    second = image;
    image.page[2][5] ^= 1;
    second.page[2][5] ^= 1;
    assert_int_equal(settle(memory), (uintptr_t)memory + 3 * IMAGE_PAGE);
    assert_int_equal(bad.n, 1);
    assert_int_equal(bad.page[0], (uintptr_t)memory + 2 * IMAGE_PAGE);
    faulty_free();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_place),
        cmocka_unit_test(place_with_a_hole),
        cmocka_unit_test(image_that_does_not_arrive),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
