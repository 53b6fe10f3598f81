// SPDX-License-Identifier: MIT
/* Port 0x61, as chipsets have it: status bits that stay until a command clears them. */
#include "arch/nmi.h"

#include "io/ports.h"
#include "tests/unit/unit.h"

static uint8_t status; /* what reads give */
static uint8_t stuck;  /* what no command clears */

uint8_t io_in8(uint16_t port)
{
    assert_int_equal(port, 0x61);
    return status;
}

void io_out8(uint16_t port, uint8_t value)
{
    assert_int_equal(port, 0x61);
    assert_int_equal(value & 0xf3, status & 0x03); /* timer and speaker stay as they are */
    if (value & 4)
        status &= (uint8_t)~NMI_PARITY;
    if (value & 8)
        status &= (uint8_t)~NMI_IO_CHECK;
    status = (uint8_t)((status & 0xf0) | stuck | value);
}

TEST(what_was_there_before_is_cleared_and_not_reported)
{
    status = 0x31 | NMI_PARITY;
    nmi_begin();
    assert_int_equal(status, 0x31);
    nmi_poll();
    assert_int_equal(nmi_reasons(), 0);
}

TEST(a_port_that_is_not_there_reports_nothing)
{
    stuck = status = 0xff;
    nmi_begin();
    nmi_poll();
    assert_int_equal(nmi_reasons(), 0);
    stuck = 0;
}

TEST(what_cannot_be_cleared_is_ignored)
{
    stuck = NMI_IO_CHECK;
    status = 0x01 | stuck;
    nmi_begin();
    nmi_poll();
    assert_int_equal(nmi_reasons(), 0);
    status |= NMI_PARITY;
    nmi_poll();
    assert_int_equal(nmi_reasons(), NMI_PARITY);
    assert_int_equal(status, 0x01 | stuck);
    stuck = 0;
}

/* The input is masked: without any NMI. */
TEST(a_reason_is_seen_without_an_nmi)
{
    status = 0x02;
    nmi_begin();
    status |= NMI_IO_CHECK;
    nmi_poll();
    assert_true(nmi_reasons() & NMI_IO_CHECK);
    assert_int_equal(status, 0x02);
    assert_int_equal(nmi_count(), 0);
    nmi_arrived();
    assert_int_equal(nmi_count(), 1);
}
