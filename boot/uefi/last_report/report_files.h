// SPDX-License-Identifier: MIT
/*
 * The files of a report in the directory \okram of a volume: NAME.jsonl and NAME.html. No existing
 * file is overwritten: the name gets a number.
 */
#pragma once

#include <efi.h>

#include "report_text.h"

enum { REPORT_JSONL, REPORT_HTML, REPORT_FILES };

struct report_content {
    struct fmt_buffer file[REPORT_FILES];
};

/*
 * Writes the missing files and reads them back: after EFI_SUCCESS both are on the volume.
 * Files of an earlier try with the same bytes are kept. After an error those written now are
 * deleted. ret_name: the name without extension.
 */
EFI_STATUS report_files_write(EFI_FILE *root, const struct saved_report *report,
                              const struct report_content *content, char ret_name[REPORT_NAME_MAX]);
