// SPDX-License-Identifier: MIT
/* The way of controllers and devices to where keys come, with a controller of the fuzz targets. */
#include "usb/usb.c" /* so that its state can be cleared */
#include "usb/disk.h"

#include "fake_clock.h"
#include "fake_machine.h"
#include "fake_xhci.h"
#include "lib/splitmix.h"
#include "run_file/stick_file.h"
#include "tests/unit/unit.h"
#include "usb/registers.h"

enum {
    XHCI_CLASS = 0x0c0330,
    EHCI_CLASS = 0x0c0320,
    UHCI_CLASS = 0x0c0300,
    POLL_MS = 20,
    KEYBOARD = 0,
    MOUSE = 0x80,
    STICK = 0x40,
    FAILS = 0xf3,
    SILENT = 0xf1,
    SHORT = 0xf4,
    HUB_WITH_TWO = 1 | (2 - 1) << 3, /* ports; which have something, follows */
    GOOD = 0,
    STALL = 0xf0,
};

/* How often fake_xhci_begin asks: what it is, its size, scratch pages, where something is. */
#define ONE_PORT 0, 0, 0, 1

static struct fake_xhci x;
static struct fuzz_input input, devices;

static void begin_with(uint32_t class_code, const uint8_t *bytes, size_t n)
{
    memset(&usb, 0, sizeof(usb));
    input = (struct fuzz_input){ bytes, n };
    fake_machine_begin(fake_xhci_begin(&x, &input), class_code);
}

#define BEGIN(class_code, ...)                                                                     \
    begin_with(class_code, (const uint8_t[]){ __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ }))

static int end(void **state)
{
    usb_end();
    fake_machine_end();
    return 0;
}

static int poll_for(unsigned ms)
{
    int key = KEY_NONE, now;

    for (unsigned passed = 0; passed < ms; passed += POLL_MS) {
        fake_clock_pass(POLL_MS * 1000);
        while ((now = usb_read_key()) != KEY_NONE)
            key = now;
    }
    return key;
}

static int press_q(uint32_t slot)
{
    static const uint8_t up[8], q[8] = { 0, 0, 0x14 };

    fake_xhci_report(&x, slot, up, sizeof(up));
    fake_xhci_report(&x, slot, q, sizeof(q));
    return poll_for(POLL_MS);
}

/* The types of the commands so far, and whether an address was kept back. */
static bool was(const uint32_t *expected, size_t n)
{
    bool equal = x.n_logged == n;

    for (size_t i = 0; equal && i < n; i++)
        equal = (x.log[i] & (63u << 10 | TRB_BLOCK_ADDRESS)) == expected[i];
    return equal;
}

#define COMMAND(type) ((uint32_t)(type) << 10)
#define WAS(...)                                                                                   \
    was((const uint32_t[]){ __VA_ARGS__ }, sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))

TEST(a_keyboard_at_once, NULL, end)
{
    BEGIN(XHCI_CLASS, ONE_PORT);
    assert_int_equal(usb_begin((struct usb_wanted){ .disks = true }), USB_DRIVEN);
    assert_false(usb_has_keyboard());
    poll_for(1000);
    assert_true(usb_has_keyboard());
    assert_true(WAS(COMMAND(TRB_ENABLE_SLOT), COMMAND(TRB_ADDRESS_DEVICE),
                    COMMAND(TRB_CONFIGURE_ENDPOINT)));
    assert_int_equal(x.resets[1], 1);
    assert_int_equal(press_q(1), 'q');
    fake_xhci_plug(&x, 1, false);
    poll_for(200);
    assert_false(usb_has_keyboard());
}

/* It stalls the first request that comes after it got its address. */
TEST(the_second_attempt_asks_before_the_address, NULL, end)
{
    BEGIN(XHCI_CLASS, ONE_PORT, KEYBOARD, STALL);
    usb_begin((struct usb_wanted){ .disks = true });
    poll_for(2000);
    assert_true(WAS(COMMAND(TRB_ENABLE_SLOT), COMMAND(TRB_ADDRESS_DEVICE),
                    COMMAND(TRB_DISABLE_SLOT), COMMAND(TRB_ENABLE_SLOT),
                    COMMAND(TRB_ADDRESS_DEVICE) | TRB_BLOCK_ADDRESS, COMMAND(TRB_ADDRESS_DEVICE),
                    COMMAND(TRB_CONFIGURE_ENDPOINT)));
    assert_int_equal(x.resets[1], 2);
    assert_int_equal(press_q(1), 'q');
}

