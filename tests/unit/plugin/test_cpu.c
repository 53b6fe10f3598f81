// SPDX-License-Identifier: MIT
#include "tools/plugin/cpu.h"

#include "tests/unit/unit.h"

#define LINES 512

static _Alignas(64) uint8_t memory[LINES][CPU_LINE];
static struct cpu_fault fault;

static uint8_t *find(void *ctx, uint64_t vaddr)
{
    return (uint8_t *)memory + vaddr;
}

static void begin(enum cpu_fault_kind kind, uint64_t one_in)
{
    memset(&fault, 0, sizeof(fault));
    fault.kind = kind;
    fault.one_in = one_in;
    cpu_fault_begin(&fault);
}

static uint64_t load(uint64_t vaddr)
{
    uint64_t word;

    memcpy(&word, (uint8_t *)memory + vaddr, sizeof(word));
    cpu_fault_after(&fault, &(struct cpu_access){ vaddr, 8, false, true }, find, NULL);
    return word;
}

static void store(uint64_t vaddr, uint64_t word)
{
    memcpy((uint8_t *)memory + vaddr, &word, sizeof(word));
    cpu_fault_after(&fault, &(struct cpu_access){ vaddr, 8, true, true }, find, NULL);
}

static void store_all(uint64_t word)
{
    for (uint64_t at = 0; at < sizeof(memory); at += 8)
        store(at, word);
}

/* Words that were loaded other than they are; *ret_bits: their wrong bits. */
static unsigned load_all(uint64_t word, uint64_t *ret_bits)
{
    unsigned wrong = 0;

    *ret_bits = 0;
    for (uint64_t at = 0; at < sizeof(memory); at += 8) {
        uint64_t diff = load(at) ^ word;

        wrong += diff != 0;
        *ret_bits |= diff;
    }
    return wrong;
}

static unsigned count_wrong(uint64_t word)
{
    unsigned wrong = 0;

    for (uint64_t at = 0; at < sizeof(memory); at += 8)
        wrong += memcmp((uint8_t *)memory + at, &word, sizeof(word)) != 0;
    return wrong;
}

TEST(loads_are_wrong_and_memory_is_right)
{
    uint64_t bits;

    begin(CPU_LOAD, 100);
    memset(memory, 0xa5, sizeof(memory));
    assert_in_range(load_all(UINT64_C(0xa5a5a5a5a5a5a5a5), &bits), 20, 60);
    assert_int_equal(count_wrong(UINT64_C(0xa5a5a5a5a5a5a5a5)), 0);
}

TEST(stores_are_wrong_in_memory)
{
    begin(CPU_STORE, 100);
    store_all(7);
    assert_in_range(count_wrong(7), 20, 60);
}

TEST(a_vector_has_one_bad_bit)
{
    uint64_t bits;

    begin(CPU_VECTOR, 100);
    memset(memory, 0, sizeof(memory));
    assert_in_range(load_all(0, &bits), 10, 60);
    assert_int_equal(bits, UINT64_C(0x20) << 40); /* byte 13 of 16 */
    assert_int_equal(count_wrong(0), 0);
}

TEST(scalars_of_such_a_cpu_are_right)
{
    begin(CPU_VECTOR, 1);
    memset(memory, 0, sizeof(memory));
    for (uint64_t at = 0; at < sizeof(memory); at += 8)
        cpu_fault_after(&fault, &(struct cpu_access){ at, 8, true, false }, find, NULL);
    assert_int_equal(count_wrong(0), 0);
}

/* What was loaded before the store is loaded once more, then what was stored. */
TEST(a_stale_line_is_loaded_once)
{
    uint64_t bits;

    begin(CPU_CACHE, 300);
    memset(memory, 0, sizeof(memory));
    assert_int_equal(load_all(0, &bits), 0);
    fault.left = UINT64_MAX;
    store_all(9);
    assert_in_range(load_all(9, &bits), 7, 200);
    assert_int_equal(bits, 9);
    assert_int_equal(load_all(9, &bits), 0);
    assert_int_equal(count_wrong(9), 0);
}

TEST(instructions_on_vectors)
{
    static const struct {
        uint8_t bytes[5];
        bool is;
    } rows[] = {
        { { 0x66, 0x0f, 0x6f, 0x07 }, true },  { { 0x66, 0x41, 0x0f, 0xe7, 0x07 }, true },
        { { 0xc5, 0xfd, 0x6f, 0x07 }, true },  { { 0x62, 0xf1, 0x7d, 0x48 }, true },
        { { 0x0f, 0x28, 0x07 }, true },        { { 0x48, 0x8b, 0x07 }, false },
        { { 0x48, 0x0f, 0xc3, 0x07 }, false }, { { 0xf3, 0x48, 0xa5 }, false },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(cpu_insn_is_vector(rows[i].bytes, 5), rows[i].is);
    assert_false(cpu_insn_is_vector(rows[0].bytes, 0));
}
