// SPDX-License-Identifier: MIT
#include "device/ecc_controllers.h"

#include <stddef.h>

#include "firmware/memory_repair.h"

#define CONTROLLER_BYTES UINT64_C(0x10000) /* of each one's registers, one after the other */
#define ACTIVATE_ON      UINT32_C(1)
#define CHANNELS         2u
#define MAD_DIMM         0x0cu     /* of a channel, at the controller's base */
#define MAD_DIMM_SIZES   0x7f007fu /* of both modules; 0: the channel has none */

static const struct family {
    uint8_t capability; /* in the host bridge's configuration space */
    uint8_t bit;
    bool is_with; /* the bit says that it has in-band ECC, not that it lacks it */
    uint8_t min_stepping;
    uint8_t top_bit; /* of MCHBAR */
    uint8_t controllers;
    uint16_t base, activate; /* of a controller */
} elkhart_lake = { 0xec, 15, true, 0, 38, 1, 0x5000, 0xdc00 },
  ice_lake = { 0xec, 15, false, 1, 38, 1, 0x5000, 0xd800 },
  tiger_lake = { 0xf0, 12, false, 0, 38, 2, 0x5000, 0xd400 },
  alder_lake = { 0xf0, 12, false, 0, 41, 2, 0xd800, 0xd400 },
  meteor_lake = { 0xf0, 18, false, 0, 41, 2, 0xd800, 0xd400 };

/* Host bridges by the numbers of their devices, first to last. */
static const struct bridge {
    uint16_t device;
    const struct family *family;
} bridges[] = {
    { 0x4514, &elkhart_lake }, { 0x4516, &elkhart_lake }, { 0x4518, &elkhart_lake },
    { 0x451a, &elkhart_lake }, { 0x4528, &elkhart_lake }, { 0x452a, &elkhart_lake },
    { 0x452c, &elkhart_lake }, { 0x452e, &elkhart_lake }, { 0x4532, &elkhart_lake },
    { 0x4534, &elkhart_lake }, { 0x4536, &elkhart_lake }, { 0x4581, &ice_lake },
    { 0x4585, &ice_lake },     { 0x4589, &ice_lake },     { 0x458d, &ice_lake },
    { 0x9a14, &tiger_lake },   { 0x4601, &alder_lake },   { 0x4602, &alder_lake },
    { 0x4614, &alder_lake },   { 0x4617, &alder_lake },   { 0x461b, &alder_lake },
    { 0x461c, &alder_lake },   { 0x4621, &alder_lake },   { 0x4632, &alder_lake },
    { 0x4641, &alder_lake },   { 0x4646, &alder_lake },   { 0x464a, &alder_lake },
    { 0x4652, &alder_lake },   { 0x4673, &alder_lake },   { 0x4674, &alder_lake },
    { 0x4675, &alder_lake },   { 0x4676, &alder_lake },   { 0x4677, &alder_lake },
    { 0x4678, &alder_lake },   { 0x4679, &alder_lake },   { 0x467c, &alder_lake },
    { 0xa706, &alder_lake },   { 0xa707, &alder_lake },   { 0xa708, &alder_lake },
    { 0xa716, &alder_lake },   { 0xa718, &alder_lake },   { 0x7d01, &meteor_lake },
    { 0x7d02, &meteor_lake },  { 0x7d06, &meteor_lake },  { 0x7d14, &meteor_lake },
    { 0x7d20, &meteor_lake },  { 0x7d30, &meteor_lake },
};

static const struct family *family_of(uint32_t id)
{
    for (size_t i = 0; i < sizeof(bridges) / sizeof(bridges[0]); i++) {
        if (id == (VENDOR_INTEL | (uint32_t)bridges[i].device << 16))
            return bridges[i].family;
    }
    return NULL;
}

/* ECC_NOT_SAID: some register cannot be read. */
static enum ecc_answer has_memory(const struct ecc_source *source, uint64_t controller)
{
    for (unsigned i = 0; i < CHANNELS; i++) {
        uint32_t sizes;

        if (!ecc_read_word(source, controller + MAD_DIMM + 4 * i, &sizes))
            return ECC_NOT_SAID;
        if (sizes & MAD_DIMM_SIZES)
            return ECC_YES;
    }
    return ECC_NO;
}

/* Of one that is not there, all registers read as ones. */
static void ask_controller(const struct ecc_source *source, const struct family *family,
                           uint64_t registers, struct ecc_poll *poll)
{
    uint32_t word;

    if (!ecc_read_word(source, registers + family->base, &word))
        return;
    switch (has_memory(source, registers + family->base)) {
    case ECC_YES:
        if (ecc_read_word(source, registers + family->activate, &word))
            ecc_poll_count(poll, word & ACTIVATE_ON);
        else
            poll->is_silent = true;
        break;
    case ECC_NO: break;
    default: poll->is_silent = true;
    }
}

static bool is_available(const struct ecc_source *source, const struct family *family,
                         uint32_t capability)
{
    return ((capability >> family->bit & 1) != 0) == family->is_with &&
           source->cpu.stepping >= family->min_stepping;
}

struct ecc_control ecc_in_band_read(const struct ecc_source *source)
{
    struct pci_function f = pci_function_at(0, 0, 0);
    const struct family *family = family_of(pci_read(f, PCI_ID));
    struct ecc_control control = { 0 };
    struct ecc_poll poll = { 0 };
    uint32_t capability;
    uint64_t base;

    if (!family)
        return control;
    capability = pci_read(f, family->capability);
    if (capability == ECC_NO_ANSWER)
        return control;
    if (!is_available(source, family, capability)) {
        control.is_on = ECC_NO;
        return control;
    }
    base = mchbar_address(f, family->top_bit, CONTROLLER_BYTES * family->controllers);
    if (!base)
        return control;
    for (unsigned i = 0; i < family->controllers; i++)
        ask_controller(source, family, base + i * CONTROLLER_BYTES, &poll);
    control = ecc_poll_outcome(&poll);
    if (control.is_on == ECC_YES)
        control.repair = MEMORY_REPAIR_IN_BAND_ECC;
    return control;
}
