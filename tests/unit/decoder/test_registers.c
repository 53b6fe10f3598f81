// SPDX-License-Identifier: MIT
#include "decoder/registers.h"

#include "tests/unit/unit.h"

static struct register_list list;

static uint32_t value_at(unsigned space, unsigned unit, uint32_t offset)
{
    struct register_source source = register_list_source(&list);
    struct register_id id = { .space = (uint8_t)space, .unit = (uint16_t)unit, .offset = offset };
    uint32_t value;

    return source.read(source.ctx, id, &value) ? value : 0xdead;
}

TEST(a_list_is_read)
{
    assert_null(register_list_read("[\"cpu.amd.25.97.2\",\"smn.0.50000=201\",\r\n"
                                   "\"df.1.0110=ffffffff\"] pci.c0.48=1 mchbar.0.5004=0",
                                   &list));
    assert_int_equal(list.cpu.vendor, CPU_VENDOR_AMD);
    assert_int_equal(list.cpu.family, 25);
    assert_int_equal(list.cpu.model, 97);
    assert_int_equal(list.cpu.stepping, 2);
    assert_int_equal(list.n, 4);
    assert_int_equal(value_at(REGISTER_SMN, 0, 0x50000), 0x201);
    assert_int_equal(value_at(REGISTER_DF, 1, 0x110), 0xffffffff);
    assert_int_equal(value_at(REGISTER_PCI, 0xc0, 0x48), 1);
    assert_int_equal(value_at(REGISTER_MCHBAR, 0, 0x5004), 0);
    assert_int_equal(value_at(REGISTER_SMN, 1, 0x50000), 0xdead);
}

TEST(what_is_written_is_read_again)
{
    char text[REGISTER_TEXT_MAX];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));
    struct register_value longest = { { REGISTER_MCHBAR, 0xffff, 0xffffffff }, 0xffffffff };

    register_append(&b, &longest);
    assert_string_equal(text, "mchbar.ffff.ffffffff=ffffffff");
    assert_null(register_list_read(text, &list));
    assert_int_equal(value_at(REGISTER_MCHBAR, 0xffff, 0xffffffff), 0xffffffff);

    b = fmt_buffer_make(text, sizeof(text));
    register_append_cpu(&b, &(struct cpu_model){ CPU_VENDOR_HYGON, 24, 1, 2 });
    assert_string_equal(text, "cpu.hygon.24.1.2");
    assert_null(register_list_read(text, &list));
    assert_int_equal(list.cpu.vendor, CPU_VENDOR_HYGON);
}

TEST(the_first_word_that_is_none)
{
    static const char *const wrong[] = {
        "smn",
        "smn.0",
        "smn.0.5=",
        "smn.0.5=100000000",
        "smn.10000.5=1",
        "smn.0.5=g",
        "smn.0.5=1g",
        "sm.0.5=1",
        "cpu.amd.25.97",
        "cpu.via.6.1.1",
        "cpu.amd.25.97.2.3",
        "smn..5=1",
        "=",
        "0",
    };

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char text[64];
        struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

        fmt_append(&b, "df.0.4=1 %s", wrong[i]);
        assert_ptr_equal(register_list_read(text, &list), text + 9);
        assert_int_equal(list.n, 1);
    }
}

TEST(a_full_list)
{
    list = (struct register_list){ 0 };
    for (uint32_t i = 0; i <= REGISTERS_MAX; i++) {
        assert_false(list.is_cut);
        register_list_add(&list, (struct register_id){ .offset = i }, i);
        register_list_add(&list, (struct register_id){ .offset = 0 }, 7);
    }
    assert_true(list.is_cut);
    assert_int_equal(list.n, REGISTERS_MAX);
    assert_int_equal(value_at(0, 0, 0), 0);
    assert_int_equal(value_at(0, 0, REGISTERS_MAX), 0xdead);
}
