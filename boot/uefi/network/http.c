// SPDX-License-Identifier: MIT
#include "boot/uefi/network/network.h"

#include <efilib.h>
#include <stdbool.h>
#include <stddef.h>

#include "boot/uefi/network/boot_file.h"
#include "boot/uefi/network/http_protocol.h"
#include "lib/fmt.h"
#include "lib/string.h"

#define TIMEOUT_S          10
#define TICKS_A_SECOND     10000000 /* of 100 ns */
#define CONNECT_TIMEOUT_MS 5000
#define URL_MAX            BOOT_FILE_MAX
/* gnu-efi's struct has a byte of padding at its end. */
#define IPV4_NODE_BYTES (offsetof(IPv4_DEVICE_PATH, SubnetMask) + sizeof(EFI_IPv4_ADDRESS))

static EFI_GUID service_binding = HTTP_SERVICE_BINDING_GUID;
static EFI_GUID http_guid = HTTP_PROTOCOL_GUID;

/* One request of a child of the HTTP driver, and its answer, until the deadline. */
struct exchange {
    struct http_protocol *http;
    EFI_EVENT done, deadline;
    struct http_response response;
    struct http_message answer;
};

static EFI_STATUS finish(struct exchange *x, struct http_token *token)
{
    while (BS->CheckEvent(x->done) == EFI_NOT_READY) {
        if (BS->CheckEvent(x->deadline) == EFI_SUCCESS) {
            x->http->cancel(x->http, token);
            return EFI_TIMEOUT;
        }
        x->http->poll(x->http);
    }
    return token->status;
}

/* What a PUT sends, and where the number of the answer goes. */
struct http_body {
    const void *bytes;
    UINTN size;
    unsigned *ret_code;
};

/* The authority of a URL: between "//" and the path. */
static void copy_host(const char *url, char *host)
{
    const char *slashes = strstr(url, "//");
    const char *from = slashes ? slashes + 2 : "";
    UINTN n;

    for (n = 0; from[n] && from[n] != '/' && from[n] != '?'; n++)
        host[n] = from[n];
    host[n] = 0;
}

/* body: of a PUT; NULL: a GET. */
static EFI_STATUS ask(struct exchange *x, const char *url, const struct http_body *body)
{
    static CHAR16 wide[URL_MAX];
    char host[URL_MAX], length[24];
    struct http_request request = { body ? HTTP_PUT : HTTP_GET, wide };
    struct http_header header[] = {
        { (CHAR8 *)"Host", (CHAR8 *)host },
        { (CHAR8 *)"Accept", (CHAR8 *)"*/*" },
        { (CHAR8 *)"User-Agent", (CHAR8 *)"okram" },
        { (CHAR8 *)"Content-Type", (CHAR8 *)"application/jsonl" },
        { (CHAR8 *)"Content-Length", (CHAR8 *)length },
    };
    struct http_message message = { { &request }, body ? 5 : 3, header, 0, NULL };
    struct http_token token = { x->done, EFI_NOT_READY, &message };
    EFI_STATUS status;

    for (UINTN i = 0; i < URL_MAX; i++)
        wide[i] = (unsigned char)url[i];
    copy_host(url, host);
    if (body) {
        fmt_print(length, sizeof(length), "%zu", body->size);
        message.body_bytes = body->size;
        message.body = (VOID *)body->bytes;
    }
    status = x->http->request(x->http, &token);
    return EFI_ERROR(status) ? status : finish(x, &token);
}

/* Adds what has come of the body to out; the first time the headers come, too. */
static EFI_STATUS receive(struct exchange *x, bool is_first, char *out, UINTN size, UINTN *ret_size)
{
    struct http_message more = { { NULL }, 0, NULL, 0, NULL };
    struct http_message *message = is_first ? &x->answer : &more;
    struct http_token token = { x->done, EFI_NOT_READY, message };
    EFI_STATUS status;

    if (!is_first && BS->CheckEvent(x->deadline) == EFI_SUCCESS) /* also where all comes at once */
        return EFI_TIMEOUT;
    if (is_first)
        message->data.response = &x->response;
    message->body = out ? out + *ret_size : NULL;
    message->body_bytes = size - *ret_size;
    status = x->http->response(x->http, &token);
    if (!EFI_ERROR(status))
        status = finish(x, &token);
    if (!EFI_ERROR(status))
        *ret_size +=
            message->body_bytes < size - *ret_size ? message->body_bytes : size - *ret_size;
    return !EFI_ERROR(status) && !is_first && !message->body_bytes ? EFI_END_OF_FILE : status;
}

