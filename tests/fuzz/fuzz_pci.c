// SPDX-License-Identifier: MIT
/*
 * PCI functions whose configuration space holds anything: their BARs, the way to D0, and whether
 * they lose bus mastering. All are on bus 0, with which each search ends here. The input: bits that
 * all reads have (4), bytes of the registers at a BAR (2), the registers, and functions: device
 * (1), function (1), bytes of its configuration space (1), which follow.
 */
#include "device/pci.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "dma/dma.h"
#include "fake_clock.h"
#include "fuzz.h"
#include "io/ports.h"

#define FUNCTIONS_MAX 8
#define REGISTERS     0x10000
#define COMMAND_BITS  0xffffu
#define BUS           0xff0000u

/* Of a search of bus 0, and of all that is read of those functions. */
#define ACCESSES_MAX (32 + FUNCTIONS_MAX * 600)

struct function {
    uint32_t where; /* device << 11 | function << 8 */
    uint32_t word[64];
};

static struct {
    struct function function[FUNCTIONS_MAX];
    size_t n;
    uint32_t always, address;
    unsigned accesses;
    uint32_t *registers; /* or NULL */
    bool allows_power;   /* its control is written */
} pci;

static jmp_buf searched;

static struct function *selected(void)
{
    for (size_t i = 0; i < pci.n; i++) {
        if (pci.function[i].where == (pci.address & 0xffff00))
            return &pci.function[i];
    }
    return NULL;
}

uint32_t io_in32(uint16_t port)
{
    const struct function *f = selected();

    CHECK(pci.accesses++ < ACCESSES_MAX);
    if (port == 0xcf8)
        return pci.address;
    if (pci.address & BUS)
        longjmp(searched, 1);
    CHECK(port == 0xcfc && pci.address >> 31 && pci.address % 4 == 0);
    return f ? f->word[(pci.address & 0xff) / 4] | pci.always : UINT32_MAX;
}

/* Only the command, with the status left as it is, and the power state are ever written. */
void io_out32(uint16_t port, uint32_t value)
{
    struct function *f = selected();
    unsigned at = (pci.address & 0xff) / 4;

    CHECK(port == 0xcf8 || (port == 0xcfc && f));
    if (port == 0xcf8) {
        pci.address = value;
        return;
    }
    if (at == PCI_COMMAND / 4)
        CHECK(!(value & ~COMMAND_BITS));
    else
        CHECK(pci.allows_power && (value & 3) == 0 &&
              (value | 3) == (f->word[at] | pci.always | 3));
    f->word[at] = at == PCI_COMMAND / 4 ? (f->word[at] & ~COMMAND_BITS) | value : value;
}

static volatile uint32_t *map(uint64_t phys, uint64_t bytes)
{
    CHECK(phys && bytes && bytes <= REGISTERS);
    return pci.registers;
}

static void read_functions(struct fuzz_input *in)
{
    for (pci.n = 0; in->left && pci.n < FUNCTIONS_MAX; pci.n++) {
        struct function *f = &pci.function[pci.n];
        size_t wanted, n;
        const uint8_t *bytes;

        memset(f, 0, sizeof(*f));
        f->where = (uint32_t)fuzz_number(in, 1) % 32 << 11;
        f->where |= (uint32_t)fuzz_number(in, 1) % 8 << 8;
        wanted = fuzz_number(in, 1);
        bytes = fuzz_bytes(in, wanted, &n);
        if (n)
            memcpy(f->word, bytes, n);
    }
}

static void read_registers(struct fuzz_input *in)
{
    size_t wanted = fuzz_number(in, 2), n;
    const uint8_t *bytes = fuzz_bytes(in, wanted, &n);

    pci.registers = n ? calloc(1, REGISTERS) : NULL;
    if (pci.registers)
        memcpy(pci.registers, bytes, n < REGISTERS ? n : REGISTERS);
}

static void look(void *ctx, struct pci_function f)
{
    uint64_t bar = pci_memory_bar0(f);
    uint16_t port = pci_io_bar0(f);

    CHECK(bar % 16 == 0 && port % 4 == 0 && !(bar && port));
    pci_power_up(f);
    ++*(unsigned *)ctx;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_input in = { bytes, size };
    static struct bus_masters left;
    static unsigned found;

    found = 0;
    fake_clock_begin();
    memset(&pci, 0, sizeof(pci));
    pci.always = (uint32_t)fuzz_number(&in, 4);
    read_registers(&in);
    read_functions(&in);
    pci.allows_power = true;
    if (!setjmp(searched))
        pci_for_each(look, &found);
    CHECK(found <= pci.n);
    pci.accesses = 0;
    if (!setjmp(searched))
        bus_masters_stop(map, &left);
    CHECK(left.n <= pci.n);
    for (size_t i = 0; i < left.n; i++)
        CHECK(pci_read(left.master[i].function, PCI_COMMAND) & PCI_COMMAND_MASTER);
    free(pci.registers);
    return 0;
}
