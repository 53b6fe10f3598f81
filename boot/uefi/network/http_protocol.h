// SPDX-License-Identifier: MIT
/* EFI_HTTP_PROTOCOL (UEFI 2.10, 29.6), which gnu-efi does not declare: what GET and PUT need. */
#pragma once

#include <efi.h>

#define HTTP_SERVICE_BINDING_GUID                                                                  \
    {                                                                                              \
        0xbdc8e6af, 0xd9bc, 0x4379,                                                                \
        {                                                                                          \
            0xa7, 0x2a, 0xe0, 0xc4, 0xe7, 0x5d, 0xae, 0x1c                                         \
        }                                                                                          \
    }
#define HTTP_PROTOCOL_GUID                                                                         \
    {                                                                                              \
        0x7a59b29b, 0x910b, 0x4171,                                                                \
        {                                                                                          \
            0x82, 0x42, 0xa8, 0x5a, 0x0d, 0xf2, 0x5b, 0x5b                                         \
        }                                                                                          \
    }

enum { HTTP_VERSION_11 = 1 };

typedef enum { HTTP_GET = 0, HTTP_PUT = 6 } http_method;

/* EFI_HTTP_STATUS_CODE: in the order of RFC 9110, not its numbers. */
typedef enum {
    HTTP_200_OK = 3,
    HTTP_403_FORBIDDEN = 20,
    HTTP_404_NOT_FOUND = 21,
    HTTP_410_GONE = 27,
    HTTP_500_ERROR = 35,
} http_status;

struct http_access_point {
    BOOLEAN uses_default_address;
    EFI_IPv4_ADDRESS address, subnet;
    UINT16 port;
};

struct http_config {
    UINT32 version;
    UINT32 timeout_ms;
    BOOLEAN is_ipv6;
    struct http_access_point *ipv4;
};

struct http_request {
    http_method method;
    CHAR16 *url;
};

struct http_response {
    http_status status;
};

struct http_header {
    CHAR8 *name, *value;
};

struct http_message {
    union {
        struct http_request *request;
        struct http_response *response;
    } data;
    UINTN n_headers;
    struct http_header *headers; /* of a response: from firmware's pool, each of its strings, too */
    UINTN body_bytes;
    VOID *body;
};

struct http_token {
    EFI_EVENT event;
    EFI_STATUS status;
    struct http_message *message;
};

struct http_protocol {
    VOID *get_mode_data;
    EFI_STATUS(EFIAPI *configure)(struct http_protocol *self, struct http_config *config);
    EFI_STATUS(EFIAPI *request)(struct http_protocol *self, struct http_token *token);
    EFI_STATUS(EFIAPI *cancel)(struct http_protocol *self, struct http_token *token);
    EFI_STATUS(EFIAPI *response)(struct http_protocol *self, struct http_token *token);
    EFI_STATUS(EFIAPI *poll)(struct http_protocol *self);
};
