// SPDX-License-Identifier: MIT
/*
 * The stub: copies okram from where GRUB loaded it, which is untested memory, to pages that have
 * passed a march. Until then it writes to its work area only, which stub.asm has tested.
 */
#include "boot/boot_info.h"
#include "boot/check/image_check.h"
#include "boot/load/early_tables.h"
#include "boot/load/good_pages.h"
#include "boot/load/page_march.h"
#include "boot/long_mode/long_mode.h"
#include "boot/multiboot2/stub/free_ram.h"
#include "boot/multiboot2/stub/print.h"
#include "boot/multiboot2/tag.h"

/* The image's pages that stub.asm keeps the stub in. */
#define STUB_FIRST 1
#define STUB_LAST  3

/* Tested pages for each dot that is shown: none where all is well. */
#define PAGES_A_DOT GOOD_PAGES_RUN_TRIES

/* The lower end of the work area: what is passed to stub.asm and entry.asm. */
struct stub_work {
    struct bad_pages bad;
    uint32_t root;  /* of the early page tables */
    uint32_t entry; /* the kernel's, an offset from BOOT_KERNEL_VIRT */
};
_Static_assert(offsetof(struct stub_work, root) == 516, "stub.asm has this, too");

/* What GRUB passed. */
struct loaded {
    const uint32_t *info;
    struct image_copy copy[IMAGE_COPIES_MAX]; /* the image first, then modules */
    uint32_t n_copies;
    struct free_ram free_ram;
};

static void use(struct loaded *l, uint32_t start, uint32_t end, bool is_copy)
{
    if (l->free_ram.n_used < FREE_RAM_USED_MAX)
        l->free_ram.used[l->free_ram.n_used++] = (struct span){ start, end - start };
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

        if (t->type == TAG_MEMORY_MAP && t->size >= sizeof(*l->free_ram.map))
            l->free_ram.map = (const void *)t;
        if (t->type == TAG_MODULE && t->size >= sizeof(*module) && module->end > module->start)
            use(l, module->start, module->end, true);
    }
}

_Noreturn static void refuse_damaged(const struct loaded *l, uint32_t page)
{
    refuse(l->info,
           "The page of okram at # is damaged, by faulty memory or in the file, and no good copy "
           "of it was loaded (GRUB: module2 /boot/okram.copy). Nothing was tested.",
           (uint32_t[]){ (uintptr_t)l->copy[0].bytes + page * IMAGE_PAGE });
}

/* Of a page that is damaged in all copies, or was while it was copied. */
_Noreturn static void refuse_lost(const struct loaded *l, const struct image_copies *copies)
{
    uint32_t page = image_copies_first_lost(copies);

    if (page < copies->check->n_pages)
        refuse_damaged(l, page);
    refuse(l->info,
           "While okram was copied, every copy of one of its pages was damaged. Nothing was "
           "tested.",
           NULL);
}

/* The search through free memory, from the lowest page up. */
struct search {
    const struct free_ram *free_ram;
    uint64_t from;
    uint32_t n_dots;
    struct printed printed;
};

static uint32_t next_pages(void *ctx, uint32_t *ret_page)
{
    struct search *s = ctx;
    uint32_t n = 0;

    for (uint64_t at; n < PAGE_SOURCE_CHUNK; s->from = at + PAGE_SIZE) {
        at = free_ram_next(s->free_ram, s->from, PAGE_SIZE);
        if (!at || (n && at >> PAGE_SHIFT != ret_page[n - 1] + 1))
            break;
        ret_page[n++] = (uint32_t)(at >> PAGE_SHIFT);
    }
    return n;
}

static void show_search(void *ctx, uint32_t n_tested)
{
    struct search *s = ctx;

    if (n_tested / PAGES_A_DOT == s->n_dots)
        return;
    if (!s->n_dots++)
        print(&s->printed, "okram: looking for fault-free memory ", NULL);
    print(&s->printed, ".", NULL);
}

#define TOO_LITTLE                                                                                 \
    "Only # bytes of fault-free memory found between 1 MiB and 4 GiB; okram needs #. Nothing was " \
    "tested."

