// SPDX-License-Identifier: MIT
/*
 * The temperature of the processor: Intel's by IA32_PACKAGE_THERM_STATUS or IA32_THERM_STATUS of
 * this CPU, below what MSR_TEMPERATURE_TARGET has (SDM vol. 3B, 15.8; vol. 4); AMD's and Hygon's
 * since family 17h by SMN register 0x59800, as Linux's k10temp reads it. Boot CPU only.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cpudata/cpu_kind.h"

struct cpu_sensor_source {
    struct cpu_model cpu;
    const char *brand;
    bool is_virtual;  /* registers are not the machine's, and reading them may fault */
    uint32_t thermal; /* CPUID 6 EAX; 0: there is no such leaf */
    msr_fn *read_msr;
};

enum cpu_sensor_kind { CPU_SENSOR_NONE, CPU_SENSOR_INTEL, CPU_SENSOR_SMN };

struct cpu_sensor {
    enum cpu_sensor_kind kind;
    uint32_t msr;    /* Intel */
    int32_t from_mc; /* Intel: what the register counts down from; AMD: added to it */
    int32_t max_mc;  /* up to which it may get hot: Intel's from_mc; AMD's, which no register has */
    msr_fn *read_msr;
};

/* Kind CPU_SENSOR_NONE: none that is known, and nothing was read. */
struct cpu_sensor cpu_sensor_find(const struct cpu_sensor_source *source);

/* In thousandths of a degree Celsius. False: the sensor has no valid value now. */
bool cpu_sensor_read(const struct cpu_sensor *sensor, int32_t *ret_mc);
