// SPDX-License-Identifier: MIT
/* Memory that may turn a bit, as a test says: stands in for kernel/cpu/arch/cpu.h. */
#pragma once

void cpu_flush_line(const volatile void *at);
