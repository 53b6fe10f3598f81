// SPDX-License-Identifier: MIT
#include <stddef.h>

#include "io/ports.h"
#include "smbus/smbus.h"

#define VENDOR_INTEL 0x8086u
#define VENDOR_ATI   0x1002u
#define VENDOR_AMD   0x1022u
#define VENDOR_HYGON 0x1d94u

#define CLASS_SMBUS 0x0c05u /* class and subclass */

/* Of Intel's in PCH. */
#define BAR4               0x20
#define BAR_IO             1u
#define BAR_PORTS          UINT32_C(0xfffe) /* and the bit that says what it is */
#define HOSTC              0x40
#define HOSTC_ON           (1u << 0)
#define HOSTC_BLOCKS_WRITE (1u << 4)

/* Of PIIX4, and of ATI's before SB800. */
#define PIIX4_ID       (0x7113u << 16 | VENDOR_INTEL)
#define PIIX4_PORTS    0x90
#define PIIX4_HOSTCFG  0xd0 /* the word of which the third byte is it */
#define PIIX4_ON       (UINT32_C(1) << 16)
#define SB600_ID       (0x4385u << 16 | VENDOR_ATI)
#define SB400_ID       (0x4372u << 16 | VENDOR_ATI)
#define SB800_REVISION 0x40u /* the first of that device with PM registers */

/* Of FCH. */
#define HUDSON_ID          (0x780bu << 16 | VENDOR_AMD)
#define FCH_AMD_ID         (0x790bu << 16 | VENDOR_AMD)
#define FCH_HYGON_ID       (0x790bu << 16 | VENDOR_HYGON)
#define HUDSON_NEW         0x41u /* revisions with the address in DecodeEn */
#define FCH_NEW            0x49u
#define FCH_IN_MEMORY      0x51u /* and with PM registers in memory */
#define PM_INDEX           0xcd6
#define PM_DATA            0xcd7
#define PM_MEMORY          UINT64_C(0xfed80300)
#define PM_MEMORY_BYTES    0x100
#define PM_DECODE_EN       0x00
#define DECODE_EN_SMBUS    0x10u
#define PM_SMBUS0_EN       0x2c
#define SMBUS0_EN_ON       0x01u
#define SMBUS0_EN_PORTS    0xffe0u
#define PM_SMBUS0_SELECT   0x2e
#define PM_SMBUS0_SELECT_E 0x2f /* bit 0: the register before it selects */
#define SELECT_MASK        0x06u
#define PM_DECODE_EN_2     0x02
#define DECODE_EN_2_MASK   0x18u

struct search {
    smbus_map *map;
    struct smbus bus;
    bool is_known, is_on;
};

static uint8_t read_pm(const struct smbus *bus, uint8_t reg)
{
    if (bus->pm)
        return bus->pm[reg];
    io_out8(PM_INDEX, reg);
    return io_in8(PM_DATA);
}

static bool find_i801(struct search *s, struct pci_function f)
{
    uint32_t bar = pci_read(f, BAR4), host = pci_read(f, HOSTC);

    if (bar == UINT32_MAX || !(bar & BAR_IO) || !(bar & BAR_PORTS & ~UINT32_C(1)))
        return false; /* another kind of controller, with registers in memory */
    s->bus.kind = SMBUS_I801;
    s->bus.ports = (uint16_t)(bar & BAR_PORTS & ~UINT32_C(1));
    s->bus.blocks_writes = host & HOSTC_BLOCKS_WRITE;
    s->is_on = host & HOSTC_ON && pci_read(f, PCI_COMMAND) & PCI_COMMAND_IO;
    return true;
}

static bool find_piix4(struct search *s, struct pci_function f)
{
    s->bus.kind = SMBUS_PIIX4;
    s->bus.ports = pci_read(f, PIIX4_PORTS) & 0xfff0;
    s->is_on = s->bus.ports && pci_read(f, PIIX4_HOSTCFG) & PIIX4_ON;
    return true;
}

/* The address is the upper byte of DecodeEn; the lower one has the bit that says that it is used.
 */
static void find_by_decode_en(struct search *s)
{
    uint8_t low = read_pm(&s->bus, PM_DECODE_EN), high = read_pm(&s->bus, PM_DECODE_EN + 1);

    s->bus.ports = (uint16_t)(high << 8);
    s->is_on = low & DECODE_EN_SMBUS && high && high != 0xff;
}

static void find_by_smbus0_en(struct search *s)
{
    uint16_t enable =
        (uint16_t)(read_pm(&s->bus, PM_SMBUS0_EN) | read_pm(&s->bus, PM_SMBUS0_EN + 1) << 8);

    s->bus.ports = enable & SMBUS0_EN_PORTS;
    s->is_on = enable & SMBUS0_EN_ON && s->bus.ports && enable != UINT16_MAX;
}

static bool find_fch(struct search *s, struct pci_function f, uint32_t id)
{
    unsigned revision = pci_read(f, PCI_CLASS) & 0xff;
    bool is_new = id == FCH_AMD_ID || id == FCH_HYGON_ID;

    s->bus.kind = SMBUS_FCH;
    if (id == FCH_AMD_ID && revision >= FCH_IN_MEMORY) {
        s->bus.pm = s->map(PM_MEMORY, PM_MEMORY_BYTES);
        if (!s->bus.pm)
            return true;
    }
    if (id == FCH_HYGON_ID || (id == FCH_AMD_ID && revision >= FCH_NEW) ||
        (id == HUDSON_ID && revision >= HUDSON_NEW))
        find_by_decode_en(s);
    else
        find_by_smbus0_en(s);
    s->bus.select = is_new                                     ? PM_DECODE_EN_2
                    : id == HUDSON_ID                          ? PM_SMBUS0_SELECT
                    : read_pm(&s->bus, PM_SMBUS0_SELECT_E) & 1 ? PM_SMBUS0_SELECT
                                                               : PM_SMBUS0_EN;
    s->bus.select_mask = is_new ? DECODE_EN_2_MASK : SELECT_MASK;
    return true;
}

static bool find_by_id(struct search *s, struct pci_function f)
{
    uint32_t id = pci_read(f, PCI_ID), class = pci_read(f, PCI_CLASS);

    switch (id) {
    case PIIX4_ID:
    case SB400_ID: return find_piix4(s, f);
    case SB600_ID: return (class & 0xff) < SB800_REVISION ? find_piix4(s, f) : find_fch(s, f, id);
    case HUDSON_ID:
    case FCH_AMD_ID:
    case FCH_HYGON_ID: return find_fch(s, f, id);
    default: return (id & 0xffff) == VENDOR_INTEL && class >> 16 == CLASS_SMBUS && find_i801(s, f);
    }
}

/* The first that is on, else the first. */
static void look_at(void *ctx, struct pci_function f)
{
    struct search *best = ctx, s = { .map = best->map };

    if (best->is_on || !find_by_id(&s, f))
        return;
    s.is_known = true;
    if (!best->is_known || s.is_on)
        *best = s;
}

enum status smbus_find(smbus_map *map, struct smbus *ret_bus)
{
    struct search s = { .map = map };

    pci_for_each(look_at, &s);
    if (!s.is_known)
        return STATUS_NOT_FOUND;
    *ret_bus = s.bus;
    return s.is_on ? STATUS_OK : STATUS_UNSUPPORTED;
}

const char *smbus_kind_name(enum smbus_kind kind)
{
    static const char *const names[] = {
        [SMBUS_I801] = "Intel",
        [SMBUS_PIIX4] = "PIIX4",
        [SMBUS_FCH] = "AMD",
    };

    return names[kind];
}
