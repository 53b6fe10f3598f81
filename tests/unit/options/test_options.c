// SPDX-License-Identifier: MIT
#include "options/options.h"

#include "tests/unit/firmware/fake.h"
#include "tests/unit/unit.h"

static void parse(struct options *o, const char *text)
{
    struct warnings warnings = fresh_warnings();

    options_parse(o, text, &warnings);
}

TEST(has_the_contracts_defaults)
{
    struct options o;

    memset(&o, 0xaa, sizeof(o));
    options_set_defaults(&o);
    parse(&o, "");
    assert_int_equal(log_.n, 0);
    assert_string_equal(o.tests, "standard");
    assert_string_equal(o.march, "");
    assert_int_equal(o.passes, 1);
    assert_int_equal(o.time_s, 0);
    assert_int_equal(o.n_ranges, 0);
    assert_true(o.nodes.all);
    assert_true(o.cpus.all);
    assert_int_equal(o.max_patterns, 64);
    assert_int_equal(o.max_ranges, 0);
    assert_int_equal(o.lines, 1u << LINE_GRUB | 1u << LINE_MEMMAP);
    assert_int_equal(o.bandwidth, OPTION_BANDWIDTH_QUICK);
    assert_int_equal(o.bandwidth_runs, 5);
    assert_int_equal(o.serial, OPTION_SERIAL_TEXT);
    assert_int_equal(o.serial_port, OPTION_PORT_AUTO);
    assert_int_equal(o.serial_baud, 0);
    assert_int_equal(o.exit, OPTION_EXIT_WAIT);
    assert_int_equal(o.after, OPTION_AFTER_AUTO);
    assert_true(o.save);
    assert_int_equal(o.send, OPTION_SEND_OFF);
    assert_int_equal(o.identity, OPTION_IDENTITY_BOARD);
    assert_int_equal(o.lowmem, OPTION_LOWMEM_TOLERATE);
    assert_false(o.acpimem);
    assert_int_equal(o.isa, OPTION_ISA_AUTO);
    assert_int_equal(o.rotate, OPTION_ROTATE_0);
    assert_false(o.beep);
    assert_int_equal(o.seed, 0);
    assert_false(o.has_seed);
    assert_int_equal(o.fade_s, 60);
    assert_int_equal(o.hammer_s, 60);
    assert_int_equal(o.menu_s, 5);
    assert_int_equal(o.module_max, OPTIONS_DEGREES_AUTO);
    assert_int_equal(o.hot, OPTIONS_DEGREES_AUTO);
    assert_int_equal(o.watchdog_s, 0);
    assert_int_equal(o.usb, OPTION_USB_AUTO);
    assert_false(o.support);
    assert_int_equal(o.trace, 0);
    assert_string_equal(o.diagnosis, "");
    assert_false(o.has_passes);
}

TEST(takes_temperatures)
{
    static const struct {
        const char *words;
        uint32_t module_max, cpu_max, hot;
    } cases[] = {
        { "temperature.max=30", 30, OPTIONS_DEGREES_AUTO, OPTIONS_DEGREES_AUTO },
        { "temperature.max=125,off", 125, OPTIONS_DEGREES_OFF, OPTIONS_DEGREES_AUTO },
        { "temperature.max=off", OPTIONS_DEGREES_OFF, OPTIONS_DEGREES_OFF, OPTIONS_DEGREES_AUTO },
        { "temperature.max=off,99", OPTIONS_DEGREES_OFF, 99, OPTIONS_DEGREES_AUTO },
        { "temperature.max=auto,99 hot=off", OPTIONS_DEGREES_AUTO, 99, OPTIONS_DEGREES_OFF },
        { "temperature.max=60,70 temperature.max=auto hot=max", OPTIONS_DEGREES_AUTO,
          OPTIONS_DEGREES_AUTO, OPTIONS_DEGREES_MOST },
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct options o;

        options_set_defaults(&o);
        parse(&o, cases[i].words);
        assert_int_equal(log_.n, 0);
        assert_int_equal(o.module_max, cases[i].module_max);
        assert_int_equal(o.cpu_max, cases[i].cpu_max);
        assert_int_equal(o.hot, cases[i].hot);
    }
}

