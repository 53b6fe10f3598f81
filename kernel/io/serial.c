// SPDX-License-Identifier: MIT
#include "io/serial.h"

#include "io/ports.h"
#include "lib/minmax.h"

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

#define LINE_8N1      0x03
#define LINE_DLAB     0x80
#define FIFO_ON       0xc7 /* on, both emptied, receive trigger at 14 */
#define ID_FIFO_ON    0xc0
#define MODEM_DTR_RTS 0x03
#define MODEM_LOOP    0x10
#define LINE_RECEIVED 0x01
#define LINE_EMPTY    0x20 /* the transmitter's holding register or FIFO */
#define FIFO_BYTES    16

#define PC_CLOCK_HZ     UINT32_C(1843200)
#define CLOCKS_OF_A_BIT 16
#define LOOPBACK_READS  10000 /* 1 to 10 ms; a character takes 0.1 ms at most */

/*
 * At 115200 baud a full FIFO is on the wire in 1.4 ms, and reading a port takes from 0.1 to 1 us:
 * these many reads last 10 to 100 ms. At other speeds they are in proportion.
 */
#define WAIT_READS_115200 UINT64_C(100000)

static struct {
    struct serial_port at;
    uint32_t baud;
    uint64_t wait_reads;
    bool present, carriage_return;
    bool stalled; /* the last wait ended without room: do not wait again until there is some */
    unsigned fifo, room; /* characters that it takes when empty, and certainly takes now */
} port;

/* A CPU that panics reads it: it may have stopped the CPU that writes after any character. */
static volatile bool middle_of_line;

static void put_at(const struct serial_port *p, unsigned reg, uint8_t value)
{
    unsigned offset = reg * p->stride;

    if (!p->registers)
        io_out8((uint16_t)(p->io + reg), value);
    else if (p->width == 4)
        *(volatile uint32_t *)(p->registers + offset) = value;
    else if (p->width == 2)
        *(volatile uint16_t *)(p->registers + offset) = value;
    else
        p->registers[offset] = value;
}

static uint8_t get_at(const struct serial_port *p, unsigned reg)
{
    unsigned offset = reg * p->stride;
    uint32_t value;

    if (!p->registers)
        value = io_in8((uint16_t)(p->io + reg));
    else if (p->width == 4)
        value = *(volatile uint32_t *)(p->registers + offset);
    else if (p->width == 2)
        value = *(volatile uint16_t *)(p->registers + offset);
    else
        value = p->registers[offset];
    return (uint8_t)value;
}

static void put(unsigned reg, uint8_t value)
{
    put_at(&port.at, reg, value);
}

static uint8_t get(unsigned reg)
{
    return get_at(&port.at, reg);
}

static bool wait_for(uint8_t status, uint64_t reads)
{
    while (reads--) {
        if (get(LINE_STATUS) & status)
            return true;
    }
    return false;
}

/* A register that only remembers. Nothing there, both reads give the same. */
static bool scratch_works(const struct serial_port *p)
{
    uint8_t before = get_at(p, SCRATCH), first, second;

    put_at(p, SCRATCH, 0x5a);
    first = get_at(p, SCRATCH);
    put_at(p, SCRATCH, 0xa5);
    second = get_at(p, SCRATCH);
    put_at(p, SCRATCH, before);
    return first == 0x5a && second == 0xa5;
}

/* The 8250 and some emulations have no scratch register, but can send to themselves. */
static bool loopback_works(void)
{
    bool same;

    put(MODEM_CONTROL, MODEM_LOOP | MODEM_DTR_RTS);
    put(DATA, 0xae);
    same = wait_for(LINE_RECEIVED, LOOPBACK_READS) && get(DATA) == 0xae;
    put(MODEM_CONTROL, MODEM_DTR_RTS);
    return same;
}

static uint32_t clock_of(const struct serial_port *p)
{
    return p->clock_hz ? p->clock_hz : PC_CLOCK_HZ;
}

