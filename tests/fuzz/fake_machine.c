// SPDX-License-Identifier: MIT
#include "fake_machine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "device/pci.h"
#include "devices/arch/cpu.h"
#include "devices/arch/mmio.h"
#include "devices/arch/paging.h"
#include "devices/machine/machine.h"
#include "event/notices.h"
#include "fake_clock.h"
#include "fuzz.h"
#include "memory/arena.h"

#define PAGES_MAX       256
#define FIRST_PAGE      UINT64_C(0x1000) /* page number */
#define STEP            3u               /* pages of the machine from one to the next */
#define PAGES_IN(bytes) ((bytes) / PAGE_SIZE)

static struct {
    struct fake_registers registers;
    uint64_t looks;           /* at registers */
    uint8_t *page[PAGES_MAX]; /* each a heap block, so that an access past its end is seen */
    uint32_t n_pages;
    struct page_list place;
    struct place_run run[PAGES_MAX];
    void *allocated;
    bool mapped[PAGES_IN(FAKE_BAR_BYTES)];
    struct {
        uint32_t config[64];
    } function[2];
    unsigned n_functions;
} fake;

static struct fuzz_warnings counted;

static void take_warning(void *ctx, const char *text)
{
    struct fuzz_warnings *w = ctx;
    struct warnings to = fuzz_warnings(&(struct fuzz_warnings){ 0 });

    to.warn(to.ctx, text);
    w->n++;
}

const struct warnings notices = { take_warning, &counted };

/* Addresses that are never accessed. */
static uint8_t *window(void)
{
    static uint8_t *at;

    if (!at)
        at = mmap(NULL, FAKE_BAR_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(at != MAP_FAILED);
    return at;
}

void fake_machine_begin(struct fake_registers registers, uint32_t class_code)
{
    fake_clock_begin();
    memset(&fake, 0, sizeof(fake));
    fake.registers = registers;
    fake_add_function(class_code)[PCI_BAR0 / 4] = (uint32_t)FAKE_BAR;
}

void fake_machine_end(void)
{
    for (uint32_t i = 0; i < fake.n_pages; i++)
        free(fake.page[i]);
    free(fake.allocated);
    fake.n_pages = 0;
    fake.allocated = NULL;
}

unsigned fake_turns_bit;

void cpu_flush_line(const volatile void *at)
{
    if (fake_turns_bit && --fake_turns_bit == 0)
        *(volatile uint8_t *)(uintptr_t)at ^= 4;
}

uint64_t fake_machine_looks(void)
{
    return fake.looks + fake_clock_looks();
}

uint32_t *fake_config(void)
{
    return fake.function[0].config;
}

uint32_t *fake_add_function(uint32_t class_code)
{
    uint32_t *config = fake.function[fake.n_functions++].config;

    config[PCI_ID / 4] = 0x12348086;
    config[PCI_CLASS / 4] = class_code << 8;
    return config;
}

static uint8_t *find(uint64_t phys, size_t size)
{
    uint64_t offset = phys - (FIRST_PAGE << PAGE_SHIFT), page = offset >> PAGE_SHIFT;

    if (page % STEP || page / STEP >= fake.n_pages || size > PAGE_SIZE - offset % PAGE_SIZE)
        return NULL;
    return fake.page[page / STEP] + offset % PAGE_SIZE;
}

void *fake_dma(uint64_t phys, size_t size)
{
    uint8_t *at = find(phys, size);

    if (!(fake_config()[PCI_COMMAND / 4] & PCI_COMMAND_MASTER))
        return NULL;
    CHECK(at);
    return at;
}

void *direct(uint64_t phys)
{
    uint8_t *at = find(phys, 1);

    if (phys == FAKE_BAR)
        return window();
    CHECK(at);
    return at;
}

void *paging_map_direct(uint64_t phys, uint64_t size, unsigned flags)
{
    CHECK(phys >= FAKE_BAR && phys % PAGE_SIZE == 0 && size % PAGE_SIZE == 0);
    CHECK(size <= FAKE_BAR_BYTES && phys - FAKE_BAR <= FAKE_BAR_BYTES - size);
    CHECK(flags & PAGING_UNCACHED);
    for (uint64_t at = phys - FAKE_BAR; at < phys - FAKE_BAR + size; at += PAGE_SIZE)
        fake.mapped[PAGES_IN(at)] = true;
    return window() + (phys - FAKE_BAR);
}

bool machine_has_memory_at(uint64_t phys, uint64_t bytes)
{
    return phys < FAKE_BAR;
}

static uint32_t offset_of(const volatile void *at)
{
    uintptr_t offset = (uintptr_t)at - (uintptr_t)window();

    CHECK(offset < FAKE_BAR_BYTES && offset % 4 == 0 && fake.mapped[PAGES_IN(offset)]);
    fake.looks++;
    return (uint32_t)offset;
}

uint32_t mmio_read32(const volatile void *at)
{
    return fake.registers.read(fake.registers.ctx, offset_of(at));
}

void mmio_write32(volatile void *at, uint32_t value)
{
    fake.registers.write(fake.registers.ctx, offset_of(at), value);
}

/* Without a search of all buses, which takes most of the time: kernel/hw/device/pci.c has its
 * target.
 */
void pci_for_each(void (*found)(void *ctx, struct pci_function f), void *ctx)
{
    for (unsigned i = 0; i < fake.n_functions; i++)
        found(ctx, pci_function_at(0, i, 0));
}

struct pci_function pci_function_at(unsigned bus, unsigned device, unsigned number)
{
    return (struct pci_function){ device };
}

uint32_t pci_read(struct pci_function f, uint8_t offset)
{
    return fake.function[f.address].config[offset / 4];
}

void pci_write(struct pci_function f, uint8_t offset, uint32_t value)
{
    fake.function[f.address].config[offset / 4] = value;
}

uint64_t pci_memory_bar0(struct pci_function f)
{
    return pci_read(f, PCI_BAR0);
}

void pci_power_up(struct pci_function f)
{
}

void *arena_alloc(uint64_t bytes)
{
    CHECK(!fake.allocated);
    fake.allocated = calloc(1, bytes);
    CHECK(fake.allocated);
    return fake.allocated;
}

/* Scattered: no page adjoins another. */
const struct page_list *arena_alloc_dma(uint64_t pages)
{
    CHECK(pages && pages <= PAGES_MAX && !fake.n_pages);
    page_list_init(&fake.place, fake.run, PAGES_MAX);
    for (uint64_t i = 0; i < pages; i++) {
        const struct span page = { (FIRST_PAGE + i * STEP) << PAGE_SHIFT, PAGE_SIZE };

        CHECK(page_list_add(&fake.place, page) == STATUS_OK);
        fake.page[fake.n_pages++] = malloc(PAGE_SIZE);
        CHECK(fake.page[i]);
        memset(fake.page[i], 0xa5, PAGE_SIZE);
    }
    return &fake.place;
}
