// SPDX-License-Identifier: MIT
/*
 * Heat, as far as it needs no machine: whether a sensor's readings can be true, when traffic pauses
 * because of a limit, when modules are as hot as a run wants them, and at which temperatures faults
 * came. Temperatures are in thousandths of a degree Celsius, times in microseconds since any
 * moment.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spd/modules.h"

/* How long a run has lasted, how long there was traffic, and how long the pause of now has lasted.
 */
struct heat_times {
    uint64_t now_us, traffic_us, pause_us;
};

/* All zeros, but cpu_max_mc, at the start. */
struct sensor_watch {
    int32_t cpu_max_mc; /* the CPU's own limit; 0: a module's sensor, which changes more slowly */
    bool has_read, has_changed;
    enum sensor_doubt doubt;
    int32_t mc;                /* the last reading that can be true */
    int32_t odd_mc;            /* the last that cannot */
    unsigned n_odd;            /* how many of these, in a row */
    uint64_t at_us;            /* of the last reading that can be true */
    struct heat_times changed; /* when it last changed */
};

/* So many in a row that cannot be true are doubted. */
#define SENSOR_ODD_MAX 3

/*
 * Takes a reading. Whether it can be true: within what sensors measure, a CPU's not above its own
 * limit by more than 15 degrees, and not further from the one before than 10 degrees (a CPU's: 60)
 * and 5 for each second. It is unchanged after a minute of traffic if it never was different, else
 * after ten, and in a pause after HEAT_STILL_US.
 */
bool sensor_take(struct sensor_watch *w, int32_t mc, const struct heat_times *t);

/* There is no reading: silent after 30 seconds, or at once if it is never asked again. */
void sensor_miss(struct sensor_watch *w, uint64_t now_us, bool is_given_up);

/* "jumps": for the report. NULL: trusted. */
const char *sensor_doubt_word(unsigned doubt);

/* A temperature, where one is known. */
struct degrees {
    bool is_known;
    int32_t mc;
};

/* The hottest module and the CPU, by sensors that are trusted. */
struct heat_now {
    struct degrees module, cpu;
    bool has_module; /* a module has a sensor, which may be doubted */
};

/* The degrees, in a word that can be read and written at once. */
uint64_t heat_pack(const struct heat_now *now);
struct heat_now heat_unpack(uint64_t word);

/* Why traffic pauses. */
enum heat_cause { HEAT_NONE, HEAT_MODULE, HEAT_CPU, HEAT_TIME };

/* "module", "cpu", "time"; NULL: HEAT_NONE. */
const char *heat_cause_word(unsigned cause);

/* A pause ends this far below the limit. */
#define HEAT_BACK_MC 10000

/* The longest pause, after which there is traffic for a minute, whatever the temperature. */
#define HEAT_PAUSE_MAX_US   UINT64_C(300000000)
#define HEAT_TRAFFIC_MIN_US UINT64_C(60000000)

/* As good as all of it: nothing stays at one temperature for so long after traffic. */
#define HEAT_STILL_US (HEAT_PAUSE_MAX_US - UINT64_C(10000000))

/* By time, where no pause has shown how long it takes to become hot and to cool down. */
#define HEAT_ON_US  UINT64_C(90000000)
#define HEAT_OFF_US UINT64_C(30000000)

struct heat_gate {
    int32_t module_max_mc, cpu_max_mc;   /* traffic pauses above */
    int32_t module_back_mc, cpu_back_mc; /* and until this far below */
    bool is_asked;                       /* a person set the limit */

    enum heat_cause cause;  /* HEAT_NONE: there is traffic */
    uint64_t since_us;      /* of this pause, or of traffic; 0: it has not begun */
    uint64_t before_us;     /* the traffic before this pause */
    uint64_t on_us, off_us; /* of the last pause that ended by a sensor; 0: none */
    bool was_too_long;      /* the last pause did not cool it down */
    uint32_t pauses;
    uint64_t paused_us; /* of all pauses that are over */
};

