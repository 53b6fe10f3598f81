// SPDX-License-Identifier: MIT
#include "facts/identity_emit.h"

#include "arch/tsc.h"
#include "event/events.h"
#include "io/cpu_random.h"
#include "io/ports.h"
#include "lib/date.h"
#include "lib/string.h"
#include "machine/board.h"
#include "saved/saved.h"
#include "sign/run_id.h"

_Static_assert(IDENTITY_MAC_BYTES == BOOT_MAC_BYTES, "a network card's address");

#define PORT_B  0x61 /* reading it takes a device's time, never exactly as long */
#define TIMINGS 64

/* What no two runs have in common. A missing source is 0. */
struct sources {
    uint64_t rdseed[4], rdrand[4];
    uint64_t timing[TIMINGS];
    int64_t date;
    char uuid[SMBIOS_UUID_MAX];
};

static void make_run_id(char ret_id[RUN_ID_SIZE])
{
    struct sources s;

    memset(&s, 0, sizeof(s));
    for (size_t i = 0; i < 4; i++) {
        s.rdseed[i] = cpu_has_rdseed() ? cpu_rdseed() : 0;
        s.rdrand[i] = cpu_has_rdrand() ? cpu_rdrand() : 0;
    }
    for (size_t i = 0; i < TIMINGS; i++) {
        io_in8(PORT_B);
        s.timing[i] = tsc_now();
    }
    s.date = board.started;
    string_copy(s.uuid, board.names.uuid, sizeof(s.uuid));
    run_id_make(&s, sizeof(s), ret_id);
}

void identity_emit(const struct boot_info *boot, enum option_identity identity)
{
    bool is_full = identity == OPTION_IDENTITY_FULL;
    char run[RUN_ID_SIZE], date[SAVED_DATE_MAX] = "";
    struct fmt_buffer b = fmt_buffer_make(date, sizeof(date));

    if (identity == OPTION_IDENTITY_OFF)
        return;
    make_run_id(run);
    if (board.started)
        date_append(&b, board.started);
    events_send(&(struct event){
        .type = EVENT_IDENTITY,
        .identity = {
            .run = run,
            .date = date,
            .names = &board.names,
            .full = is_full,
            .mac = boot->mac,
            .n_macs = is_full ? boot->n_macs : 0,
        },
    });
}
