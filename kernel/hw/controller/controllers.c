// SPDX-License-Identifier: MIT
#include "controller/controllers.h"

#include "device/smn.h"
#include "event/notices.h"
#include "io/fw_cfg.h"

#define VENDOR_AMD   0x1022u
#define VENDOR_HYGON 0x1d94u
#define HOST_BRIDGE  0x0600u /* class and subclass */
#define NODES_MAX    8u
#define ROOTS_MAX    64u

#define HANDED_MAX 16384 /* bytes of a list that QEMU hands over */

/* Of AMD's data fabric: a device of bus 0 for each node, one after the other. */
#define FABRIC_DEVICE   0x18u
#define FABRIC_ACCESS   4u /* the function with the index */
#define FABRIC_INSTANCE 1u /* of the index: one instance's register */
#define FABRIC_ANY      0xffu

static struct controllers controllers;

/* Host bridges of AMD's with SMN registers, in the order of their buses; nodes that there are. */
struct roots {
    struct pci_function root[ROOTS_MAX];
    unsigned n; /* more than ROOTS_MAX: not all are listed */
    unsigned nodes;
};

static struct reading {
    struct controller_source source;
    struct roots roots;
} reading;

static bool read_register(void *ctx, struct register_id id, uint32_t *ret_value);

/* Offsets of 256 and above are in the extended configuration space. Identities of functions that
 * are not there do not fill the list. */
static bool read_pci(struct pci_function f, uint32_t offset, uint32_t *ret)
{
    uint64_t address;

    if (offset < 0x100) {
        *ret = pci_read(f, (uint8_t)offset);
        return offset != PCI_ID || *ret != UINT32_MAX;
    }
    address = mcfg_address(&reading.source.mcfg, pci_bus(f), pci_device(f), pci_number(f), offset);
    return address && controller_read(&reading.source, address, ret);
}

static bool read_mchbar(uint32_t offset, uint32_t *ret)
{
    uint64_t window = decode_intel_mchbar(&(struct register_source){ read_register, NULL });
    const volatile uint32_t *word =
        window ? reading.source.map(window + offset, sizeof(*word)) : NULL;

    if (word)
        *ret = *word;
    return word;
}

static bool is_amds(struct pci_function f)
{
    uint32_t vendor = pci_read(f, PCI_ID) & 0xffff;

    return vendor == VENDOR_AMD || vendor == VENDOR_HYGON;
}

static void note_root(void *ctx, struct pci_function f)
{
    struct roots *roots = ctx;

    if (pci_device(f) || pci_number(f) || !is_amds(f) ||
        pci_read(f, PCI_CLASS) >> 16 != HOST_BRIDGE)
        return;
    if (roots->n < ROOTS_MAX)
        roots->root[roots->n] = f;
    roots->n++;
}

static void find_roots(struct roots *roots)
{
    while (roots->nodes < NODES_MAX && is_amds(pci_function_at(0, FABRIC_DEVICE + roots->nodes, 0)))
        roots->nodes++;
    pci_for_each(note_root, roots);
}

/* A node has one host bridge or several in a row, all nodes as many: the first one is asked. */
static bool read_smn(unsigned node, uint32_t address, uint32_t *ret)
{
    struct roots *roots = &reading.roots;
    struct pci_function root;
    uint32_t index;
    bool answers;

    if (!roots->nodes)
        find_roots(roots);
    if (node >= roots->nodes || !roots->n || roots->n > ROOTS_MAX || roots->n % roots->nodes ||
        (roots->nodes > 1 && reading.source.mcfg.has_segments))
        return false;
    root = roots->root[node * (roots->n / roots->nodes)];
    index = pci_read(root, SMN_INDEX);
    answers = smn_read(root, address, ret);
    pci_write(root, SMN_INDEX, index);
    return answers;
}

/* Before DF 4. */
static bool has_old_fabric(const struct cpu_model *cpu)
{
    return cpu->family < 0x19 || (cpu->family == 0x19 &&
                                  (cpu->model < 0x10 || (cpu->model >= 0x20 && cpu->model < 0x60)));
}

/*
 * Broadcast registers are in the node's configuration space; those of an instance are behind an
 * index, as in Linux's AMD address translation library. The register's number, which counts 32-bit
 * registers, is in bits 10:2 of the index, since DF 4 in bits 10:1. Before Zen there is no such
 * index, and nothing is written.
 */
