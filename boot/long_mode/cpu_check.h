// SPDX-License-Identifier: MIT
/* What okram needs of the CPU: for 32-bit loaders, which any CPU can run. */
#pragma once

/*
 * Whether the CPU has long mode and SSE2; turns SSE on (Intel SDM vol. 3A, 9.6). NULL: it has them;
 * else a sentence.
 */
const char *cpu_check(void);