/* The nearest that there is. */
static uint32_t divisor_of(const struct serial_port *p, uint32_t baud)
{
    uint64_t a_bit = (uint64_t)CLOCKS_OF_A_BIT * baud;

    return (uint32_t)min_u64(max_u64((clock_of(p) + a_bit / 2) / a_bit, 1), UINT16_MAX);
}

static uint32_t divisor_now(void)
{
    uint32_t divisor;

    put(LINE_CONTROL, LINE_DLAB | LINE_8N1);
    divisor = get(DIVISOR_LOW) | (uint32_t)get(DIVISOR_HIGH) << 8;
    put(LINE_CONTROL, LINE_8N1);
    return divisor;
}

static void set_line(uint32_t divisor)
{
    put(INTERRUPT_ENABLE, 0);
    put(LINE_CONTROL, LINE_DLAB | LINE_8N1);
    put(DIVISOR_LOW, (uint8_t)divisor);
    put(DIVISOR_HIGH, (uint8_t)(divisor >> 8));
    put(LINE_CONTROL, LINE_8N1);
    put(FIFO_CONTROL, FIFO_ON);
    put(MODEM_CONTROL, MODEM_DTR_RTS);
}

static uint32_t baud_of(uint32_t divisor)
{
    return divisor ? clock_of(&port.at) / CLOCKS_OF_A_BIT / divisor : 0;
}

/* As the port wants it; a speed that it cannot have, or that firmware has not set, is replaced. */
static void set_speed(uint32_t divisor_of_firmware)
{
    uint32_t divisor = port.at.baud ? divisor_of(&port.at, port.at.baud) : divisor_of_firmware;

    if (baud_of(divisor) < SERIAL_BAUD_MIN)
        divisor = divisor_of(&port.at, SERIAL_BAUD);
    set_line(divisor);
    port.baud = baud_of(divisor);
    port.wait_reads = WAIT_READS_115200 * SERIAL_BAUD / max_u64(port.baud, SERIAL_BAUD_MIN);
}

bool serial_answers(const struct serial_port *p)
{
    return get_at(p, LINE_STATUS) != 0xff && scratch_works(p);
}

enum status serial_use(const struct serial_port *p)
{
    uint32_t divisor;

    port.present = false;
    port.at = *p;
    if (get(LINE_STATUS) == 0xff)
        return STATUS_NOT_FOUND;
    divisor = divisor_now();
    if (get(LINE_CONTROL) != LINE_8N1)
        return STATUS_NOT_FOUND;
    set_line(1); /* for the loopback, so that it takes no time */
    if (!scratch_works(p) && !loopback_works())
        return STATUS_NOT_FOUND;
    set_speed(divisor);
    port.fifo = (get(INTERRUPT_ID) & ID_FIFO_ON) == ID_FIFO_ON ? FIFO_BYTES : 1;
    port.room = 0;
    port.stalled = false;
    port.present = true;
    return STATUS_OK;
}

enum status serial_init(void)
{
    return serial_use(&(struct serial_port){ .io = SERIAL_COM1, .baud = SERIAL_BAUD });
}

uint32_t serial_baud(void)
{
    return port.baud;
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
        port.stalled = !wait_for(LINE_EMPTY, port.stalled ? 1 : port.wait_reads);
        if (port.stalled)
            return;
        port.room = port.fifo;
    }
    port.room--;
    put(DATA, c);
}

void serial_write(const char *text, size_t n)
{
    if (!port.present)
        return;
    for (size_t i = 0; i < n; i++) {
        bool ends = text[i] == '\n';

        if (ends && port.carriage_return)
            put_character('\r');
        middle_of_line |= !ends;
        put_character((uint8_t)text[i]);
        middle_of_line = !ends;
    }
}

bool serial_at_line_start(void)
{
    return !middle_of_line;
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
