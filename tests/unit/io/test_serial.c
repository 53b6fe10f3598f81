// SPDX-License-Identifier: MIT
/* A 16550 and what may be in its place, on I/O ports and in memory. */
#include "io/serial.h"

#include "io/ports.h"
#include "tests/unit/unit.h"

#define BASE 0x2f8

/* A port that is not there may be read so often and no more. */
#define READS_OF_ABSENT 16

enum { DATA, IER, IIR, LCR, MCR, LSR, MSR, SCRATCH, REGISTERS };

static struct {
    bool is_there, has_scratch, has_loopback, has_fifo, is_stuck;
    uint8_t absent; /* what is read where nothing is */
    uint8_t lcr, mcr, scratch, received;
    bool has_received;
    uint16_t divisor;
    unsigned room;
    unsigned long reads;
    char sent[256];
    size_t n_sent;
    size_t stop_at; /* the CPU is stopped after this many characters; 0: it is not */
} fake;

static jmp_buf stopped;

static uint8_t line_status(void)
{
    fake.room = fake.is_stuck ? 0 : fake.has_fifo ? 16 : 1; /* time passes */
    return (uint8_t)((fake.room ? 0x60 : 0) | fake.has_received);
}

uint8_t io_in8(uint16_t port)
{
    unsigned reg = port - BASE;

    assert_in_range(reg, 0, REGISTERS - 1);
    fake.reads++;
    if (!fake.is_there)
        return fake.absent;
    switch (reg) {
    case DATA:
        if (fake.lcr & 0x80)
            return (uint8_t)fake.divisor;
        fake.has_received = false;
        return fake.received;
    case IER: return fake.lcr & 0x80 ? (uint8_t)(fake.divisor >> 8) : 0;
    case IIR: return fake.has_fifo ? 0xc1 : 0x01;
    case LCR: return fake.lcr;
    case LSR: return line_status();
    case SCRATCH: return fake.has_scratch ? fake.scratch : 0xff;
    default: return 0;
    }
}

static void send(uint8_t c)
{
    if (fake.mcr & 0x10) {
        fake.received = c;
        fake.has_received = fake.has_loopback;
        return;
    }
    assert_true(fake.room > 0); /* nothing is lost */
    fake.room--;
    assert_true(fake.n_sent < sizeof(fake.sent));
    fake.sent[fake.n_sent++] = (char)c;
    if (fake.n_sent == fake.stop_at)
        longjmp(stopped, 1);
}

void io_out8(uint16_t port, uint8_t value)
{
    unsigned reg = port - BASE;

    assert_in_range(reg, 0, REGISTERS - 1);
    if (!fake.is_there)
        return;
    if (reg == LCR)
        fake.lcr = value;
    else if (reg == MCR)
        fake.mcr = value;
    else if (reg == SCRATCH)
        fake.scratch = value;
    else if (reg == DATA && fake.lcr & 0x80)
        fake.divisor = (uint16_t)((fake.divisor & 0xff00) | value);
    else if (reg == IER && fake.lcr & 0x80)
        fake.divisor = (uint16_t)((fake.divisor & 0xff) | value << 8);
    else if (reg == DATA)
        send(value);
}

static int set_up(void **state)
{
    memset(&fake, 0, sizeof(fake));
    fake.is_there = fake.has_scratch = fake.has_loopback = fake.has_fifo = true;
    fake.divisor = 12; /* firmware's: 9600 */
    fake.absent = 0xff;
    serial_set_carriage_return(false);
    return 0;
}

static enum status use(uint32_t baud, uint32_t clock_hz)
{
    return serial_use(&(struct serial_port){ .io = BASE, .baud = baud, .clock_hz = clock_hz });
}

static void assert_sends(const char *text, size_t n)
{
    fake.n_sent = 0;
    serial_write(text, n);
    assert_int_equal(fake.n_sent, n);
    assert_memory_equal(fake.sent, text, n);
}

TEST(finds_what_has_a_scratch_register_or_a_loopback, set_up)
{
    static const char text[] = "more than the sixteen characters that a FIFO holds";

    for (unsigned i = 0; i < 8; i++) {
        set_up(state);
        fake.has_scratch = i & 1;
        fake.has_loopback = i & 2;
        fake.has_fifo = i & 4;
        assert_int_equal(use(115200, 0), i & 3 ? STATUS_OK : STATUS_NOT_FOUND);
        assert_int_equal(serial_is_present(), (i & 3) != 0);
        if (i & 3)
            assert_sends(text, strlen(text));
        assert_int_equal(fake.lcr, 0x03);
        assert_int_equal(fake.mcr, 0x03); /* no loopback any more */
    }
}

