// SPDX-License-Identifier: MIT
/*
 * What happens in a run, for the screen and the report.
 *
 * All other folders send events. The console receives them, for the screen and for the report in
 * text or JSON lines, and saver/saving.h does, for the report in UEFI variables. All events are
 * sent by the boot CPU, one after the other, so a receiver needs no lock. Pointers inside an event
 * are valid only during the call: a receiver copies what it keeps. report/records.c says which
 * events are JSON records, with which fields.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acpi/error_block.h"
#include "advice/advice.h"
#include "alias/aliases.h"
#include "badram/cover.h"
#include "cpudata/cache_info.h"
#include "decoder/registers.h"
#include "diagnosis/module_name.h"
#include "diagnosis/sentences.h"
#include "findings/unseen.h"
#include "firmware/memory_ecc.h"
#include "firmware/smbios_memory.h"
#include "firmware/smbios_names.h"
#include "kind/kind.h"
#include "lib/confidence.h"
#include "lib/error_rate.h"
#include "lib/span.h"
#include "log/ecc_count.h"
#include "machine_facts/support.h"
#include "options/options.h"
#include "picture/ram_picture.h"
#include "rows/row_search.h"
#include "saved/verdict.h"
#include "spd/geometry.h"
#include "spd/modules.h"

enum event_type {
    EVENT_START,
    EVENT_WARNING,  /* something was wrong, and what is done instead */
    EVENT_IDENTITY, /* right after the start */
    EVENT_MACHINE,  /* after all warnings known then; later ones come on their own */
    EVENT_NODE,
    EVENT_MODULE,     /* one for each memory module that is known */
    EVENT_CONTROLLER, /* the memory controllers, where their registers are known */
    EVENT_TEMPERATURE,
    EVENT_SUPPORT, /* what a bug report needs; for the report only if asked for */
    EVENT_CACHE,
    EVENT_BANDWIDTH,
    EVENT_LATENCY,
    EVENT_CACHE_TO_CACHE,
    EVENT_CONTENTION,
    EVENT_REDUNDANCY,
    EVENT_UNMEASURED, /* figures that are not there, and why */
    EVENT_PROGRESS,   /* a few times a second; not part of the JSON lines */
    EVENT_ROWS,       /* banks and rows of a node, as far as timing shows them */
    EVENT_TEST,       /* a test of a pass has ended */
    EVENT_FAULT,      /* one of the first 1000 */
    EVENT_EXTERNAL,   /* changed by a device or firmware: one of the first 1000 */
    EVENT_GEOMETRY,   /* a module is not as its SPD states: at the start, or after a pass */
    EVENT_ALIAS,      /* a test has found it, or more of it than was sent before */
    EVENT_MCE,
    EVENT_ECC_PAGE,     /* the page of corrected errors without an address was searched for */
    EVENT_CPER,         /* firmware reports an error of memory */
    EVENT_TRACE,        /* trace= asks for it */
    EVENT_RETEST,       /* a bad page was tested again at the end: one of the first 1000 */
    EVENT_KIND,         /* what kind of fault it is, as far as is known by now */
    EVENT_DIAGNOSIS,    /* which module it is, as far as that is known, before the result */
    EVENT_CYCLES,       /* with cycles=: the starts so far; before the result */
    EVENT_PAGES,        /* all bad pages, at the end; not if there are none */
    EVENT_BADRAM,       /* the cover has changed, or the run has ended */
    EVENT_LINE,         /* a line for another system, at the end or when a person asks for it */
    EVENT_ADVICE,       /* what to do next; right before the result */
    EVENT_PICTURE,      /* of all RAM, as it is at the end */
    EVENT_RESULT,       /* the run has ended */
    EVENT_REPORT_SAVED, /* after the result: whether the report is in UEFI variables; for the screen
                         */
    EVENT_STICK,        /* the report is on the stick; for the screen */
    EVENT_KEYS, /* no keyboard answers, or one does again; before the first event one does */
};

struct event_start {
    const char *version;
    const char *boot; /* "uefi", "bios" */
    const char *loader;
    const char *cmdline; /* all option sources, joined in order */
};

#define IDENTITY_MAC_BYTES 6

/* Which run of which machine. */
struct event_identity {
    const char *run;  /* hexadecimal digits that no other run has */
    const char *date; /* by the machine's clock, "2026-11-24T13:14:34"; "": it has none */
    const struct smbios_names *names;
    bool full; /* with serial numbers and network cards */
    const uint8_t (*mac)[IDENTITY_MAC_BYTES];
    size_t n_macs;
};

