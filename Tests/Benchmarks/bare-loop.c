// The physical limit of fan-out: a WebSocket broadcast server that does nothing else.
//
// Single-threaded, epoll, one `send` (or `SSL_write`) per socket. Each text message that comes from
// a client is framed once and written to every other client. There are no channels, users, limits,
// queues, JSON or storage, so what it costs is the kernel's send path and little more; the
// benchmark divides Parley's cost by this one's.
//
//   bare-loop [--port N] [--gather] [--tls CERTIFICATE KEY]
//
//   --port    the port on 127.0.0.1; 0, the default, picks one. It is printed at start.
//   --gather  what one sender has in one turn of the loop goes out as one write per socket, instead
//             of one write per socket and message.
//   --tls     PEM files; each socket is written through OpenSSL.
//
// A client that cannot take a whole write at once is dropped: there is no queue to keep the rest.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "websocket.h"

enum {
  CLIENTS_MAX = 1 << 16,
  INPUT_MAX = 1 << 18,
  FRAME_MAX = 1 << 16,
  BATCH_MAX = 1 << 20,
  EVENTS_MAX = 512,
};

struct client {
  SSL *ssl;              // NULL without TLS
  unsigned char *rest;   // the beginning of a frame or head whose end has not come
  unsigned rest_size;
  unsigned place;        // the index in `open`, once the handshake is done
  enum { CLOSED, SECURING, UPGRADING, OPEN } state;
};

static struct client clients[CLIENTS_MAX];  // by descriptor
static int open_clients[CLIENTS_MAX];
static unsigned open_count;

static unsigned char batch[BATCH_MAX];
static size_t batch_size;
static int batch_sender = -1;
static bool gather;

static SSL_CTX *tls;
static int poller;

static void die(const char *what) {
  perror(what);
  exit(1);
}

static void drop(int fd) {
  struct client *client = &clients[fd];
  if (client->state == CLOSED) return;
  if (client->state == OPEN) {
    int last = open_clients[--open_count];
    open_clients[client->place] = last;
    clients[last].place = client->place;
  }
  if (client->ssl) SSL_free(client->ssl);
  free(client->rest);
  *client = (struct client){0};
  close(fd);
}

// Writes all of `bytes`, or reports that the client could not take them.
static bool write_whole(int fd, const void *bytes, size_t count) {
  SSL *ssl = clients[fd].ssl;
  if (ssl) return SSL_write(ssl, bytes, (int)count) == (int)count;
  return send(fd, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)count;
}

// Writes the gathered frames to every client but their sender. Backwards, because dropping a client
// moves the last one to its place.
static void flush_batch(void) {
  for (unsigned i = open_count; i-- > 0;) {
    int fd = open_clients[i];
    if (fd != batch_sender && !write_whole(fd, batch, batch_size)) drop(fd);
  }
  batch_size = 0;
  batch_sender = -1;
}

static void broadcast(int sender, const struct ws_frame *frame) {
  bool fits = batch_size + WS_HEADER_MAX + frame->length <= BATCH_MAX;
  if (batch_size > 0 && (batch_sender != sender || !fits)) flush_batch();
  batch_sender = sender;
  batch_size += ws_encode_server(batch + batch_size, WS_TEXT, frame->payload, frame->length);
  if (!gather) flush_batch();
}

// Answers an upgrade (RFC 6455, 4.2.2) and returns the size of the request's head, 0 when it is not
// complete, -1 when it is not an upgrade.
static long upgrade(int fd, const char *bytes, size_t count) {
  const char *end = memmem(bytes, count, "\r\n\r\n", 4);
  if (!end) return count < 4096 ? 0 : -1;
  static const char name[] = "\r\nSec-WebSocket-Key: ";
  const char *key = memmem(bytes, (size_t)(end - bytes), name, sizeof name - 1);
  if (!key || end - key < (long)sizeof name - 1 + 24) return -1;
  char seed[60];
  memcpy(seed, key + sizeof name - 1, 24);
  memcpy(seed + 24, "258EAFA5-E914-47DA-95CA-C5AB0DC85B11", 36);
  unsigned char digest[SHA_DIGEST_LENGTH], accept[32];
  SHA1((unsigned char *)seed, sizeof seed, digest);
  EVP_EncodeBlock(accept, digest, sizeof digest);
  char answer[256];
  int size = snprintf(answer, sizeof answer,
                      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                      "Connection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
                      accept);
  if (!write_whole(fd, answer, (size_t)size)) return -1;
  clients[fd].state = OPEN;
  clients[fd].place = open_count;
  open_clients[open_count++] = fd;
  return end + 4 - bytes;
}

// Takes one head or frame from `bytes`; returns as `ws_decode` does, and -1 when the client goes.
static long receive(int fd, unsigned char *bytes, size_t count) {
  if (clients[fd].state == UPGRADING) return upgrade(fd, (char *)bytes, count);
  struct ws_frame frame;
  long size = ws_decode(bytes, count, FRAME_MAX, true, &frame);
  if (size > 0 && frame.is_compressed) return -1;
  if (size <= 0) return size;
  if (frame.opcode == WS_TEXT) {
    broadcast(fd, &frame);
    return clients[fd].state == OPEN ? size : -1;
  }
  if (frame.opcode == WS_PONG) return size;
  if (frame.opcode != WS_PING || frame.length > 125) return -1;
  unsigned char pong[WS_HEADER_MAX + 125];
  size_t pong_size = ws_encode_server(pong, WS_PONG, frame.payload, frame.length);
  return write_whole(fd, pong, pong_size) ? size : -1;
}

