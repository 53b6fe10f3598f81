// SPDX-License-Identifier: MIT
/*
 * Where the guard's patrol goes on at the next boot: the UEFI variable OkramPatrol, 64 bits, little
 * endian.
 *
 *   0-39   the page to go on with
 *   40-47  how many patrols in a row were begun there and did not end
 *   48-63  the lap: how often all free memory has been tested, modulo 2^16
 *
 * The count is written before a patrol touches memory and cleared after it. A machine that stops in
 * the patrol, as one may whose memory reports an uncorrectable error, is not stopped at each boot:
 * after PATROL_UNFINISHED_MAX such boots there is no patrol until the variable is deleted.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define PATROL_UNFINISHED_MAX 2

struct patrol_cursor {
    uint64_t page; /* below 2^40 */
    uint8_t unfinished;
    uint16_t lap;
};

uint64_t patrol_cursor_pack(struct patrol_cursor place);
struct patrol_cursor patrol_cursor_unpack(uint64_t packed);

/* Whether patrols from there may begin. */
bool patrol_cursor_may_begin(struct patrol_cursor place);

/* What is written before a patrol begins at this place. */
struct patrol_cursor patrol_cursor_begun(struct patrol_cursor place);
