// SPDX-License-Identifier: MIT
#include "report_html.h"

#include "lib/string.h"
#include "report_records.h"
#include "report_text.h"
#include "saved/json_line.h"

/*
 * The policy is for the browser: the page loads nothing, and its style is the one with this
 * SHA-256, whatever a report holds (Content Security Policy Level 3, 6.1 and 8.4).
 */
static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "style-src 'sha256-J/hES8xGQIA484dDZ6rftNz/fXiAroUCPLp6CX3JVkA='; base-uri 'none'; "
    "form-action 'none'\">\n"
    "<style>\n"
    ":root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}\n"
    "body{max-width:60rem;margin:0 auto;padding:1rem}\n"
    "h1{margin:0;padding:.3em;text-align:center;font-size:clamp(2.5rem,12vw,6rem);line-height:1.1;"
    "color:#fff;background:#555}\n"
    "h1.pass{background:#00609c}\nh1.fail{background:#b03a00}\n"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid #888;padding:.6em}\n"
    "td,th{font-family:ui-monospace,monospace;text-align:left;padding-right:2em}\n"
    "</style>\n";

/* The bytes of the UTF-8 character at s (RFC 3629), or 0. */
static unsigned utf8_length(const unsigned char *s)
{
    unsigned n = s[0] >= 0xc2 && s[0] <= 0xdf   ? 2
                 : s[0] >= 0xe0 && s[0] <= 0xef ? 3
                 : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4
                                                : 0;

    for (unsigned i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    }
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

/* For the content of elements, where quotes need no escape; no attribute holds such text. */
static void append_escaped(struct fmt_buffer *out, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;

    while (*s) {
        unsigned n = *s < 0x80 ? 1 : utf8_length(s);

        if (*s == '<')
            fmt_append(out, "&lt;");
        else if (*s == '>')
            fmt_append(out, "&gt;");
        else if (*s == '&')
            fmt_append(out, "&amp;");
        else if (!n || (*s < ' ' && *s != '\n' && *s != '\t') || *s == 0x7f)
            fmt_append(out, "?");
        else
            fmt_append(out, "%.*s", (int)n, (const char *)s);
        s += n ? n : 1;
    }
}

/* The newline after <pre> preserves a newline at the beginning of the text. */
static void append_block(struct fmt_buffer *out, const char *heading, const char *text)
{
    if (!text[0])
        return;
    fmt_append(out, "<h2>%s</h2>\n<pre>\n", heading);
    append_escaped(out, text);
    fmt_append(out, "</pre>\n");
}

static void append_records(struct fmt_buffer *out, const struct saved_report *report)
{
    char text[REPORT_RECORD_MAX];

    if (!report->jsonl[0])
        return;
    fmt_append(out, "<h2>Report</h2>\n<pre>\n");
    for (const char *line = report->jsonl; line; line = json_line_next(line)) {
        struct fmt_buffer record = fmt_buffer_make(text, sizeof(text));

        report_append_record(line, &record);
        append_escaped(out, text);
    }
    fmt_append(out, "</pre>\n");
}

static const char *class_of(const struct saved_report *report)
{
    switch (report->verdict) {
    case SAVED_PASS: return "pass";
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
        append_escaped(out, p);
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
    fmt_append(out, "</title>\n</head>\n<body>\n<h1 class=\"%s\">%s</h1>\n", class_of(report),
               report_verdict(report));
    append_summary(report, out);
    report_line(report, line);
    append_block(out, "Line for the bootloader", line);
    append_patterns(out, line);
    append_records(out, report);
    append_block(out, "JSON lines", report->jsonl);
    fmt_append(out, "</body>\n</html>\n");
}