// Works through what has been read, and keeps what is left of an unfinished frame.
static bool receive_all(int fd, unsigned char *bytes, size_t count) {
  size_t done = 0;
  while (done < count) {
    long size = receive(fd, bytes + done, count - done);
    if (size < 0) return false;
    if (size == 0) break;
    done += (size_t)size;
  }
  struct client *client = &clients[fd];
  free(client->rest);
  client->rest = NULL;
  client->rest_size = (unsigned)(count - done);
  if (client->rest_size == 0) return true;
  client->rest = malloc(client->rest_size);
  if (!client->rest) die("malloc");
  memcpy(client->rest, bytes + done, client->rest_size);
  return true;
}

// Reads once; returns the bytes read, 0 when there is nothing now, -1 at the end.
static long read_some(int fd, unsigned char *into, size_t room) {
  SSL *ssl = clients[fd].ssl;
  if (!ssl) {
    ssize_t count = recv(fd, into, room, MSG_DONTWAIT);
    if (count > 0) return count;
    return count < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
  }
  int count = SSL_read(ssl, into, (int)room);
  if (count > 0) return count;
  return SSL_get_error(ssl, count) == SSL_ERROR_WANT_READ ? 0 : -1;
}

static bool secure(int fd) {
  int result = SSL_accept(clients[fd].ssl);
  if (result == 1) clients[fd].state = UPGRADING;
  return result == 1 || SSL_get_error(clients[fd].ssl, result) == SSL_ERROR_WANT_READ;
}

static void ready_to_read(int fd) {
  static unsigned char input[INPUT_MAX];
  struct client *client = &clients[fd];
  if (client->state == CLOSED) return;
  if (client->state == SECURING) {
    if (!secure(fd)) drop(fd);
    if (client->state != UPGRADING) return;
  }
  // What OpenSSL has already decrypted does not make the descriptor readable again.
  do {
    size_t kept = client->rest_size;
    if (kept > 0) memcpy(input, client->rest, kept);
    long count = read_some(fd, input + kept, INPUT_MAX - kept);
    if (count == 0) return;
    if (count < 0 || !receive_all(fd, input, kept + (size_t)count)) return drop(fd);
  } while (client->ssl && SSL_has_pending(client->ssl));
}

static void accept_all(int listener) {
  for (;;) {
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return;
    if (fd >= CLIENTS_MAX) {
      close(fd);
      continue;
    }
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct client *client = &clients[fd];
    client->state = tls ? SECURING : UPGRADING;
    if (tls) {
      client->ssl = SSL_new(tls);
      if (!client->ssl || !SSL_set_fd(client->ssl, fd)) die("SSL_new");
    }
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event) < 0) die("epoll_ctl");
  }
}

static void load_tls(const char *certificate, const char *key) {
  tls = SSL_CTX_new(TLS_server_method());
  if (!tls || SSL_CTX_use_certificate_chain_file(tls, certificate) != 1 ||
      SSL_CTX_use_PrivateKey_file(tls, key, SSL_FILETYPE_PEM) != 1) {
    fprintf(stderr, "bare-loop: cannot use %s with %s\n", certificate, key);
    exit(1);
  }
  SSL_CTX_set_mode(tls, SSL_MODE_RELEASE_BUFFERS);
}

static int listen_on(unsigned port) {
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) < 0 ||
      listen(listener, 4096) < 0 || getsockname(listener, (struct sockaddr *)&address, &size) < 0)
    die("listen");
  printf("listening on 127.0.0.1:%u\n", ntohs(address.sin_port));
  fflush(stdout);
  return listener;
}

int main(int count, char **words) {
  unsigned port = 0;
  for (int i = 1; i < count; i++) {
    if (!strcmp(words[i], "--gather")) {
      gather = true;
    } else if (!strcmp(words[i], "--port") && i + 1 < count) {
      port = (unsigned)atoi(words[++i]);
    } else if (!strcmp(words[i], "--tls") && i + 2 < count) {
      load_tls(words[i + 1], words[i + 2]);
      i += 2;
    } else {
      fprintf(stderr, "usage: bare-loop [--port N] [--gather] [--tls CERTIFICATE KEY]\n");
      return 2;
    }
  }
  signal(SIGPIPE, SIG_IGN);
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);

  poller = epoll_create1(EPOLL_CLOEXEC);
  int listener = listen_on(port);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
  if (poller < 0 || epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event) < 0) die("epoll");
  for (;;) {
    struct epoll_event events[EVENTS_MAX];
    int ready = epoll_wait(poller, events, EVENTS_MAX, -1);
    for (int i = 0; i < ready; i++) {
      if (events[i].data.fd == listener) accept_all(listener);
      else ready_to_read(events[i].data.fd);
    }
    if (batch_size > 0) flush_batch();
  }
}
