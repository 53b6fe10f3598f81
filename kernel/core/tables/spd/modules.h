// SPDX-License-Identifier: MIT
/*
 * The memory modules of a machine: what each says of itself (spd/spd.h) together with what firmware
 * says of its slot (firmware/smbios_memory.h), as far as it can be told which slot a module is in.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder/decoder.h"
#include "firmware/smbios_memory.h"
#include "lib/warn.h"
#include "spd/spd.h"

#define MODULES_MAX        64u /* the first are kept */
#define MODULE_SPDS_MAX    8u  /* as many as an SMBus has addresses for */
#define MODULE_SERIAL_SIZE SMBIOS_NAME_SIZE

/* How it is known which of firmware's slots a module is in. */
enum module_slot_by {
    MODULE_SLOT_UNKNOWN,
    MODULE_SLOT_BY_SERIAL, /* firmware has its serial number there */
    MODULE_SLOT_BY_PART,   /* the only one with its part number and size */
    MODULE_SLOT_ONLY,      /* one module and one slot are left */
    MODULE_SLOT_BY_ORDER,  /* as many, of the same sizes in the same order: likely, not certain */
    MODULE_SLOT_ITSELF,    /* there is no SPD: the module is known by its slot alone */
};

/* An SPD that was read, with its bytes. */
struct module_spd {
    uint8_t address; /* on the SMBus: 0x50 to 0x57 */
    struct spd spd;
    const uint8_t *byte;
    size_t n_bytes;
};

/* What a sensor is doubted for. One that is doubted does not count, with what it has said. */
enum sensor_doubt {
    SENSOR_TRUSTED,
    SENSOR_SILENT,    /* it does not answer, or the bus cannot be used: until it answers again */
    SENSOR_JUMPS,     /* it says what cannot be true, three times: for good */
    SENSOR_UNCHANGED, /* it says the same while there is traffic: until it says something else */
    SENSOR_DOUBTS,
};

/* In thousandths of a degree Celsius. */
struct temperature {
    bool is_known; /* it has a sensor that answers */
    int32_t start_mc, now_mc, highest_mc;
    enum sensor_doubt doubt; /* `now` is the last that its sensor said before */
    bool is_empty;           /* nothing that it said can be true: it has no degrees */
};

struct module {
    const struct smbios_slot *slot; /* NULL: it is not known which; what it points to stays */
    enum module_slot_by slot_by;
    const struct module_spd *spd; /* NULL: it was not read */
    char maker[SMBIOS_NAME_SIZE]; /* by the SPD, else by firmware; "": unknown, so below */
    char part[SMBIOS_NAME_SIZE];
    char serial[MODULE_SERIAL_SIZE]; /* eight hexadecimal digits of an SPD; ""; not of zeros */
    uint64_t size_bytes;             /* 0: unknown, so below */
    uint32_t jedec_mt_s;             /* by the SPD alone */
    uint32_t profile_mt_s;           /* the fastest of XMP and EXPO */
    uint32_t configured_mt_s;        /* by firmware: what it runs at */
    struct decoded_timing running;   /* by the memory controllers; all 0: unknown */
    struct temperature temperature;
};

struct modules {
    struct module module[MODULES_MAX];
    size_t n;
    size_t n_others; /* more that firmware lists: it is not known in which of its slots */
};

/*
 * Those with an SPD in the order of their addresses, then those that only firmware lists. slots:
 * NULL: it lists none. Both stay where they are, because the result refers to them. n_spds:
 * MODULE_SPDS_MAX at most.
 */
void modules_make(const struct smbios_memory *slots, const struct module_spd *spds, size_t n_spds,
                  struct modules *ret_modules);

/*
 * Where it is, for people: "DIMM_A1", or "at SMBus address 0x50" where the slot is not known;
 * shorter than SMBIOS_NAME_SIZE.
 */
const char *module_place(const struct module *m, char text[SMBIOS_NAME_SIZE]);

/*
 * Sets at which timings each runs, where all channels that it can be in have the same: those with a
 * module of its size and ranks, or else all that have one.
 */
void modules_set_running(struct modules *modules, const struct decoded_controller *controller);

/* What it runs at, by the memory controllers, else by firmware; 0: unknown. */
uint32_t module_mt_s(const struct module *m);

/* How it runs, beside the figures in its SPD. */
enum module_setting {
    MODULE_SETTING_UNKNOWN,
    MODULE_SETTING_JEDEC,          /* as its maker promises without XMP or EXPO, or slower */
    MODULE_SETTING_BELOW_PROFILE,  /* so, and slower than its fastest profile */
    MODULE_SETTING_OVERCLOCK,      /* faster than that, or with fewer clocks */
    MODULE_SETTING_OVERCLOCK_PART, /* so, and slower than its fastest profile */
};

enum module_setting module_setting(const struct module *m);

/* "jedec", "below-profile", "overclock", "overclock-below-profile"; NULL: unknown. */
const char *module_setting_word(enum module_setting setting);

/* It runs faster than its maker promises without XMP or EXPO. False where that is not known. */
bool module_is_above_jedec(const struct module *m);

/*
 * It runs as fast as the fastest of its profiles, which may be on; or a JEDEC speed may be as fast,
 * where its timings are not known. False where nothing is known.
 */
bool module_runs_by_profile(const struct module *m);

/* Data bits of each chip (4, 8, 16), if all modules are known by their SPD and agree; else 0. */
unsigned modules_chip_bits(const struct modules *modules);

/* "serial", "part", "only", "order", "slot"; NULL: unknown. */
const char *module_slot_by_word(enum module_slot_by by);

/*
 * One warning for each module whose SPD is wrong, and one for each serial number that two modules
 * of the same maker and part have. A serial number or bytes that are missing give none.
 */
void modules_check(const struct modules *modules, const struct warnings *warnings);