/* Its first packets are of 64 bytes, which the controller is told with the address. */
TEST(the_packet_size_is_known_before_the_address, NULL, end)
{
    BEGIN(XHCI_CLASS, ONE_PORT, KEYBOARD, STALL, KEYBOARD | 4);
    usb_begin((struct usb_wanted){ .disks = true });
    poll_for(2000);
    assert_int_equal(x.log[x.n_logged - 1] & 63u << 10, COMMAND(TRB_CONFIGURE_ENDPOINT));
    for (uint32_t i = 0; i < x.n_logged; i++)
        assert_int_not_equal(x.log[i] & 63u << 10, COMMAND(TRB_EVALUATE_CONTEXT));
    assert_int_equal(press_q(1), 'q');
}

TEST(the_third_attempt_has_one_more_reset, NULL, end)
{
    BEGIN(XHCI_CLASS, ONE_PORT, KEYBOARD, STALL, KEYBOARD, STALL);
    usb_begin((struct usb_wanted){ .disks = true });
    poll_for(3000);
    assert_int_equal(x.resets[1], 1 + 1 + 2);
    assert_int_equal(press_q(1), 'q');
}

/* What has no address, or one that another gets, must not hear anything. */
TEST(the_port_of_what_fails_is_disabled, NULL, end)
{
    BEGIN(XHCI_CLASS, ONE_PORT, KEYBOARD, STALL, KEYBOARD, STALL, KEYBOARD, STALL);
    usb_begin((struct usb_wanted){ .disks = true });
    poll_for(4000);
    assert_false(usb_has_keyboard());
    assert_int_equal(x.resets[1], 4);
    assert_false(x.portsc[1] & XHCI_PORT_ENABLED);
    assert_int_equal(x.log[x.n_logged - 1] & 63u << 10, COMMAND(TRB_DISABLE_SLOT));
    fake_xhci_plug(&x, 1, false);
    poll_for(200);
    fake_xhci_plug(&x, 1, true); /* and what comes instead is attached */
    poll_for(1000);
    assert_int_equal(press_q(1), 'q');
}

TEST(what_is_ignored_at_a_hub_keeps_its_address, NULL, end)
{
    static const uint8_t kinds[] = { HUB_WITH_TWO, 3, MOUSE, KEYBOARD };

    BEGIN(XHCI_CLASS, ONE_PORT);
    devices = (struct fuzz_input){ kinds, sizeof(kinds) };
    x.devices = &devices;
    usb_begin((struct usb_wanted){ .disks = true });
    poll_for(3000);
    for (uint32_t i = 0; i < x.n_logged; i++)
        assert_int_not_equal(x.log[i] & 63u << 10, COMMAND(TRB_DISABLE_SLOT));
    for (unsigned slot = 1; slot <= 3; slot++)
        assert_true(x.slot[slot].enabled && x.slot[slot].addressed);
    assert_false(x.slot[4].enabled);
    assert_int_equal(press_q(3), 'q');
}

/* Slots are disabled from the last device to the hub. */
TEST(a_hub_that_goes_takes_the_rest_along, NULL, end)
{
    static const uint8_t kinds[] = { HUB_WITH_TWO, 3, MOUSE, KEYBOARD };

    BEGIN(XHCI_CLASS, ONE_PORT);
    devices = (struct fuzz_input){ kinds, sizeof(kinds) };
    x.devices = &devices;
    usb_begin((struct usb_wanted){ .disks = true });
    poll_for(3000);
    x.n_logged = 0;
    fake_xhci_plug(&x, 1, false);
    poll_for(200);
    assert_true(
        WAS(COMMAND(TRB_DISABLE_SLOT), COMMAND(TRB_DISABLE_SLOT), COMMAND(TRB_DISABLE_SLOT)));
    assert_int_equal(x.log[2] >> 24, 1);
}

