// SPDX-License-Identifier: MIT
#include "spd/spd.h"

#include <stddef.h>

static const struct {
    uint16_t maker;
    const char *name;
} makers[] = {
    { 0x0024, "IBM" },
    { 0x002c, "Micron" },
    { 0x002d, "SK hynix" },
    { 0x0040, "ProMOS" },
    { 0x0041, "Infineon" },
    { 0x004e, "Samsung" },
    { 0x0054, "Hewlett-Packard" },
    { 0x005a, "Winbond" },
    { 0x0111, "Dataram" },
    { 0x0114, "SMART Modular" },
    { 0x0118, "Kingston" },
    { 0x013a, "PNY" },
    { 0x0140, "Viking" },
    { 0x014e, "Unigen" },
    { 0x014f, "Transcend" },
    { 0x017a, "Apacer" },
    { 0x021e, "Corsair" },
    { 0x0235, "SpecTek" },
    { 0x027e, "Elpida" },
    { 0x0303, "Buffalo" },
    { 0x030b, "Nanya" },
    { 0x0313, "GeIL" },
    { 0x0314, "Mushkin" },
    { 0x0316, "Netlist" },
    { 0x0319, "Centon" },
    { 0x0325, "Kingmax" },
    { 0x035a, "Swissbit" },
    { 0x041e, "Intelligent Memory" },
    { 0x0430, "OCZ" },
    { 0x0443, "Ramaxel" },
    { 0x0448, "Powerchip" },
    { 0x044b, "ADATA" },
    { 0x044d, "G.Skill" },
    { 0x046f, "Team Group" },
    { 0x0502, "Patriot" },
    { 0x051b, "Crucial" },
    { 0x053a, "Virtium" },
    { 0x0551, "Qimonda" },
    { 0x0556, "Walton Chaintech" },
    { 0x0577, "Avant" },
    { 0x0634, "Super Talent" },
    { 0x0653, "Silicon Power" },
    { 0x065e, "Lexar" },
    { 0x0663, "ATP" },
    { 0x066d, "V-Color" },
    { 0x0671, "Innodisk" },
    { 0x0746, "Gloway" },
    { 0x075d, "Wilk Elektronik" },
    { 0x0812, "Galaxy" },
    { 0x0813, "Gloway" },
    { 0x0818, "Essencore" },
    { 0x0848, "Lenovo" },
    { 0x0855, "Etron" },
    { 0x0871, "Asgard" },
    { 0x0875, "Juhor" },
    { 0x0903, "Hewlett Packard Enterprise" },
    { 0x0921, "Teclast" },
    { 0x092d, "Neo Forza" },
    { 0x0942, "Kllisre" },
    { 0x094d, "Longsys" },
    { 0x0968, "Kimtigo" },
    { 0x096c, "Colorful" },
    { 0x0975, "Exceleram" },
    { 0x0977, "Netac" },
    { 0x0a11, "CXMT" },
    { 0x0a2d, "Puskill" },
    { 0x0a31, "Biwin" },
    { 0x0a42, "Thermaltake" },
    { 0x0a56, "Longsys" },
    { 0x0a76, "Lexar" },
    { 0x0b2c, "Hikstorage" },
};

const char *spd_maker_name(uint16_t maker)
{
    for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
        if (makers[i].maker == maker)
            return makers[i].name;
    }
    return "";
}