TEST(takes_every_option)
{
    struct options o;

    options_set_defaults(&o);
    parse(
        &o,
        "/boot/okram.elf tests=address,march-c- march={any(w0);up(r0,w1);down(r1,w0)} "
        "passes=0 time=8h range=1M-2M,4G-6G nodes=1 cpus=0,2-5 patterns=2 ranges=1000 "
        "bandwidth=full bandwidth.runs=9 bandwidth.ms=250 bandwidth.isa=avx512 bandwidth.prefetch=off serial=jsonl exit=qemu isa=avx2 seed=0x1234 "
        "fade=5m hammer=7 usb=off support=on menu=0 lines=xen,grub-default rotate=90 beep=fault "
        "trace=cpus trace=off trace=firmware,moves channel.bits=6/7,14 slot.order=A1,A2,B1,B2 "
        "diagnosis=4c0a-13! watchdog=10m temperature.max=85,90 hot=80");
    assert_int_equal(log_.n, 0);
    assert_string_equal(o.tests, "address,march-c-");
    assert_string_equal(o.march, "{any(w0);up(r0,w1);down(r1,w0)}");
    assert_int_equal(o.lines, 1u << LINE_XEN | 1u << LINE_GRUB_DEFAULT);
    assert_int_equal(o.passes, 0);
    assert_int_equal(o.time_s, 8 * 3600);
    assert_int_equal(o.n_ranges, 2);
    assert_int_equal(o.range[1].base, UINT64_C(4) << 30);
    assert_int_equal(o.range[1].size, UINT64_C(2) << 30);
    assert_false(id_set_contains(&o.nodes, 0));
    assert_true(id_set_contains(&o.nodes, 1));
    assert_true(id_set_contains(&o.cpus, 5));
    assert_false(id_set_contains(&o.cpus, 1));
    assert_int_equal(o.max_patterns, 2);
    assert_int_equal(o.max_ranges, 1000);
    assert_int_equal(o.bandwidth, OPTION_BANDWIDTH_FULL);
    assert_int_equal(o.bandwidth_runs, 9);
    assert_int_equal(o.bandwidth_isa, OPTION_ISA_AVX512);
    assert_true(o.prefetch_off);
    assert_int_equal(o.bandwidth_ms, 250);
    assert_int_equal(o.serial, OPTION_SERIAL_JSONL);
    assert_int_equal(o.exit, OPTION_EXIT_QEMU);
    assert_int_equal(o.isa, OPTION_ISA_AVX2);
    assert_int_equal(o.rotate, OPTION_ROTATE_90);
    assert_int_equal(o.beep, OPTION_BEEP_FAULT);
    assert_int_equal(o.seed, 0x1234);
    assert_true(o.has_seed);
    assert_int_equal(o.fade_s, 300);
    assert_int_equal(o.hammer_s, 7);
    assert_int_equal(o.menu_s, 0);
    assert_int_equal(o.module_max, 85);
    assert_int_equal(o.cpu_max, 90);
    assert_int_equal(o.hot, 80);
    assert_int_equal(o.watchdog_s, 600);
    parse(&o, "watchdog=off");
    assert_int_equal(o.watchdog_s, 0);
    parse(&o, "watchdog=60 watchdog=1200");
    assert_int_equal(o.watchdog_s, 1200);
    assert_int_equal(o.usb, OPTION_USB_OFF);
    assert_true(o.support);
    assert_int_equal(o.trace, OPTION_TRACE_MOVES | OPTION_TRACE_FIRMWARE);
    assert_int_equal(o.n_channel_bits, 2);
    assert_int_equal(o.channel_bits[0], 0x40);
    assert_int_equal(o.channel_bits[1], 0x4080);
    assert_string_equal(o.slots, "A1,A2,B1,B2");
    assert_string_equal(o.diagnosis, "4c0a-13!");
    assert_true(o.has_passes);
}

