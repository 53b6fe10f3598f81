// SPDX-License-Identifier: MIT
#include "firmware/pci_class.h"

#include <stddef.h>

static const char *const names[] = {
    [0x01] = "storage",
    [0x02] = "network",
    [0x03] = "display",
    [0x04] = "multimedia",
    [0x05] = "memory",
    [0x06] = "bridge",
    [0x07] = "communication",
    [0x08] = "system peripheral",
    [0x09] = "input",
    [0x0a] = "docking station",
    [0x0b] = "processor",
    [0x0c] = "serial bus",
    [0x0d] = "wireless",
    [0x0e] = "intelligent I/O",
    [0x0f] = "satellite",
    [0x10] = "encryption",
    [0x11] = "signal processing",
    [0x12] = "accelerator",
    [0x13] = "instrumentation",
};

const char *pci_class_name(uint32_t class_code)
{
    size_t class = class_code >> 16;

    return class < sizeof(names) / sizeof(names[0]) && names[class] ? names[class] : "unknown";
}
