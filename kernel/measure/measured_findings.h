// SPDX-License-Identifier: MIT
/*
 * What the measured figures mean, in words.
 */
#pragma once

/*
 * After matrix_measure: warns of what bandwidth/findings.h finds in what was measured and in what
 * firmware says of the machine.
 */
void measured_findings_emit(void);
