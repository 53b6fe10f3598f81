// SPDX-License-Identifier: MIT
/* Whose CPU it is, and which (Intel SDM vol. 2A, CPUID leaves 0 and 1; AMD APM vol. 3, E.3). */
#pragma once

#include <stdint.h>

#include "cpudata/cpuid_fn.h"

enum cpu_vendor { CPU_VENDOR_OTHER, CPU_VENDOR_INTEL, CPU_VENDOR_AMD, CPU_VENDOR_HYGON };

struct cpu_model {
    enum cpu_vendor vendor;
    uint32_t family, model, stepping; /* with the extended fields */
};

struct cpu_model cpu_model_read(cpuid_fn *cpuid, void *ctx);
