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
 * Slots of ordinary memory, in firmware's order; of more than DIAGNOSIS_SLOTS_MAX those with a
 * module. A name that several slots have gets that of the bank before it. memory NULL, and chips
 * that are soldered: there are no slots.
 *
 * JEDEC speeds are those of the modules' SPDs, where it is known which slot a module is in; else,
 * and if modules is NULL, 0.
 */
void diagnosis_list(const struct smbios_memory *memory, const struct modules *modules,
                    struct diagnosis_machine *ret_machine);

/* What was odd; bits. */
enum diagnosis_note {
    DIAGNOSIS_NO_SERIALS = 1,    /* some module has no serial number that counts */
    DIAGNOSIS_SAME_SERIALS = 2,  /* two modules have the same one */
    DIAGNOSIS_ADDED = 4,         /* a module that has not been seen before */
    DIAGNOSIS_OTHER_MACHINE = 8, /* none of the modules is known */
    DIAGNOSIS_TOO_MANY = 16,     /* more modules or slots than a diagnosis can have */
    DIAGNOSIS_NO_SLOTS = 32,     /* SMBIOS lists no module, or of a first run only one */
};

/*
 * Begins with a run on this machine that is over and had faults. tests: the names of those that
 * found them, with commas. STATUS_NOT_FOUND, STATUS_NO_SPACE: it cannot begin; *ret_notes says why.
 * A single module cannot be compared with anything: then there is the advice alone
 * (advice/advice.h).
 */
enum status diagnosis_begin(const struct diagnosis_machine *machine, enum diagnosis_kind kind,
                            const char *tests, struct diagnosis_count count,
                            struct diagnosis *ret_diagnosis, unsigned *ret_notes);

/*
 * What is fitted now. asked: what the last step asked for, by which modules without serial numbers
 * are known. A new module is added to the diagnosis. STATUS_NO_SPACE, STATUS_NOT_FOUND: the
 * diagnosis has to start again; *ret_notes says why; it is unchanged.
 */
enum status diagnosis_observe(struct diagnosis *d, const struct diagnosis_machine *machine,
                              const struct arrangement *asked, struct arrangement *ret_now,
                              unsigned *ret_notes);

/* A sentence for each note. */
void diagnosis_append_notes(unsigned notes, struct fmt_buffer *out);
