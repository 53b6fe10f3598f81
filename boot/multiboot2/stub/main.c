/*
 * The stub: okram as GRUB put it, in memory that nobody has tested, becomes a kernel in memory that
 * has passed a march. All it writes to before is its work area, which stub.asm has tested.
 */
#include "boot/check/image_copies.h"
#include "boot/multiboot2/stub/cpu.h"
#include "boot/multiboot2/stub/places.h"
#include "boot/multiboot2/stub/refuse.h"
#include "boot/multiboot2/tag.h"
#include "boot/place/march.h"
#include "boot/place/settle.h"

/* The image's pages that stub.asm keeps the stub in. */
#define STUB_FIRST 1
#define STUB_LAST  2

/* What GRUB handed over. */
struct loaded {
    const uint32_t *info;
    struct image_copy copy[IMAGE_COPIES_MAX]; /* the image first, then modules */
    uint32_t n_copies;
    struct places places;
};

static void use(struct loaded *l, uint32_t start, uint32_t end, bool is_copy)
{
    if (l->places.n_used < PLACES_USED_MAX)
        l->places.used[l->places.n_used++] = (struct span){ start, end - start };
    if (is_copy && l->n_copies < IMAGE_COPIES_MAX)
        l->copy[l->n_copies++] =
            (struct image_copy){ (const uint8_t *)(uintptr_t)start, end - start };
}

static void read_tags(struct loaded *l)
{
    const uint32_t *info = l->info;
    size_t at = TAGS_START;
    const struct tag *t;

    while ((t = tag_next(info, info[0], &at)) && t->type != TAG_END) {
        const struct tag_module *module = (const void *)t;

        if (t->type == TAG_MEMORY_MAP && t->size >= sizeof(*l->places.map))
            l->places.map = (const void *)t;
        if (t->type == TAG_MODULE && t->size >= sizeof(*module) && module->end > module->start)
            use(l, module->start, module->end, true);
    }
}

/* The first page that is damaged in every copy; n_pages: there is none. */
static uint32_t lost_page(const struct image_copies *copies)
{
    uint32_t page = 0;

    while (page < copies->check->n_pages && image_copies_page(copies, page))
        page++;
    return page;
}

static void open_copies(const struct loaded *l, struct image_copies *copies)
{
    uint32_t page = 0;

    if (image_copies_open(l->copy, l->n_copies, copies) == STATUS_OK) {
        page = lost_page(copies);
        if (page == copies->check->n_pages)
            return;
    }
    refuse(l->info,
           "The page of okram at # is damaged, by a hole in this memory or in the file, and no "
           "good copy of it was loaded (GRUB: module2 /boot/okram.copy). Nothing was tested.",
           (uintptr_t)l->copy[0].bytes + page * IMAGE_PAGE);
}

static uint8_t *place_kernel(const struct loaded *l, const struct image_copies *copies,
                             struct bad_pages *bad)
{
    uint64_t size = copies->check->n_memory_pages * (uint64_t)IMAGE_PAGE, from = 0, at;

    while ((at = places_next(&l->places, from, size))) {
        uint8_t *place = (uint8_t *)(uintptr_t)at;

        from = settle_at(copies, place, size, bad);
        if (!from)
            return place;
    }
    refuse(l->info,
           "There is no memory without holes between 1 MiB and 4 GiB that has room for okram, # "
           "bytes in one piece. Nothing was tested.",
           (uint32_t)size);
}

/* A damaged copy may be the file's fault: the march tells. The stub's own pages have to wait. */
static void test_damaged(const struct image_check *check, const struct image_copy *copy,
                         bool holds_stub, struct bad_pages *bad)
{
    for (uint32_t page = 0; page < check->n_pages; page++) {
        uint8_t *at = (uint8_t *)(uintptr_t)copy->bytes + page * IMAGE_PAGE;

        if (holds_stub && page >= STUB_FIRST && page <= STUB_LAST)
            continue;
        if (!image_check_page(check, at, page))
            march_pages(at, IMAGE_PAGE, bad);
    }
}

/*
 * work: the work area, which lies in the bss of the image that GRUB loaded, behind pages that were
 * passed by as unsound. Returns where the kernel is. *work is then what entry.asm hands on.
 */
uint8_t *stub_main(struct bad_pages *work, const uint32_t *info, uint8_t *image, uint8_t *bss,
                   uint8_t *end);

__attribute__((section(".text.stub_main"))) uint8_t *
stub_main(struct bad_pages *work, const uint32_t *info, uint8_t *image, uint8_t *bss, uint8_t *end)
{
    struct loaded loaded = { .info = info };
    struct image_copies copies;
    uint8_t *placed;

    cpu_prepare(info);
    work->n = 0;
    use(&loaded, (uintptr_t)image, (uintptr_t)end, true);
    use(&loaded, (uintptr_t)info, (uintptr_t)info + info[0], false);
    read_tags(&loaded);
    if (!loaded.places.map)
        refuse(info, "The boot loader gave no memory map. Nothing was tested.", 0);
    open_copies(&loaded, &copies);
    placed = place_kernel(&loaded, &copies, work);
    for (uint32_t i = 0; i < copies.n_copies; i++) {
        if ((uintptr_t)copies.copy[i].bytes % IMAGE_PAGE == 0)
            test_damaged((const void *)placed, &copies.copy[i], copies.copy[i].bytes == image,
                         work);
    }
    march_pages(bss, (uint64_t)((uint8_t *)work - bss), work);
    return placed;
}
