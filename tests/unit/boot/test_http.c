// SPDX-License-Identifier: MIT
/* What the loader asks firmware's HTTP driver, which the test plays, and what it makes of answers.
 */
#include "boot/uefi/network/network.h"

#include "boot/network_path.h"
#include "boot/uefi/network/http_protocol.h"
#include "tests/unit/unit.h"

#define DEADLINE_POLLS 100
#define FOREVER        (2 * DEADLINE_POLLS)

enum {
    STATUS_201 = 4,
    STATUS_204 = 7,
    STATUS_206 = 9,
    STATUS_301 = 11,
    STATUS_302 = 12,
    STATUS_401 = 18,
    STATUS_413 = 30,
    STATUS_417 = 34,
    STATUS_500 = 35,
    STATUS_308 = 41,
    STATUS_507 = 0, /* which EDK II does not know */
};

/* What the server answers, and what it was asked. */
static struct {
    EFI_STATUS request_status, answer_status, part_status; /* of the tokens */
    int status;
    const char *header[3][2]; /* the rest is NULL */
    const char *body;
    size_t body_bytes, part_bytes; /* a part that the driver passes on */
    unsigned delay, part_delay;    /* polls until the head comes, and each part after it */

    http_method method; /* that is asked for */
    const char *sent_bytes;
    char url[256], host[256], length[24];
    struct http_access_point from;
    unsigned requests, parts;
    size_t sent;
} server;

/* Firmware: all that has been made has to be ended. */
static struct {
    unsigned polls, countdown, events, children, allocated, cancelled;
    bool is_configured, has_no_driver, has_no_child, is_done, is_at_once;
    struct http_token *pending;
    EFI_STATUS pending_status;
} firmware;

static EFI_DEVICE_PATH *path;
static int card, child, event_done, event_deadline;

EFI_DEVICE_PATH *DevicePathFromHandle(EFI_HANDLE handle)
{
    return path;
}

VOID FreePool(VOID *p)
{
    firmware.allocated--;
    free(p);
}

static CHAR8 *pool_text(const char *text)
{
    firmware.allocated++;
    return (CHAR8 *)strdup(text);
}

static void begin(struct http_token *token, unsigned delay, EFI_STATUS status)
{
    assert_null(firmware.pending);
    if (firmware.is_at_once) { /* there is nothing to wait for, but time goes on */
        token->status = status;
        firmware.is_done = true;
        firmware.polls++;
        return;
    }
    firmware.pending = token;
    firmware.pending_status = status;
    firmware.countdown = delay;
}