static void place_kernel(const struct loaded *l, const struct image_copies *copies,
                         struct stub_work *work, struct good_pages *ret_pages)
{
    const struct image_check *check = copies->check;
    struct search search = { .free_ram = &l->free_ram };
    struct page_source source = { next_pages, show_search, &search };
    enum status status;

    *ret_pages = (struct good_pages){ .wanted = check->n_memory_pages, .bad = &work->bad };
    status = load_image(copies, ret_pages, &source);
    if (status == STATUS_INVALID)
        refuse_lost(l, copies);
    if (status != STATUS_OK)
        refuse(l->info,
               good_pages_pass_again(ret_pages) ? TOO_LITTLE " " GOOD_PAGES_PASSED_AGAIN
                                                : TOO_LITTLE,
               (uint32_t[]){ ret_pages->n * IMAGE_PAGE, ret_pages->wanted * IMAGE_PAGE });
    work->root = (uint32_t)early_tables_fill(ret_pages->page, ret_pages->n, check->early_tables,
                                             NULL, false);
    work->entry = check->entry;
}

/* A page that shares cells with the kernel is bad, and no march may write to it. */
static void test(uint8_t *page, const struct good_pages *kernel)
{
    if (good_pages_share(kernel, page) || page_march_one(page))
        bad_pages_add(kernel->bad, (uintptr_t)page);
}

/*
 * A copy may be damaged in the file, too, or by a faulty cell that GRUB has copied it through: the
 * march finds out whether its page is bad. The stub cannot march over its own pages, which it runs
 * in: these are not judged, and are tested with all other memory once the kernel runs.
 */
static void test_damaged(const struct image_copy *copy, bool holds_stub,
                         const struct good_pages *kernel)
{
    const struct image_check *check = page_pointer(kernel->page[0]);

    for (uint32_t page = 0; page < check->n_pages; page++) {
        uint8_t *at = (uint8_t *)(uintptr_t)copy->bytes + page * IMAGE_PAGE;

        if (holds_stub && page >= STUB_FIRST && page <= STUB_LAST)
            continue;
        if (!image_check_page(check, at, page))
            test(at, kernel);
    }
}

/*
 * stub.asm skipped what of the bss is before the work area as faulty: the march finds out which
 * pages are.
 */
static void test_skipped(uint8_t *bss, const uint8_t *end, const struct stub_work *work,
                         const struct good_pages *kernel)
{
    for (; bss < end && bss < (const uint8_t *)work; bss += IMAGE_PAGE)
        test(bss, kernel);
}

/* work: the work area, in the bss of the image that GRUB loaded or after all of it. */
void stub_main(struct stub_work *work, const uint32_t *info, uint8_t *image, uint8_t *bss,
               uint8_t *end);

__attribute__((section(".text.stub_main"))) void
stub_main(struct stub_work *work, const uint32_t *info, uint8_t *image, uint8_t *bss, uint8_t *end)
{
    struct loaded loaded = { .info = info };
    const char *why = cpu_check();
    struct image_copies copies;
    struct good_pages kernel;

    if (why)
        refuse(info, why, NULL);
    work->bad.n = 0;
    use(&loaded, (uintptr_t)image, (uintptr_t)end, true);
    use(&loaded, (uintptr_t)info, (uintptr_t)info + info[0], false);
    use(&loaded, (uintptr_t)work, (uintptr_t)work + IMAGE_PAGE, false);
    read_tags(&loaded);
    if (!loaded.free_ram.map)
        refuse(info, "The boot loader passed no memory map. Nothing was tested.", NULL);
    if (image_copies_open(loaded.copy, loaded.n_copies, &copies) != STATUS_OK)
        refuse_damaged(&loaded, 0);
    place_kernel(&loaded, &copies, work, &kernel);
    for (uint32_t i = 0; i < copies.n_copies; i++) {
        if ((uintptr_t)copies.copy[i].bytes % IMAGE_PAGE == 0)
            test_damaged(&copies.copy[i], copies.copy[i].bytes == image, &kernel);
    }
    test_skipped(bss, end, work, &kernel);
}
