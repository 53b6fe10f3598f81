// SPDX-License-Identifier: MIT
/*
 * The watchdog of AMD's chipsets, from SP5100 to the FCH in today's processors, and of Hygon's. Two
 * registers in memory: control and count (SB600 Register Reference Manual, 46155, 2.3.4; the same
 * in BKDG of family 16h, 52740, and PPR of family 17h, 55570). Where they are, and what a count is,
 * is in PM registers, behind the ports 0xcd6 and 0xcd7 or at 0xfed80300, of which there are three
 * kinds, told by the SMBus function's device and revision, as Linux does
 * (drivers/watchdog/sp5100_tco.c):
 *
 * - SP5100, SB7x0: PM 69h, 6Ch; decoded by bit 3 of configuration register 41h
 * - SB800 and the first of Hudson: PM 48h, 4Ch
 * - later ones: at 0xfeb00000, if DecodeEn (PM 00h) says so
 *
 * Where they are not decoded there, they may be in the block of memory that all the chipset's
 * registers are in, at 0xb00. Boot CPU only.
 */
#pragma once

#include "watchdog/found.h"

/* Stops it if it is running. */
struct watchdog_found fch_stop(watchdog_map *map);
