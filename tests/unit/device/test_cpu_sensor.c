// SPDX-License-Identifier: MIT
#include "device/cpu_sensor.h"

#include "controller/played_controller.h"

static uint64_t target, status;
static unsigned msr_reads;

static uint64_t read_msr(uint32_t msr)
{
    msr_reads++;
    switch (msr) {
    case 0x1a2: return target << 16;
    case 0x19c: return status;
    case 0x1b1: return status;
    default: fail_msg("MSR 0x%x is read", msr); return 0;
    }
}

static struct cpu_sensor_source intel(uint32_t model, uint32_t thermal)
{
    msr_reads = 0;
    return (struct cpu_sensor_source){ .cpu = { CPU_VENDOR_INTEL, 6, model, 0 },
                                       .brand = "",
                                       .thermal = thermal,
                                       .read_msr = read_msr };
}

static struct cpu_sensor_source amd(enum cpu_vendor vendor, uint32_t family, const char *brand)
{
    return (struct cpu_sensor_source){ .cpu = { vendor, family, 1, 0 },
                                       .brand = brand,
                                       .read_msr = read_msr };
}

TEST(intels_counts_down_from_its_target)
{
    struct cpu_sensor_source source = intel(0x9e, 0x41);
    struct cpu_sensor sensor;
    int32_t mc;

    target = 100;
    sensor = cpu_sensor_find(&source);
    assert_int_equal(sensor.msr, 0x1b1);
    status = 55 << 16;
    assert_true(cpu_sensor_read(&sensor, &mc));
    assert_int_equal(mc, 45000);
    status = 0;
    assert_true(cpu_sensor_read(&sensor, &mc));
    assert_int_equal(mc, 100000);
}

TEST(a_cpu_says_whether_it_is_valid)
{
    struct cpu_sensor_source source = intel(0x1a, 0x01);
    struct cpu_sensor sensor;
    int32_t mc = 7;

    target = 105;
    sensor = cpu_sensor_find(&source);
    assert_int_equal(sensor.msr, 0x19c);
    status = 127 << 16;
    assert_false(cpu_sensor_read(&sensor, &mc));
    assert_int_equal(mc, 7);
    status |= UINT64_C(1) << 31;
    assert_true(cpu_sensor_read(&sensor, &mc));
    assert_int_equal(mc, -22000);
}

/* A register that a CPU does not have would fault. */
TEST(msrs_that_may_be_missing_are_not_read)
{
    static const uint32_t models[] = { 0x0f, 0x17, 0x1c, 0x26, 0x27, 0x35, 0x36 };
    struct cpu_sensor_source source;
    int32_t mc;

    target = 100;
    for (size_t i = 0; i < COUNT(models); i++) {
        struct cpu_sensor sensor;

        source = intel(models[i], 0x41);
        sensor = cpu_sensor_find(&source);
        assert_int_equal(sensor.kind, CPU_SENSOR_NONE);
        assert_false(cpu_sensor_read(&sensor, &mc));
        assert_int_equal(msr_reads, 0);
    }
    source = intel(0x9e, 0x40); /* a package without a sensor */
    assert_int_equal(cpu_sensor_find(&source).kind, CPU_SENSOR_NONE);
    source = intel(0x9e, 0x41);
    source.is_virtual = true;
    assert_int_equal(cpu_sensor_find(&source).kind, CPU_SENSOR_NONE);
    source = intel(0x9e, 0x41);
    source.cpu.vendor = CPU_VENDOR_OTHER;
    assert_int_equal(cpu_sensor_find(&source).kind, CPU_SENSOR_NONE);
    assert_int_equal(msr_reads, 0);
    source = intel(0x9e, 0x41);
    target = 0;
    assert_int_equal(cpu_sensor_find(&source).kind, CPU_SENSOR_NONE);
    source = intel(0x01, 0x41);
    source.cpu.family = 0x13; /* later ones have it */
    target = 95;
    assert_int_equal(cpu_sensor_find(&source).kind, CPU_SENSOR_INTEL);
}

static void play_bridge(uint32_t vendor, uint32_t value)
{
    play_begin();
    play(0, 0, 0, PCI_ID, 0x14d80000 | vendor);
    play(0, 0, 0, SMN_INDEX, OLD_INDEX);
    play_smn(0, 0x59800, value);
}

TEST(amds_is_behind_smn)
{
    static const struct {
        uint32_t value;
        const char *brand;
        int32_t mc;
    } cases[] = {
        { 360u << 21, "AMD Ryzen 9 5950X", 45000 },
        { 361u << 21, "AMD Ryzen 9 5950X", 45125 },
        { 752u << 21 | 1u << 19, "AMD Ryzen 9 5950X", 45000 },
        { 752u << 21 | 3u << 16, "AMD EPYC 7742", 45000 },
        { 752u << 21 | 2u << 16, "AMD EPYC 7742", 94000 },
        { 520u << 21, "AMD Ryzen 7 1800X Eight-Core Processor", 45000 },
        { 440u << 21, "AMD Ryzen 7 2700X Eight-Core Processor", 45000 },
        { 576u << 21, "AMD Ryzen Threadripper 1950X 16-Core Processor", 45000 },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cpu_sensor_source source = amd(CPU_VENDOR_AMD, 0x17, cases[i].brand);
        struct cpu_sensor sensor;
        int32_t mc;

        play_bridge(0x1022, cases[i].value);
        sensor = cpu_sensor_find(&source);
        assert_true(cpu_sensor_read(&sensor, &mc));
        assert_int_equal(mc, cases[i].mc);
        assert_int_equal(pci_read(pci_function_at(0, 0, 0), SMN_INDEX), OLD_INDEX);
    }
}

TEST(amds_without_an_answer)
{
    struct cpu_sensor_source source = amd(CPU_VENDOR_AMD, 0x19, "");
    struct cpu_sensor sensor;
    int32_t mc = 7;

    play_bridge(0x1022, 0xffffffff);
    sensor = cpu_sensor_find(&source);
    assert_int_equal(sensor.kind, CPU_SENSOR_SMN);
    assert_false(cpu_sensor_read(&sensor, &mc));
    play_bridge(0x1022, 0);
    played.index_is_fixed = true;
    assert_false(cpu_sensor_read(&sensor, &mc));
    assert_int_equal(mc, 7);

    play_bridge(0x8086, 0); /* a hypervisor that hides itself */
    assert_int_equal(cpu_sensor_find(&source).kind, CPU_SENSOR_NONE);
    play_bridge(0x1022, 0);
    source = amd(CPU_VENDOR_AMD, 0x16, "");
    assert_int_equal(cpu_sensor_find(&source).kind, CPU_SENSOR_NONE);
    source = amd(CPU_VENDOR_HYGON, 0x18, "");
    play_bridge(0x1d94, 0);
    assert_int_equal(cpu_sensor_find(&source).kind, CPU_SENSOR_SMN);
    assert_int_equal(played.writes, 0);
}
