// SPDX-License-Identifier: MIT
/*
 * The memory modules that are fitted, and temperatures: theirs and the processor's. Boot CPU only.
 */
#pragma once

#include <stdbool.h>

#include "heat/heat.h"
#include "spd/modules.h"

struct inventory {
    struct modules modules;
    struct temperature cpu;
    int32_t cpu_max_mc; /* up to which the CPU may get hot; 0: not known */
    const char
        *bus; /* the SMBus: "Intel at 0x700: used"; "": there is none, or it was not asked for */
};

/*
 * After clock_calibrate: reads what modules say of themselves, once, and the first temperatures;
 * without reads_spd only firmware's tables count, and no SMBus is touched. What is wrong, and a bus
 * that cannot be used, gives warnings. Sets board.unseen.
 */
void inventory_read(bool reads_spd);

const struct inventory *inventory_get(void);

/*
 * Reads one sensor, if it is time: each of them every few seconds. A sensor that fails three times
 * is not read any more, and what one says is doubted as heat/heat.h has it; both give notices.
 * Cheap: 0.6 ms, four times a second, where modules have sensors.
 */
void inventory_poll(const struct heat_times *times);
