// SPDX-License-Identifier: MIT
/*
 * okram's options: key=value words, from okram.conf, the boot command line and QEMU's fw_cfg.
 *
 * The folder: words.h splits the text into words, values.h and number.h parse the values.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bootcfg/lines.h"
#include "lib/span.h"
#include "lib/warn.h"
#include "options/cycles.h"
#include "options/values.h"
#include "sweep/tests.h"

#define OPTIONS_TESTS_MAX     256 /* bytes, with the NUL */
#define OPTIONS_MARCH_MAX     512
#define OPTIONS_SLOTS_MAX     128
#define OPTIONS_DIAGNOSIS_MAX 410 /* as diagnosis/code.h has it, and a sign after it */
#define OPTIONS_RANGES_MAX    VALUE_SPANS_MAX
#define OPTIONS_RUNS_MAX      1000
#define OPTIONS_RUN_MS_MAX    10000 /* a CPU must come to an end within 60 s */

/* What the report says of which machine it is of. */
enum option_identity { OPTION_IDENTITY_OFF, OPTION_IDENTITY_BOARD, OPTION_IDENTITY_FULL };

enum option_bandwidth { OPTION_BANDWIDTH_OFF, OPTION_BANDWIDTH_QUICK, OPTION_BANDWIDTH_FULL };

enum option_serial { OPTION_SERIAL_TEXT, OPTION_SERIAL_UI, OPTION_SERIAL_JSONL, OPTION_SERIAL_OFF };

/* The serial port that is used. */
enum option_serial_port {
    OPTION_PORT_AUTO,
    OPTION_PORT_COM, /* number 1 to 4 */
    OPTION_PORT_IO,
    OPTION_PORT_MEMORY,
    OPTION_PORT_SPCR,
    OPTION_PORT_DBG2,
    OPTION_PORT_PCI,
};

enum option_exit { OPTION_EXIT_WAIT, OPTION_EXIT_REBOOT, OPTION_EXIT_POWEROFF, OPTION_EXIT_QEMU };

/* What the next boot starts; AUTO: NEXT with exit=reboot, else STAY. */
enum option_after {
    OPTION_AFTER_STAY, /* okram's loader again */
    OPTION_AFTER_NEXT, /* what the boot order says */
    OPTION_AFTER_AUTO,
};

/* Whether the UEFI loader sends the report of the last run to the server that it is from. */
enum option_send {
    OPTION_SEND_OFF,
    OPTION_SEND_ON,
    OPTION_SEND_LEAVE, /* and then returns to firmware, which starts what comes next */
};

/* The instructions to use; AUTO: the best that all CPUs have. Measurements have no scalar ones. */
enum option_isa {
    OPTION_ISA_AUTO,
    OPTION_ISA_SSE2,
    OPTION_ISA_AVX2,
    OPTION_ISA_AVX512,
    OPTION_ISA_SCALAR,
};

/* "sse2", "avx2", "avx512", "scalar"; NULL: AUTO. */
const char *option_isa_name(enum option_isa isa);

/* Events to log as they happen (bit set). */
enum option_trace {
    OPTION_TRACE_MOVES = 1,
    OPTION_TRACE_CPUS = 2,
    OPTION_TRACE_FIRMWARE = 4,
};

/* Which USB controllers are driven, for keys. */
enum option_usb {
    OPTION_USB_OFF,
    OPTION_USB_ON,
    OPTION_USB_AUTO, /* not those by which a BIOS makes PS/2 keys of a USB keyboard's */
};

/* A signal of the PC speaker. */
enum option_beep {
    OPTION_BEEP_OFF,
    OPTION_BEEP_END,
    OPTION_BEEP_FAULT, /* at the first fault, and at the end */
};

/* By how much the picture on a framebuffer is turned clockwise. */
enum option_rotate { OPTION_ROTATE_0, OPTION_ROTATE_90, OPTION_ROTATE_180, OPTION_ROTATE_270 };

/* Memory below 1 MiB, to which firmware may write. */
enum option_lowmem {
    OPTION_LOWMEM_TOLERATE, /* tested; changes there are not counted as faults */
    OPTION_LOWMEM_TEST,     /* as all other memory */
    OPTION_LOWMEM_SKIP,
};

#define OPTIONS_SECONDS_MAX 86400 /* of fade=, hammer= and menu=: a day */

#define OPTIONS_PATTERNS_MAX 512 /* of patterns=: more than a cover has (badram/cover.h) */

/* Of watchdog=: no step of a run takes longer than the least; Intel's timer counts to the most. */
#define OPTIONS_WATCHDOG_MIN_S 60
#define OPTIONS_WATCHDOG_MAX_S 1200

