// SPDX-License-Identifier: MIT
#include "acpi/bert.h"

#include "acpi/error_bytes.h"
#include "firmware/damage.h"

#define BERT_BYTES 48
#define REGION     UINT64_C(0x7f000000)

static struct warning_log log_;

static enum status read_one(size_t length, uint64_t region, uint32_t region_bytes,
                            const struct error_bytes *b, struct bert *ret)
{
    struct warnings warnings = warnings_to(&log_);
    struct fake_memory memory = { 0 };
    struct phys_reader reader = fake_reader(&memory);
    uint8_t bytes[BERT_BYTES] = { 0 };
    uint8_t *table = malloc(length);
    enum status status;

    memset(&log_, 0, sizeof(log_));
    make_header((void *)bytes, "BERT", 1);
    put(bytes + 36, region_bytes, 4);
    put(bytes + 40, region, 8);
    memcpy(table, bytes, length);
    seal_table(table, length);
    if (b)
        fake_add(&memory, REGION, b->at,
                 region_bytes < sizeof(b->at) ? region_bytes : sizeof(b->at));
    status = bert_read(&reader, (void *)table, &warnings, ret);
    free(table);
    fake_free(&memory);
    return status;
}

/* Two blocks, one after the other, then one that is empty. */
static void counts_all_blocks(void **state)
{
    struct error_bytes b = block_of(1), second = block_of(2);
    uint8_t memory[80] = { 0 };
    struct bert bert;

    put(memory, 2, 8);
    put(memory + 16, 0x5000040, 8);
    add_section(&b, other_kind, ERROR_FATAL, 0x300, NULL, "", 0);
    add_section(&b, memory_kind, ERROR_RECOVERABLE, 0x300, "DIMM_A1", memory, sizeof(memory));
    add_section(&second, memory_kind, ERROR_CORRECTED, 0x201, NULL, memory, sizeof(memory));
    add_section(&second, memory_kind, ERROR_INFORMATION, 0x201, NULL, memory, sizeof(memory));
    memcpy(b.at + b.n, second.at, second.n);
    b.n += second.n;
    assert_int_equal(read_one(BERT_BYTES, REGION, (uint32_t)b.n, &b, &bert), STATUS_OK);
    assert_int_equal(log_.n, 0);
    assert_int_equal(bert.uncorrected, 2);
    assert_int_equal(bert.corrected, 1);
    assert_int_equal(bert.of_memory, 2);
    assert_int_equal(bert.memory.addr, 0x5000040);
    assert_string_equal(bert.memory.fru, "DIMM_A1");
    assert_int_equal(read_one(BERT_BYTES, REGION, (uint32_t)b.n + 400, &b, &bert), STATUS_OK);
    assert_int_equal(bert.uncorrected, 2);
}

static void mostly_nothing_is_recorded(void **state)
{
    struct error_bytes b = block_of(0);
    struct bert bert = { .corrected = 7 };

    assert_int_equal(read_one(BERT_BYTES, REGION, 64, &b, &bert), STATUS_NOT_FOUND);
    assert_int_equal(read_one(BERT_BYTES, REGION, 19, &b, &bert), STATUS_NOT_FOUND);
    assert_int_equal(read_one(BERT_BYTES, 0, 0, NULL, &bert), STATUS_NOT_FOUND);
    assert_int_equal(log_.n, 0);
    assert_int_equal(bert.corrected, 7);
}

static void says_what_is_wrong(void **state)
{
    struct error_bytes b = block_of(0);
    struct bert bert = { .corrected = 7 };

    assert_int_equal(read_one(BERT_BYTES - 1, REGION, 64, &b, &bert), STATUS_INVALID);
    assert_warned(&log_, 1, "47 bytes are too short");
    assert_int_equal(read_one(BERT_BYTES, REGION + 4096, 64, &b, &bert), STATUS_INVALID);
    assert_warned(&log_, 1, "at 0x7f001000, which is not memory that firmware keeps");
    assert_int_equal(read_one(BERT_BYTES, UINT64_MAX - 8, 64, &b, &bert), STATUS_INVALID);
    assert_warned(&log_, 1, "not memory that firmware keeps");
    memset(b.at, 0xff, sizeof(b.at));
    assert_int_equal(read_one(BERT_BYTES, REGION, 64, &b, &bert), STATUS_INVALID);
    assert_warned(&log_, 1, "are not an error report");
    assert_int_equal(bert.corrected, 7);
}

/* What can be read counts, though something after it is broken. */
static void a_broken_block_ends_the_list(void **state)
{
    struct error_bytes b = block_of(1);
    struct bert bert;

    add_section(&b, other_kind, ERROR_FATAL, 0x300, NULL, "", 0);
    memset(b.at + b.n, 0xff, 100);
    assert_int_equal(read_one(BERT_BYTES, REGION, (uint32_t)b.n + 100, &b, &bert), STATUS_OK);
    assert_int_equal(bert.uncorrected, 1);
    assert_int_equal(log_.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_all_blocks),
        cmocka_unit_test(mostly_nothing_is_recorded),
        cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(a_broken_block_ends_the_list),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
