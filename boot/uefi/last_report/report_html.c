// SPDX-License-Identifier: MIT
#include "report_html.h"

#include "html_text.h"
#include "lib/string.h"
#include "report_picture.h"
#include "report_records.h"
#include "report_seller.h"
#include "report_text.h"
#include "report_walk.h"

/*
 * The policy is for the browser: the page loads nothing, and its style is the one with this
 * SHA-256, whatever a report holds (Content Security Policy Level 3, 6.1 and 8.4).
 */
static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "style-src 'sha256-tNa2hyzG9YxkaUoGcs2EjSepGqTFbcvLvMgK1C6Uu00='; base-uri 'none'; "
    "form-action 'none'\">\n"
    "<style>\n"
    ":root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}\n"
    "body{max-width:60rem;margin:0 auto;padding:1rem}\n"
    "h1{margin:0;padding:.3em;text-align:center;font-size:clamp(2.5rem,12vw,6rem);line-height:1.1;"
    "color:#fff;background:#555}\n"
    "h1.pass{background:#00609c}\nh1.fail{background:#b03a00}\nh1.search{background:#7a007a}\n"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid #888;padding:.6em}\n"
    "td,th{font-family:ui-monospace,monospace;text-align:left;padding-right:2em}\n"
    "#seller{border:1px solid #888;padding:0 1rem;margin:1rem 0}\n"
    "#seller>svg{float:right;width:12rem;margin:1rem 0 1rem 1rem}\n"
    "#seller td,#seller th{font-family:inherit;padding-right:1em;vertical-align:top}\n"
    "@page{size:A4;margin:15mm}\n"
    "@media print{:root{font-size:11pt;color-scheme:light}body{padding:0}#seller{border:0;padding:0;"
    "margin:0}.sheet>:not(#seller){display:none}}\n"
    "</style>\n";

/* The newline after <pre> preserves a newline at the beginning of the text. */
static void append_block(struct fmt_buffer *out, const char *heading, const char *text)
{
    if (!text[0])
        return;
    fmt_append(out, "<h2>%s</h2>\n<pre>\n", heading);
    html_append_text(out, text);
    fmt_append(out, "</pre>\n");
}

static void append_records(struct fmt_buffer *out, const struct saved_report *report)
{
    char text[REPORT_RECORD_MAX];
    struct report_walk walk;
    const char *line;

    if (!report->jsonl[0])
        return;
    fmt_append(out, "<h2>Report</h2>\n<pre>\n");
    report_walk_begin(&walk, report);
    while ((line = report_walk_next(&walk, NULL))) {
        struct fmt_buffer record = fmt_buffer_make(text, sizeof(text));

        report_append_record(line, &record);
        html_append_text(out, text);
    }
    fmt_append(out, "</pre>\n");
}

static const char *class_of(const struct saved_report *report)
{
    if (report_is_of_search(report))
        return "search";
    switch (report->verdict) {
    case SAVED_PASS: return report->is_partial ? "stopped" : "pass";
    case SAVED_FAIL: return "fail";
    default: /* or it did not finish */ return "stopped";
    }
}

static void append_summary(const struct saved_report *report, struct fmt_buffer *out)
{
    char text[2048];
    struct fmt_buffer b = fmt_buffer_make(text, sizeof(text));

    report_append_summary(report, &b);
    for (char *p = text, *end; *p; p = end) {
        end = strchr(p, '\n');
        end = end ? end + 1 : p + strlen(p);
        fmt_append(out, "<p>");
        if (end[-1] == '\n')
            end[-1] = 0;
        html_append_text(out, p);
        fmt_append(out, "</p>\n");
    }
}

/* Of "badram=ADDRESS,MASK,...": a page is bad if it is ADDRESS in the bits of MASK. */
static void append_patterns(struct fmt_buffer *out, const char *line)
{
    const char *p = strchr(line, '=');

    if (!p)
        return;
    fmt_append(out, "<h2>Bad pages</h2>\n<p>As patterns: those pages whose address is the first "
                    "number in all bits that are set in the second one.</p>\n"
                    "<table>\n<tr><th>address</th><th>mask</th></tr>\n");
    while (p && *p++) {
        const char *comma = strchr(p, ','), *end = comma ? strchr(comma + 1, ',') : NULL;

        if (!comma)
            break;
        fmt_append(out, "<tr><td>%.*s</td><td>%.*s</td></tr>\n", (int)(comma - p), p,
                   (int)(end ? (size_t)(end - comma - 1) : strlen(comma + 1)), comma + 1);
        p = end;
    }
    fmt_append(out, "</table>\n");
}

void report_append_html(const struct saved_report *report, struct fmt_buffer *out)
{
    char line[REPORT_LINE_MAX];

    fmt_append(out, "%s<title>okram: ", head);
    report_append_headline(report, out);
    fmt_append(out, "</title>\n</head>\n<body%s>\n<h1 class=\"%s\">",
               report_has_seller(report) ? " class=\"sheet\"" : "", class_of(report));
    report_append_verdict(report, out);
    fmt_append(out, "</h1>\n");
    append_summary(report, out);
    if (report_has_seller(report))
        report_append_seller(report, out);
    report_append_picture(report, out);
    report_line(report, line);
    append_block(out, "Line for the bootloader", line);
    append_patterns(out, line);
    append_records(out, report);
    append_block(out, "JSON lines", report->jsonl);
    fmt_append(out, "</body>\n</html>\n");
}
