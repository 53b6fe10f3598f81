// SPDX-License-Identifier: MIT
/*
 * Whether ECC is on, by the registers of this machine's memory controllers. Boot CPU only.
 *
 * Nothing is said of controllers that are not known, where firmware hides them, when a register
 * cannot be read, and when some have ECC on and others have not. Controllers and channels without
 * modules do not count.
 */
#pragma once

#include <stdbool.h>

#include "controller/controllers.h"
#include "firmware/memory_ecc.h"

/*
 * After controllers_read() (controller/controllers.h), which has read those of Intel's other
 * processors. The result is empty (all zero) where no family knows the controllers. Under a
 * hypervisor no register is read.
 */
struct ecc_control controller_ecc(const struct controller_source *source);

/*
 * The families of memory controllers, for ecc.c: of each, whether this machine has it, and how its
 * registers are read. All but AMD's only read.
 */
struct controller_family {
    bool (*matches)(const struct controller_source *source);
    struct ecc_control (*read_ecc)(const struct controller_source *source);
};

/*
 * AMD's and Hygon's, by the registers that Linux's amd64_edac reads: since family 17h the unified
 * memory controllers' UMC_CFG, SDP_CTRL and UMC_CAP_HI, by the system management network (SMN) of a
 * host bridge of each node, as in Linux's amd_node; before, the north bridges' configuration and
 * capabilities (BKDG family 10h, F3x44 and F3xE8). Nothing is said when host bridges and nodes do
 * not match or may be in several PCI segments. Writes SMN's index registers alone, which then have
 * their old values again.
 */
extern const struct controller_family controller_amd_umc, controller_amd_north_bridge;

/*
 * Of Intel's Xeon E5 and E7, v1 to v4, and Xeon D-1500, with mirroring, by the registers that
 * Linux's sb_edac reads: MCMTR of each memory controller, DIMMMTR of its channels, RASENABLES and
 * HASYSDEFEATURE2. Looks for them on all buses.
 */
extern const struct controller_family controller_intel_e5;

/*
 * Of Intel's Xeon Scalable and Xeon 6, and Xeon D and Atom P of the same kinds, by MCMTR and
 * DIMMMTR of each channel, as Linux's skx_edac and i10nm_edac read them: up to Cooper Lake in PCI's
 * extended configuration space, since Ice Lake in memory. Nothing is said when PCI has several
 * segments, for sockets may be in others than the first. Looks on all buses.
 */
extern const struct controller_family controller_intel_scalable;

/* What all memory controllers of a machine, or all of their channels, say of ECC together. */
struct ecc_poll {
    unsigned asked, on;        /* of those that have modules */
    unsigned with_ecc_modules; /* of these, by the controller's word */
    bool is_silent;            /* one could not be read */
};

/* Counts a controller, or a channel, that has modules. */
static inline void ecc_poll_count(struct ecc_poll *poll, bool is_on)
{
    poll->asked++;
    poll->on += is_on;
}

/* Empty when none has modules, or one is silent. is_on is left open when they differ. */
static inline struct ecc_control ecc_poll_outcome(const struct ecc_poll *poll)
{
    struct ecc_control control = { 0 };

    if (!poll->asked || poll->is_silent)
        return control;
    if (poll->on == poll->asked)
        control.is_on = ECC_YES;
    else if (!poll->on)
        control.is_on = ECC_NO;
    if (poll->with_ecc_modules == poll->asked)
        control.modules_have_it = ECC_YES;
    return control;
}
