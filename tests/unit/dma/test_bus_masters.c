// SPDX-License-Identifier: MIT
/* Which functions lose bus mastering, on a PCI bus and with registers that the test plays. */
#include "dma/dma.h"

#include "fake_pci.h"

#define MASTER   7u /* I/O, memory, bus master */
#define STOPPED  3u
#define BAR      0xfebf0000u
#define NO_INTX  0x400u
#define BCM_4331 0x433114e4u

static uint32_t registers[0x10000 / 4];
static bool unreachable;
static struct bus_masters left;

static volatile uint32_t *map(uint64_t phys, uint64_t bytes)
{
    assert_int_equal(phys, BAR);
    assert_true(bytes <= sizeof(registers));
    return unreachable ? NULL : registers;
}

static int set_up(void **state)
{
    memset(registers, 0, sizeof(registers));
    unreachable = false;
    return pci_reset(state);
}

/* Everything else keeps it: screens are wanted, bridges and IOMMUs serve others. */
TEST(classes, set_up)
{
    static const struct {
        uint32_t class_code;
        bool stopped;
    } cases[] = {
        { 0x020000, true },  /* Ethernet */ { 0x028000, true },      /* Wi-Fi */
        { 0x0d1100, true },  /* Bluetooth */ { 0x0c0300, true },     /* UHCI */
        { 0x0c0310, true },  /* OHCI */ { 0x0c0320, true },          /* EHCI */
        { 0x0c0330, true },  /* xHCI */ { 0x0c0340, true },          /* USB4 */
        { 0x010601, true },  /* AHCI */ { 0x010802, true },          /* NVMe */
        { 0x080501, true },  /* SD host */ { 0x088000, true },       /* Thunderbolt */
        { 0x0c03fe, false }, /* a USB device */ { 0x030000, false }, /* VGA */
        { 0x060400, false }, /* PCI bridge */ { 0x080600, false },   /* IOMMU */
        { 0x0c0500, false },                                         /* SMBus */
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint32_t *config;

        set_up(state);
        config = pci_add(3, 0, 0, cases[i].class_code, 0x00100000 | NO_INTX | MASTER);
        config[4] = BAR;
        bus_masters_stop(map, &left);
        if (cases[i].stopped)
            assert_int_equal(config[1], NO_INTX | STOPPED);
        else
            assert_int_equal(config[1], 0x00100000 | NO_INTX | MASTER);
        assert_int_equal(pci.writes, cases[i].stopped);
    }
}

/* Whatever it is, but for what others need to reach memory. */
TEST(what_is_left_on_is_named, set_up)
{
    uint32_t *uhci = pci_add(0, 0x1d, 0, 0x0c0300, MASTER);

    uhci[0xc0 / 4] = 0x2010; /* firmware's */
    pci_add(0, 0, 0, 0x060000, MASTER);
    pci_add(0, 1, 0, 0x060400, MASTER);
    pci_add(0, 2, 0, 0x080600, MASTER);
    pci_add(0, 3, 0, 0x010601, MASTER);
    pci_add(0, 4, 0, 0x040300, STOPPED);
    pci_add(3, 5, 0, 0x030000, MASTER)[0] = 0x56781002;
    bus_masters_stop(map, &left);
    assert_int_equal(left.n, 2);
    assert_int_equal(pci_device(left.master[0].function), 0x1d);
    assert_int_equal(left.master[0].class_code, 0x0c0300);
    assert_int_equal(pci_bus(left.master[1].function), 3);
    assert_int_equal(pci_device(left.master[1].function), 5);
    assert_int_equal(left.master[1].class_code, 0x030000);
    assert_int_equal(left.master[1].id, 0x56781002);
}

TEST(more_than_there_is_room_for, set_up)
{
    for (unsigned i = 0; i < BUS_MASTERS_MAX; i++)
        pci_add(1, i, 0, 0x030000, MASTER);
    bus_masters_stop(map, &left);
    assert_int_equal(left.n, BUS_MASTERS_MAX);
    pci_add(1, BUS_MASTERS_MAX, 0, 0x030000, MASTER);
    bus_masters_stop(map, &left);
    assert_int_equal(left.n, BUS_MASTERS_MAX + 1);
    assert_int_equal(pci_device(left.master[BUS_MASTERS_MAX - 1].function), BUS_MASTERS_MAX - 1);
}

TEST(what_is_off_is_not_written_to, set_up)
{
    pci_add(0, 3, 0, 0x020000, STOPPED);
    bus_masters_stop(map, &left);
    assert_int_equal(pci.writes, 0);
}

/* SMM makes PS/2 keys of a USB keyboard. */
TEST(firmwares_controllers_go_on, set_up)
{
    uint32_t *uhci = pci_add(0, 0x1d, 0, 0x0c0300, MASTER);
    uint32_t *ehci = pci_add(0, 0x1a, 0, 0x0c0320, MASTER);

    uhci[0xc0 / 4] = 0x2010;
    ehci[4] = BAR;
    registers[2] = 0x6800;
    ehci[0x68 / 4] = 0x10001;
    ehci[0x6c / 4] = 0x2001;
    bus_masters_stop(map, &left);
    assert_int_equal(uhci[1], MASTER);
    assert_int_equal(ehci[1], MASTER);
    assert_int_equal(pci.writes, 0);

    /* The operating system before okram has taken it over. */
    ehci[0x68 / 4] = 0x01000001;
    bus_masters_stop(map, &left);
    assert_int_equal(ehci[1], STOPPED);
}

/* Registers where no registers can be, or that are not decoded: nobody can drive that. */
TEST(registers_out_of_reach, set_up)
{
    uint32_t *ehci = pci_add(0, 0x1a, 0, 0x0c0320, MASTER);

    ehci[4] = BAR;
    registers[2] = 0x6800;
    ehci[0x68 / 4] = 0x10001;
    ehci[0x6c / 4] = 0x2001;
    unreachable = true;
    bus_masters_stop(map, &left);
    assert_int_equal(ehci[1], STOPPED);
    unreachable = false;
    ehci[1] = MASTER & ~2u;
    bus_masters_stop(map, &left);
    assert_int_equal(ehci[1], STOPPED & ~2u);
}

TEST(airport_is_reset, set_up)
{
    uint32_t *config = pci_add(2, 0, 0, 0x028000, MASTER);

    config[0] = BCM_4331;
    config[4] = BAR | 4; /* of 64 bits */
    registers[0x1800 / 4] = 7;
    registers[0x1804 / 4] = 1; /* it never gets ready: not waited for long */
    bus_masters_stop(map, &left);
    assert_int_equal(config[1], STOPPED);
    assert_int_equal(registers[0x1800 / 4], 0);

    unreachable = true;
    config[1] = MASTER;
    bus_masters_stop(map, &left);
    assert_int_equal(config[1], STOPPED);
}

TEST(other_cards_are_not_reset, set_up)
{
    uint32_t *config = pci_add(2, 0, 0, 0x028000, MASTER);

    config[0] = 0x432b14e4;
    config[4] = BAR;
    registers[0x1800 / 4] = 7;
    bus_masters_stop(map, &left);
    assert_int_equal(config[1], STOPPED);
    assert_int_equal(registers[0x1800 / 4], 7);
}
