// SPDX-License-Identifier: MIT
/*
 * okram's USB driver with a controller or with devices that lie. The input: what the controller is
 * (fake_xhci.c), then what happens, from enum happening; in between, each answer of the controller
 * and of the devices takes what it needs.
 *
 * Where only devices lie, a keyboard that is plugged in afterwards works. Sticks are read and
 * written, as disks, and no block is written but the one that is asked for.
 */
#include "usb/usb.c" /* so that its state can be cleared */
#include "usb/disk.h"

#include <string.h>

#include "fake_clock.h"
#include "fake_machine.h"
#include "fake_xhci.h"
#include "fuzz.h"
#include "lib/string.h"

enum happening {
    A_MS,
    TWENTY_MS,
    A_WHILE,
    SECONDS,
    ROOT_PORT, /* plugs in or out; port (1) */
    REPORT,    /* slot (1), bytes (1), which follow */
    EVENT,     /* of a hostile controller: 16 bytes; else a hub's port: slot (1), port (1) */
    PAUSE,     /* usb_end and usb_resume; or, by the next byte, disks are used */
};

#define POLLS_MAX 400
#define POLL_MS   20
#define LOOKS_MAX 20000 /* at clock and registers, in one call: more is a loop without an end */
#define CLASS     0x0c0330
#define MASTER    4u

static struct fake_xhci x;
static int last_key;

static void poll(uint64_t ms)
{
    uint64_t looks = fake_machine_looks();
    int key;

    fake_clock_pass(ms * 1000);
    for (unsigned i = 0; (key = usb_read_key()) != KEY_NONE; i++) {
        CHECK(fuzz_is_key(key) && i < 64);
        last_key = key;
    }
    CHECK(fake_machine_looks() - looks < LOOKS_MAX);
}

static void poll_for(uint64_t ms, uint64_t step)
{
    for (uint64_t passed = 0; passed < ms; passed += step)
        poll(step);
}

#define WRITTEN 7 /* the block of each disk that is written */
#define DISK_US UINT64_C(30000000)

static void pass_meanwhile(void *ctx)
{
    fake_clock_pass(POLL_MS * 1000);
}

static bool is_zero(const uint8_t *bytes, size_t n)
{
    return !n || (!bytes[0] && memcmp(bytes, bytes + 1, n - 1) == 0);
}

/* What a disk says of itself is its own affair; each call ends. */
static void use_disks(void)
{
    static struct usb_disk disk;
    static uint8_t block[DISK_DATA_MAX];
    uint64_t began = tsc_now();
    size_t position = 0;

    disk.poll = &(const struct cpu_poll){ pass_meanwhile, NULL };
    disk.deadline = began + tsc_from_us(DISK_US);
    while (usb_disk_next(&position, &disk)) {
        bool is_there = disk.disk.read(&disk, 0, 1, block);

        CHECK(!disk.disk.read(&disk, disk.disk.n_blocks, 1, block));
        CHECK(!disk.disk.write(&disk, 0, 0, block));
        if (is_there && disk.disk.n_blocks > WRITTEN)
            disk.disk.write(&disk, WRITTEN, 1, block);
        usb_disk_flush(&disk);
    }
    usb_disk_may_come(tsc_now());
    /* The last command, and why it was refused, may begin just before the deadline. */
    CHECK(tsc_now() - began < tsc_from_us(3 * DISK_US));
}

static void pause_it(void)
{
    usb_end();
    CHECK(!(fake_config()[1] & MASTER));
    usb_resume();
}

static void event(struct fuzz_input *in)
{
    if (x.is_hostile) {
        uint64_t parameter = fuzz_number(in, 8), status = fuzz_number(in, 4);

        fake_xhci_post(&x, parameter, (uint32_t)status, (uint32_t)fuzz_number(in, 4));
    } else {
        struct fake_slot *s = &x.slot[fuzz_number(in, 1) % (FAKE_SLOTS_MAX + 1)];

        fake_usb_plug(&s->device, (uint8_t)fuzz_number(in, 1));
    }
}

static void report(struct fuzz_input *in)
{
    uint32_t slot = (uint32_t)fuzz_number(in, 1) % (FAKE_SLOTS_MAX + 1);
    size_t wanted = fuzz_number(in, 1), n;
    const uint8_t *bytes = fuzz_bytes(in, wanted, &n);

    fake_xhci_report(&x, slot, bytes, (uint32_t)n);
}

static void happen(struct fuzz_input *in)
{
    static const uint64_t ms[] = { 1, 20, 150, 2500 };
    uint64_t what = fuzz_number(in, 1) % 8, port;

    switch (what) {
    case ROOT_PORT:
        port = fuzz_number(in, 1);
        if (x.n_ports)
            fake_xhci_plug(&x, 1 + (uint32_t)port % x.n_ports, port & 0x80);
        break;
    case REPORT: report(in); break;
    case EVENT: event(in); break;
    case PAUSE:
        if (fuzz_number(in, 1) & 1)
            use_disks();
        else
            pause_it();
        break;
    default: poll(ms[what]);
    }
}

/* The key q, from the only keyboard: slot by slot, because it may have any. */
static void check_key(void)
{
    static const uint8_t up[8], q[8] = { 0, 0, 0x14 };

    last_key = KEY_NONE;
    for (uint32_t slot = 1; slot <= x.n_slots; slot++) {
        fake_xhci_report(&x, slot, up, sizeof(up));
        fake_xhci_report(&x, slot, q, sizeof(q));
    }
    poll(POLL_MS);
    CHECK(last_key == 'q');
}

static void check_keyboard(void)
{
    for (uint32_t port = 1; port <= x.n_ports; port++)
        fake_xhci_plug(&x, port, false);
    poll_for(30000, 250); /* 12 devices that do not answer, 2 s each, one after the other */
    fake_xhci_plug(&x, 1, true);
    poll_for(2000, POLL_MS);
    check_key();
    pause_it();
    poll_for(2000, POLL_MS);
    check_key();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct fuzz_input in = { bytes, size };

    memset(&usb, 0, sizeof(usb));
    fake_machine_begin(fake_xhci_begin(&x, &in), CLASS);
    memset(&fake_disk, 0, sizeof(fake_disk));
    usb_begin((struct usb_wanted){ .disks = true });
    for (unsigned i = 0; in.left && i < POLLS_MAX; i++)
        happen(&in);
    in.left = 0;
    if (x.is_hostile)
        poll_for(500, POLL_MS);
    else
        check_keyboard();
    usb_end();
    CHECK(!(fake_config()[1] & MASTER));
    fake_machine_end();
    for (unsigned i = 0; !x.is_hostile && i < FAKE_BLOCKS; i++)
        CHECK(i == WRITTEN || is_zero(fake_disk.block[i], sizeof(fake_disk.block[i])));
    return 0;
}