TEST(takes_serial_ports)
{
    static const struct {
        const char *text;
        bool is_right;
        enum option_serial_port port;
        uint64_t address;
    } ports[] = {
        { "auto", true, OPTION_PORT_AUTO, 0 },
        { "com1", true, OPTION_PORT_COM, 1 },
        { "com4", true, OPTION_PORT_COM, 4 },
        { "spcr", true, OPTION_PORT_SPCR, 0 },
        { "dbg2", true, OPTION_PORT_DBG2, 0 },
        { "pci", true, OPTION_PORT_PCI, 0 },
        { "0x100", true, OPTION_PORT_IO, 0x100 },
        { "0xfff8", true, OPTION_PORT_IO, 0xfff8 },
        { "760", true, OPTION_PORT_IO, 0x2f8 },
        { "mmio:0xfe030000", true, OPTION_PORT_MEMORY, 0xfe030000 },
        { "mmio:1", true, OPTION_PORT_MEMORY, 1 },
        { "mmio:0xfffffffffffff", true, OPTION_PORT_MEMORY, 0xfffffffffffff },
        { "mmio:0x10000000000000", false, 0, 0 },
        { "mmio:0", false, 0, 0 },
        { "mmio:", false, 0, 0 },
        { "mmio", false, 0, 0 },
        { "0xff", false, 0, 0 },
        { "0xcf0", true, OPTION_PORT_IO, 0xcf0 },
        { "0xcf1", false, 0, 0 }, /* PCI and the reset */
        { "0xcff", false, 0, 0 },
        { "0xd00", true, OPTION_PORT_IO, 0xd00 },
        { "0xfff9", false, 0, 0 },
        { "com0", false, 0, 0 },
        { "com5", false, 0, 0 },
        { "COM1", false, 0, 0 },
        { "", false, 0, 0 },
    };

    for (size_t i = 0; i < sizeof(ports) / sizeof(ports[0]); i++) {
        struct options o = { .serial_port = 99, .serial_address = 98 };
        char text[64];

        snprintf(text, sizeof(text), "serial.port=%s", ports[i].text);
        parse(&o, text);
        assert_int_equal(log_.n, !ports[i].is_right);
        assert_int_equal(o.serial_port, ports[i].is_right ? ports[i].port : 99);
        assert_int_equal(o.serial_address, ports[i].is_right ? ports[i].address : 98);
    }
}

TEST(takes_serial_speeds)
{
    static const struct {
        const char *text;
        uint32_t baud; /* 0: wrong */
    } speeds[] = {
        { "1200", 1200 },   { "2400", 2400 },   { "4800", 4800 },    { "9600", 9600 },
        { "19200", 19200 }, { "38400", 38400 }, { "57600", 57600 },  { "115200", 115200 },
        { "300", 0 },       { "230400", 0 },    { "115200,8n1", 0 }, { "", 0 },
    };

    for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++) {
        struct options o = { .serial_baud = 7 };
        char text[64];

        snprintf(text, sizeof(text), "serial.baud=%s", speeds[i].text);
        parse(&o, text);
        assert_int_equal(log_.n, !speeds[i].baud);
        assert_int_equal(o.serial_baud, speeds[i].baud ? speeds[i].baud : 7);
    }
}

