// SPDX-License-Identifier: MIT
#include "diagnosis_menu.h"

#include <efilib.h>

#include "boot/uefi/firmware_tables.h"
#include "diagnosis/from_smbios.h"
#include "guide_page.h"
#include "kept_state.h"
#include "lib/string.h"
#include "reset.h"

struct diagnosis_menu {
    EFI_HANDLE own;
    bool has_setup;
    struct kept_state kept;
    struct found_record record;
    enum status record_status; /* NOT_FOUND: there is none; INVALID: it cannot be used */
    struct diagnosis_machine machine;
    struct guide guide;
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

    diagnosis_from_smbios(has ? &memory : NULL, ret_machine);
}

/* A test goes on by itself; a question is shown by itself; else the usual test starts. */
static enum menu_first first_of(enum guide_situation s)
{
    return s == GUIDE_READY                                                      ? MENU_FIRST_STARTS
           : s == GUIDE_UNCHANGED || s == GUIDE_CHANGED || s == GUIDE_UNFINISHED ? MENU_FIRST_OPENS
                                                                                 : MENU_FIRST_WAITS;
}

static void show(struct diagnosis_menu *m)
{
    struct menu_diagnosis *s = &m->shown;
    struct fmt_buffer headline = fmt_buffer_make(s->headline, sizeof(s->headline));
    struct fmt_buffer page = fmt_buffer_make(s->page, sizeof(s->page));

    guide_append_headline(&m->guide, &headline);
    guide_append_page(&m->guide, &page);
    s->first = first_of(m->guide.situation);
    s->n_choices = guide_choices(&m->guide, m->has_setup, m->choice);
    for (unsigned i = 0; i < s->n_choices; i++)
        string_copy(s->choice[i], guide_choice_text(&m->guide, m->choice[i]), sizeof(s->choice[i]));
}

/* What is new, for the next start. */
static void keep(struct diagnosis_menu *m, struct fmt_buffer *message)
{
    if (m->guide.is_new)
        m->guide.is_new = !kept_state_write(m->own, &m->guide.state, message);
}

static void begin_guide(struct diagnosis_menu *m)
{
    const struct kept_copy *variable = &m->kept.variable, *file = &m->kept.file;
    const struct guide_sources sources = { variable->is_valid ? &variable->state : NULL,
                                           file->is_valid ? &file->state : NULL,
                                           variable->why,
                                           file->why,
                                           m->record_status == STATUS_OK ? &m->record : NULL,
                                           m->record_status == STATUS_INVALID
                                               ? "its word is damaged, or of another version"
                                               : NULL };

    guide_begin(&m->guide, &sources, &m->machine);
}

struct diagnosis_menu *diagnosis_menu_begin(EFI_HANDLE own, const char *jsonl)
{
    struct diagnosis_menu *m = AllocateZeroPool(sizeof(*m));
    struct fmt_buffer notice;

    if (!m)
        return NULL;
    m->own = own;
    m->record_status = jsonl ? found_record_read(jsonl, &m->record) : STATUS_NOT_FOUND;
    kept_state_read(own, &m->kept);
    read_machine(&m->machine);
    begin_guide(m);
    if (m->guide.situation == GUIDE_NONE) {
        FreePool(m);
        return NULL;
    }
    notice = fmt_buffer_make(m->shown.notice, sizeof(m->shown.notice));
    m->has_setup = reset_has_setup();
    keep(m, &notice);
    show(m);
    Print(L"okram: %a\r\n", m->shown.headline);
    return m;
}

const struct menu_diagnosis *diagnosis_menu_shown(const struct diagnosis_menu *menu)
{
    return &menu->shown;
}

static void start(struct diagnosis_menu *m, struct fmt_buffer *message)
{
    struct fmt_buffer words = fmt_buffer_make(m->shown.words, sizeof(m->shown.words));

    guide_run_begins(&m->guide, &words);
    keep(m, message);
}

static void forget(struct diagnosis_menu *m, struct fmt_buffer *message)
{
    if (!kept_state_delete(m->own, message))
        return;
    m->kept = (struct kept_state){ 0 };
    if (!m->guide.offer)
        m->record_status = STATUS_NOT_FOUND; /* it was of the search that is forgotten */
    begin_guide(m);
    fmt_append(message, "The search for the bad module is forgotten.");
}

static void choose(struct diagnosis_menu *m, enum guide_choice choice, struct fmt_buffer *message)
{
    switch (choice) {
    case GUIDE_START: start(m, message); break;
    case GUIDE_POWER_OFF:
        reset_power_off();
        fmt_append(message, "Firmware did not switch the machine off: use its button.");
        break;
    case GUIDE_SETUP:
        reset_into_setup();
        fmt_append(message, "Firmware did not restart: restart the machine, and press the key for "
                            "BIOS setup.");
        break;
    case GUIDE_DID_NOT_START: guide_did_not_start(&m->guide, &m->machine); break;
    case GUIDE_ANEW: guide_accept(&m->guide, &m->machine); break;
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
    keep(m, message);
    show(m);
}
