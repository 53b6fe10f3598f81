// SPDX-License-Identifier: MIT
/*
 * Whether memory controllers have ECC on, by their registers: for ecc_registers.c, which chooses by
 * the CPU. Boot CPU only. All but ecc_amd_read only read.
 *
 * Nothing is said of controllers that are not known, where firmware hides them, when a register
 * cannot be read, and when some have ECC on and others have not. Controllers and channels without
 * modules do not count.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "acpi/mcfg.h"
#include "cpudata/cpu_model.h"
#include "device/pci.h"
#include "firmware/memory_ecc.h"

#define VENDOR_INTEL 0x8086u

/* A 32-bit register that no hardware answers for. */
#define ECC_NO_ANSWER UINT32_MAX

/* Makes registers at a physical address readable; NULL: there cannot be any. */
typedef volatile void *ecc_map(uint64_t phys, uint64_t bytes);

/* What the readers know of the machine. */
struct ecc_source {
    struct cpu_model cpu;
    bool is_virtual;  /* a hypervisor says so (CPUID 1 ECX[31]): its registers are not the machine's
                       */
    struct mcfg mcfg; /* all zero: there is none */
    ecc_map *map;
};

/* False: there cannot be a register, or nothing answers. address: of a whole 32-bit word. */
static inline bool ecc_read_word(const struct ecc_source *source, uint64_t address,
                                 uint32_t *ret_value)
{
    const volatile uint32_t *word = source->map(address, sizeof(*word));

    if (!word)
        return false;
    *ret_value = *word;
    return *ret_value != ECC_NO_ANSWER;
}

/*
 * Intel's client processors have registers of the memory controllers at an address that the host
 * bridge, 00:00.0, names (4th generation Core datasheet vol. 2, 3.1.12, MCHBAR).
 * top_bit: the highest of the address, which differs by generation; bytes: its alignment.
 */
static inline uint64_t mchbar_address(struct pci_function bridge, unsigned top_bit, uint64_t bytes)
{
    uint32_t low = pci_read(bridge, 0x48), high = pci_read(bridge, 0x4c);
    uint64_t bar = (uint64_t)high << 32 | low;

    if (low == UINT32_MAX || high == UINT32_MAX || !(bar & 1)) /* not there, or off */
        return 0;
    return bar & ((UINT64_C(2) << top_bit) - 1) & ~(bytes - 1);
}

/* What all memory controllers of a machine, or all of their channels, say of ECC together. */
struct ecc_poll {
    unsigned asked, on;        /* of those that have modules */
    unsigned with_ecc_modules; /* of these, by the controller's word */
    bool is_silent;            /* one could not be read */
};

/* Counts a controller, or a channel, that has modules. */
void ecc_poll_count(struct ecc_poll *poll, bool is_on);

/* Nothing is said when none has modules, when one is silent, and when they differ. */
struct ecc_control ecc_poll_outcome(const struct ecc_poll *poll);

/*
 * AMD's, by the registers that Linux's amd64_edac reads: since family 17h the unified memory
 * controllers' UMC_CFG, SDP_CTRL and UMC_CAP_HI, by the system management network (SMN) of a host
 * bridge of each node, as in Linux's amd_node; before, the north bridges' configuration and
 * capabilities (BKDG family 10h, F3x44 and F3xE8). Nothing is said when host bridges and nodes do
 * not match or may be in several PCI segments. Writes SMN's index registers alone, which then have
 * their old values again.
 */
struct ecc_control ecc_amd_read(const struct ecc_source *source);

/*
 * Of Intel's desktop processors, Xeon E3 and Xeon E, by the registers of the host bridge that
 * Linux's ie31200_edac names, and the mode of each channel: MAD_DIMM bits 25:24 up to Haswell (4th
 * generation Core datasheet vol. 2, 4.2.16), MAD_INTRA bits 13:12 since Skylake (10th generation
 * Core datasheet vol. 2, 3.2.36). Since Alder Lake only the capability is known: ECC is off if it
 * has none, and nothing is said if it has.
 */
struct ecc_control ecc_intel_read(const struct ecc_source *source);

/*
 * In-band ECC of Intel's processors for laptops and embedded systems: check bits in a part of
 * ordinary memory. By the registers that Linux's igen6_edac reads: the capability of the host
 * bridge, and IBECC_ACTIVATE of each memory controller. The controllers of those that are known
 * have no other ECC: it is off where in-band ECC is. It may be on for a part of the memory alone.
 */
struct ecc_control ecc_in_band_read(const struct ecc_source *source);

/*
 * Of Intel's Xeon E5 and E7, v1 to v4, and Xeon D-1500, with mirroring, by the registers that
 * Linux's sb_edac reads: MCMTR of each memory controller, DIMMMTR of its channels, RASENABLES and
 * HASYSDEFEATURE2. Looks for them on all buses.
 */
bool ecc_xeon_is_known(const struct cpu_model *cpu);
struct ecc_control ecc_xeon_read(void);

/*
 * Of Intel's Xeon Scalable and Xeon 6, and Xeon D and Atom P of the same kinds, by MCMTR and
 * DIMMMTR of each channel, as Linux's skx_edac and i10nm_edac read them: up to Cooper Lake in PCI's
 * extended configuration space, since Ice Lake in memory. Nothing is said when PCI has several
 * segments, for sockets may be in others than the first. Looks on all buses.
 */
bool ecc_scalable_is_known(const struct cpu_model *cpu);
struct ecc_control ecc_scalable_read(const struct ecc_source *source);