TEST(ports_of_intels_ehci_are_taken, NULL, end)
{
    static const struct {
        uint32_t id, subsystem, other_class, other_id;
        bool taken;
    } cases[] = {
        { 0x8c318086, 0, EHCI_CLASS, 0x8c268086, true },
        { 0x8c318086, 0, EHCI_CLASS, 0x43961002, false },
        { 0x8c318086, 0, UHCI_CLASS, 0x29348086, false },
        { 0x1e318086, 0x90a8104d, EHCI_CLASS, 0x1e268086, false },
        { 0x01941033, 0, EHCI_CLASS, 0x8c268086, false },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint32_t *config;

        if (i)
            end(state);
        BEGIN(XHCI_CLASS, ONE_PORT);
        config = fake_config();
        config[0] = cases[i].id;
        config[0x2c / 4] = cases[i].subsystem;
        config[0xd4 / 4] = 0x3fff;
        config[0xdc / 4] = 0x3f;
        fake_add_function(cases[i].other_class)[0] = cases[i].other_id;
        assert_int_equal(usb_begin((struct usb_wanted){ .disks = true }), USB_DRIVEN);
        poll_for(1000);
        assert_int_equal(config[0xd0 / 4], cases[i].taken ? 0x3fff : 0);
        assert_int_equal(config[0xd8 / 4], cases[i].taken ? 0x3f : 0);
        assert_int_equal(press_q(1), 'q');
    }
}

TEST(older_controllers_are_told_from_none, NULL, end)
{
    BEGIN(EHCI_CLASS, ONE_PORT);
    assert_int_equal(usb_begin((struct usb_wanted){ .disks = true }), USB_OLDER);
    end(state);
    BEGIN(UHCI_CLASS, ONE_PORT);
    assert_int_equal(usb_begin((struct usb_wanted){ .disks = true }), USB_OLDER);
    end(state);
    BEGIN(0x010601, ONE_PORT);
    assert_int_equal(usb_begin((struct usb_wanted){ .disks = true }), USB_NONE);
}

/* One that firmware owns, but without its SMIs on, is nobody's. */
TEST(firmwares_controller_is_left, NULL, end)
{
    BEGIN(XHCI_CLASS, ONE_PORT);
    x.extended[1] = XHCI_LEGACY_SMIS;
    assert_int_equal(usb_begin((struct usb_wanted){ .leave_firmwares = true }), USB_FIRMWARES);
    poll_for(1000);
    assert_int_equal(x.n_logged, 0);
    assert_true(x.extended[0] & XHCI_LEGACY_BIOS_OWNED);
    end(state);
    BEGIN(XHCI_CLASS, ONE_PORT);
    assert_int_equal(usb_begin((struct usb_wanted){ .leave_firmwares = true }), USB_DRIVEN);
    end(state);
    BEGIN(XHCI_CLASS, ONE_PORT);
    x.extended[1] = XHCI_LEGACY_SMIS;
    assert_int_equal(usb_begin((struct usb_wanted){ .disks = true }), USB_DRIVEN);
    poll_for(1000);
    assert_int_equal(press_q(1), 'q');
}

static void pass(void *ctx)
{
    fake_clock_pass(POLL_MS * 1000);
}

static const struct cpu_poll passing = { pass, NULL };
static struct usb_disk disk;

static bool find_disk(void)
{
    size_t position = 0;

    disk.poll = &passing;
    disk.deadline = tsc_now() + tsc_from_us(30000000);
    return usb_disk_next(&position, &disk);
}

/* A stick, whose answers from then on are as these bytes say. */
static void begin_stick(void)
{
    static const uint8_t kind[] = { STICK, STICK };

    memset(&fake_disk, 0, sizeof(fake_disk));
    BEGIN(XHCI_CLASS, ONE_PORT);
    devices = (struct fuzz_input){ kind, sizeof(kind) };
    x.devices = &devices;
    assert_int_equal(usb_begin((struct usb_wanted){ .disks = true }), USB_DRIVEN);
    poll_for(1000);
}

static bool works(void)
{
    static uint8_t block[DISK_DATA_MAX], back[DISK_DATA_MAX];

    memset(block, 0xa5, sizeof(block));
    return disk.disk.write(&disk, 9, 1, block) && disk.disk.read(&disk, 9, 1, back) &&
           memcmp(block, back, DISK_BLOCK) == 0 &&
           memcmp(block, fake_disk.block[9], DISK_BLOCK) == 0;
}