TEST(takes_every_word)
{
    static const struct {
        const char *text;
        enum {
            BANDWIDTH,
            SERIAL,
            EXIT,
            AFTER,
            SAVE,
            SEND,
            IDENTITY,
            ISA,
            ROTATE,
            LOWMEM,
            ACPIMEM
        } which;
        unsigned value;
    } words[] = {
        { "bandwidth=off", BANDWIDTH, OPTION_BANDWIDTH_OFF },
        { "bandwidth=quick", BANDWIDTH, OPTION_BANDWIDTH_QUICK },
        { "bandwidth=full", BANDWIDTH, OPTION_BANDWIDTH_FULL },
        { "serial=text", SERIAL, OPTION_SERIAL_TEXT },
        { "serial=ui", SERIAL, OPTION_SERIAL_UI },
        { "serial=jsonl", SERIAL, OPTION_SERIAL_JSONL },
        { "serial=off", SERIAL, OPTION_SERIAL_OFF },
        { "exit=wait", EXIT, OPTION_EXIT_WAIT },
        { "exit=reboot", EXIT, OPTION_EXIT_REBOOT },
        { "exit=poweroff", EXIT, OPTION_EXIT_POWEROFF },
        { "exit=qemu", EXIT, OPTION_EXIT_QEMU },
        { "after=stay", AFTER, OPTION_AFTER_STAY },
        { "after=next", AFTER, OPTION_AFTER_NEXT },
        { "save=on", SAVE, true },
        { "send=off", SEND, OPTION_SEND_OFF },
        { "send=on", SEND, OPTION_SEND_ON },
        { "send=leave", SEND, OPTION_SEND_LEAVE },
        { "identity=off", IDENTITY, OPTION_IDENTITY_OFF },
        { "identity=board", IDENTITY, OPTION_IDENTITY_BOARD },
        { "identity=full", IDENTITY, OPTION_IDENTITY_FULL },
        { "lowmem=tolerate", LOWMEM, OPTION_LOWMEM_TOLERATE },
        { "lowmem=apart", LOWMEM, OPTION_LOWMEM_TOLERATE },
        { "lowmem=test", LOWMEM, OPTION_LOWMEM_TEST },
        { "lowmem=skip", LOWMEM, OPTION_LOWMEM_SKIP },
        { "acpimem=skip", ACPIMEM, false },
        { "acpimem=test", ACPIMEM, true },
        { "isa=auto", ISA, OPTION_ISA_AUTO },
        { "isa=scalar", ISA, OPTION_ISA_SCALAR },
        { "isa=sse2", ISA, OPTION_ISA_SSE2 },
        { "isa=avx2", ISA, OPTION_ISA_AVX2 },
        { "isa=avx512", ISA, OPTION_ISA_AVX512 },
        { "rotate=0", ROTATE, OPTION_ROTATE_0 },
        { "rotate=90", ROTATE, OPTION_ROTATE_90 },
        { "rotate=180", ROTATE, OPTION_ROTATE_180 },
        { "rotate=270", ROTATE, OPTION_ROTATE_270 },
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        struct options o = {
            .bandwidth = 99,
            .serial = 99,
            .exit = 99,
            .after = 99,
            .isa = 99,
            .rotate = 99,
            .lowmem = 99,
            .send = 99,
            .identity = 99,
            .acpimem = words[i].which == ACPIMEM && !words[i].value,
        };

        parse(&o, words[i].text);
        assert_int_equal(log_.n, 0);
        assert_int_equal(o.bandwidth, words[i].which == BANDWIDTH ? words[i].value : 99);
        assert_int_equal(o.serial, words[i].which == SERIAL ? words[i].value : 99);
        assert_int_equal(o.exit, words[i].which == EXIT ? words[i].value : 99);
        assert_int_equal(o.after, words[i].which == AFTER ? words[i].value : 99);
        assert_int_equal(o.save, words[i].which == SAVE);
        assert_int_equal(o.send, words[i].which == SEND ? words[i].value : 99);
        assert_int_equal(o.identity, words[i].which == IDENTITY ? words[i].value : 99);
        assert_int_equal(o.isa, words[i].which == ISA ? words[i].value : 99);
        assert_int_equal(o.rotate, words[i].which == ROTATE ? words[i].value : 99);
        assert_int_equal(o.lowmem, words[i].which == LOWMEM ? words[i].value : 99);
        assert_int_equal(o.acpimem, words[i].which == ACPIMEM ? words[i].value : 0);
    }
}

TEST(lets_later_ones_win)
{
    struct options o;

    options_set_defaults(&o);
    parse(&o,
          "\xef\xbb\xbf# okram.conf\r\npasses=3\r\n\r\nserial=ui # see it\r\nrange=1M-2M,4M-5M\r\n"
          "cpus=0 march=\"{any(w0); up(r0,w1)}\"\r\n");
    assert_int_equal(log_.n, 0);
    assert_string_equal(o.march, "{any(w0); up(r0,w1)}");
    assert_int_equal(o.n_ranges, 2);
    parse(&o, "passes=4 passes=5 cpus=all range=all march=");
    assert_int_equal(log_.n, 0);
    assert_int_equal(o.passes, 5);
    assert_int_equal(o.serial, OPTION_SERIAL_UI);
    assert_true(o.cpus.all);
    assert_int_equal(o.n_ranges, 0);
    assert_string_equal(o.march, "");
    parse(&o, "ranges=7 ranges=auto tests='quick'");
    assert_int_equal(log_.n, 0);
    assert_int_equal(o.max_ranges, 0);
    assert_string_equal(o.tests, "quick");
}

