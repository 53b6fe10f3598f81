// SPDX-License-Identifier: MIT
/*
 * A diagnosis begins, and goes on: the modules that are fitted now, as SMBIOS lists them, known
 * again by their serial numbers or, where these say nothing, by slot and size.
 *
 * A serial number counts if it can be one: hexadecimal digits (JEDEC's are 4 bytes; DMTF DSP0134
 * 3.7, 7.18 has them as text), not all the same, and no other module has it. Firmware's
 * placeholders ("00000000", "Unknown", "A1_SerNum0") do not.
 */
#pragma once

#include "diagnosis/diagnosis.h"
#include "firmware/smbios_memory.h"
#include "lib/fmt.h"
#include "lib/status.h"
#include "spd/modules.h"

/*
 * Slots of ordinary memory, in firmware's order; n_slots is DIAGNOSIS_SLOTS_MAX + 1 if there are
 * more. A name that several slots have gets that of the bank before it; one that is still not the
 * only one, or missing, is "slot #3". memory NULL, and chips that are soldered: there are no slots.
 *
 * JEDEC speeds are those of the modules' SPDs, where it is known which slot a module is in; else,
 * and if modules is NULL, 0.
 */
void diagnosis_list(const struct smbios_memory *memory, const struct modules *modules,
                    struct diagnosis_machine *ret_machine);

/*
 * Begins with a run on this machine that is over and had faults. STATUS_NOT_FOUND: fewer than two
 * modules are listed, and there is the advice alone (advice/advice.h). STATUS_NO_SPACE: too many.
 */
enum status diagnosis_begin(const struct diagnosis_machine *machine, enum diagnosis_kind kind,
                            struct diagnosis_count count, struct diagnosis *ret_diagnosis);

/*
 * What is fitted now. asked: what the last step asked for, by which modules without serial numbers
 * are known. A new module is added to the diagnosis. STATUS_NOT_FOUND: no module is known;
 * STATUS_NO_SPACE: too many; then the diagnosis is unchanged, and has to start again.
 */
enum status diagnosis_observe(struct diagnosis *d, const struct diagnosis_machine *machine,
                              const struct arrangement *asked, struct arrangement *ret_now);

/* Of such a status: a sentence for people. */
const char *diagnosis_refusal(enum status status);
