// SPDX-License-Identifier: MIT
/*
 * PCI functions and registers in memory that a test plays for the readers of ECC. What is read of a
 * function that is not there is all ones; a register that the test does not play fails the test,
 * and so does any write but that of an index.
 */
#pragma once

#include "controller/ecc.h"
#include "device/pci.h"
#include "device/smn.h"
#include "event/notices.h"
#include "io/fw_cfg.h"
#include "tests/unit/unit.h"

#define ABSENT    UINT32_MAX
#define OLD_INDEX 0x13b102f0u

struct played_word {
    uint64_t address;
    uint32_t value;
};

static struct {
    struct played_word pci[512], memory[512]; /* pci: function's address, and offset */
    size_t n_pci, n_memory;
    bool index_is_fixed; /* SMN's index does not hold what is written */
    unsigned reads, walks, writes, mapped;
    uint32_t fabric_index; /* the last that was written */
} played;

static volatile uint32_t played_register;
static char last_notice[128];

static void take_notice(void *ctx, const char *text)
{
    snprintf(last_notice, sizeof(last_notice), "%s", text);
}

const struct warnings notices = { .warn = take_notice };

static const char *handed; /* registers, by QEMU; NULL: none */

enum status fw_cfg_read_string(const char *name, char *to, size_t size)
{
    assert_string_equal(name, "opt/okram/registers");
    if (!handed)
        return STATUS_NOT_FOUND;
    snprintf(to, size, "%s", handed);
    return STATUS_OK;
}

static inline void play_begin(void)
{
    memset(&played, 0, sizeof(played));
}

static inline struct played_word *played_find(struct played_word *word, size_t n, uint64_t address)
{
    for (size_t i = 0; i < n; i++) {
        if (word[i].address == address)
            return &word[i];
    }
    return NULL;
}

static inline void played_set(struct played_word *word, size_t *n, uint64_t address, uint32_t value)
{
    struct played_word *old = played_find(word, *n, address);

    assert_true(old || *n < COUNT(played.pci));
    if (!old)
        old = &word[(*n)++];
    *old = (struct played_word){ address, value };
}

/* A register, or the identity of a function, in ascending order of functions. */
static inline void play(unsigned bus, unsigned device, unsigned number, unsigned offset,
                        uint32_t value)
{
    played_set(played.pci, &played.n_pci, bus << 16 | device << 11 | number << 8 | offset, value);
}

static inline void play_memory(uint64_t address, uint32_t value)
{
    played_set(played.memory, &played.n_memory, address, value);
}

/* Behind the SMN registers of device 0 of that bus. */
static inline void play_smn(unsigned bus, uint32_t address, uint32_t value)
{
    play_memory((uint64_t)(bus + 1) << 32 | address, value);
}

struct pci_function pci_function_at(unsigned bus, unsigned device, unsigned number)
{
    return (struct pci_function){ bus << 16 | device << 11 | number << 8 };
}

static inline uint32_t played_smn(struct pci_function f)
{
    struct played_word *index = played_find(played.pci, played.n_pci, f.address | SMN_INDEX);
    uint64_t address = (uint64_t)(pci_bus(f) + 1) << 32 | index->value;
    struct played_word *found = played_find(played.memory, played.n_memory, address);

    if (!found)
        fail_msg("SMN of bus %u is read at 0x%x", pci_bus(f), index->value);
    return found->value;
}

uint32_t pci_read(struct pci_function f, uint8_t offset)
{
    struct played_word *found = played_find(played.pci, played.n_pci, f.address | offset);

    played.reads++;
    if (found)
        return found->value;
    if (!played_find(played.pci, played.n_pci, f.address | PCI_ID))
        return ABSENT;
    if (offset != SMN_DATA)
        fail_msg("%x:%x.%u is read at 0x%x", pci_bus(f), pci_device(f), pci_number(f), offset);
    return played_smn(f);
}

void pci_write(struct pci_function f, uint8_t offset, uint32_t value)
{
    assert_true(offset == SMN_INDEX || ((offset == 0x5c || offset == 0x8c) && pci_number(f) == 4));
    if (offset != SMN_INDEX && value != OLD_INDEX)
        played.fabric_index = value;
    played.writes++;
    if (!played.index_is_fixed)
        played_set(played.pci, &played.n_pci, f.address | offset, value);
}

void pci_for_each(void (*found)(void *ctx, struct pci_function f), void *ctx)
{
    played.walks++;
    for (size_t i = 0; i < played.n_pci; i++) {
        if ((played.pci[i].address & 0xff) == PCI_ID)
            found(ctx, (struct pci_function){ (uint32_t)played.pci[i].address });
    }
}

static inline volatile void *played_map(uint64_t phys, uint64_t bytes)
{
    struct played_word *found = played_find(played.memory, played.n_memory, phys);

    assert_int_equal(bytes, 4);
    played.mapped++;
    if (!found)
        return NULL;
    played_register = found->value;
    return &played_register;
}

static inline struct controller_source played_source(enum cpu_vendor vendor, uint32_t family,
                                                     uint32_t model, uint32_t stepping)
{
    return (struct controller_source){ .cpu = { vendor, family, model, stepping },
                                       .map = played_map };
}