/*
 * Whether traffic pauses now; to be asked several times a second. A pause ends when what caused it
 * has cooled, and the other is not above its own limit. Where modules have sensors, of which none
 * is trusted, pauses are timed if a person set the limit of modules or there has been a pause: as
 * long as the last traffic and pause, or HEAT_ON_US and HEAT_OFF_US. Else modules have no limit.
 */
bool heat_gate_step(struct heat_gate *gate, const struct heat_now *now, uint64_t now_us);

/* Whether pauses are timed. */
bool heat_gate_is_by_time(const struct heat_gate *gate, const struct heat_now *now);

/* How long traffic has paused, up to now. */
uint64_t heat_gate_paused_us(const struct heat_gate *gate, uint64_t now_us);

/* Modules have cooled down this far below what they are held at: they are heated again. */
#define HEAT_HOLD_MC 3000

/* As hot as it gets: less than this in that time. */
#define HEAT_RISE_MC INT32_C(1000)
#define HEAT_RISE_US UINT64_C(60000000)

/* Without any sensor, and at most. */
#define HEAT_BLIND_US UINT64_C(300000000)
#define HEAT_MAX_US   UINT64_C(1200000000)

/* What modules are to be held at. target_mc INT32_MAX: as hot as they get. */
struct heat_goal {
    int32_t target_mc;
    bool is_reached;   /* or they get no hotter: target_mc is then what they have reached */
    bool is_settled;   /* they got no hotter */
    uint64_t since_us; /* when heating began; 0: it has not */
    int32_t rise_mc;   /* temperature */
    uint64_t rise_us;  /* and time from which a rise is measured */
};

/* Whether there is more heating to do, before a round or in the middle of it. */
bool heat_goal_wants(struct heat_goal *goal, struct degrees now, uint64_t now_us);

/* By test and degree: what was moved, and the faults that came. */
#define HEAT_DEGREES_MIN 0
#define HEAT_DEGREES     128
#define HEAT_TESTS       32

struct heat_account {
    struct heat_cell {
        uint32_t mib;  /* moved */
        uint16_t hits; /* times at which there were new faults */
    } cell[HEAT_TESTS][HEAT_DEGREES];
    uint64_t rest[HEAT_TESTS]; /* bytes that are not a whole MiB yet */
    uint64_t faults;
};

/* test: its number, below HEAT_TESTS, else nothing is counted; faults: new ones. */
void heat_account_add(struct heat_account *a, uint32_t test, int32_t mc, uint64_t bytes,
                      uint64_t faults);

/* All faults came at from_degrees or above. */
struct heat_onset {
    bool by_module; /* else by the CPU's temperature: who keeps the account knows */
    uint64_t faults;
    int32_t from_degrees;
    uint64_t bytes_below; /* moved by the same tests below that, without a fault */
};

/*
 * False: faults came at any temperature, there are fewer than three, or it may well be chance: the
 * tests that found them have moved too little below that temperature (p > 5 %, if each time at
 * which new faults came had been as likely at any temperature).
 */
bool heat_account_onset(const struct heat_account *a, struct heat_onset *ret_onset);

/* The heat of a run, which facts/heating.h keeps. All zeros: no limit, and nothing is heated. */
struct heating {
    _Atomic uint64_t now; /* heat_pack; any CPU may read it */
    struct heat_gate gate;
    struct heat_goal goal;
    bool has_begun, is_hot, is_heating, had_faults;
    bool has_warned; /* that a pause did not cool */
    bool by_module;  /* else by the CPU: what hot= heats, and the account is of */
    uint32_t test;   /* the current one's number, for the account: testing/rounds.h sets it */
    uint64_t bytes, faults, us; /* at the last poll */
    uint64_t traffic_us, paused_us;
    uint64_t sent_us, sent_bytes, next_us; /* the last event, and when the next sample is due */
    uint32_t pauses_sent;
    char text[96]; /* for the screen */
    struct heat_account *account;
};