/* wanted: in lower case. */
static bool is_name(const CHAR8 *name, const char *wanted)
{
    for (UINTN i = 0; i == 0 || wanted[i - 1]; i++) {
        if ((name[i] | (name[i] >= 'A' && name[i] <= 'Z' ? 0x20 : 0)) != wanted[i])
            return false;
    }
    return true;
}

static UINTN number(const CHAR8 *digits)
{
    UINTN n = 0;

    for (; *digits >= '0' && *digits <= '9' && n < BOOT_FILE_MAX * 65536; digits++)
        n = n * 10 + (UINTN)(*digits - '0');
    return n;
}

/*
 * How long the body is. False: the answer does not say, or the body is in chunks (RFC 9112, 7.1),
 * which firmware passes on as they are. Frees the headers.
 */
static bool take_length(struct http_message *answer, UINTN *ret_length)
{
    bool is_known = false, is_coded = false;

    for (UINTN i = 0; answer->headers && i < answer->n_headers; i++) {
        if (is_name(answer->headers[i].name, "content-length")) {
            *ret_length = number(answer->headers[i].value);
            is_known = true;
        }
        is_coded |= is_name(answer->headers[i].name, "transfer-encoding");
        FreePool(answer->headers[i].name);
        FreePool(answer->headers[i].value);
    }
    if (answer->headers)
        FreePool(answer->headers);
    return is_known && !is_coded;
}

static bool is_missing(http_status status)
{
    return status == HTTP_403_FORBIDDEN || status == HTTP_404_NOT_FOUND || status == HTTP_410_GONE;
}

struct room {
    char *out;
    UINTN size, *ret_size;
};

static EFI_STATUS get(struct exchange *x, const char *url, void *ctx)
{
    const struct room *room = ctx;
    char *out = room->out;
    UINTN n = 0, length = 0, size = room->size;
    EFI_STATUS status = ask(x, url, NULL);
    bool has_length;

    if (EFI_ERROR(status))
        return status;
    status = receive(x, true, out, size, &n);
    has_length = take_length(&x->answer, &length);
    if (is_missing(x->response.status))
        return EFI_NOT_FOUND;
    if (!EFI_ERROR(status) && (x->response.status != HTTP_200_OK || !has_length))
        status = EFI_PROTOCOL_ERROR;
    while (!EFI_ERROR(status) && n < length && n < size)
        status = receive(x, false, out, size, &n);
    if (!EFI_ERROR(status))
        *room->ret_size = n < length ? n : length;
    return status;
}

/* The numbers of enum http_status, in its order. */
static unsigned code(http_status status)
{
    static const struct {
        http_status first, last;
        unsigned code;
    } run[] = {
        { 1, 2, 100 },   { HTTP_200_OK, 9, 200 },     { 10, 15, 300 }, { 16, 16, 307 },
        { 17, 34, 400 }, { HTTP_500_ERROR, 40, 500 }, { 41, 41, 308 },
    };

    for (UINTN i = 0; i < sizeof(run) / sizeof(run[0]); i++) {
        if (status >= run[i].first && status <= run[i].last)
            return run[i].code + status - run[i].first;
    }
    return 0;
}

/* Reads only the head of the answer: after 201 and 204 no body follows. */
static EFI_STATUS put(struct exchange *x, const char *url, void *ctx)
{
    const struct http_body *body = ctx;
    UINTN n = 0, length;
    EFI_STATUS status = ask(x, url, body);

    if (EFI_ERROR(status))
        return status;
    status = receive(x, true, NULL, 0, &n);
    take_length(&x->answer, &length);
    *body->ret_code = code(x->response.status);
    if (!*body->ret_code)
        return EFI_ERROR(status) ? status : EFI_PROTOCOL_ERROR;
    return *body->ret_code / 100 == 2 ? EFI_SUCCESS : EFI_PROTOCOL_ERROR;
}

struct http_source {
    struct http_access_point from;
    char url[BOOT_FILE_MAX];
};

static bool copy_uri(const EFI_DEVICE_PATH *node, char *url)
{
    UINTN n = DevicePathNodeLength(node) - sizeof(*node);

    if (n == 0 || n >= BOOT_FILE_MAX)
        return false;
    memcpy(url, node + 1, n);
    url[n] = 0;
    return true;
}

