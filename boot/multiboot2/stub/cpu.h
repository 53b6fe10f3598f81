/* What okram needs of the CPU, looked at before anything else is done. */
#pragma once

/* Refuses to go on without long mode and SSE2; turns SSE on (Intel SDM vol. 3A, 9.6). */
void cpu_prepare(void);