static EFI_STATUS EFIAPI configure(struct http_protocol *self, struct http_config *config)
{
    firmware.is_configured = config;
    if (!config)
        return EFI_SUCCESS;
    assert_int_equal(config->version, HTTP_VERSION_11);
    assert_false(config->is_ipv6);
    server.from = *config->ipv4;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI request(struct http_protocol *self, struct http_token *token)
{
    const struct http_message *message = token->message;

    assert_true(firmware.is_configured);
    assert_int_equal(message->data.request->method, server.method);
    for (size_t i = 0; i < sizeof(server.url); i++) {
        server.url[i] = (char)message->data.request->url[i];
        if (!server.url[i])
            break;
    }
    assert_string_equal((char *)message->headers[0].name, "Host");
    strcpy(server.host, (char *)message->headers[0].value);
    assert_int_equal(message->n_headers, server.method == HTTP_PUT ? 5 : 3);
    assert_int_equal(!!message->body, server.method == HTTP_PUT);
    if (server.method == HTTP_PUT) {
        assert_string_equal((char *)message->headers[4].name, "Content-Length");
        strcpy(server.length, (char *)message->headers[4].value);
        assert_int_equal(message->body_bytes, strlen(server.sent_bytes));
        assert_memory_equal(message->body, server.sent_bytes, message->body_bytes);
    }
    server.requests++;
    begin(token, 1, server.request_status);
    return EFI_SUCCESS;
}

static void add_headers(struct http_message *message)
{
    while (message->n_headers < 3 && server.header[message->n_headers][0])
        message->n_headers++;
    if (!message->n_headers)
        return;
    message->headers = calloc(message->n_headers, sizeof(*message->headers));
    firmware.allocated++;
    for (UINTN i = 0; i < message->n_headers; i++)
        message->headers[i] =
            (struct http_header){ pool_text(server.header[i][0]), pool_text(server.header[i][1]) };
}

static EFI_STATUS EFIAPI response(struct http_protocol *self, struct http_token *token)
{
    struct http_message *message = token->message;
    size_t n = server.body_bytes - server.sent;
    bool is_first = message->data.response;

    assert_int_equal(is_first, server.parts == 0);
    if (server.delay >= FOREVER || (!is_first && server.part_delay >= FOREVER)) {
        begin(token, FOREVER, EFI_SUCCESS);
        return EFI_SUCCESS;
    }
    if (is_first) {
        message->data.response->status = server.status;
        add_headers(message);
    }
    n = n < server.part_bytes ? n : server.part_bytes;
    n = n < message->body_bytes ? n : message->body_bytes;
    if (n)
        memcpy(message->body, server.body + server.sent, n);
    message->body_bytes = n;
    server.sent += n;
    server.parts++;
    begin(token, is_first ? server.delay : server.part_delay,
          is_first ? server.answer_status : server.part_status);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI cancel(struct http_protocol *self, struct http_token *token)
{
    assert_ptr_equal(token, firmware.pending);
    firmware.pending = NULL;
    firmware.cancelled++;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI poll(struct http_protocol *self)
{
    firmware.polls++;
    if (firmware.pending && firmware.countdown-- == 0) {
        firmware.pending->status = firmware.pending_status;
        firmware.pending = NULL;
        firmware.is_done = true;
    }
    return EFI_SUCCESS;
}

static struct http_protocol http = { NULL, configure, request, cancel, response, poll };

static EFI_STATUS EFIAPI create_child(EFI_SERVICE_BINDING *this, EFI_HANDLE *handle)
{
    if (firmware.has_no_child)
        return EFI_OUT_OF_RESOURCES;
    firmware.children++;
    *handle = &child;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI destroy_child(EFI_SERVICE_BINDING *this, EFI_HANDLE handle)
{
    assert_ptr_equal(handle, &child);
    firmware.children--;
    return EFI_SUCCESS;
}

static EFI_SERVICE_BINDING service = { create_child, destroy_child };

static EFI_STATUS EFIAPI locate_device_path(EFI_GUID *protocol, EFI_DEVICE_PATH **from,
                                            EFI_HANDLE *ret)
{
    assert_ptr_equal(*from, path);
    *ret = &card;
    return firmware.has_no_driver ? EFI_NOT_FOUND : EFI_SUCCESS;
}

static EFI_STATUS EFIAPI handle_protocol(EFI_HANDLE handle, EFI_GUID *protocol, VOID **ret)
{
    *ret = handle == &card ? (void *)&service : (void *)&http;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI create_event(UINT32 type, EFI_TPL tpl, EFI_EVENT_NOTIFY notify, VOID *ctx,
                                      EFI_EVENT *ret)
{
    *ret = type & EVT_TIMER ? (void *)&event_deadline : (void *)&event_done;
    firmware.events++;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI close_event(EFI_EVENT event)
{
    firmware.events--;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI set_timer(EFI_EVENT event, EFI_TIMER_DELAY type, UINT64 time)
{
    assert_ptr_equal(event, &event_deadline);
    assert_int_equal(type, TimerRelative);
    assert_int_equal(time, 100000000); /* 10 s */
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI check_event(EFI_EVENT event)
{
    bool is_done = firmware.is_done;

    if (event == &event_deadline)
        return firmware.polls >= DEADLINE_POLLS ? EFI_SUCCESS : EFI_NOT_READY;
    firmware.is_done = false;
    return is_done ? EFI_SUCCESS : EFI_NOT_READY;
}

static EFI_BOOT_SERVICES services = {
    .LocateDevicePath = locate_device_path,
    .HandleProtocol = handle_protocol,
    .CreateEvent = create_event,
    .CloseEvent = close_event,
    .SetTimer = set_timer,
    .CheckEvent = check_event,
};
EFI_BOOT_SERVICES *BS = &services;

static const uint8_t local[] = { 10, 0, 2, 15 }, subnet[] = { 255, 255, 255, 0 };

static int start(void **state)
{
    memset(&server, 0, sizeof(server));
    memset(&firmware, 0, sizeof(firmware));
    server.status = HTTP_200_OK;
    server.header[0][0] = "Content-Length";
    server.header[0][1] = "12";
    server.body = "tests=quick\n";
    server.body_bytes = 12;
    server.part_bytes = 4096;
    path_begin();
    path_add_mac((uint8_t[]){ 0x52, 0x54, 0, 0x12, 0x34, 0x56 }, 1);
    path_add_ipv4(local, subnet);
    path_add_uri("http://10.0.2.2:8080/sub/okram.efi");
    path = path_end();
    return 0;
}

static char out[4096];
static UINTN n;

/* Into a heap block of that size. Whatever comes of it, nothing is left over. */
static EFI_STATUS read_into(size_t size)
{
    char *block = malloc(size);
    EFI_STATUS status;

    assert_non_null(block);
    memset(out, 0, sizeof(out));
    n = 0;
    status = http_read_sibling(&card, "okram.conf", block, size, &n);
    assert_true(n <= size);
    memcpy(out, block, n);
    free(block);
    assert_int_equal(firmware.events, 0);
    assert_int_equal(firmware.children, 0);
    assert_int_equal(firmware.allocated, 0);
    assert_false(firmware.is_configured);
    return status;
}

TEST(the_file_next_to_the_loader, start)
{
    assert_int_equal(read_into(sizeof(out)), EFI_SUCCESS);
    assert_int_equal(n, 12);
    assert_string_equal(out, "tests=quick\n");
    assert_string_equal(server.url, "http://10.0.2.2:8080/sub/okram.conf");
    assert_string_equal(server.host, "10.0.2.2:8080");
    assert_memory_equal(&server.from.address, local, 4);
    assert_memory_equal(&server.from.subnet, subnet, 4);
    assert_int_equal(server.requests, 1);
}

/* The driver passes on what a packet has: the head alone, then any number of bytes. */
TEST(split_anywhere, start)
{
    for (size_t bytes = 1; bytes <= 12; bytes++) {
        start(state);
        server.part_bytes = bytes;
        server.part_delay = 2;
        assert_int_equal(read_into(sizeof(out)), EFI_SUCCESS);
        assert_int_equal(n, 12);
        assert_string_equal(out, "tests=quick\n");
        assert_int_equal(server.parts, (12 + bytes - 1) / bytes);
    }
}

TEST(an_empty_file, start)
{
    server.header[0][1] = "0";
    server.body_bytes = 0;
    assert_int_equal(read_into(sizeof(out)), EFI_SUCCESS);
    assert_int_equal(n, 0);
}

TEST(headers_of_any_case, start)
{
    server.header[0][0] = "Server";
    server.header[0][1] = "nginx";
    server.header[1][0] = "cOnTeNt-LeNgTh";
    server.header[1][1] = "5";
    server.header[2][0] = "Content-Length-Of-Another";
    server.header[2][1] = "12";
    assert_int_equal(read_into(sizeof(out)), EFI_SUCCESS);
    assert_int_equal(n, 5); /* and no byte after it */
    assert_string_equal(out, "tests");
}

TEST(no_such_file, start)
{
    static const int missing[] = { HTTP_403_FORBIDDEN, HTTP_404_NOT_FOUND, HTTP_410_GONE };

    for (size_t i = 0; i < sizeof(missing) / sizeof(missing[0]); i++) {
        start(state);
        server.status = missing[i];
        server.answer_status = i ? EFIERR(35) : EFI_SUCCESS; /* EFI_HTTP_ERROR, as EDK II has it */
        assert_int_equal(read_into(sizeof(out)), EFI_NOT_FOUND);
    }
}

/* No redirect is followed: there is one request. */
TEST(other_answers_are_refused, start)
{
    static const int other[] = { STATUS_206, STATUS_301, STATUS_302, STATUS_401, STATUS_500, 0 };

    for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++) {
        start(state);
        server.status = other[i];
        server.header[1][0] = "Location";
        server.header[1][1] = "http://10.0.2.2:8080/other.conf";
        assert_int_equal(read_into(sizeof(out)), EFI_PROTOCOL_ERROR);
        assert_int_equal(n, 0);
        assert_int_equal(server.requests, 1);
    }
}

TEST(a_body_of_unknown_length_is_refused, start)
{
    server.header[0][0] = NULL;
    assert_int_equal(read_into(sizeof(out)), EFI_PROTOCOL_ERROR);
    start(state);
    server.header[0][0] = "Transfer-Encoding";
    server.header[0][1] = "chunked";
    assert_int_equal(read_into(sizeof(out)), EFI_PROTOCOL_ERROR);
    start(state);
    server.header[1][0] = "transfer-encoding"; /* with a length, too: a way to smuggle */
    server.header[1][1] = "chunked";
    assert_int_equal(read_into(sizeof(out)), EFI_PROTOCOL_ERROR);
    assert_int_equal(n, 0);
}

TEST(no_more_than_there_is_room_for, start)
{
    for (size_t size = 1; size <= 13; size++) {
        start(state);
        server.part_bytes = 5;
        assert_int_equal(read_into(size), EFI_SUCCESS);
        assert_int_equal(n, size < 12 ? size : 12);
        assert_memory_equal(out, "tests=quick\n", n);
    }
    start(state);
    server.header[0][1] = "99999999999999999999999999"; /* nothing of it is believed */
    assert_int_equal(read_into(5), EFI_SUCCESS);
    assert_int_equal(n, 5);
}

TEST(a_body_that_ends_early, start)
{
    server.header[0][1] = "13";
    server.part_bytes = 5;
    assert_int_equal(read_into(sizeof(out)), EFI_END_OF_FILE);
    assert_int_equal(n, 0);
    start(state);
    server.part_bytes = 5;
    server.part_status = EFI_ABORTED; /* the connection is gone */
    assert_int_equal(read_into(sizeof(out)), EFI_ABORTED);
    assert_int_equal(n, 0);
}

TEST(a_server_that_does_not_answer, start)
{
    server.delay = FOREVER;
    assert_int_equal(read_into(sizeof(out)), EFI_TIMEOUT);
    assert_int_equal(firmware.cancelled, 1);
    start(state);
    server.part_bytes = 5;
    server.part_delay = FOREVER;
    assert_int_equal(read_into(sizeof(out)), EFI_TIMEOUT);
    assert_int_equal(firmware.cancelled, 1);
    assert_int_equal(n, 0);
    start(state);
    server.part_bytes = 1; /* each part in time, but not all of them */
    server.part_delay = DEADLINE_POLLS / 8;
    assert_int_equal(read_into(sizeof(out)), EFI_TIMEOUT);
    assert_int_equal(n, 0);
}

/* Each byte is there when it is asked for: the deadline is looked at all the same. */
TEST(a_server_that_never_makes_one_wait, start)
{
    static char body[2 * DEADLINE_POLLS];

    memset(body, 'x', sizeof(body));
    server.header[0][1] = "200";
    server.body = body;
    server.body_bytes = sizeof(body);
    server.part_bytes = 1;
    firmware.is_at_once = true;
    assert_int_equal(read_into(sizeof(out)), EFI_TIMEOUT);
    assert_in_range(server.parts, 2, DEADLINE_POLLS + 1);
    start(state);
    firmware.is_at_once = true;
    assert_int_equal(read_into(sizeof(out)), EFI_SUCCESS);
    assert_int_equal(n, 12);
}

TEST(a_connection_that_is_refused, start)
{
    server.request_status = EFI_ABORTED;
    assert_int_equal(read_into(sizeof(out)), EFI_ABORTED);
    assert_int_equal(server.parts, 0);
}

static unsigned code;

/* Of the answer there is no body: firmware would wait for one. */
static EFI_STATUS put(int status, EFI_STATUS answer)
{
    EFI_STATUS result;

    start(NULL);
    server.method = HTTP_PUT;
    server.sent_bytes = "{\"type\":\"saved\"}\n";
    server.status = status;
    server.answer_status = answer;
    server.header[0][0] = status == STATUS_204 ? NULL : "Content-Length";
    server.header[0][1] = "0";
    server.body_bytes = 0;
    result = http_put_sibling(&card, "reports/a.jsonl", server.sent_bytes,
                              strlen(server.sent_bytes), &code);
    assert_int_equal(firmware.events + firmware.children + firmware.allocated, 0);
    assert_false(firmware.is_configured);
    return result;
}

TEST(a_file_is_sent)
{
    static const int taken[] = { HTTP_200_OK, STATUS_201, STATUS_204 };
    static const unsigned number[] = { 200, 201, 204 };

    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(put(taken[i], EFI_SUCCESS), EFI_SUCCESS);
        assert_int_equal(code, number[i]);
        assert_string_equal(server.url, "http://10.0.2.2:8080/sub/reports/a.jsonl");
        assert_string_equal(server.length, "17");
        assert_int_equal(server.parts, 1);
    }
}

TEST(a_file_is_refused)
{
    static const struct {
        int status;
        unsigned code;
    } other[] = { { STATUS_301, 301 },         { STATUS_401, 401 }, { HTTP_403_FORBIDDEN, 403 },
                  { HTTP_404_NOT_FOUND, 404 }, { STATUS_413, 413 }, { STATUS_417, 417 },
                  { STATUS_500, 500 },         { STATUS_507, 0 },   { STATUS_308, 308 } };

    for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++) {
        assert_int_equal(put(other[i].status, EFIERR(35)), /* EFI_HTTP_ERROR */
                         other[i].code ? EFI_PROTOCOL_ERROR : EFIERR(35));
        assert_int_equal(code, other[i].code);
    }
}

TEST(a_file_that_nobody_takes)
{
    start(state);
    server.method = HTTP_PUT;
    server.sent_bytes = "x";
    server.delay = FOREVER;
    assert_int_equal(http_put_sibling(&card, "a", "x", 1, &code), EFI_TIMEOUT);
    assert_int_equal(code, 0);
    assert_int_equal(firmware.cancelled, 1);
    assert_int_equal(http_put_sibling(NULL, "a", "x", 1, &code), EFI_UNSUPPORTED);
}

TEST(not_by_http, start)
{
    static const char *const uri[] = { "ftp://10.0.2.2/okram.efi", "", NULL };

    for (size_t i = 0; i < sizeof(uri) / sizeof(uri[0]); i++) {
        path_begin();
        path_add_ipv4(local, subnet);
        if (uri[i])
            path_add_uri(uri[i]);
        path = path_end();
        assert_int_equal(read_into(sizeof(out)), EFI_UNSUPPORTED);
    }
    path_begin(); /* without an address of IPv4 */
    path_add_uri("http://10.0.2.2/okram.efi");
    path = path_end();
    assert_int_equal(read_into(sizeof(out)), EFI_UNSUPPORTED);
    path = NULL;
    assert_int_equal(read_into(sizeof(out)), EFI_UNSUPPORTED);
    start(state);
    firmware.has_no_driver = true;
    assert_int_equal(read_into(sizeof(out)), EFI_UNSUPPORTED);
    start(state);
    firmware.has_no_child = true;
    assert_int_equal(read_into(sizeof(out)), EFI_OUT_OF_RESOURCES);
    assert_int_equal(server.requests, 0);
}

TEST(urls_as_long_as_can_be, start)
{
    char uri[300];

    for (size_t length = 250; length < sizeof(uri); length++) {
        memset(uri, 'a', sizeof(uri));
        memcpy(uri, "http://", 7);
        uri[length] = 0;
        path_begin();
        path_add_ipv4(local, subnet);
        path_add_uri(uri);
        path = path_end();
        server.requests = server.parts = 0;
        server.sent = 0;
        /* One slash, the second of "//": all after it is replaced. */
        assert_int_equal(read_into(sizeof(out)), length < 256 ? EFI_SUCCESS : EFI_UNSUPPORTED);
        assert_int_equal(server.requests, length < 256);
    }
}
