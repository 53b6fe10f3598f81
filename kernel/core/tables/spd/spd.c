// SPDX-License-Identifier: MIT
#include "spd/spd.h"

#include "lib/minmax.h"

#define FORMS 16u

/* Byte 2 of all types (annex L, table 3; JESD400-5, byte 2). */
static const struct {
    uint8_t type;
    const char *name;
} types[] = {
    { 0x04, "SDRAM" },    { 0x07, "DDR" },      { 0x08, "DDR2" },   { SPD_DDR3, "DDR3" },
    { SPD_DDR4, "DDR4" }, { 0x0e, "DDR4E" },    { 0x0f, "LPDDR3" }, { 0x10, "LPDDR4" },
    { 0x11, "LPDDR4X" },  { SPD_DDR5, "DDR5" }, { 0x13, "LPDDR5" }, { 0x14, "DDR5 NVDIMM-P" },
    { 0x15, "LPDDR5X" },
};

static const char *const ddr3_forms[FORMS] = {
    "",
    "RDIMM",
    "UDIMM",
    "SO-DIMM",
    "Micro-DIMM",
    "Mini-RDIMM",
    "Mini-UDIMM",
    "Mini-CDIMM",
    "72b-SO-UDIMM",
    "72b-SO-RDIMM",
    "72b-SO-CDIMM",
    "LRDIMM",
    "16b-SO-DIMM",
    "32b-SO-DIMM",
    "",
    "",
};
static const char *const ddr4_forms[FORMS] = {
    "",
    "RDIMM",
    "UDIMM",
    "SO-DIMM",
    "LRDIMM",
    "Mini-RDIMM",
    "Mini-UDIMM",
    "",
    "72b-SO-RDIMM",
    "72b-SO-UDIMM",
    "",
    "",
    "16b-SO-DIMM",
    "32b-SO-DIMM",
    "",
    "",
};
static const char *const ddr5_forms[FORMS] = {
    "",      "RDIMM", "UDIMM", "SO-DIMM",     "LRDIMM", "CUDIMM", "CSO-DIMM", "MRDIMM",
    "CAMM2", "",      "DDIMM", "solder-down", "",       "",       "",         "",
};

size_t spd_bytes(uint8_t type)
{
    switch (type) {
    case SPD_DDR3: return 256;
    case SPD_DDR4: return 512;
    case SPD_DDR5: return 1024;
    default: return 0;
    }
}

const char *spd_type_name(uint8_t type)
{
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (types[i].type == type)
            return types[i].name;
    }
    return "";
}

const char *spd_form_name(const struct spd *spd)
{
    switch (spd->type) {
    case SPD_DDR3: return ddr3_forms[spd->form % FORMS];
    case SPD_DDR4: return ddr4_forms[spd->form % FORMS];
    case SPD_DDR5: return ddr5_forms[spd->form % FORMS];
    default: return "";
    }
}

uint32_t spd_fastest_profile(const struct spd *spd)
{
    uint32_t fastest = 0;

    for (size_t i = 0; i < spd->n_profiles; i++)
        fastest = (uint32_t)max_u64(fastest, spd->profile[i].mt_s);
    return fastest;
}

const char *spd_problem_text(enum spd_problem problem)
{
    static const char *const texts[SPD_PROBLEMS] = {
        [SPD_SHORT] = "a part of it cannot be read",
        [SPD_BASE_CRC] = "the CRC of type, size and speed is wrong",
        [SPD_MODULE_CRC] = "the CRC of bytes 128 to 253 is wrong",
        [SPD_PROFILE_CRC] = "the CRC of a profile above JEDEC's speeds is wrong",
        [SPD_SIZE] = "its size is impossible",
        [SPD_ADDRESSES] = "its rows, columns and banks do not make its size",
        [SPD_DEVICE_WIDTH] = "the width of its chips is impossible",
        [SPD_BUS_WIDTH] = "the width of its bus is impossible",
        [SPD_RANKS] = "the number of its ranks is impossible",
        [SPD_SPEED] = "its speed is impossible",
        [SPD_PROFILE_SPEED] = "the speed of a profile is impossible",
        [SPD_DATE] = "its date is impossible",
        [SPD_SERIAL] = "it has no serial number",
    };

    return texts[problem];
}