/* CPUs of one kind; a machine that is not hybrid has one kind. */
struct event_cpu_kind {
    const char *kind; /* "all", "performance", "efficiency", "other" */
    const uint32_t *cpus;
    size_t n_cpus;
    uint32_t threads_per_core; /* the most that run */
    uint64_t microcode;        /* 0: unknown */
    uint32_t speed_percent;    /* their mean, of the fastest CPU's; 0: unknown */
};

struct event_machine {
    const char *cpu; /* CPUID brand string, trimmed */
    uint32_t cpus, nodes;
    uint64_t ram_bytes, testable_bytes;
    uint64_t installed_bytes; /* SMBIOS type 17; 0: unknown */
    const char *const *warnings;
    size_t n_warnings;
    const char *isa; /* line operations in use: "sse2", "avx2" */
    uint64_t tsc_hz;
    const struct smbios_memory *slots; /* of memory modules; NULL: unknown */
    const struct event_cpu_kind *kinds;
    size_t n_kinds;
    struct memory_ecc ecc;
    unsigned repair;         /* bits: firmware/memory_ecc.h */
    uint64_t specific_bytes; /* of ram_bytes, for a purpose of its own: CXL, high bandwidth */
    const char *encryption;  /* of memory: "tme", "sme", "off", "unknown" */
    struct side_cache side_cache;
};

struct event_node {
    uint32_t node; /* proximity domain */
    const uint32_t *cpus;
    size_t n_cpus;
    uint64_t ram_bytes;
    const struct span *spans;
    size_t n_spans;
    const uint32_t *speed_percent; /* of each of its CPUs, of the fastest CPU's, 0: unknown; NULL */
};

/* The pointers stay valid. */
struct event_controller {
    const struct decoded_controller *decoded;
    const struct register_list *registers;
    const struct board_slots *slots; /* NULL: firmware lists none */
};

/* The pointer stays valid; of what it points to, temperatures change. */
struct event_module {
    const struct modules *modules;
    size_t index; /* of the one that the event is about */
};

/* At least one is known. The pointers stay valid. */
struct event_temperature {
    const char *when; /* "start"; "fault": the first have come; "pause", "resume", "hot", "sample";
                         "end" */
    const struct temperature *cpu;
    const struct modules *modules;
    double mb_s; /* swept a second since the last such event */
    uint64_t faults;
    struct degrees module_max, cpu_max; /* traffic pauses above; not known: no limit */
    const char *governs;                /* "module", "cpu", "time"; NULL: no limit */
    uint32_t pauses;
    double paused_seconds;
    const char *text; /* of a pause, and of its limits at the start, for people; or "" */
};

/* The pointer stays valid, and what it points to is only added to. */
struct event_support {
    const struct support *support;
    bool asked; /* by support=on, or now by a key */
};

/* Of a row of runs. */
struct event_stats {
    uint32_t runs;           /* 0: it was not measured */
    double mean, best;       /* best: the highest bandwidth, the lowest latency */
    double stddev, min, max; /* stddev: not a number with less than two runs */
    uint32_t left_out;       /* runs that do not count: a time stamp counter went back */
};

/* How something was measured. */
struct event_how {
    const char *isa; /* the instructions: "sse2", "avx2", "avx512"; NULL: none of them matter */
    const char *prefetch; /* hardware prefetchers that were to be off: "off", "partly off", "not
                             known"; NULL: they are as firmware has left them */
    bool in_caches;       /* in part: memory is too small for arrays of four times their size */
};

/* What one CPU reads from it. */
struct event_cache {
    uint32_t level; /* 0: memory */
    uint64_t size_bytes;
    struct event_stats mb_s, ns;
    struct event_how how;
};

struct event_bandwidth {
    uint32_t cpu_node, mem_node;
    const char *op; /* read, write, copy, scale, add, triad */
    uint32_t threads;
    struct event_stats mb_s;
    /*
     * Of a row of growing numbers of threads, each in its own node's memory: "fill", a node before
     * the next, or "spread", over all nodes in turn; the nodes above are the first thread's. NULL:
     * one of the matrix. First come threads with a core of their own, then those with an efficient
     * core of a hybrid CPU, then second threads of these cores.
     */
    const char *order;
    uint32_t cores, efficient_cores, siblings; /* of the threads */
    struct event_how how;
};

