// SPDX-License-Identifier: MIT
#include "firmware/pci_class.h"

#include "tests/unit/unit.h"

/* PCI Code and ID Assignment 1.15, 1; class 0 is for devices that are older than classes. */
TEST(names)
{
    static const char *const names[] = {
        "unknown",     "storage",         "network",
        "display",     "multimedia",      "memory",
        "bridge",      "communication",   "system peripheral",
        "input",       "docking station", "processor",
        "serial bus",  "wireless",        "intelligent I/O",
        "satellite",   "encryption",      "signal processing",
        "accelerator", "instrumentation",
    };

    for (uint32_t i = 0; i < 256; i++)
        assert_string_equal(pci_class_name(i << 16 | 0x8001),
                            i < COUNT(names) ? names[i] : "unknown");
}

enum { NETWORK = 1, USB = 2, STORAGE = 4, PERIPHERAL = 8, FORWARDS = 16 };

/* Each is in one group, or in none. */
TEST(groups)
{
    static const struct {
        uint32_t class_code;
        unsigned groups;
    } cases[] = {
        { 0x020000, NETWORK },  { 0x0d1100, NETWORK },    { 0x0c0330, USB },
        { 0x0c0340, USB },      { 0x0c03fe, 0 },          { 0x010802, STORAGE },
        { 0x010601, STORAGE },  { 0x080501, PERIPHERAL }, { 0x088000, PERIPHERAL },
        { 0x080600, FORWARDS }, { 0x060400, FORWARDS },   { 0x030000, 0 },
        { 0x0c0010, 0 },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint32_t c = cases[i].class_code;
        unsigned in = pci_class_is_network(c) * NETWORK | pci_class_is_usb(c) * USB |
                      pci_class_is_storage(c) * STORAGE | pci_class_is_peripheral(c) * PERIPHERAL |
                      pci_class_forwards(c) * FORWARDS;

        assert_int_equal(in, cases[i].groups);
    }
}
