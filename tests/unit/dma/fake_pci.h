// SPDX-License-Identifier: MIT
/* PCI configuration space by its two ports, for tests of what reads and writes it. */
#pragma once

#include "io/ports.h"
#include "tests/unit/unit.h"

#define FUNCTIONS_MAX 20

static struct {
    bool no_bridge;  /* nothing answers at the ports */
    uint32_t absent; /* what is read of a function that is not there */
    uint32_t address;
    struct fake_function {
        uint32_t where; /* bus << 16 | device << 11 | function << 8 */
        uint32_t config[64];
    } function[FUNCTIONS_MAX];
    size_t n;
    unsigned reads, writes; /* of the data port */
} pci;

static inline int pci_reset(void **state)
{
    memset(&pci, 0, sizeof(pci));
    pci.absent = UINT32_MAX;
    return 0;
}

/* class_code: class, subclass, interface. */
static inline uint32_t *pci_add(unsigned bus, unsigned device, unsigned number, uint32_t class_code,
                                uint32_t command)
{
    struct fake_function *f = &pci.function[pci.n++];

    assert_true(pci.n <= FUNCTIONS_MAX);
    f->where = bus << 16 | device << 11 | number << 8;
    f->config[0] = 0x12348086;
    f->config[1] = command;
    f->config[2] = class_code << 8;
    return f->config;
}

static inline uint32_t *config_at(void)
{
    for (size_t i = 0; i < pci.n; i++) {
        if (pci.function[i].where == (pci.address & 0xffff00))
            return &pci.function[i].config[(pci.address & 0xfc) / 4];
    }
    return NULL;
}

uint32_t io_in32(uint16_t port)
{
    uint32_t *config = config_at();

    if (pci.no_bridge)
        return UINT32_MAX;
    if (port == 0xcf8)
        return pci.address;
    assert_int_equal(port, 0xcfc);
    assert_true(pci.address >> 31);
    pci.reads++;
    return config ? *config : pci.absent;
}

void io_out32(uint16_t port, uint32_t value)
{
    uint32_t *config = config_at();

    if (port == 0xcf8) {
        pci.address = value & ~3u;
        return;
    }
    assert_int_equal(port, 0xcfc);
    assert_non_null(config);
    assert_int_equal(pci.address & 0xff, 4); /* the command; status bits are cleared by ones */
    assert_int_equal(value >> 16, 0);
    pci.writes++;
    *config = value;
}