struct event_latency {
    uint32_t cpu_node, mem_node;
    uint64_t size_bytes;
    struct event_stats ns;
    const char *load; /* "idle", or in words what ran at the same time */
    const char *mix;  /* of a loaded-latency curve: "reads", or reads to writes as "2:1"; or NULL */
    struct event_stats load_mb_s; /* what the others moved meanwhile; runs 0: nothing */
    struct event_how how;
};

/* The latency of lines that are in another CPU's cache. */
struct event_cache_to_cache {
    const char *share; /* the nearest that both CPUs do: "core", "l2", "l3", "socket", "none" */
    const char *state; /* "clean": only read by the other CPU, or "modified" */
    uint32_t cpu, other_cpu; /* that reads, and that held them */
    uint32_t cpu_node, other_node, mem_node;
    uint64_t size_bytes; /* of all lines */
    struct event_stats ns;
    struct event_how how;
};

/* The same without and with a load, and how much more time it takes with it. */
struct event_contest {
    struct event_stats idle, loaded, more_percent;
};

/* What CPUs of cpu_node get of mem_node while CPUs of load_node use load_mem_node. */
struct event_contention {
    uint32_t cpu_node, mem_node, load_node, load_mem_node;
    const char *load; /* what those do: "reads", "writes", or "2:1", reads to writes */
    uint32_t threads, load_threads;
    struct event_contest read_mb_s, write_mb_s;
    struct event_contest ns; /* latency of one CPU */
    struct event_how how;
};

/* What writing data of mem_node costs when it is kept redundantly on other_node. */
struct event_redundancy {
    uint32_t cpu_node, mem_node, other_node;
    const char *kind; /* "plain", "mirror", "parity" */
    uint32_t threads;
    struct event_stats mb_s; /* of data, without the redundant copy or parity */
    double cost_percent;     /* of plain's bandwidth; plain: 0 */
    struct event_how how;
};

/* Of the CPUs or the memory of one node, or of any. */
struct event_unmeasured {
    const char *what; /* "caches", "all", ...: records.c */
    const char *why;
    bool has_cpu_node, has_mem_node;
    uint32_t cpu_node, mem_node;
};

/* A phase in which the screen asks a person to read the warnings. */
#define PROGRESS_WRONG_OPTIONS "wrong options"

struct event_progress {
    const char *phase;                          /* "bandwidth", "test", "done" */
    const char *test;                           /* name, or "" */
    uint32_t pass, passes;                      /* passes 0: until stopped */
    uint32_t test_index, n_tests;               /* from 0, within the pass */
    uint64_t pass_done_bytes, pass_total_bytes; /* swept in this pass, and in a whole one */
    double mb_s;                                /* swept a second, over the last moments */
    double seconds;                             /* since kernel entry */
    double seconds_left;                        /* of the whole run; < 0: unknown */
    uint64_t faults, bad_pages, failing_bits;   /* failing_bits: OR of expected ^ found */
    const double *node_mb_s;                    /* of mb_s, what the CPUs of each node have swept */
    uint32_t n_nodes;                           /* in the order of their events */
    bool is_encrypted;                          /* memory: then failing_bits mean nothing */
    const struct ram_view *ram;                 /* NULL: not known yet */
    double pass_seconds, pass_seconds_left;     /* of this pass, likewise */
    struct error_rate rate;                     /* of tests=stability alone */
    const char *heat; /* "paused: 96 C (DIMM_A1), until 85 C"; "": as usual */
};

struct event_test {
    uint32_t pass;
    const char *test;
    double seconds;
    uint64_t swept_bytes;
    uint32_t sweeps;
    uint64_t faults;
    bool hammers;            /* it has no memory that it must go over */
    uint64_t hammered_bytes; /* of the places that it hammered, each counted once */
    bool has_seed;           /* its data depend on seed= */
    uint64_t seed;
    const char *note; /* what a reader must know of it, or NULL */
};

struct event_rows {
    uint32_t node;
    const struct row_result *result;
};

struct event_fault {
    uint64_t addr, expected, found; /* of one 64-bit word; addr is 8-byte aligned */
    const char *test;
    uint32_t pass, cpu, node;
    const char *channel; /* "channel 1 (DIMM_B1)", computed with a person's bits; NULL: not known */
    const char *place;   /* by the memory controller's registers; NULL: not known */
    struct heat_now heat; /* when it was found */
};

struct event_alias {
    struct alias alias;
    const char *test; /* "own memory": okram itself found it */
    uint32_t pass;    /* 0: before the first */
};

