// SPDX-License-Identifier: MIT
#include "acpi/madt.h"

#include "firmware/builder.h"
#include "firmware/damage.h"
#include "firmware/q35.h"

static struct builder b;

static int begin(void **state)
{
    builder_begin(&b, "APIC", 4, 44);
    memcpy(b.bytes + 36, (uint32_t[]){ 0xfee00000 }, 4);
    return 0;
}

static void add_cpu(uint8_t uid, uint8_t apic_id, uint8_t flags)
{
    builder_add(&b, (uint8_t[]){ 0, 8, uid, apic_id, flags, 0, 0, 0 }, 8);
}

static void add_x2apic(uint32_t uid, uint32_t apic_id, uint32_t flags)
{
    uint8_t e[16] = { 9, 16 };

    memcpy(e + 4, &apic_id, 4);
    memcpy(e + 8, &flags, 4);
    memcpy(e + 12, &uid, 4);
    builder_add(&b, e, sizeof(e));
}

static struct madt madt;

static enum status read_built(void)
{
    memset(&madt, 0xaa, sizeof(madt));
    return READ_TABLE(madt_read, builder_table(&b), &madt);
}

TEST(reads_cpus_and_io_apics, begin)
{
    add_cpu(1, 0, 1);
    add_x2apic(0x1000, 0x12345, 1);
    add_cpu(2, 0xfe, 1);
    builder_add(&b, (uint8_t[]){ 1, 12, 8, 0, 0x00, 0x00, 0xc0, 0xfe, 0, 0, 0, 0 }, 12);
    builder_add(&b, (uint8_t[]){ 1, 12, 9, 0, 0x00, 0x10, 0xc0, 0xfe, 24, 0, 0, 0 }, 12);
    builder_add(&b, (uint8_t[]){ 2, 10, 0, 9, 9, 0, 0, 0, 13, 0 }, 10); /* of no interest */
    assert_int_equal(read_built(), STATUS_OK);
    assert_int_equal(log_.n, 0);
    assert_int_equal(madt.local_apic_address, 0xfee00000);
    assert_int_equal(madt.n_cpus, 3);
    assert_int_equal(madt.cpu[0].apic_id, 0);
    assert_int_equal(madt.cpu[0].acpi_uid, 1);
    assert_int_equal(madt.cpu[1].apic_id, 0x12345);
    assert_int_equal(madt.cpu[1].acpi_uid, 0x1000);
    assert_int_equal(madt.cpu[2].apic_id, 0xfe);
    assert_int_equal(madt.n_io_apics, 2);
    assert_int_equal(madt.io_apic[1].address, 0xfec01000);
    assert_int_equal(madt.io_apic[1].gsi_base, 24);
}

TEST(takes_the_address_override, begin)
{
    builder_add(&b, (uint8_t[]){ 5, 12, 0, 0, 0x00, 0x10, 0, 0, 0x02, 0, 0, 0 }, 12);
    assert_int_equal(read_built(), STATUS_OK);
    assert_int_equal(madt.local_apic_address, 0x200001000);
    assert_int_equal(madt.n_cpus, 0);
    assert_int_equal(log_.n, 0);
}

TEST(uses_enabled_cpus_only)
{
    static const struct {
        uint8_t flags;
        size_t used;
    } cases[] = { { 0, 0 }, { 1, 1 }, { 2, 0 }, { 3, 1 } }; /* 2: online capable */

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        begin(NULL);
        add_cpu(1, 5, cases[i].flags);
        add_x2apic(2, 300, cases[i].flags);
        assert_int_equal(read_built(), STATUS_OK);
        assert_int_equal(madt.n_cpus, 2 * cases[i].used);
        assert_int_equal(log_.n, 0);
    }
}

TEST(drops_cpus_named_twice, begin)
{
    add_cpu(1, 5, 1);
    add_cpu(2, 5, 1);
    add_x2apic(4, 6, 1);
    add_x2apic(3, 6, 1);
    add_cpu(5, 6, 0); /* not in use: not twice */
    assert_int_equal(read_built(), STATUS_OK);
    assert_int_equal(madt.n_cpus, 2);
    assert_int_equal(madt.cpu[0].acpi_uid, 1);
    assert_int_equal(madt.cpu[1].acpi_uid, 4);
    assert_warned(&log_, 1, "duplicate APIC ID, ignored: 2");
}

TEST(takes_both_kinds_of_entry_for_one_cpu, begin)
{
    add_cpu(1, 5, 1);
    add_x2apic(9, 6, 1);
    add_x2apic(1, 5, 1);
    add_cpu(9, 6, 1);
    add_x2apic(7, 300, 1);
    assert_int_equal(read_built(), STATUS_OK);
    assert_int_equal(log_.n, 0);
    assert_int_equal(madt.n_cpus, 3);
    assert_int_equal(madt.cpu[0].apic_id, 5);
    assert_int_equal(madt.cpu[1].apic_id, 6);
    assert_int_equal(madt.cpu[2].apic_id, 300);
}

