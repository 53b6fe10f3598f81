// SPDX-License-Identifier: MIT
/*
 * The heat of a run: reads the sensors, lets traffic pause above the limits of temperature.max=,
 * says when modules are as hot as hot= wants them, and sends temperatures as events. Boot CPU only.
 */
#pragma once

#include <stdbool.h>

#include "run/run.h"

/* Takes memory of the arena. */
void heating_prepare(struct heating *heating);

/* After the modules' events and the choice of tests: sets the limits, and sends the first event.
 * Nothing is sent here or below where no temperature is known. */
void heating_begin(struct run *run);

/*
 * Repeatedly: reads a sensor that is due, holds the CPUs or lets them go on, and sends an event
 * when the first faults have come, at a pause and its end, and so often that a curve can be drawn:
 * after 10 seconds or a twentieth of the run.
 */
void heating_poll(struct run *run);

/* At the end of the tests: with the highest. */
void heating_finish(struct run *run);

/* Whether the modules are to be heated first, or go on being heated: heat_goal_wants. */
bool heating_wants(struct run *run);

/* Returns when traffic does not pause, or the run is to end. */
void heating_wait(struct run *run);