struct event_mce {
    uint32_t cpu, bank;
    uint64_t status, addr;
    bool has_addr, corrected;
    bool is_memory;      /* addr is physical, and its page is marked bad */
    uint64_t count;      /* of errors at that place so far; 0: not counted */
    bool of_memory;      /* memory failed, whether its page is known or not */
    const char *channel; /* of memory, as the hardware names it; NULL: it does not */
};

struct event_retest {
    uint64_t page;          /* its address */
    uint32_t tries, failed; /* tries 0: it was not tested again */
};

struct event_kind {
    const struct kind_verdict *verdict; /* not KIND_NONE */
    const char *chip;                   /* "byte lane 3 of 8 (bits 24-31)"; "": nothing is said */
    const char *picture;                /* where that is on a usual module of eight chips, or "" */
    const char *channels; /* how many faulty words are in which channel or module; NULL */
    const struct modules_with_words *modules; /* NULL: not known */
};

struct event_diagnosis {
    bool begun;              /* this run went on with diagnosis=; else one can begin with it */
    uint32_t passes, failed; /* of this run; one that was cut short counts if it had faults */
    bool always;             /* a bad page was bad each time that it was tested again */
    const char *kind;        /* of the first faults: diagnosis_kind_name */
    const struct diagnosis_record *record;
};

struct event_ecc_page {
    uint32_t cpu, bank;  /* that reported the error */
    const char *channel; /* as in event_mce; NULL */
    bool has_page;       /* it was found, and is marked bad */
    uint64_t page;
    const char *result; /* "found", "not again", "elsewhere", "stopped", "time", "CPU lost" */
    uint64_t searched_bytes, left_bytes; /* left: where the error still may be */
    uint32_t tries;
    double seconds;
};

struct event_cper {
    uint32_t source; /* HEST's number of the one who reports */
    const struct cper_memory *memory;
    uint64_t count; /* of such errors so far */
};

/* Which fields there are depends on `what`. */
struct event_trace {
    enum option_trace what;
    const char *state; /* move: "moved", "no place", "copy differs", "late CPU"; cpu: "started",
                          "absent", "failed", "hung"; firmware: "called", "returned", "exception",
                          "no return" */
    uint32_t cpu;      /* cpu; firmware: which calls */
    uint32_t apic_id;  /* cpu */
    uint64_t from, to; /* move: addresses of the first page; to: 0: none */
    uint64_t bytes;    /* move */
    const char *service, *variable; /* firmware: of UEFI; "": the call is of no variable */
    uint64_t status;                /* firmware, "returned": EFI_STATUS */
    double seconds;                 /* move; firmware, unless "called" */
    uint32_t missed;                /* firmware: calls before, for which there was no room */
};

struct event_cycles {
    const struct cycles *count; /* with this start */
    struct confidence part;     /* of all starts, those with errors */
    const char *word;           /* for cycles= of the next start */
};

/* Some of the bad pages, by rising address. */
struct event_pages {
    const struct span *run;
    size_t n;
    bool goes_on; /* others come in another event */
    bool more;    /* others are left out */
};

/* The cover and the line are there, and unchanged, until the next such event. */
struct event_badram {
    uint64_t bad_pages;
    const struct cover *cover; /* patterns, sacrificed pages, ranges */
    const char *line;          /* "badram=0x…,0x…"; "" when no page is bad */
    bool final;
    enum badram_use use;
};

struct event_line {
    const char *name;  /* of bootcfg/lines.h, as in lines= */
    const char *place; /* where a person puts it */
    const char *text;  /* one or more, with \n between; "": there is none */
    const char *note;  /* what it costs, or why there is none */
    bool asked;        /* to be looked at now; else it belongs to the report of the run */
    bool wanted;       /* by lines=, not by default */
};

struct event_advice {
    enum advice_case what;
    const char *text;     /* two sentences */
    const char *headline; /* instead of PASS, in capitals; NULL: none */
};

struct event_picture {
    const struct ram_view *ram; /* no cell is being swept */
    const uint32_t *node;       /* of each of its nodes, as in their events */
};

struct event_untested {
    struct span span;
    const char *why;
};

/* Interrupts that okram did not ask for, and ignored. */
struct event_interrupt {
    uint32_t vector;
    uint64_t count;
    const char *what;
};