TEST(drops_broken_entries, begin)
{
    builder_add(&b, (uint8_t[]){ 0, 7, 1, 1, 1, 0, 0 }, 7);
    builder_add(&b, (uint8_t[]){ 9, 15, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0 }, 15);
    builder_add(&b, (uint8_t[]){ 1, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, 11);
    builder_add(&b, (uint8_t[]){ 5, 11, 0, 0, 1, 0, 0, 0, 0, 0, 0 }, 11);
    add_cpu(1, 0xff, 1); /* the broadcast IDs are nobody's */
    add_x2apic(2, 0xffffffff, 1);
    add_cpu(1, 0xff, 0); /* usual filling */
    add_x2apic(3, 0xff, 1);
    add_x2apic(4, 0xfffffffe, 1);
    assert_int_equal(read_built(), STATUS_OK);
    assert_int_equal(madt.n_cpus, 2);
    assert_int_equal(madt.cpu[0].apic_id, 0xff);
    assert_int_equal(madt.cpu[1].apic_id, 0xfffffffe);
    assert_int_equal(madt.n_io_apics, 0);
    assert_int_equal(madt.local_apic_address, 0xfee00000);
    assert_warned(&log_, 1, "malformed entries, ignored: 6");
}

TEST(keeps_what_comes_before_a_bad_length, begin)
{
    add_cpu(1, 1, 1);
    builder_add(&b, (uint8_t[]){ 0, 0, 2, 2, 1, 0, 0, 0 }, 8); /* must not loop */
    add_cpu(3, 3, 1);
    assert_int_equal(read_built(), STATUS_OK);
    assert_int_equal(madt.n_cpus, 1);
    assert_warned(&log_, 1, "bytes not read: 16");
}

TEST(says_what_does_not_fit)
{
    for (uint32_t extra = 0; extra < 3; extra++) {
        begin(NULL);
        for (uint32_t i = 0; i < MADT_CPUS_MAX + extra; i++)
            add_x2apic(i, i, 1);
        for (uint32_t i = 0; i < MADT_IO_APICS_MAX + extra; i++)
            builder_add(&b, (uint8_t[]){ 1, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, 12);
        add_x2apic(0, 7, 0);
        assert_int_equal(read_built(), STATUS_OK);
        assert_int_equal(madt.n_cpus, MADT_CPUS_MAX);
        assert_int_equal(madt.cpu[MADT_CPUS_MAX - 1].apic_id, MADT_CPUS_MAX - 1);
        assert_int_equal(madt.n_io_apics, MADT_IO_APICS_MAX);
        if (extra == 0)
            assert_int_equal(log_.n, 0);
        if (extra == 2) {
            assert_warned(&log_, 2, "CPUs beyond the first 1024, not used: 2");
            assert_warned(&log_, 2, "I/O APICs beyond the first 64, ignored: 2");
        }
    }
}

TEST(refuses_a_table_without_its_header, begin)
{
    assert_int_equal(read_built(), STATUS_OK);
    assert_int_equal(madt.n_cpus, 0);
    b.length = 43;
    assert_int_equal(read_built(), STATUS_INVALID);
    assert_int_equal(madt.n_cpus, 0xaaaaaaaaaaaaaaaa);
    assert_warned(&log_, 1, "43 bytes are too short");
}

static void read_any(const struct acpi_header *table, const struct warnings *warnings)
{
    if (madt_read(table, warnings, &madt) != STATUS_OK)
        return;
    assert_true(madt.n_cpus <= MADT_CPUS_MAX);
    assert_true(madt.n_io_apics <= MADT_IO_APICS_MAX);
    for (size_t i = 0; i < madt.n_cpus; i++) {
        for (size_t j = 0; j < i; j++)
            assert_int_not_equal(madt.cpu[i].apic_id, madt.cpu[j].apic_id);
    }
}

TEST(survives_damage, begin)
{
    add_cpu(1, 1, 1);
    add_x2apic(2, 2, 1);
    builder_add(&b, (uint8_t[]){ 1, 12, 8, 0, 0x00, 0x00, 0xc0, 0xfe, 0, 0, 0, 0 }, 12);
    builder_add(&b, (uint8_t[]){ 5, 12, 0, 0, 0x00, 0x10, 0, 0, 0x02, 0, 0, 0 }, 12);
    add_cpu(3, 3, 1);
    seal_table(b.bytes, b.length);
    damage_table(b.bytes, b.length, "APIC", read_any);
}

TEST(reads_a_real_machine)
{
    struct q35 q;

    q35_open(&q, "APIC");
    assert_int_equal(madt_read(q.table, &q.warnings, &madt), STATUS_OK);
    assert_int_equal(q.log.n, 0);
    assert_int_equal(madt.local_apic_address, 0xfee00000);
    assert_int_equal(madt.n_cpus, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(madt.cpu[i].apic_id, i);
        assert_int_equal(madt.cpu[i].acpi_uid, i);
    }
    assert_int_equal(madt.n_io_apics, 1);
    assert_int_equal(madt.io_apic[0].address, 0xfec00000);
    assert_int_equal(madt.io_apic[0].gsi_base, 0);
    damage_table(q.table, q.table->length, "APIC", read_any);
    fake_free(&q.memory);
}
