// SPDX-License-Identifier: MIT
#include "device/cpu_sensor.h"

#include <stddef.h>

#include "device/pci.h"
#include "device/smn.h"
#include "lib/string.h"

#define CPUID_HAS_SENSOR  (1u << 0)
#define CPUID_HAS_PACKAGE (1u << 6)

#define MSR_THERM_STATUS         0x19c
#define MSR_TEMPERATURE_TARGET   0x1a2
#define MSR_PACKAGE_THERM_STATUS 0x1b1
#define STATUS_VALID             (UINT64_C(1) << 31) /* of a CPU's; the package's is always */

#define FAMILY_CORE  6u
#define MODEL_TARGET 0x1au /* Nehalem; models before it, and some Atoms, have no target */

#define FAMILY_ZEN      0x17u
#define VENDOR_AMD      0x1022u
#define VENDOR_HYGON    0x1d94u
#define SMN_TEMPERATURE 0x59800u
#define CURRENT_SHIFT   21 /* in eighths of a degree */
#define RANGE_FROM_49   (UINT32_C(1) << 19)
#define TJ_SELECTED     (UINT32_C(3) << 16)
#define MINUS_49        49000

/*
 * No register that is public says it. AMD's product pages ("max. operating temperature") have 89 to
 * 95 for desktops and up to 105 for notebooks, which these reach by design and stay at by
 * themselves: the highest, so that no cool-down is forced where the processor is as it should be.
 */
#define AMD_MAX 105000

static const uint8_t atoms_without_target[] = { 0x1c, 0x26, 0x27, 0x35, 0x36 };

/* The first Ryzens report a temperature that is too high, for their fans. */
static const struct {
    const char *name;
    int32_t too_high_mc;
} offsets[] = {
    { "Ryzen 5 1600X", 20000 }, { "Ryzen 7 1700X", 20000 },   { "Ryzen 7 1800X", 20000 },
    { "Ryzen 7 2700X", 10000 }, { "Threadripper 19", 27000 }, { "Threadripper 29", 27000 },
};

static bool has_target(const struct cpu_model *cpu)
{
    for (size_t i = 0; i < sizeof(atoms_without_target); i++) {
        if (cpu->family == FAMILY_CORE && cpu->model == atoms_without_target[i])
            return false;
    }
    return cpu->family > FAMILY_CORE || (cpu->family == FAMILY_CORE && cpu->model >= MODEL_TARGET);
}

static struct cpu_sensor find_intel(const struct cpu_sensor_source *source)
{
    struct cpu_sensor sensor = { .kind = CPU_SENSOR_INTEL, .read_msr = source->read_msr };
    uint64_t target;

    if (!(source->thermal & CPUID_HAS_SENSOR) || !has_target(&source->cpu))
        return (struct cpu_sensor){ .kind = CPU_SENSOR_NONE };
    target = source->read_msr(MSR_TEMPERATURE_TARGET) >> 16 & 0xff;
    if (!target)
        return (struct cpu_sensor){ .kind = CPU_SENSOR_NONE };
    sensor.from_mc = sensor.max_mc = 1000 * (int32_t)target;
    sensor.msr = source->thermal & CPUID_HAS_PACKAGE ? MSR_PACKAGE_THERM_STATUS : MSR_THERM_STATUS;
    return sensor;
}

static struct pci_function host_bridge(void)
{
    return pci_function_at(0, 0, 0);
}

static struct cpu_sensor find_smn(const struct cpu_sensor_source *source)
{
    struct cpu_sensor sensor = { .kind = CPU_SENSOR_SMN, .max_mc = AMD_MAX };
    uint32_t vendor = pci_read(host_bridge(), PCI_ID) & 0xffff;

    if (source->cpu.family < FAMILY_ZEN || (vendor != VENDOR_AMD && vendor != VENDOR_HYGON))
        return (struct cpu_sensor){ .kind = CPU_SENSOR_NONE };
    for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
        if (strstr(source->brand, offsets[i].name))
            sensor.from_mc = -offsets[i].too_high_mc;
    }
    return sensor;
}

struct cpu_sensor cpu_sensor_find(const struct cpu_sensor_source *source)
{
    if (source->is_virtual)
        return (struct cpu_sensor){ .kind = CPU_SENSOR_NONE };
    switch (source->cpu.vendor) {
    case CPU_VENDOR_INTEL: return find_intel(source);
    case CPU_VENDOR_AMD:
    case CPU_VENDOR_HYGON: return find_smn(source);
    default: return (struct cpu_sensor){ .kind = CPU_SENSOR_NONE };
    }
}

static bool read_intel(const struct cpu_sensor *sensor, int32_t *ret_mc)
{
    uint64_t status = sensor->read_msr(sensor->msr);

    if (sensor->msr == MSR_THERM_STATUS && !(status & STATUS_VALID))
        return false;
    *ret_mc = sensor->from_mc - 1000 * (int32_t)(status >> 16 & 0x7f);
    return true;
}

static bool read_smn(const struct cpu_sensor *sensor, int32_t *ret_mc)
{
    uint32_t index = pci_read(host_bridge(), SMN_INDEX), value;
    bool answers = smn_read(host_bridge(), SMN_TEMPERATURE, &value);

    pci_write(host_bridge(), SMN_INDEX, index);
    if (!answers)
        return false;
    *ret_mc = (int32_t)(value >> CURRENT_SHIFT) * 125 + sensor->from_mc;
    if (value & RANGE_FROM_49 || (value & TJ_SELECTED) == TJ_SELECTED)
        *ret_mc -= MINUS_49;
    return true;
}

bool cpu_sensor_read(const struct cpu_sensor *sensor, int32_t *ret_mc)
{
    switch (sensor->kind) {
    case CPU_SENSOR_INTEL: return read_intel(sensor, ret_mc);
    case CPU_SENSOR_SMN: return read_smn(sensor, ret_mc);
    default: return false;
    }
}
