// SPDX-License-Identifier: MIT
/*
 * The picture of all RAM as it was at the end of the run, of the report's record of type "picture"
 * (docs/jsonl.schema.json), as SVG in a page. Pure.
 */
#pragma once

#include "lib/fmt.h"
#include "saved/saved_read.h"

/*
 * A heading and the picture; nothing if the report has none, or one that cannot be okram's. A run
 * of equal cells in a row is one line, dashed into cells, so it takes 10 to 20 bytes.
 */
void report_append_picture(const struct saved_report *report, struct fmt_buffer *out);