/* The word of a start that others follow is taken as it is; that of the last begins anew. */
TEST(words_of_several_starts)
{
    struct cycles c = { .wanted = 2, .with_errors = 1, .id = 7, .errors = 3, .cold = true };
    struct options o;

    for (c.starts = 1; c.starts <= 2; c.starts++) {
        char words[CYCLES_WORD_MAX + 7] = "";
        struct fmt_buffer b = fmt_buffer_make(words, sizeof(words));

        fmt_append(&b, "cycles=");
        cycles_append(&b, &c);
        options_set_defaults(&o);
        parse(&o, words);
        assert_int_equal(log_.n, 0);
        assert_int_equal(o.cycles.wanted, 2);
        assert_true(o.cycles.cold);
        assert_int_equal(o.cycles.starts, c.starts % 2);
        assert_int_equal(cycles_left(&o.cycles), c.starts == 1 ? 1 : 2);
        assert_int_equal(o.cycles.errors, c.starts == 1 ? 3 : 0);
    }
}

TEST(names_every_line)
{
    struct options o;

    for (unsigned kind = 0; kind < LINE_KINDS; kind++) {
        parse(&o, "lines=?");
        assert_non_null(strstr(log_.text, lines_name((enum line_kind)kind)));
    }
}

/* A malformed value changes nothing and is named with what was expected. */
TEST(keeps_what_was_there)
{
    static const struct {
        const char *text;
        const char *warning;
    } cases[] = {
        { "cycles=1001", "option cycles=1001 is ignored: expected a number of starts up to 1000" },
        { "passes=abc", "option passes=abc is ignored: expected a number of passes" },
        { "passes=", "option passes= is ignored: expected" },
        { "passes=-1", "passes=-1" },
        { "passes=4294967296", "passes=4294967296" },
        { "tests=", "expected quick, standard, thorough, hot, stability or a list of test names" },
        { "time=10001d", "up to 10000 days" },
        { "time=18446744073709551615", "up to 10000 days" },
        { "time=1y", "expected a time such as 90s" },
        { "time=", "expected a time" },
        { "range=2M-1M", "expected all or at most 16 START-END" },
        { "nodes=1024", "option nodes=1024 is ignored: expected all or a list" },
        { "cpus=3-1", "option cpus=3-1 is ignored: expected all or a list" },
        { "patterns=0", "expected a number from 1 to 512" },
        { "patterns=513", "expected a number from 1 to 512" },
        { "lines=", "option lines= is ignored: expected all or a list of grub, grub-default" },
        { "lines=xen,lilo", "option lines=xen,lilo is ignored: expected all or a list of grub" },
        { "ranges=0", "expected auto or a number, at least 1" },
        { "ranges=4294967296", "expected auto" },
        { "bandwidth=fast", "expected off, quick or full" },
        { "bandwidth.ms=0", "expected auto or a number from 1 to 10000" },
        { "bandwidth.ms=10001", "expected auto or a number from 1 to 10000" },
        { "bandwidth.isa=scalar", "expected auto, sse2, avx2 or avx512" },
        { "bandwidth.prefetch=on", "expected auto or off" },
        { "bandwidth.runs=0", "expected a number from 1 to 1000" },
        { "bandwidth.runs=1001", "expected a number from 1 to 1000" },
        { "serial=json", "expected text, ui, jsonl or off" },
        { "exit=halt", "expected wait, reboot, poweroff or qemu" },
        { "after=reboot", "expected stay or next" },
        { "save=yes", "expected on or off" },
        { "identity=on", "option identity=on is ignored: expected off, board or full" },
        { "lowmem=off", "option lowmem=off is ignored: expected tolerate, test or skip" },
        { "acpimem=on", "option acpimem=on is ignored: expected skip or test" },
        { "isa=avx1024", "expected auto, scalar, sse2, avx2 or avx512" },
        { "rotate=45", "expected 0, 90, 180 or 270" },
        { "beep=yes", "option beep=yes is ignored: expected off, on or fault" },
        { "sel=yes", "option sel=yes is ignored: expected on or off" },
        { "spd=yes", "option spd=yes is ignored: expected on or off" },
        { "fade=0", "expected a number of seconds or a time such as 90s or 5m, up to a day" },
        { "fade=86401", "expected a number of seconds" },
        { "fade=-1", "expected a number of seconds" },
        { "fade=5x", "expected a number of seconds" },
        { "menu=86401", "option menu=86401 is ignored: expected a number of seconds up to 86400" },
        { "menu=off", "0 for no menu" },
        { "watchdog=59", "option watchdog=59 is ignored: expected off or a time from 60s to 20m" },
        { "watchdog=1201", "expected off or a time from 60s to 20m" },
        { "watchdog=on", "expected off or a time from 60s to 20m" },
        { "usb=yes", "option usb=yes is ignored: expected auto, on or off" },
        { "hammer=2d", "expected a number of seconds" },
        { "seed=x", "expected a number" },
        { "temperature.max=29", "expected auto, off or degrees from 30 to 125 such as 85" },
        { "temperature.max=85,", "expected auto, off or degrees" },
        { "temperature.max=85,90,1", "expected auto, off or degrees" },
        { "temperature.max=max", "expected auto, off or degrees" },
        { "temperature.max=1000000000", "expected auto, off or degrees" },
        { "hot=126", "expected auto, off, max or degrees from 30 to 125 such as 80" },
        { "hot=80,", "expected auto, off, max or degrees" },
        { "Passes=1",
          "option Passes is unknown and ignored; valid options are tests march passes" },
        { "bandwith=off", "option bandwith is unknown" },
        { "=1", "option  is unknown" },
        { "quickly", "option quickly is ignored: expected key=value" },
        { "passes=\"2", "its quote is not closed" },
        { "passes=\x7f\xff", "option passes=??" },
    };
    struct options o, before;

    options_set_defaults(&o);
    parse(&o, "tests=quick march={up(r0)} passes=7 time=5 range=1M-2M nodes=1 cpus=2 patterns=3 "
              "ranges=4 bandwidth=off bandwidth.runs=6 serial=off exit=reboot isa=sse2 seed=8");
    assert_int_equal(log_.n, 0);
    memcpy(&before, &o, sizeof(o));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        parse(&o, cases[i].text);
        assert_warned(&log_, 1, cases[i].warning);
        assert_memory_equal(&o, &before, sizeof(o));
    }
}