TEST(a_stick, NULL, end)
{
    begin_stick();
    assert_true(find_disk());
    assert_int_equal(disk.disk.n_blocks, FAKE_BLOCKS);
    assert_true(works());
    assert_false(disk.disk.read(&disk, FAKE_BLOCKS, 1, fake_disk.block[0]));
    assert_false(disk.disk.read(&disk, FAKE_BLOCKS - 1, 2, fake_disk.block[0]));
    assert_false(disk.disk.write(&disk, 0, 9, fake_disk.block[0])); /* more than a page */
    assert_true(usb_disk_is_here(&disk));
}

TEST(a_stick_with_blocks_of_4_kib, NULL, end)
{
    begin_stick();
    fake_disk.has_large_blocks = true;
    assert_false(find_disk());
}

TEST(a_stick_that_is_write_protected, NULL, end)
{
    begin_stick();
    fake_disk.is_protected = true;
    assert_true(find_disk());
    assert_false(disk.disk.write(&disk, 9, 1, fake_disk.block[0]));
    assert_int_equal(disk.sense, STORAGE_SENSE_PROTECTED);
    assert_true(usb_disk_is_here(&disk));
    fake_disk.is_protected = false;
    assert_true(works());
}

/* Of a read: the wrapper, the data, the status. */
TEST(transfers_that_go_wrong, NULL, end)
{
    static const struct {
        uint8_t answer[8];
        size_t n;
        bool reads, stays;
    } cases[] = {
        { { GOOD, STALL }, 2, false, true },      /* no data: it is asked how it went */
        { { GOOD, GOOD, STALL }, 3, true, true }, /* asked again, the status comes */
        { { GOOD, GOOD, STALL, GOOD, STALL }, 5, false, false }, /* clear halt comes between */
        { { STALL }, 1, false, false },                          /* a reset alone ends this */
        { { FAILS, 4 }, 2, false, false },
        { { SILENT }, 1, false, false },
        { { GOOD, SILENT }, 2, false, false },
        { { GOOD, GOOD, SILENT }, 3, false, false },
        { { GOOD, SHORT, 100 }, 3, false, true },
        { { GOOD, GOOD, SHORT, 12 }, 4, false, false },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (i)
            end(state);
        begin_stick();
        assert_true(find_disk());
        input = (struct fuzz_input){ cases[i].answer, cases[i].n };
        if (disk.disk.read(&disk, 3, 1, fake_disk.block[1]) != cases[i].reads ||
            usb_disk_is_here(&disk) != cases[i].stays)
            fail_msg("case %zu", i);
        input.left = 0;
        poll_for(3000); /* what was given up is attached anew */
        assert_true(find_disk());
        assert_true(works());
    }
}

/* In the wrapper, which names the block, or in the data: nothing is written then. */
TEST(memory_that_turns_a_bit, NULL, end)
{
    static uint8_t block[512];

    for (unsigned i = 1; i <= 1 + sizeof(block) / 64; i++) {
        if (i > 1)
            end(state);
        begin_stick();
        assert_true(find_disk());
        memset(block, 0xa5, sizeof(block));
        fake_turns_bit = i;
        assert_false(disk.disk.write(&disk, 9, 1, block));
        for (unsigned b = 0; b < FAKE_BLOCKS; b++)
            assert_int_equal(fake_disk.block[b][0], 0);
        poll_for(3000); /* what was given up is attached anew */
        assert_true(find_disk());
        assert_true(works());
    }
}

/* A controller's ports, then answers: one in eight is wrong, in any way. */
static size_t make_answers(uint64_t seed, uint8_t *to, size_t n)
{
    static const uint8_t ports[] = { ONE_PORT };
    size_t at = sizeof(ports);

    memcpy(to, ports, at);
    while (at < n)
        to[at++] = splitmix_below(&seed, 8) ? GOOD : (uint8_t)(STALL + splitmix_below(&seed, 6));
    return n;
}

