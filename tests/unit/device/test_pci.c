// SPDX-License-Identifier: MIT
/* The walk over all PCI functions. */
#include "device/pci.h"

#include "../dma/fake_pci.h"

#define MULTI_FUNCTION 0x00800000

static uint32_t found[FUNCTIONS_MAX];
static size_t n_found;

static void note(void *ctx, struct pci_function f)
{
    assert_ptr_equal(ctx, found);
    assert_true(n_found < FUNCTIONS_MAX);
    found[n_found++] = f.address & 0xffffff;
}

static void walk(void)
{
    n_found = 0;
    pci_for_each(note, found);
}

/* Host bridges may begin with any bus. */
TEST(all_buses_and_functions, pci_reset)
{
    pci_add(0, 0, 0, 0x060000, 0);
    pci_add(0, 31, 0, 0x060100, 0)[3] = MULTI_FUNCTION;
    pci_add(0, 31, 7, 0x0c0500, 0);
    pci_add(0, 30, 0, 0x020000, 0);
    pci_add(0, 30, 1, 0x020000, 0); /* a ghost: the device has one function */
    pci_add(128, 0, 0, 0x060000, 0);
    pci_add(255, 31, 0, 0x020000, 0);
    walk();
    assert_int_equal(n_found, 6);
    assert_int_equal(found[0], 0);
    assert_int_equal(found[1], 30 << 11);
    assert_int_equal(found[2], 31 << 11);
    assert_int_equal(found[3], 31 << 11 | 7 << 8);
    assert_int_equal(found[4], 128 << 16);
    assert_int_equal(found[5], 255 << 16 | 31 << 11);
    assert_int_equal(pci.writes, 0);
}

/* Where nothing is, one read each; nothing at all where there is no PCI. */
TEST(absent_functions, pci_reset)
{
    static const uint32_t absent[] = { UINT32_MAX, 0, 0x0001ffff, 0xffff0000 };

    for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++) {
        pci_reset(state);
        pci.absent = absent[i];
        walk();
        assert_int_equal(n_found, 0);
        assert_int_equal(pci.reads, 256 * 32);
    }
    pci_reset(state);
    pci.no_bridge = true;
    walk();
    assert_int_equal(n_found + pci.reads, 0);
}

TEST(one_class, pci_reset)
{
    pci_add(0, 3, 0, 0x0c0330, 0);
    pci_add(0, 4, 0, 0x0c0320, 0);
    pci_add(2, 0, 0, 0x0c0330, 0);
    n_found = 0;
    pci_find(0x0c0330, note, found);
    assert_int_equal(n_found, 2);
    assert_int_equal(found[0], 3 << 11);
    assert_int_equal(found[1], 2 << 16);
}

TEST(command_bits, pci_reset)
{
    uint32_t *config = pci_add(0, 0, 0, 0, 0x02900407);

    pci_set_command((struct pci_function){ 0x80000000 }, PCI_COMMAND_MEMORY, PCI_COMMAND_MASTER);
    assert_int_equal(config[1], 0x0403);
}
