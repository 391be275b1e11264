// An app's back end that is asked before messages are sent: it allows everything, after a delay.
//
// Single-threaded, epoll. Every request is answered as late as every other one.
//
//   hook-server DELAY_MS
//
// Prints the port on 127.0.0.1 at start, and ends on SIGTERM. A client that cannot take a whole answer at
// once, or sends a larger request than a hook's, is dropped.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum {
  CLIENTS_MAX = 4096,
  REQUEST_MAX = 16384,
  EVENTS_MAX = 256,
};

static struct client {
  char bytes[REQUEST_MAX];  // the beginning of a request
  size_t size;
  uint32_t generation;  // how often the descriptor was closed
} *clients;             // by descriptor

// Answers in the order in which they are due; a client has at most one.
static struct {
  int fd;
  uint32_t generation;
  int64_t due_ns;
} answers[CLIENTS_MAX];
static unsigned first_answer, answer_count;

static const char allowed[] =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 14\r\n\r\n{\"allow\":true}";

static int poller, timer;
static int64_t delay_ns;

static void die(const char *what) {
  perror(what);
  exit(1);
}

static int64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void drop(int fd) {
  clients[fd].size = 0;
  clients[fd].generation++;
  close(fd);
}

static void watch(int fd) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
  if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event) < 0) die("epoll_ctl");
}

static void accept_all(int listener) {
  int fd, on = 1;
  while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
    if (fd >= CLIENTS_MAX) {
      close(fd);
      continue;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    watch(fd);
  }
}

// Whether a request and its body are there.
static bool is_complete(const struct client *client) {
  const char *end = memmem(client->bytes, client->size, "\r\n\r\n", 4);
  if (!end) return false;
  const char *length = strcasestr(client->bytes, "\r\ncontent-length:");
  size_t body = length && length < end ? strtoul(length + 17, NULL, 10) : 0;
  return client->size >= (size_t)(end + 4 - client->bytes) + body;
}

static void ready_to_read(int fd) {
  struct client *client = &clients[fd];
  ssize_t count = recv(fd, client->bytes + client->size, REQUEST_MAX - 1 - client->size, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) return drop(fd);
  client->size += (size_t)count;
  client->bytes[client->size] = 0;
  if (!is_complete(client)) return;
  client->size = 0;
  if (answer_count == CLIENTS_MAX) return drop(fd);
  unsigned last = (first_answer + answer_count++) % CLIENTS_MAX;
  answers[last].fd = fd;
  answers[last].generation = client->generation;
  answers[last].due_ns = now_ns() + delay_ns;
}

static void answer_due(void) {
  while (answer_count > 0 && answers[first_answer].due_ns <= now_ns()) {
    int fd = answers[first_answer].fd;
    ssize_t size = sizeof allowed - 1;
    if (answers[first_answer].generation == clients[fd].generation &&
        send(fd, allowed, (size_t)size, MSG_NOSIGNAL | MSG_DONTWAIT) != size)
      drop(fd);
    first_answer = (first_answer + 1) % CLIENTS_MAX;
    answer_count--;
  }
  if (answer_count == 0) return;
  int64_t due = answers[first_answer].due_ns;
  struct itimerspec time = {.it_value = {due / 1000000000, due % 1000000000}};
  timerfd_settime(timer, TFD_TIMER_ABSTIME, &time, NULL);
}

int main(int count, char **words) {
  if (count != 2 || (delay_ns = atoll(words[1]) * 1000000) < 0) {
    fputs("usage: hook-server DELAY_MS\n", stderr);
    return 2;
  }
  clients = calloc(CLIENTS_MAX, sizeof *clients);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (!clients || listener < 0 || bind(listener, (struct sockaddr *)&address, size) < 0 ||
      listen(listener, 1024) < 0 || getsockname(listener, (struct sockaddr *)&address, &size) < 0)
    die("listen");
  poller = epoll_create1(EPOLL_CLOEXEC);
  timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  if (poller < 0 || timer < 0) die("epoll");
  watch(listener);
  watch(timer);
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  for (;;) {
    struct epoll_event events[EVENTS_MAX];
    int ready = epoll_wait(poller, events, EVENTS_MAX, -1);
    for (int i = 0; i < ready; i++) {
      int fd = events[i].data.fd;
      uint64_t expirations;
      if (fd == listener) accept_all(fd);
      else if (fd != timer) ready_to_read(fd);
      else if (read(timer, &expirations, sizeof expirations) < 0 && errno != EAGAIN) die("read");
    }
    answer_due();
  }
}