/* Nodes follow each other byte by byte, in no alignment (UEFI 2.10, 10.2). */
static void copy_address(const EFI_DEVICE_PATH *node, struct http_access_point *ret_from)
{
    const uint8_t *ipv4 = (const void *)node;

    if ((UINTN)DevicePathNodeLength(node) < IPV4_NODE_BYTES)
        return;
    memcpy(&ret_from->address, ipv4 + offsetof(IPv4_DEVICE_PATH, LocalIpAddress),
           sizeof(ret_from->address));
    memcpy(&ret_from->subnet, ipv4 + offsetof(IPv4_DEVICE_PATH, SubnetMask),
           sizeof(ret_from->subnet));
}

/* Where the loader was fetched from. False: not by HTTP or HTTPS over IPv4, or the URL is too long.
 */
static bool http_source_read(EFI_DEVICE_PATH *path, struct http_source *ret_source)
{
    bool has_uri = false;

    *ret_source = (struct http_source){ 0 };
    for (; path && !IsDevicePathEnd(path) && (UINTN)DevicePathNodeLength(path) >= sizeof(*path);
         path = NextDevicePathNode(path)) {
        if (DevicePathType(path) != MESSAGING_DEVICE_PATH)
            continue;
        if (DevicePathSubType(path) == MSG_IPv4_DP)
            copy_address(path, &ret_source->from);
        if (DevicePathSubType(path) == MSG_URI_DP)
            has_uri = copy_uri(path, ret_source->url);
    }
    return has_uri && ret_source->from.address.Addr[0] && strncmp(ret_source->url, "http", 4) == 0;
}

static EFI_STATUS configure(struct http_protocol *http, struct http_source *source)
{
    struct http_config config = { HTTP_VERSION_11, CONNECT_TIMEOUT_MS, FALSE, &source->from };

    return http->configure(http, &config);
}

/* What is done by one request. */
typedef EFI_STATUS (*request_fn)(struct exchange *x, const char *url, void *ctx);

static EFI_STATUS run(struct http_protocol *http, struct http_source *source, const char *url,
                      request_fn work, void *ctx)
{
    struct exchange x = { .http = http };
    EFI_STATUS status = configure(http, source);

    if (EFI_ERROR(status))
        return status;
    status = BS->CreateEvent(0, 0, NULL, NULL, &x.done);
    if (EFI_ERROR(status))
        return status;
    status = BS->CreateEvent(EVT_TIMER, 0, NULL, NULL, &x.deadline);
    if (!EFI_ERROR(status)) {
        BS->SetTimer(x.deadline, TimerRelative, (UINT64)TIMEOUT_S * TICKS_A_SECOND);
        status = work(&x, url, ctx);
        BS->CloseEvent(x.deadline);
    }
    http->configure(http, NULL);
    BS->CloseEvent(x.done);
    return status;
}

static EFI_STATUS with_sibling(EFI_HANDLE device, const char *name, request_fn work, void *ctx)
{
    EFI_DEVICE_PATH *path = device ? DevicePathFromHandle(device) : NULL;
    EFI_SERVICE_BINDING *service;
    struct http_protocol *http;
    struct http_source source;
    EFI_HANDLE card, child = NULL;
    char url[URL_MAX];
    EFI_STATUS status;

    if (!path || !http_source_read(path, &source) ||
        boot_file_sibling(source.url, name, url, sizeof(url)) != STATUS_OK ||
        EFI_ERROR(BS->LocateDevicePath(&service_binding, &path, &card)) ||
        EFI_ERROR(BS->HandleProtocol(card, &service_binding, (void **)&service)))
        return EFI_UNSUPPORTED;
    status = service->CreateChild(service, &child);
    if (EFI_ERROR(status))
        return status;
    status = BS->HandleProtocol(child, &http_guid, (void **)&http);
    if (!EFI_ERROR(status))
        status = run(http, &source, url, work, ctx);
    service->DestroyChild(service, child);
    return status;
}

EFI_STATUS http_read_sibling(EFI_HANDLE device, const char *name, char *out, UINTN size,
                             UINTN *ret_size)
{
    struct room room = { out, size, ret_size };

    return with_sibling(device, name, get, &room);
}

EFI_STATUS http_put_sibling(EFI_HANDLE device, const char *name, const void *bytes, UINTN size,
                            unsigned *ret_code)
{
    struct http_body body = { bytes, size, ret_code };

    *ret_code = 0;
    return with_sibling(device, name, put, &body);
}
