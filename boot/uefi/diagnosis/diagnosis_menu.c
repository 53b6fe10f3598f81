// SPDX-License-Identifier: MIT
#include "diagnosis_menu.h"

#include <efi.h>
#include <efilib.h>

#include "boot/uefi/firmware_tables.h"
#include "boot/uefi/variables.h"
#include "diagnosis/observe.h"
#include "guide.h"
#include "lib/string.h"

#define KEPT          "OkramDiagnosis" /* the state as a word (diagnosis/code.h) */
#define BOOT_TO_FW_UI UINT64_C(1)      /* EFI_OS_INDICATIONS_BOOT_TO_FW_UI: UEFI 2.10, 8.5.4 */

struct diagnosis_menu {
    bool has_setup; /* firmware can be told to show its setup at the next start */
    struct diagnosis_machine machine;
    struct guide guide;
    char kept[DIAGNOSIS_KEPT_MAX]; /* what is in the variable; or "" */
    enum guide_choice choice[GUIDE_CHOICES];
    struct menu_diagnosis shown;
};

_Static_assert(GUIDE_CHOICES <= MENU_DIAGNOSIS_CHOICES_MAX, "all fit");

static void read_machine(struct diagnosis_machine *ret_machine)
{
    static struct smbios_memory memory;
    struct smbios smbios;
    bool has = firmware_tables_open_smbios(&smbios) &&
               smbios_memory_read(&smbios, &warnings_silent, &memory) == STATUS_OK;

    diagnosis_list(has ? &memory : NULL, NULL, ret_machine);
}

/* A variable of 8 bytes; 0: there is none. */
static UINT64 read_number(const char *name)
{
    struct variable v = variable_read(name, &variable_boot);
    UINT64 number = 0;

    if (v.bytes && v.size == sizeof(number))
        memcpy(&number, v.bytes, sizeof(number));
    variable_free(&v);
    return number;
}

static void reset(EFI_RESET_TYPE type)
{
    variable_boot_again();
    RT->ResetSystem(type, EFI_SUCCESS, 0, NULL);
}

static void reset_into_setup(void)
{
    UINT64 wanted = read_number("OsIndications") | BOOT_TO_FW_UI;

    if (!EFI_ERROR(variable_write("OsIndications", &variable_boot, VARIABLE_SHARED, &wanted,
                                  sizeof(wanted))))
        reset(EfiResetCold);
}

/* A test goes on by itself; a question is shown by itself; else the usual test starts. */
static enum menu_first first_of(enum guide_situation s)
{
    return s == GUIDE_READY                             ? MENU_FIRST_STARTS
           : s == GUIDE_UNCHANGED || s == GUIDE_CHANGED ? MENU_FIRST_OPENS
                                                        : MENU_FIRST_WAITS;
}

/* Of what cannot be read, why: the end of a sentence. */
static const char *read_kept(struct diagnosis_menu *m)
{
    struct variable v = variable_read(KEPT, &variable_okram);
    const char *why = NULL;

    if (v.bytes && v.attributes != VARIABLE_KEPT)
        why = "its attributes are not those of okram's variable";
    else if (v.bytes && (!v.size || v.size >= sizeof(m->kept)))
        why = "it is not a word of okram";
    else if (v.bytes)
        memcpy(m->kept, v.bytes, v.size);
    else if (v.status != EFI_NOT_FOUND)
        why = "firmware cannot read it";
    variable_free(&v);
    return why;
}

/* What is new is kept for the next start. */
static void keep(struct diagnosis_menu *m, struct fmt_buffer *message)
{
    char text[DIAGNOSIS_KEPT_MAX];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));
    EFI_STATUS status;

    diagnosis_append_code(&m->guide.state, true, &b);
    if (strcmp(text, m->kept) == 0)
        return;
    status = variable_write(KEPT, &variable_okram, VARIABLE_KEPT, text, b.length);
    if (EFI_ERROR(status))
        fmt_append(message,
                   "What was tested cannot be kept for the next start: firmware refuses the UEFI "
                   "variable " KEPT " (error 0x%lx).",
                   (unsigned long)status);
    else
        string_copy(m->kept, text, sizeof(m->kept));
}

static void forget(struct diagnosis_menu *m, struct fmt_buffer *message)
{
    EFI_STATUS status = variable_delete(KEPT, &variable_okram);

    if (EFI_ERROR(status)) {
        fmt_append(message, "The UEFI variable " KEPT " cannot be deleted: error 0x%lx.",
                   (unsigned long)status);
        return;
    }
    m->kept[0] = 0;
    guide_forget(&m->guide, &m->machine);
    fmt_append(message, "The search for the bad module is forgotten.");
}

static void show(struct diagnosis_menu *m, struct fmt_buffer *message)
{
    struct menu_diagnosis *s = &m->shown;
    struct fmt_buffer headline = fmt_buffer_make(s->headline, sizeof(s->headline));
    struct fmt_buffer page = fmt_buffer_make(s->page, sizeof(s->page));

    if (m->guide.is_new)
        keep(m, message);
    guide_append_headline(&m->guide, &headline);
    guide_append_page(&m->guide, &page);
    s->first = first_of(m->guide.situation);
    s->n_choices = guide_choices(&m->guide, m->has_setup, m->choice);
    for (unsigned i = 0; i < s->n_choices; i++)
        string_copy(s->choice[i], guide_choice_text(&m->guide, m->choice[i]), sizeof(s->choice[i]));
}

struct diagnosis_menu *diagnosis_menu_begin(const char *jsonl)
{
    struct diagnosis_menu *m = AllocateZeroPool(sizeof(*m));
    struct fmt_buffer notice;
    const char *why;

    if (!m)
        return NULL;
    why = read_kept(m);
    read_machine(&m->machine);
    guide_begin(&m->guide, m->kept, why, jsonl, &m->machine);
    if (m->guide.situation == GUIDE_NONE) {
        FreePool(m);
        return NULL;
    }
    notice = fmt_buffer_make(m->shown.notice, sizeof(m->shown.notice));
    m->has_setup = read_number("OsIndicationsSupported") & BOOT_TO_FW_UI;
    show(m, &notice);
    Print(L"okram: search for the bad module: %a\r\n", m->shown.headline);
    return m;
}

const struct menu_diagnosis *diagnosis_menu_shown(const struct diagnosis_menu *menu)
{
    return &menu->shown;
}

static void choose(struct diagnosis_menu *m, enum guide_choice choice, struct fmt_buffer *message)
{
    struct fmt_buffer words = fmt_buffer_make(m->shown.words, sizeof(m->shown.words));

    switch (choice) {
    case GUIDE_START: guide_append_words(&m->guide, &words); break;
    case GUIDE_POWER_OFF:
        reset(EfiResetShutdown);
        fmt_append(message, "Firmware did not switch the machine off: use its button.");
        break;
    case GUIDE_SETUP:
        reset_into_setup();
        fmt_append(message, "Firmware did not restart: restart the machine, and press the key for "
                            "BIOS setup.");
        break;
    case GUIDE_DID_NOT_START: guide_did_not_start(&m->guide, &m->machine); break;
    default: forget(m, message); break;
    }
}

void diagnosis_menu_act(struct diagnosis_menu *menu, enum menu_action action, unsigned choice,
                        struct fmt_buffer *message)
{
    struct diagnosis_menu *m = menu;

    if (action == MENU_OPENS_DIAGNOSIS && m->guide.situation == GUIDE_OFFERED)
        guide_accept(&m->guide, &m->machine);
    else if (action == MENU_DIAGNOSES && choice < m->shown.n_choices)
        choose(m, m->choice[choice], message);
    show(m, message);
}