/* Errors of memory that have or have not been corrected by its ECC. */
struct event_ecc {
    uint64_t corrected, uncorrected;
    uint64_t with_page; /* of both: the page is known and bad */
    const struct ecc_channel *channel;
    size_t n_channels;
};

struct event_result {
    enum verdict verdict;
    uint32_t passes; /* completed */
    uint64_t tested_bytes, untested_bytes;
    const struct event_untested *untested;
    size_t n_untested;
    uint64_t bad_pages, faults, failing_bits;
    double seconds;
    bool stopped;             /* by key or time= before its end */
    bool complete;            /* all_tested, nothing is unseen, nothing was hidden */
    bool all_tested;          /* 99 % or more of what was to be tested was */
    const char *const *tests; /* VERDICT_STOPPED: the names of those that were completed */
    size_t n_tests;
    const struct span
        *unpaired; /* tested, but never together with other memory (plan/unpaired.h) */
    size_t n_unpaired;
    const struct event_interrupt *interrupts;
    size_t n_interrupts;
    struct event_ecc ecc;
    enum reason reason;     /* of VERDICT_ERROR */
    uint64_t part_of_bytes; /* RAM of which range=, nodes= or lowmem= selected a part; 0: all */
    /* By GRUB's badram or the guard, before okram started: in the line, not in bad_pages. */
    uint64_t hidden_pages;
    uint64_t hole_pages; /* by BIOS: missing from the map within RAM, as after badram */
    struct unseen unseen;
    struct excluded excluded; /* of a pass: in the memory tested; all 0: nothing can be said */
    struct error_rate rate;   /* of tests=stability alone */
    bool is_encrypted;        /* memory, as far as is known now: then failing_bits mean nothing */
    bool looks_encrypted;     /* by the faults that were found, not by the CPU's word */
    uint32_t skipped_tests;   /* by the key n; a pass with one is not whole */
    /* The report itself adds these, the second after a panic: what happened, in lines. */
    const char *const *warnings;
    size_t n_warnings;
    const char *error;
};

enum kept_phase {
    KEPT_NOT_ASKED, /* no event has this */
    KEPT_BEGUN,     /* firmware is writing */
    KEPT_DONE,
    KEPT_FAILED, /* the warning before says why */
};

struct event_report_saved {
    enum kept_phase phase;
    bool keys_wait;   /* while it is being written: there is no other CPU that could do it */
    bool boots_okram; /* a restart by key does, by itself */
};

struct event_stick {
    enum kept_phase phase; /* KEPT_BEGUN: there is a part of it, or it is being written */
    char file[16];         /* in the folder okram */
};

struct event_keys {
    bool answers;      /* a keyboard; else the run is ended by */
    bool power_button; /* a short press of this, */
    bool serial;       /* or by a key on the serial port */
};

struct event {
    enum event_type type;
    double t; /* seconds since kernel entry */
    union {
        struct event_start start;
        const char *warning;
        struct event_identity identity;
        struct event_machine machine;
        struct event_node node;
        struct event_module module;
        struct event_controller controller;
        struct event_temperature temperature;
        struct event_support support;
        struct event_cache cache;
        struct event_bandwidth bandwidth;
        struct event_latency latency;
        struct event_cache_to_cache cache_to_cache;
        struct event_contention contention;
        struct event_redundancy redundancy;
        struct event_unmeasured unmeasured;
        struct event_progress progress;
        struct event_rows rows;
        struct event_test test;
        struct event_fault fault;
        /* A word, the first that was changed, of a line or of a page below 1 MiB: not a fault, and
         * of no node. */
        struct event_fault external;
        const struct geometry *geometry; /* stays valid */
        struct event_alias alias;
        struct event_mce mce;
        struct event_ecc_page ecc_page;
        struct event_cper cper;
        struct event_trace trace;
        struct event_retest retest;
        struct event_kind kind;
        struct event_diagnosis diagnosis;
        struct event_cycles cycles;
        struct event_pages pages;
        struct event_badram badram;
        struct event_line line;
        struct event_advice advice;
        struct event_picture picture;
        struct event_result result;
        struct event_report_saved kept;
        struct event_stick stick;
        struct event_keys keys;
    };
};

#define EVENTS_RECEIVERS_MAX 5

/*
 * From now on events go there, too, after those that were named before; in a panic, which may have
 * interrupted it, only if it says so.
 */
void events_send_to(void (*receive)(void *ctx, const struct event *e), void *ctx, bool in_panic);

/* Stamps e with the time and sends it. Before events_send_to it is lost. */
void events_send(struct event *e);
