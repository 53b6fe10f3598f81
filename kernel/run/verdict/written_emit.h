// SPDX-License-Identifier: MIT
/* Warns which devices may have written to memory under test. Boot CPU, at the end of the run. */
#pragma once

#include "external/external.h"
#include "kind/kind.h"

/* Nothing if neither faults nor other changes look so. verdict: of kind_emit_final. */
void written_emit(const struct external *external, const struct kind_verdict *verdict);
