// See connections.h.
#define _GNU_SOURCE
#include "connections.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "server-usage.h"
#include "websocket.h"

enum { SECURING, UPGRADING, SETTING_UP, READY };
enum {
  INPUT_MAX = 1 << 20,
  OUTPUT_MAX = 1 << 20,
  EVENTS_MAX = 1024,
  MESSAGE_MAX = 4096,
  INFLATED_MAX = 1 << 16,
  // Fewer than any server's backlog, so that no connection waits for a repeated SYN.
  PENDING_MAX = 100,
  CONNECTIONS_PER_SOURCE = 10000,
};

void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("load-client: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  exit(1);
}

const char *load_dialect_name(const struct load *load) {
  return load->dialect == RAW ? "raw" : "parley";
}

static void write_whole(struct connection *connection, const void *bytes, size_t count) {
  ssize_t written = connection->ssl ? SSL_write(connection->ssl, bytes, (int)count)
                                    : send(connection->fd, bytes, count, MSG_NOSIGNAL);
  if (written != (ssize_t)count) fail("the server does not take what it is sent: %m");
}

static bool contains(const struct ws_frame *frame, const char *text) {
  return memmem(frame->payload, frame->length, text, strlen(text)) != NULL;
}

static const char *channel_prefix(const struct load *load) {
  return load->channel_prefix ? load->channel_prefix : "bench";
}

static const char *path_of(const struct load *load, const struct connection *connection) {
  bool publishes = load->publisher_path && connection == load->connections;
  return publishes ? load->publisher_path : load->path;
}

// The connections of each channel come to one server after the other.
static uint16_t port_of(const struct load *load, unsigned index) {
  unsigned channels = load->channels > 0 ? load->channels : 1;
  return load->ports[(index % channels + index / channels) % load->port_count];
}

static void send_upgrade(struct load *load, struct connection *connection) {
  char request[512];
  int size = snprintf(request, sizeof request,
                      "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nUpgrade: websocket\r\n"
                      "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                      "Sec-WebSocket-Key: cGFybGV5LWJlbmNobWFyaw==\r\n%s\r\n",
                      path_of(load, connection),
                      port_of(load, (unsigned)(connection - load->connections)),
                      load->deflates ? "Sec-WebSocket-Extensions: permessage-deflate\r\n" : "");
  if (size < 0 || size >= (int)sizeof request) fail("the path is too long");
  write_whole(connection, request, (size_t)size);
  connection->state = UPGRADING;
}

static void secure(struct load *load, struct connection *connection) {
  int result = SSL_connect(connection->ssl);
  if (result == 1) send_upgrade(load, connection);
  else if (SSL_get_error(connection->ssl, result) != SSL_ERROR_WANT_READ)
    fail("the TLS handshake failed");
}

static void connect_one(struct load *load, unsigned index) {
  struct connection *connection = &load->connections[index];
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) fail("socket: %m");
  int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  // One source address has some 28,000 ports; any address of 127.0.0.0/8 is this machine.
  struct sockaddr_in source = {.sin_family = AF_INET};
  source.sin_addr.s_addr = htonl(INADDR_LOOPBACK + index / CONNECTIONS_PER_SOURCE);
  setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
  struct sockaddr_in server = {.sin_family = AF_INET, .sin_port = htons(port_of(load, index))};
  server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(fd, (struct sockaddr *)&source, sizeof source) < 0 ||
      connect(fd, (struct sockaddr *)&server, sizeof server) < 0)
    fail("connection %u: %m", index);
  if (fcntl(fd, F_SETFL, O_NONBLOCK) < 0) fail("connection %u: %m", index);
  struct epoll_event event = {.events = EPOLLIN, .data.u32 = index};
  if (epoll_ctl(load->poller, EPOLL_CTL_ADD, fd, &event) < 0) fail("epoll_ctl: %m");
  *connection = (struct connection){.fd = fd, .state = SECURING};
  if (!load->tls) return send_upgrade(load, connection);
  connection->ssl = SSL_new(load->tls);
  if (!connection->ssl || !SSL_set_fd(connection->ssl, fd)) fail("out of memory");
  secure(load, connection);
}