/* Of temperature.max= and hot=, besides degrees Celsius from least to most. */
#define OPTIONS_DEGREES_MIN  30
#define OPTIONS_DEGREES_MAX  125
#define OPTIONS_DEGREES_AUTO 0
#define OPTIONS_DEGREES_OFF  1000 /* a limit that nothing reaches */
#define OPTIONS_DEGREES_MOST 999  /* of hot=: as hot as it gets */

/* In seconds: 10000 days, which a 64-bit number holds in microseconds, too. */
#define OPTIONS_TIME_MAX_S (UINT64_C(10000) * 86400)

struct options {
    char tests[OPTIONS_TESTS_MAX];         /* names of levels and tests, with commas */
    char march[OPTIONS_MARCH_MAX];         /* an extra march test in notation, or "" */
    uint32_t passes;                       /* 0: until stopped */
    bool has_passes;                       /* passes= was given */
    struct cycles cycles;                  /* cycles=: wanted 0: this start alone */
    uint64_t time_s;                       /* stop after this time; 0: no limit */
    size_t n_ranges;                       /* 0: all memory */
    struct span range[OPTIONS_RANGES_MAX]; /* by address, disjoint */
    struct id_set nodes, cpus;
    uint32_t max_patterns; /* patterns=: 1 to OPTIONS_PATTERNS_MAX */
    uint32_t max_ranges;   /* ranges=: at least 1; 0: auto */
    uint32_t lines;        /* lines=: bit n is the line of kind n (bootcfg/lines.h) */
    bool has_lines;        /* lines= was given */
    enum option_bandwidth bandwidth;
    uint32_t bandwidth_runs;
    uint32_t bandwidth_ms; /* of a run; 0: auto */
    enum option_isa bandwidth_isa;
    bool prefetch_off; /* while bandwidth and latency are measured */
    enum option_serial serial;
    enum option_serial_port serial_port;
    uint64_t serial_address; /* of it: COM's number, or an address */
    uint32_t serial_baud;    /* 0: that of the SPCR's port, else 115200 */
    enum option_exit exit;
    enum option_after after;
    bool save; /* a report is kept in UEFI variables */
    enum option_send send;
    enum option_identity identity;
    enum option_lowmem lowmem;
    bool acpimem; /* acpimem=test: memory that holds ACPI tables is tested */
    enum option_isa isa;
    enum option_rotate rotate;
    enum option_beep beep;
    bool has_seed;                /* seed= was given; else each run takes a fresh one */
    uint64_t seed;                /* of address and random data */
    uint32_t fade_s;              /* fade=: how long the test fade waits, for each polarity */
    uint32_t hammer_s;            /* hammer=: how long the test row-hammer lasts */
    uint32_t module_max, cpu_max; /* temperature.max=: degrees, OPTIONS_DEGREES_AUTO or _OFF */
    uint32_t hot;                 /* hot=: degrees, OPTIONS_DEGREES_AUTO, _OFF or _MOST */
    bool spd;                     /* spd=: what modules say of themselves is read, by the SMBus */
    bool sel;                     /* sel=: the result goes into the event log of the BMC */
    enum option_usb usb;          /* usb=: USB keyboards are read */
    bool support;          /* support=: what a bug report needs is shown, and in the report */
    size_t n_channel_bits; /* channel.bits=: of a channel's number; 0: not given */
    uint64_t channel_bits[VALUE_BIT_LISTS_MAX]; /* which address bits are XORed for each */
    char slots[OPTIONS_SLOTS_MAX];              /* slot.order=: of each channel in turn, or "" */
    char diagnosis[OPTIONS_DIAGNOSIS_MAX];      /* diagnosis=: a word of okram's, or "" */
    uint32_t trace;                             /* trace=: bits of enum option_trace */
    uint32_t
        watchdog_s;  /* watchdog=: so long the run may hang until the machine restarts; 0: off */
    uint32_t menu_s; /* menu=: the count-down of the UEFI loader's menu; 0: no menu */
};

void options_set_defaults(struct options *ret_options);

/*
 * Applies a text of options; later words and later texts win. An unknown key or a malformed value
 * gives one warning that names it and what was expected, and what the option had stays. The names
 * in tests= and the notation of march= are checked by sweep/tests.h and sweep/march.h.
 */
void options_parse(struct options *options, const char *text, const struct warnings *warnings);

/*
 * The memory tests that tests= and march= name. A word of tests= that is neither a test nor a level
 * gives a warning, and standard runs instead. A march= that is malformed, or one test too many,
 * gives a warning and is not run. options must live as long as the list.
 */
void option_tests(const struct options *options, const struct warnings *warnings,
                  struct test_list *ret_tests);