TEST(goes_on_after_a_mistake)
{
    struct options o;

    options_set_defaults(&o);
    parse(&o, "pases=2 passes=x serial=off quickly exit=qemu");
    assert_false(o.has_passes);
    assert_int_equal(log_.n, 3);
    assert_int_equal(o.passes, 1);
    assert_int_equal(o.serial, OPTION_SERIAL_OFF);
    assert_int_equal(o.exit, OPTION_EXIT_QEMU);
}

/* Several unknown words give one list of the known ones. */
TEST(what_loaders_add_is_no_mistake)
{
    struct options o;

    options_set_defaults(&o);
    parse(&o, "BOOT_IMAGE=/okram.lkrn root=UUID=1 ro quiet splash vga=791 initrd=a.img,b.img "
              "ip=dhcp BOOTIF=01-52-54-00-12-34-56 SYSUUID=1 console=ttyS0,115200 passes=3");
    assert_int_equal(log_.n, 0);
    assert_int_equal(o.passes, 3);
    parse(&o, "mem=1G acpi=off nosuch=1");
    assert_int_equal(log_.n, 3);
    assert_non_null(
        strstr(log_.text, "option mem is unknown and ignored; valid options are tests"));
    assert_non_null(strstr(log_.text, " serial .port .baud "));
    assert_non_null(strstr(log_.text, " menu\noption acpi is unknown and ignored\n"
                                      "option nosuch is unknown and ignored\n"));
}

TEST(keeps_both_sides_of_the_limits)
{
    struct options o;

    options_set_defaults(&o);
    parse(&o, "passes=4294967295 patterns=512 ranges=4294967295 bandwidth.runs=1000");
    assert_int_equal(log_.n, 0);
    assert_int_equal(o.passes, UINT32_MAX);
    assert_int_equal(o.max_patterns, OPTIONS_PATTERNS_MAX);
    assert_int_equal(o.max_ranges, UINT32_MAX);
    assert_int_equal(o.bandwidth_runs, 1000);
    parse(&o, "patterns=1 ranges=1 bandwidth.runs=1 seed=0");
    assert_int_equal(log_.n, 0);
    assert_int_equal(o.max_patterns, 1);
}