TEST(does_not_wait_for_what_is_not_there, set_up)
{
    static const uint8_t read[] = { 0xff, 0x00, 0x7f, 0x60, 0x03 };

    for (size_t i = 0; i < sizeof(read); i++) {
        struct serial_port p = { .io = BASE };

        set_up(state);
        fake.is_there = false;
        fake.absent = read[i];
        assert_false(serial_answers(&p));
        if (read[i] != 0x03) { /* that one looks like the line's settings: the loopback is tried */
            assert_int_equal(use(115200, 0), STATUS_NOT_FOUND);
            assert_in_range(fake.reads, 1, READS_OF_ABSENT);
        }
        assert_int_equal(use(115200, 0), STATUS_NOT_FOUND);
        fake.reads = 0;
        serial_write("lost", 4);
        assert_int_equal(serial_read(), -1);
        assert_int_equal(fake.reads, 0);
    }
}

TEST(looks_without_touching, set_up)
{
    struct serial_port p = { .io = BASE };

    fake.scratch = 0x77;
    assert_true(serial_answers(&p));
    assert_int_equal(fake.scratch, 0x77);
    assert_int_equal(fake.divisor, 12);
    assert_int_equal(fake.n_sent, 0);
    fake.has_scratch = false;
    assert_false(serial_answers(&p));
}

TEST(sets_the_speed, set_up)
{
    static const struct {
        uint32_t baud, clock_hz;
        uint16_t firmware, divisor;
        uint32_t is;
    } speeds[] = {
        { 115200, 0, 12, 1, 115200 },
        { 9600, 0, 1, 12, 9600 },
        { 1200, 0, 1, 96, 1200 },
        { 1, 0, 1, 1, 115200 }, /* slower than is allowed */
        { UINT32_MAX, 0, 12, 1, 115200 },
        { 115200, 48000000, 12, 26, 115384 }, /* the nearest that this clock has */
        { 0, 0, 12, 12, 9600 },               /* as firmware left it */
        { 0, 0, 96, 96, 1200 },
        { 0, 0, 97, 1, 115200 },
        { 0, 0, 0, 1, 115200 },
        { 0, 0, 0xffff, 1, 115200 },
        { 115200, 1, 12, 1, 0 }, /* a clock that cannot be: whatever it then is */
    };

    for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++) {
        set_up(state);
        fake.divisor = speeds[i].firmware;
        assert_int_equal(use(speeds[i].baud, speeds[i].clock_hz), STATUS_OK);
        assert_int_equal(fake.divisor, speeds[i].divisor);
        assert_int_equal(serial_baud(), speeds[i].is);
        assert_sends("fine\n", 5);
    }
}

/* Reads until it has given up, and then one for each character. */
TEST(waits_once_for_a_port_that_takes_nothing, set_up)
{
    static const struct {
        uint32_t baud;
        unsigned long most;
    } waits[] = { { 115200, 100000 }, { 9600, 1200000 }, { 1200, 9600000 } };

    for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
        set_up(state);
        assert_int_equal(use(waits[i].baud, 0), STATUS_OK);
        fake.is_stuck = true;
        fake.reads = 0;
        serial_write("1", 1);
        assert_in_range(fake.reads, waits[i].most / 2, waits[i].most);
        fake.reads = 0;
        serial_write("23456", 5);
        assert_int_equal(fake.reads, 5);
        fake.is_stuck = false;
        assert_sends("again", 5);
    }
}

TEST(reaches_registers_in_memory, set_up)
{
    static const struct {
        uint8_t stride, width;
    } forms[] = { { 1, 1 }, { 2, 1 }, { 2, 2 }, { 4, 1 }, { 4, 4 } };

    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        uint8_t memory[REGISTERS * 4 + 1] __attribute__((aligned(8))) = { 0 };
        unsigned stride = forms[i].stride, end = 7 * stride + forms[i].width;
        struct serial_port p = {
            .registers = memory, .stride = forms[i].stride, .width = forms[i].width, .baud = 115200
        };

        memory[end] = 0xee;
        memory[LSR * stride] = 0x60;
        assert_int_equal(serial_use(&p), STATUS_OK);
        serial_write("x", 1);
        assert_int_equal(memory[DATA], 'x');
        assert_int_equal(memory[LCR * stride], 0x03);
        assert_int_equal(memory[MCR * stride], 0x03);
        assert_int_equal(memory[end], 0xee);
        memory[LSR * stride] |= 1;
        memory[DATA] = 'q';
        assert_int_equal(serial_read(), 'q');
    }
    assert_int_equal(fake.reads, 0);
}

/* A panic stops the CPU that writes. */
TEST(knows_the_middle_of_a_line_wherever_it_is_stopped, set_up)
{
    static const char text[] = "two\nlines\n";

    assert_int_equal(use(115200, 0), STATUS_OK);
    for (size_t n = 1; n <= strlen(text); n++) {
        fake.n_sent = 0;
        fake.stop_at = 0;
        serial_write("\n", 1);
        assert_true(serial_at_line_start());
        fake.n_sent = 0;
        fake.stop_at = n;
        if (!setjmp(stopped))
            serial_write(text, strlen(text));
        assert_int_equal(fake.n_sent, n);
        if (text[n - 1] != '\n')
            assert_false(serial_at_line_start());
    }
}