static size_t add_request(unsigned char *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static size_t add_request(unsigned char *out, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  int size = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return ws_encode_client(out, WS_TEXT, text, (size_t)size);
}

// All that makes a connection ready goes out at once; the answers come in the same order.
static void set_up(struct load *load, unsigned index, bool creates) {
  struct connection *connection = &load->connections[index];
  unsigned char out[4096];
  size_t size = add_request(out,
                            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session.open\","
                            "\"params\":{\"user_id\":\"bench-%u\"}}",
                            load->first_user + (load->users > 0 ? index % load->users : index));
  connection->setup_answers_due = load->groups ? 2 : 1;
  if (load->on_setup) load->on_setup(load, index, SESSION_ASKED);
  if (load->channels > 0 && !load->groups) {
    for (int enters = creates ? 0 : 1; enters < 2; enters++) {
      size += add_request(out + size,
                          "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"channel.%s\","
                          "\"params\":{\"channel_url\":\"%s-%u\"%s}}",
                          2 + enters, enters ? "enter" : "create", channel_prefix(load),
                          index % load->channels,
                          load->ephemeral && !enters ? ",\"is_ephemeral\":true" : "");
      connection->setup_answers_due++;
    }
  }
  write_whole(connection, out, size);
  connection->state = SETTING_UP;
}

static void become_ready(struct load *load, struct connection *connection) {
  connection->state = READY;
  load->ready++;
}

static void take_step(struct load *load, unsigned index, enum setup_step step) {
  if (load->on_setup) load->on_setup(load, index, step);
  struct connection *connection = &load->connections[index];
  if (--connection->setup_answers_due == 0) become_ready(load, connection);
}

// Returns the size of the head of the answer to the upgrade, or 0 when it is not complete.
static long receive_head(struct load *load, unsigned index, unsigned char *bytes, size_t count) {
  unsigned char *end = memmem(bytes, count, "\r\n\r\n", 4);
  if (!end) return 0;
  if (memcmp(bytes, "HTTP/1.1 101", 12) != 0)
    fail("the upgrade was refused: %.*s", (int)(end - bytes), (char *)bytes);
  if (load->dialect == RAW) become_ready(load, &load->connections[index]);
  else set_up(load, index, index < load->creators);
  return end + 4 - bytes;
}

static void receive_answer(struct load *load, unsigned index, const struct ws_frame *frame) {
  struct connection *connection = &load->connections[index];
  // A channel that another creator was first to create is as good, when all create the same kind.
  bool exists = !load->ephemeral && contains(frame, "400202");
  if (contains(frame, "\"error\"") && !exists)
    fail("an error from the server: %.*s", (int)frame->length, (char *)frame->payload);
  if (connection->state == READY) {
    connection->answered++;
    if (load->on_answer) load->on_answer(load, index);
  } else {
    take_step(load, index, SESSION_OPENED);
  }
}

static void receive_text(struct load *load, unsigned index, const struct ws_frame *frame) {
  // What a server tells the publisher about its messages; nobody waits for it.
  if (load->publisher_path && index == 0) return;
  if (load->dialect == RAW || contains(frame, "\"message.received\"")) {
    load->connections[index].received++;
    if (load->on_delivery) load->on_delivery(load, index);
  } else if (!contains(frame, "\"method\"")) {
    receive_answer(load, index, frame);
  } else if (load->groups && contains(frame, "\"group.ready\"")) {
    take_step(load, index, GROUPS_READY);
  } else if (load->on_notice && contains(frame, "\"group.read\"")) {
    load->on_notice(load, index);
  } else if (load->on_update && contains(frame, "\"message.updated\"")) {
    load->on_update(load, index, (const char *)frame->payload, frame->length);
  } else if (load->on_presence && contains(frame, "\"participant_count\"")) {
    load->on_presence(load, index, (const char *)frame->payload, frame->length);
  } else if (contains(frame, "\"channel.throttled\"")) {
    fail("messages were withheld: run the server with smart throttling off");
  }
}

// Each message is compressed by itself (RFC 7692 §7.2.2); the text is good until the next one.
static void inflate_frame(struct ws_frame *frame) {
  static unsigned char text[INFLATED_MAX];
  static const unsigned char tail[4] = {0x00, 0x00, 0xff, 0xff};
  static z_stream stream;
  static bool is_ready;
  if (!is_ready && inflateInit2(&stream, -MAX_WBITS) != Z_OK) fail("out of memory");
  is_ready = true;
  inflateReset(&stream);
  stream.next_out = text;
  stream.avail_out = sizeof text;
  stream.next_in = frame->payload;
  stream.avail_in = (unsigned)frame->length;
  int result = inflate(&stream, Z_SYNC_FLUSH);
  stream.next_in = (unsigned char *)tail;
  stream.avail_in = sizeof tail;
  if (result == Z_OK) result = inflate(&stream, Z_SYNC_FLUSH);
  if (result != Z_OK || stream.avail_in > 0) fail("a message that cannot be inflated");
  frame->payload = text;
  frame->length = sizeof text - stream.avail_out;
}

static long receive_frame(struct load *load, unsigned index, unsigned char *bytes, size_t count) {
  struct ws_frame frame;
  long size = ws_decode(bytes, count, INPUT_MAX / 2, false, &frame);
  if (size < 0) fail("the server sent a frame that is not expected: %02x %02x", *bytes, bytes[1]);
  if (size == 0) return 0;
  if (frame.is_compressed && !load->deflates) fail("compression that was not negotiated");
  if (frame.is_compressed) inflate_frame(&frame);
  if (frame.opcode == WS_TEXT) {
    receive_text(load, index, &frame);
  } else if (frame.opcode == WS_PING && frame.length <= 125) {
    unsigned char pong[WS_HEADER_MAX + 125];
    write_whole(&load->connections[index], pong,
                ws_encode_client(pong, WS_PONG, frame.payload, frame.length));
  } else {
    unsigned code = frame.length >= 2 ? frame.payload[0] << 8 | frame.payload[1] : 0;
    fail("connection %u: opcode %u, close code %u", index, frame.opcode, code);
  }
  return size;
}

static void keep_rest(struct connection *connection, const unsigned char *bytes, size_t count) {
  free(connection->rest);
  connection->rest = NULL;
  connection->rest_size = (uint32_t)count;
  if (count == 0) return;
  connection->rest = malloc(count);
  if (!connection->rest) fail("out of memory");
  memcpy(connection->rest, bytes, count);
}

static void receive_all(struct load *load, unsigned index, unsigned char *bytes, size_t count) {
  size_t done = 0;
  while (done < count) {
    bool upgrading = load->connections[index].state == UPGRADING;
    long size = upgrading ? receive_head(load, index, bytes + done, count - done)
                          : receive_frame(load, index, bytes + done, count - done);
    if (size == 0) break;
    done += (size_t)size;
  }
  keep_rest(&load->connections[index], bytes + done, count - done);
}

static long read_some(struct connection *connection, unsigned char *into, size_t room) {
  if (!connection->ssl) {
    ssize_t count = recv(connection->fd, into, room, 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
    return count > 0 ? count : -1;
  }
  int count = SSL_read(connection->ssl, into, (int)room);
  if (count > 0) return count;
  return SSL_get_error(connection->ssl, count) == SSL_ERROR_WANT_READ ? 0 : -1;
}

static void ready_to_read(struct load *load, unsigned index) {
  static unsigned char input[INPUT_MAX];
  struct connection *connection = &load->connections[index];
  if (connection->state == SECURING) {
    secure(load, connection);
    if (connection->state == SECURING) return;
  }
  do {
    size_t kept = connection->rest_size;
    if (kept > 0) memcpy(input, connection->rest, kept);
    long count = read_some(connection, input + kept, INPUT_MAX - kept);
    if (count == 0) return;
    if (count < 0) fail("the server closed connection %u", index);
    load->bytes_read += (uint64_t)count;
    receive_all(load, index, input, kept + (size_t)count);
  } while (connection->ssl && SSL_has_pending(connection->ssl));
}

void load_start(struct load *load, unsigned capacity) {
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  if (capacity + 16 > limit.rlim_cur)
    fail("%u connections need more than the %llu descriptors that are allowed", capacity,
         (unsigned long long)limit.rlim_cur);
  load->connections = calloc(capacity, sizeof *load->connections);
  load->poller = epoll_create1(EPOLL_CLOEXEC);
  if (!load->connections || load->poller < 0) fail("out of memory");
}

static void open_until(struct load *load, unsigned count) {
  while (load->ready < count) {
    while (load->opened < count && load->opened - load->ready < PENDING_MAX)
      connect_one(load, load->opened++);
    load_turn(load, 100);
  }
}

void load_open(struct load *load, unsigned count) {
  open_until(load, load->creators < count ? load->creators : count);
  open_until(load, count);
}

static void reset_connection(struct connection *connection) {
  struct linger reset = {.l_onoff = 1};
  setsockopt(connection->fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  SSL_free(connection->ssl);
  free(connection->rest);
  close(connection->fd);
}

void load_begin(struct load *load, unsigned count) {
  while (load->opened < count) connect_one(load, load->opened++);
}

unsigned load_replace_ready(struct load *load) {
  unsigned replaced = load->ready;
  if (replaced == 0) return 0;
  for (unsigned i = 0; i < load->opened; i++) {
    if (load->connections[i].state != READY) continue;
    reset_connection(&load->connections[i]);
    load->ready--;
    connect_one(load, i);
  }
  return replaced;
}

void load_turn_until(struct load *load, int64_t until_ns) {
  struct epoll_event events[EVENTS_MAX];
  int64_t now = monotonic_ns(), wait = until_ns > now ? until_ns - now : 0;
  if (now > load->deadline_ns) fail("the measurement has taken too long");
  struct timespec timeout = {.tv_sec = wait / 1000000000, .tv_nsec = wait % 1000000000};
  int count = epoll_pwait2(load->poller, events, EVENTS_MAX, &timeout, NULL);
  for (int i = 0; i < count; i++) ready_to_read(load, events[i].data.u32);
}

void load_turn(struct load *load, int timeout_ms) {
  load_turn_until(load, monotonic_ns() + (int64_t)timeout_ms * 1000000);
}

void load_rest(struct load *load, int duration_ms) {
  int64_t until = monotonic_ns() + (int64_t)duration_ms * 1000000;
  for (int64_t left; (left = until - monotonic_ns()) > 0;)
    load_turn(load, (int)(left / 1000000) + 1);
}

// Writes a frame with one message to `out`, which has room for the text and 256 bytes more.
static size_t add_message(const struct load *load, unsigned index, unsigned char *out,
                          const char *text, unsigned bytes) {
  static unsigned serial;
  if (load->dialect == RAW) return ws_encode_client(out, WS_TEXT, text, bytes);
  char request[MESSAGE_MAX + 192];
  int length = snprintf(request, sizeof request,
                        "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"message.send\","
                        "\"params\":{\"channel_url\":\"%s-%u\",\"message\":\"%.*s\"}}",
                        ++serial, channel_prefix(load), index % load->channels, (int)bytes, text);
  return ws_encode_client(out, WS_TEXT, request, (size_t)length);
}

void load_send(struct load *load, unsigned index, unsigned count, unsigned bytes) {
  static unsigned char output[OUTPUT_MAX];
  static unsigned serial;
  char text[MESSAGE_MAX];
  if (bytes >= sizeof text || count > OUTPUT_MAX / (bytes + 256)) fail("too much for one write");
  size_t size = 0;
  for (unsigned i = 0; i < count; i++) {
    // The number makes each message another; the rest has no dots, so nothing looks like a link.
    int head = snprintf(text, sizeof text, "%08u ", ++serial % 100000000);
    for (unsigned at = (unsigned)head; at < bytes; at++) text[at] = 'a' + (char)(at % 26);
    size += add_message(load, index, output + size, text, bytes);
  }
  write_whole(&load->connections[index], output, size);
}

void load_request(struct load *load, unsigned index, const char *members) {
  unsigned char out[1280];
  static unsigned serial;
  if (strlen(members) > 900) fail("the request is too long");
  size_t size = add_request(out, "{\"jsonrpc\":\"2.0\",\"id\":%u,%s}", ++serial, members);
  write_whole(&load->connections[index], out, size);
}

void load_send_text(struct load *load, unsigned index, const char *text) {
  unsigned char output[MESSAGE_MAX + 256];
  size_t bytes = strlen(text);
  if (bytes >= MESSAGE_MAX) fail("too much for one message");
  write_whole(&load->connections[index], output,
              add_message(load, index, output, text, (unsigned)bytes));
}

void load_finish(struct load *load) {
  for (unsigned i = 0; i < load->opened; i++) reset_connection(&load->connections[i]);
  SSL_CTX_free(load->tls);
  free(load->connections);
}