TEST(refuses_texts_that_do_not_fit)
{
    static const struct {
        const char *key;
        size_t room;
    } texts[] = { { "tests=", OPTIONS_TESTS_MAX }, { "march=", OPTIONS_MARCH_MAX } };

    for (size_t i = 0; i < 2; i++) {
        const size_t lengths[] = { texts[i].room - 1, texts[i].room, 2000 };

        for (size_t j = 0; j < 3; j++) {
            struct options o;
            char text[2048] = "";
            const char *kept;

            strcpy(text, texts[i].key);
            memset(text + 6, 'x', lengths[j]);
            options_set_defaults(&o);
            parse(&o, text);
            assert_int_equal(log_.n, j ? 1 : 0);
            kept = i ? o.march : o.tests;
            if (j == 0)
                assert_int_equal(strlen(kept), lengths[0]);
            else
                assert_string_equal(kept, i ? "" : "standard");
        }
    }
    assert_non_null(strstr(log_.text, "it is too long; expected a march test"));
}

TEST(survives_any_text)
{
    static const char *const parts[] = {
        "passes=", "time=", "range=", "nodes=", "0",
        "9",       "0x",    "-",      ",",      "K",
        "T",       "\"",    "'",      " ",      "\n",
        "#",       "=",     "tests=", "seed=",  "18446744073709551615",
        "all",     "\xff",  "/",      "1-2",
    };
    uint32_t random = 1;
    struct options o;

    options_set_defaults(&o);
    for (int round = 0; round < 20000; round++) {
        char text[256] = "", *copy;

        for (int i = 0; i < round % 10; i++) {
            random = random * 1664525 + 1013904223;
            strcat(text, parts[(random >> 16) % (sizeof(parts) / sizeof(parts[0]))]);
        }
        copy = strdup(text);
        parse(&o, copy);
        free(copy);
        assert_true(o.n_ranges <= OPTIONS_RANGES_MAX);
        assert_in_range(o.max_patterns, 1, OPTIONS_PATTERNS_MAX);
    }
}

static struct options options;
static struct test_list list;

static void choose(const char *text)
{
    struct warnings warnings = fresh_warnings();

    options_set_defaults(&options);
    memset(&list, 0xff, sizeof(list)); /* what was there is no list */
    options_parse(&options, text, &warnings);
    option_tests(&options, &warnings, &list);
}

TEST(takes_what_is_named)
{
    choose("tests=quick");
    assert_int_equal(log_.n, 0);
    assert_int_equal(list.n_tests, 2);
    choose("tests=quick march={any(w0);up(r0,w1)}");
    assert_int_equal(log_.n, 0);
    assert_int_equal(list.n_tests, 3);
    assert_string_equal(list.test[2].name, TEST_OWN);
    choose("tests=march,address march={any(w0);up(r0,w1)}"); /* in its place */
    assert_int_equal(list.n_tests, 2);
    assert_string_equal(list.test[0].name, TEST_OWN);
}

TEST(runs_standard_instead_of_what_is_none)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        { "tests=quik",
          "tests=, character 1: \"quik\" is not a test or level; running standard; "
          "expected quick, standard, thorough, hot, stability or of address address-up" },
        { "tests=quick,march", "tests=, character 7: march is the march test of march=, and there "
                               "is none; running standard" },
        { "tests=address*65", "running standard" },
    };
    size_t n;

    choose("tests=standard");
    n = list.n_tests;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        choose(cases[i].text);
        assert_warned(&log_, 1, cases[i].says);
        assert_int_equal(list.n_tests, n);
    }
}

TEST(leaves_out_a_march_that_is_none)
{
    choose("tests=quick march={up(r0)}");
    assert_warned(&log_, 1,
                  "march={up(r0)}: at character 5, a write before the first read was "
                  "expected; it is not run");
    assert_int_equal(list.n_tests, 2);
}
