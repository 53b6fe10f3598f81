// SPDX-License-Identifier: MIT
/*
 * The memory controllers of this machine, decoded from their registers (decoder/decoder.h). Boot
 * CPU only.
 */
#pragma once

#include "controller/ecc.h"
#include "decoder/registers.h"

struct controllers {
    struct decoded_controller decoded;
    struct register_list registers; /* that were read for it */
};

/*
 * Reads the registers, once. Those of a virtual machine are not the machine's, so that they are not
 * read; with QEMU the file opt/okram/registers of its firmware configuration device may list others
 * (decoder/registers.h), which a warning says.
 */
void controllers_read(const struct controller_source *source);

const struct controllers *controllers_get(void);

/*
 * The registers of the machine. All that was read is in the list of controllers_get(). Of SMN and
 * of AMD's data fabric index registers are written, which have their old values again after each
 * read. Good until the next call.
 */
struct register_source controllers_source(const struct controller_source *source);
