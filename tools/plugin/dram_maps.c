// SPDX-License-Identifier: MIT
/*
 * Published maps. All were found by measuring which addresses conflict in a bank (P. Pessl et al.,
 * "DRAMA: Exploiting DRAM Addressing for Cross-CPU Attacks", USENIX Security 2016), by:
 *
 * - sandy-bridge: banks and rank as measured on an i5-2520M (github.com/heechul/drama,
 *   Found-DRAM-BankMap.md); channel and columns by M. Seaborn, "How physical addresses map to rows
 *   and banks in DRAM", 2015, as in github.com/vusec/ramses, map/x86/intel.c.
 * - skylake: an i7-6700K, 16 GiB (M. Wang et al., "DRAMDig", DAC 2020; github.com/dramdig/DRAMDig,
 *   README.md). Its function of six bits is the channel in DRAMA's table.
 * - coffee-lake: two ranks of DDR4 (P. Jattke et al., "Blacksmith", IEEE S&P 2022;
 *   github.com/comsec-group/blacksmith, src/Memory/DRAMAddr.cpp), whose matrices have the rows of
 *   1 GiB; higher address bits are rows here, as in TRRespass (row mask 0xffffc0000).
 * - zen3: two ranks of DDR4 (P. Jattke et al., "ZenHammer", USENIX Security 2024;
 *   github.com/comsec-group/zenhammer, src/Memory/DRAMConfig.cpp, which has the low 28 address
 *   bits; the others as in the paper's successors). zen4: one rank of DDR5
 *   (github.com/comsec-group/phoenix, e2e-exploit/src/dram_address.cpp). Both count addresses from
 *   an offset, the size of the hole below 4 GiB.
 * - raptor-lake: one rank of DDR5, as two ports of these tools to it have it: Alder Lake's
 *   successor. Of Alder Lake itself no whole map was found in published source code.
 */
#include "dram.h"

const struct published_map dram_maps[] = {
    { .name = "sandy-bridge",
      .about = "Sandy Bridge, DDR3, two channels, two ranks",
      .bits = 34,
      .bus_bits = 64,
      .row = 0x3fffc0000,
      .column = 0x3fbf,
      .function = { [DRAM_CHANNEL] = { 0x40 },
                    [DRAM_RANK] = { 0x220000 },
                    [DRAM_BANK] = { 0x44000, 0x88000, 0x110000 } } },
    { .name = "skylake",
      .about = "Skylake, DDR4, two channels",
      .bits = 34,
      .bus_bits = 64,
      .row = 0x3fffc0000,
      .column = 0x3eff,
      .function = { [DRAM_CHANNEL] = { 0xc3300 },
                    [DRAM_GROUP] = { 0x4080, 0x48000 },
                    [DRAM_BANK] = { 0x90000, 0x120000 } } },
    { .name = "coffee-lake",
      .about = "Coffee Lake, DDR4, two ranks",
      .bits = 34,
      .bus_bits = 64,
      .row = 0x3fffc0000,
      .column = 0x3fbf,
      .function = { [DRAM_RANK] = { 0x44000 },
                    [DRAM_GROUP] = { 0x2040, 0x88000 },
                    [DRAM_BANK] = { 0x110000, 0x220000 } } },
    { .name = "zen3",
      .about = "Zen 3, DDR4, two ranks",
      .bits = 35,
      .bus_bits = 64,
      .row = 0x7fffc0000,
      .column = 0x1f0ff,
      .function = { [DRAM_RANK] = { 0x7fffe0000 },
                    [DRAM_GROUP] = { 0x444440100, 0x088880200 },
                    [DRAM_BANK] = { 0x111100400, 0x222200800 } } },
    { .name = "zen4",
      .about = "Zen 4, DDR5, one rank",
      .bits = 34,
      .bus_bits = 32,
      .row = 0x3fffc0000,
      .column = 0x3e0bf,
      .function = { [DRAM_SUBCHANNEL] = { 0x3fffc0040 },
                    [DRAM_GROUP] = { 0x042100100, 0x084200200, 0x108401000 },
                    [DRAM_BANK] = { 0x210840400, 0x021080800 } } },
    { .name = "raptor-lake",
      .about = "Raptor Lake, DDR5, one rank",
      .bits = 34,
      .bus_bits = 32,
      .row = 0x3fffc0000,
      .column = 0xfff,
      .function = { [DRAM_SUBCHANNEL] = { 0xc3200 },
                    [DRAM_GROUP] = { 0x81100, 0x088844000, 0x111108000 },
                    [DRAM_BANK] = { 0x222210000, 0x044420000 } } },
};

const size_t dram_n_maps = sizeof(dram_maps) / sizeof(dram_maps[0]);
