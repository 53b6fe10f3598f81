// SPDX-License-Identifier: MIT
#include "boot/uefi/network/http.h"

#include <efilib.h>
#include <stdbool.h>
#include <stddef.h>

#include "boot/uefi/network/boot_file.h"
#include "boot/uefi/network/http_protocol.h"
#include "lib/string.h"

#define TIMEOUT_S          10
#define TICKS_A_SECOND     10000000 /* of 100 ns */
#define CONNECT_TIMEOUT_MS 5000
#define URL_MAX            BOOT_FILE_MAX

static EFI_GUID service_binding = HTTP_SERVICE_BINDING_GUID;
static EFI_GUID http_guid = HTTP_PROTOCOL_GUID;

/* What the loader's device path says of where it is from. */
struct http_source {
    struct http_access_point from;
    char url[URL_MAX];
};

static bool copy_uri(const EFI_DEVICE_PATH *node, char *url)
{
    UINTN n = DevicePathNodeLength(node) - sizeof(*node);

    if (n == 0 || n >= URL_MAX)
        return false;
    memcpy(url, node + 1, n);
    url[n] = 0;
    return true;
}

/* gnu-efi's struct has a byte of padding at its end. */
#define IPV4_NODE_BYTES (offsetof(IPv4_DEVICE_PATH, SubnetMask) + sizeof(EFI_IPv4_ADDRESS))

static void copy_address(const EFI_DEVICE_PATH *node, struct http_access_point *ret_from)
{
    const IPv4_DEVICE_PATH *ipv4 = (const void *)node;

    if ((UINTN)DevicePathNodeLength(node) < IPV4_NODE_BYTES)
        return;
    memcpy(&ret_from->address, &ipv4->LocalIpAddress, sizeof(ret_from->address));
    memcpy(&ret_from->subnet, &ipv4->SubnetMask, sizeof(ret_from->subnet));
}

static bool read_path(EFI_DEVICE_PATH *path, struct http_source *ret_source)
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

/* The authority of a URL: between "//" and the path. */
static void copy_host(const char *url, char *host)
{
    const char *from = strstr(url, "//");
    UINTN n = 0;

    for (from = from ? from + 2 : ""; from[n] && from[n] != '/' && from[n] != '?'; n++)
        host[n] = from[n];
    host[n] = 0;
}

static EFI_STATUS ask(struct exchange *x, const char *url)
{
    static CHAR16 wide[URL_MAX];
    char host[URL_MAX];
    struct http_request request = { HTTP_GET, wide };
    struct http_header header[] = {
        { (CHAR8 *)"Host", (CHAR8 *)host },
        { (CHAR8 *)"Accept", (CHAR8 *)"*/*" },
        { (CHAR8 *)"User-Agent", (CHAR8 *)"okram" },
    };
    struct http_message message = { { &request }, 3, header, 0, NULL };
    struct http_token token = { x->done, EFI_NOT_READY, &message };
    EFI_STATUS status;

    for (UINTN i = 0; i < URL_MAX; i++)
        wide[i] = (unsigned char)url[i];
    copy_host(url, host);
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

    if (is_first)
        message->data.response = &x->response;
    message->body = out + *ret_size;
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

static EFI_STATUS get(struct exchange *x, const char *url, char *out, UINTN size, UINTN *ret_size)
{
    UINTN n = 0, length = 0;
    EFI_STATUS status = ask(x, url);
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
        *ret_size = n < length ? n : length;
    return status;
}

static EFI_STATUS configure(struct http_protocol *http, struct http_source *source)
{
    struct http_config config = { HTTP_VERSION_11, CONNECT_TIMEOUT_MS, FALSE, &source->from };

    return http->configure(http, &config);
}

static EFI_STATUS get_by(struct http_protocol *http, struct http_source *source, const char *url,
                         char *out, UINTN size, UINTN *ret_size)
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
        status = get(&x, url, out, size, ret_size);
        BS->CloseEvent(x.deadline);
    }
    http->configure(http, NULL);
    BS->CloseEvent(x.done);
    return status;
}

EFI_STATUS http_read_sibling(EFI_HANDLE device, const char *name, char *out, UINTN size,
                             UINTN *ret_size)
{
    EFI_DEVICE_PATH *path = DevicePathFromHandle(device);
    EFI_SERVICE_BINDING *service;
    struct http_protocol *http;
    struct http_source source;
    EFI_HANDLE card, child = NULL;
    char url[URL_MAX];
    EFI_STATUS status;

    if (!path || !read_path(path, &source) ||
        boot_file_sibling(source.url, name, url, sizeof(url)) != STATUS_OK ||
        EFI_ERROR(BS->LocateDevicePath(&service_binding, &path, &card)) ||
        EFI_ERROR(BS->HandleProtocol(card, &service_binding, (void **)&service)))
        return EFI_UNSUPPORTED;
    status = service->CreateChild(service, &child);
    if (EFI_ERROR(status))
        return status;
    status = BS->HandleProtocol(child, &http_guid, (void **)&http);
    if (!EFI_ERROR(status))
        status = get_by(http, &source, url, out, size, ret_size);
    service->DestroyChild(service, child);
    return status;
}
