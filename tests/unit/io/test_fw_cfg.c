// SPDX-License-Identifier: MIT
/* Two files in QEMU's device, and a machine that has no such device. */
#include "io/fw_cfg.h"

#include "io/cpuid.h"
#include "io/ports.h"
#include "tests/unit/unit.h"

static const char directory[] = "\0\0\0\2"
                                "\0\0\0\4\0\x20\0\0other";
static bool under_hypervisor;
static size_t n_accesses, at;
static uint16_t item;

struct cpuid_regs cpuid(uint32_t leaf, uint32_t subleaf)
{
    assert_int_equal(leaf, 1);
    return (struct cpuid_regs){ .ecx = under_hypervisor ? 1u << 31 : ~(1u << 31) };
}

void io_out16(uint16_t port, uint16_t value)
{
    n_accesses++;
    item = value;
    at = 0;
}

/* The directory's second file is wanted; names fill 56 bytes. */
static uint8_t directory_byte(size_t n)
{
    static const char second[] = "\0\0\0\5\0\x21\0\0wanted";

    if (n < sizeof(directory) - 1)
        return (uint8_t)directory[n];
    n -= 4 + 64;
    return n < sizeof(second) - 1 ? (uint8_t)second[n] : 0;
}

uint8_t io_in8(uint16_t port)
{
    n_accesses++;
    switch (item) {
    case 0: return (uint8_t) "QEMU"[at++];
    case 0x19: return directory_byte(at++);
    case 0x21: return (uint8_t) "text\n"[at++];
    }
    fail();
    return 0;
}

TEST(a_file_is_read)
{
    char text[8];

    under_hypervisor = true;
    assert_int_equal(fw_cfg_read_string("wanted", text, sizeof(text)), STATUS_OK);
    assert_string_equal(text, "text\n");
    assert_int_equal(fw_cfg_read_string("absent", text, sizeof(text)), STATUS_NOT_FOUND);
}

TEST(without_a_hypervisor_no_port_is_touched)
{
    char text[8];

    under_hypervisor = false;
    n_accesses = 0;
    assert_int_equal(fw_cfg_read_string("wanted", text, sizeof(text)), STATUS_NOT_FOUND);
    assert_int_equal(n_accesses, 0);
}
