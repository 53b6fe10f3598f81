// SPDX-License-Identifier: MIT
/* Two 8259s in cascade, as far as okram programs them, and a local APIC. */
#include "interrupt/unexpected.h"

#include "arch/lapic.h"
#include "arch/trap.h"
#include "io/ports.h"
#include "tests/unit/unit.h"

static struct chip {
    int next_word; /* of the initialization; 0: done */
    uint8_t vector, cascade, mask, in_service, read;
    int specific_ends[8];
} chips[2];

static struct chip *at(uint16_t port)
{
    assert_true(port == 0x20 || port == 0x21 || port == 0xa0 || port == 0xa1);
    return &chips[port >= 0xa0];
}

static void command(struct chip *c, uint8_t value)
{
    if (value & 0x10) {
        assert_int_equal(value, 0x11);
        c->next_word = 2;
        c->mask = 0;
    } else if (value & 0x08) {
        assert_int_equal(value, 0x0b);
        c->read = c->in_service;
    } else {
        assert_int_equal(value & 0xf8, 0x60);
        c->specific_ends[value & 7]++;
        c->in_service &= (uint8_t) ~(1 << (value & 7));
    }
}

static void data(struct chip *c, uint8_t value)
{
    switch (c->next_word) {
    case 2: c->vector = value; break;
    case 3: c->cascade = value; break;
    case 4:
        assert_int_equal(value, 1); /* no automatic end of interrupt */
        c->next_word = 0;
        return;
    default: c->mask = value; return;
    }
    c->next_word++;
}

void io_out8(uint16_t port, uint8_t value)
{
    if (port & 1)
        data(at(port), value);
    else
        command(at(port), value);
}

uint8_t io_in8(uint16_t port)
{
    assert_int_equal(port & 1, 0);
    return at(port)->read;
}

static void (*handle)(uint32_t vector);

void trap_set_interrupt(void (*given)(uint32_t vector))
{
    handle = given;
}

static bool in_service[256]; /* of the local APIC */
static uint32_t n_acknowledged;

bool lapic_is_in_service(uint32_t vector)
{
    return in_service[vector];
}

void lapic_acknowledge(void)
{
    n_acknowledged++;
}

/* How often it has come so far, from there. */
static uint64_t listed(uint32_t vector, const char *what)
{
    struct unexpected list[UNEXPECTED_MAX];
    size_t n = unexpected_list(list);
    uint64_t count = 0;

    for (size_t i = 0; i < n; i++) {
        assert_true(list[i].count && (!i || list[i - 1].vector <= list[i].vector));
        if (list[i].vector == vector && strcmp(list[i].what, what) == 0)
            count += list[i].count;
    }
    return count;
}

TEST(are_remapped_and_masked)
{
    chips[0] = (struct chip){ .vector = 8, .mask = 0xb8 };
    chips[1] = (struct chip){ .vector = 0x70, .mask = 0x8f };
    pic_mask();
    for (int i = 0; i < 2; i++) {
        assert_int_equal(chips[i].next_word, 0);
        assert_int_equal(chips[i].vector, PIC_VECTOR + 8 * i);
        assert_int_equal(chips[i].mask, 0xff);
    }
    assert_int_equal(chips[0].cascade, 1 << 2);
    assert_int_equal(chips[1].cascade, 2);
}

/* Each IRQ, in service or not: the end goes to where one is due, and to no other place. */
TEST(each_irq_is_ended)
{
    for (uint32_t irq = 0; irq < PIC_IRQS; irq++) {
        for (int real = 0; real < 2; real++) {
            const char *what = real ? "of an 8259's input" : "spurious, of an 8259";
            uint64_t before = listed(PIC_VECTOR + irq, what);
            struct chip *its = &chips[irq / 8];

            memset(chips, 0, sizeof(chips));
            its->in_service = (uint8_t)(real << irq % 8);
            if (irq >= 8)
                chips[0].in_service = 1 << 2;
            handle(PIC_VECTOR + irq);
            assert_int_equal(listed(PIC_VECTOR + irq, what), before + 1);
            assert_int_equal(chips[0].in_service | chips[1].in_service, 0);
            assert_int_equal(its->specific_ends[irq % 8], real);
            if (irq >= 8)
                assert_int_equal(chips[0].specific_ends[2], 1);
            assert_int_equal(chips[0].mask & chips[1].mask, 0xff);
        }
    }
}

/* A device behind the APIC may have the vector of an 8259's input. */
TEST(an_apic_is_acknowledged_and_the_8259s_are_left_alone)
{
    memset(chips, 0, sizeof(chips));
    n_acknowledged = 0;
    in_service[PIC_VECTOR + 3] = in_service[0x90] = true;
    handle(PIC_VECTOR + 3);
    handle(0x90);
    handle(0x90);
    assert_int_equal(n_acknowledged, 3);
    assert_int_equal(listed(PIC_VECTOR + 3, "unknown"), 1);
    assert_int_equal(listed(0x90, "unknown"), 2);
    assert_int_equal(chips[0].mask | chips[1].mask | chips[0].specific_ends[3], 0);
}

TEST(a_spurious_one_of_the_apic_has_no_end)
{
    n_acknowledged = 0;
    in_service[VECTOR_SPURIOUS] = true;
    handle(VECTOR_SPURIOUS);
    handle(0x91);
    assert_int_equal(n_acknowledged, 0);
    assert_int_equal(listed(VECTOR_SPURIOUS, "spurious, of a local APIC"), 1);
    assert_int_equal(listed(0x91, "unknown"), 1);
}

int group_set_up(void **state)
{
    unexpected_begin();
    return handle ? 0 : -1;
}
