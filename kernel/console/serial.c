// SPDX-License-Identifier: MIT
#include "console/serial.h"

#include <stdint.h>

#include "arch/io.h"

#define COM1 0x3f8

/* Registers of a 16550 (PC16550D data sheet, table II). */
enum {
    DATA = 0,
    DIVISOR_LOW = 0, /* while LINE_CONTROL's DLAB is set */
    INTERRUPT_ENABLE = 1,
    DIVISOR_HIGH = 1,
    FIFO_CONTROL = 2,
    INTERRUPT_ID = 2,
    LINE_CONTROL = 3,
    MODEM_CONTROL = 4,
    LINE_STATUS = 5,
    SCRATCH = 7,
};

#define LINE_8N1       0x03
#define LINE_DLAB      0x80
#define FIFO_ON        0xc7 /* on, both emptied, receive trigger at 14 */
#define ID_FIFO_ON     0xc0
#define MODEM_DTR_RTS  0x03
#define MODEM_LOOP     0x10
#define LINE_RECEIVED  0x01
#define LINE_EMPTY     0x20 /* the transmitter's holding register or FIFO */
#define DIVISOR_115200 1
#define FIFO_BYTES     16

/*
 * A full FIFO is on the wire in 1.4 ms, and reading a port takes from 0.1 to 1 us: these many reads
 * last 10 to 100 ms.
 */
#define WAIT_READS 100000

static struct {
    bool present, carriage_return;
    bool stalled; /* the last wait ended without room: do not wait again until there is some */
    bool middle_of_line;
    unsigned fifo, room; /* characters it takes when empty, and right now for certain */
} port;

static void put(unsigned reg, uint8_t value)
{
    io_out8((uint16_t)(COM1 + reg), value);
}

static uint8_t get(unsigned reg)
{
    return io_in8((uint16_t)(COM1 + reg));
}

static bool wait_for(uint8_t status, unsigned reads)
{
    while (reads--) {
        if (get(LINE_STATUS) & status)
            return true;
    }
    return false;
}

/* A register that only remembers. Nothing there, both reads give the same. */
static bool scratch_works(void)
{
    uint8_t first, second;

    put(SCRATCH, 0x5a);
    first = get(SCRATCH);
    put(SCRATCH, 0xa5);
    second = get(SCRATCH);
    return first == 0x5a && second == 0xa5;
}

/* The 8250 and some emulations have no scratch register, but can send to themselves. */
static bool loopback_works(void)
{
    bool same;

    put(MODEM_CONTROL, MODEM_LOOP | MODEM_DTR_RTS);
    put(DATA, 0xae);
    same = wait_for(LINE_RECEIVED, WAIT_READS) && get(DATA) == 0xae;
    put(MODEM_CONTROL, MODEM_DTR_RTS);
    return same;
}

enum status serial_init(void)
{
    port.present = false;
    if (get(LINE_STATUS) == 0xff)
        return STATUS_NOT_FOUND;
    put(INTERRUPT_ENABLE, 0);
    put(LINE_CONTROL, LINE_DLAB | LINE_8N1);
    put(DIVISOR_LOW, DIVISOR_115200);
    put(DIVISOR_HIGH, 0);
    put(LINE_CONTROL, LINE_8N1);
    put(FIFO_CONTROL, FIFO_ON);
    put(MODEM_CONTROL, MODEM_DTR_RTS);
    if (!scratch_works() && !loopback_works())
        return STATUS_NOT_FOUND;
    port.fifo = (get(INTERRUPT_ID) & ID_FIFO_ON) == ID_FIFO_ON ? FIFO_BYTES : 1;
    port.room = 0;
    port.stalled = false;
    port.present = true;
    return STATUS_OK;
}

bool serial_is_present(void)
{
    return port.present;
}

void serial_set_carriage_return(bool on)
{
    port.carriage_return = on;
}

static void put_character(uint8_t c)
{
    if (!port.room) {
        port.stalled = !wait_for(LINE_EMPTY, port.stalled ? 1 : WAIT_READS);
        if (port.stalled)
            return;
        port.room = port.fifo;
    }
    put(DATA, c);
    port.room--;
}

void serial_write(const char *text, size_t n)
{
    if (!port.present)
        return;
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '\n' && port.carriage_return)
            put_character('\r');
        put_character((uint8_t)text[i]);
    }
    if (n)
        port.middle_of_line = text[n - 1] != '\n';
}

bool serial_at_line_start(void)
{
    return !port.middle_of_line;
}

int serial_read(void)
{
    uint8_t status;

    if (!port.present)
        return -1;
    status = get(LINE_STATUS);
    /* All ones: the port went away, as a card or a remote console can. */
    return status != 0xff && status & LINE_RECEIVED ? get(DATA) : -1;
}