static bool read_fabric(unsigned node, unsigned instance, uint32_t offset, uint32_t *ret)
{
    struct pci_function f = pci_function_at(0, FABRIC_DEVICE + node, FABRIC_ACCESS);
    const struct cpu_model *cpu = &reading.source.cpu;
    bool is_old = has_old_fabric(cpu);
    uint8_t index = is_old ? 0x5c : 0x8c, data = is_old ? 0x98 : 0xb8;
    uint32_t number = (offset & 0xfff) >> 2, old;

    if (instance == FABRIC_ANY)
        return read_pci(pci_function_at(0, FABRIC_DEVICE + node, offset >> 12 & 7), offset & 0xfff,
                        ret);
    if (cpu->family < 0x17 || !is_amds(f) || number >= (is_old ? 0x200 : 0x400))
        return false;
    old = pci_read(f, index);
    pci_write(f, index,
              FABRIC_INSTANCE | number << (is_old ? 2 : 1) | (offset >> 12 & 7) << 11 |
                  instance << 16);
    *ret = pci_read(f, data);
    pci_write(f, index, old);
    return true;
}

static bool read_register(void *ctx, struct register_id id, uint32_t *ret_value)
{
    bool answers = false;

    switch (id.space) {
    case REGISTER_PCI: answers = read_pci(controller_function(id), id.offset, ret_value); break;
    case REGISTER_MCHBAR: answers = read_mchbar(id.offset, ret_value); break;
    case REGISTER_SMN: answers = read_smn(id.unit, id.offset, ret_value); break;
    case REGISTER_DF:
        answers = read_fabric(id.unit >> 8, id.unit & 0xff, id.offset, ret_value);
        break;
    }
    if (answers)
        register_list_add(&controllers.registers, id, *ret_value);
    return answers;
}

struct register_source controllers_registers(void)
{
    return (struct register_source){ read_register, NULL };
}

struct register_source controllers_source(const struct controller_source *source)
{
    reading = (struct reading){ .source = *source };
    return controllers_registers();
}

/* For tests: QEMU has no such controllers. */
static void read_handed(struct controllers *c)
{
    static char text[HANDED_MAX];
    struct register_source source = register_list_source(&c->registers);
    const char *wrong;

    if (fw_cfg_read_string("opt/okram/registers", text, sizeof(text)) != STATUS_OK)
        return; /* there is none, or its last word would be cut */
    wrong = register_list_read(text, &c->registers);
    notice("the registers of memory controllers are those that QEMU hands over, not a machine's%s"
           "%.24s",
           wrong ? ", up to " : "", wrong ? wrong : "");
    controller_decode(&c->registers.cpu, &source, &c->decoded);
}

void controllers_read(const struct controller_source *source)
{
    struct register_source registers = controllers_source(source);

    controllers = (struct controllers){ .registers.cpu = source->cpu };
    if (source->is_virtual)
        read_handed(&controllers);
    else
        controller_decode(&source->cpu, &registers, &controllers.decoded);
}

const struct controllers *controllers_get(void)
{
    return &controllers;
}

void controllers_set_function(uint64_t function, bool opposite)
{
    struct dram_zone *z = controllers.decoded.map.zone;
    uint8_t first = z->channel[0];

    z->function[0] = function;
    if (!z->removed)
        z->removed = function & -function;
    if (opposite) {
        z->channel[0] = z->channel[1];
        z->channel[1] = first;
    }
    controllers.decoded.unknown = NULL;
}

void controllers_keep_channels(void)
{
    for (unsigned i = 0; i < controllers.decoded.n_channels; i++) {
        const struct decoded_dimm *d = controllers.decoded.channel[i].dimm;
        struct dram_channel *m = &controllers.decoded.map.channel[i];
        unsigned dimm = d[0].bytes && d[1].bytes ? DRAM_DIMM_UNKNOWN : d[1].bytes > 0;

        *m = (struct dram_channel){ .n_selects = m->n_selects > 0 };
        m->select[0] = (struct dram_select){ .end = UINT64_MAX, .number = (uint8_t)(dimm << 2) };
    }
}

void controllers_set_unknown(const char *unknown)
{
    controllers.decoded.unknown = unknown;
}