/* What a run does with each disk that it finds. Returns how many there were. */
static unsigned keep_report(void)
{
    static const struct saved_state state = { .test = "mats+" };
    const struct stick_report report = { 1, &state, "{}\n", 3 };
    struct stick_file files[STICK_FILES], next;
    struct stick_written written = { .n = 0 };
    unsigned n_disks = 0;
    size_t position = 0;

    disk.poll = &passing;
    disk.deadline = tsc_now() + tsc_from_us(30000000);
    for (; usb_disk_next(&position, &disk); n_disks++) {
        if (stick_find(&disk.disk, 1, files, &next))
            stick_write(&disk.disk, &files[0], &report, &written);
    }
    return n_disks;
}

/* With partitions of FAT, but without okram's files, at a controller and a device that err. */
TEST(a_disk_with_other_data_stays, NULL, end)
{
    static uint8_t answers[600], kinds[64], before[sizeof(fake_disk.block)];
    unsigned n_disks = 0;

    memset(kinds, STICK, sizeof(kinds));
    for (uint64_t seed = 1; seed <= 200; seed++) {
        uint64_t random = seed;

        if (seed > 1)
            end(state);
        for (size_t i = 0; i < sizeof(before); i++)
            before[i] = (uint8_t)splitmix_next(&random);
        for (unsigned i = 0; i < FAT_PARTITIONS; i++)
            memcpy(before + 446 + 16 * i, (uint8_t[16]){ [4] = 12, [8] = 1, [12] = 9 }, 16);
        before[510] = before[512 + 510] = 0x55;
        before[511] = before[512 + 511] = 0xaa;
        memcpy(fake_disk.block, before, sizeof(before));
        begin_with(XHCI_CLASS, answers, make_answers(seed, answers, sizeof(answers)));
        devices = (struct fuzz_input){ kinds, sizeof(kinds) };
        x.devices = &devices;
        usb_begin((struct usb_wanted){ .disks = true });
        poll_for(3000);
        n_disks += keep_report();
        assert_memory_equal(fake_disk.block, before, sizeof(before));
    }
    assert_true(n_disks > 50);
}

TEST(a_stick_that_is_pulled_out, NULL, end)
{
    begin_stick();
    assert_true(find_disk());
    fake_xhci_plug(&x, 1, false);
    assert_false(works());
    assert_false(usb_disk_is_here(&disk));
    assert_false(find_disk());
    fake_xhci_plug(&x, 1, true);
    poll_for(1000);
    assert_true(find_disk());
    assert_true(works());
}

TEST(no_command_after_the_deadline, NULL, end)
{
    begin_stick();
    assert_true(find_disk());
    disk.deadline = tsc_now();
    assert_false(works());
    assert_true(usb_disk_is_here(&disk));
}

TEST(a_stick_that_is_not_wanted, NULL, end)
{
    BEGIN(XHCI_CLASS, ONE_PORT, STICK);
    usb_begin((struct usb_wanted){ .disks = false });
    poll_for(1000);
    assert_false(find_disk());
    for (uint32_t i = 0; i < x.n_logged; i++)
        assert_int_not_equal(x.log[i] & 63u << 10, COMMAND(TRB_CONFIGURE_ENDPOINT));
}

/* During the run it is firmware's, and at the end okram's. */
TEST(a_controller_that_is_taken_at_the_end, NULL, end)
{
    static const uint8_t kind[] = { STICK };

    BEGIN(XHCI_CLASS, ONE_PORT);
    devices = (struct fuzz_input){ kind, sizeof(kind) };
    x.devices = &devices;
    x.extended[1] = XHCI_LEGACY_SMIS;
    assert_int_equal(usb_begin((struct usb_wanted){ .disks = true, .leave_firmwares = true }),
                     USB_FIRMWARES);
    poll_for(1000);
    assert_int_equal(x.n_logged, 0);
    assert_true(x.extended[0] & XHCI_LEGACY_BIOS_OWNED);
    assert_false(find_disk());
    assert_false(usb_disk_may_come(UINT64_MAX));
    assert_true(usb_take_left());
    assert_true(usb_disk_may_come(0));
    poll_for(1000);
    assert_true(usb_disk_may_come(UINT64_MAX));
    assert_false(usb_disk_may_come(0));
    assert_true(find_disk());
    assert_true(works());
    assert_false(usb_take_left());
}
