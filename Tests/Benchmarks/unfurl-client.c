// Asks an unfurl service on 127.0.0.1 for previews and prints one measurement as a line of JSON.
//
//   unfurl-client --port N --server PID --pages PID --pages-port N [option value]…
//
//   --addresses    of page-server (32)
//   --connections  kept alive, one request at a time on each (64)
//   --rate         previews a second; 0, the default, asks again as soon as there is an answer
//   --seconds      measured, after one second that is not (5)
//
// Each request is for another page, on the next address. With a rate, a request's time counts from
// the moment that it was due, so that a service that falls behind is not spared the waiting. CPU
// times are the service's and the page server's processes', read from the kernel. Any answer but
// the right preview ends the program with an error.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "server-usage.h"

enum {
  CONNECTIONS_MAX = 1024,
  ANSWER_MAX = 1 << 16,
  SAMPLES_MAX = 1 << 22,
  EVENTS_MAX = 256,
  WARM_SECONDS = 1,
  LONGEST_SECONDS = 120,
};

struct asker {
  int fd;
  unsigned page;  // what is asked for; 0: nothing
  int64_t due_ns;
  size_t size;    // of the answer so far
  char answer[ANSWER_MAX];
};

static struct plan {
  unsigned port, server, pages, pages_port, addresses, connections, rate, seconds;
} plan = {.addresses = 32, .connections = 64, .seconds = 5};

static struct asker *askers;
static unsigned *idle;  // a stack of askers without a request
static unsigned idle_count;
static int poller;
static unsigned next_page = 1;
static int64_t *times;  // one for each answer of the run
static unsigned answered;
static int64_t deadline_ns;

_Noreturn static void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

_Noreturn static void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("unfurl-client: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  exit(1);
}

static void connect_all(void) {
  struct sockaddr_in service = {.sin_family = AF_INET, .sin_port = htons((uint16_t)plan.port)};
  service.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  for (unsigned i = 0; i < plan.connections; i++) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    if (fd < 0 || connect(fd, (struct sockaddr *)&service, sizeof service) < 0)
      fail("connection %u: %m", i);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = i};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event) < 0) fail("epoll_ctl: %m");
    askers[i].fd = fd;
    idle[idle_count++] = i;
  }
}

static void ask(int64_t due_ns) {
  struct asker *asker = &askers[idle[--idle_count]];
  asker->page = next_page++;
  asker->due_ns = due_ns;
  asker->size = 0;
  char body[128], request[512];
  int body_size = snprintf(body, sizeof body,
                           "{\"url\":\"http://127.0.0.%u:%u/%u\",\"timeout_ms\":5000}",
                           2 + asker->page % plan.addresses, plan.pages_port, asker->page);
  int size = snprintf(request, sizeof request,
                      "POST / HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nContent-Type: application/json\r\n"
                      "Content-Length: %d\r\n\r\n%s",
                      plan.port, body_size, body);
  if (send(asker->fd, request, (size_t)size, MSG_NOSIGNAL) != size)
    fail("the service does not take a request: %m");
}

// The size of the whole answer, 0 when its head is not complete.
static size_t answer_size(const struct asker *asker) {
  const char *end = memmem(asker->answer, asker->size, "\r\n\r\n", 4);
  if (!end) return 0;
  const char *field = strcasestr(asker->answer, "\r\ncontent-length:");
  if (!field || field > end) fail("an answer without Content-Length: %s", asker->answer);
  unsigned long body = strtoul(field + strlen("\r\ncontent-length:"), NULL, 10);
  if (body >= ANSWER_MAX / 2) fail("an answer of %lu bytes", body);
  return (size_t)(end + 4 - asker->answer) + body;
}

static void check(const struct asker *asker) {
  char title[64];
  snprintf(title, sizeof title, "\"Page %08u ", asker->page);
  if (strncmp(asker->answer, "HTTP/1.1 200 ", 13) || !strstr(asker->answer, title))
    fail("not the preview of page %u: %s", asker->page, asker->answer);
}

static void receive(unsigned index) {
  struct asker *asker = &askers[index];
  ssize_t count = recv(asker->fd, asker->answer + asker->size, ANSWER_MAX - 1 - asker->size,
                       MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) fail("the service closed a connection");
  asker->size += (size_t)count;
  asker->answer[asker->size] = 0;
  size_t whole = answer_size(asker);
  if (whole == 0 || asker->size < whole) {
    if (asker->size == ANSWER_MAX - 1) fail("an answer without an end");
    return;
  }
  if (asker->page == 0 || asker->size > whole) fail("an answer that nobody asked for");
  check(asker);
  if (answered < SAMPLES_MAX) times[answered++] = monotonic_ns() - asker->due_ns;
  asker->page = 0;
  idle[idle_count++] = index;
}

// Waits until there is something to read, at most to `until_ns`, and reads it.
static void turn(int64_t until_ns) {
  int64_t now = monotonic_ns(), wait = until_ns > now ? until_ns - now : 0;
  if (now > deadline_ns) fail("the measurement has taken too long");
  struct timespec timeout = {.tv_sec = wait / 1000000000, .tv_nsec = wait % 1000000000};
  struct epoll_event events[EVENTS_MAX];
  int count = epoll_pwait2(poller, events, EVENTS_MAX, &timeout, NULL);
  for (int i = 0; i < count; i++) receive(events[i].data.u32);
}

static void run_at_full_speed(unsigned seconds) {
  int64_t end = monotonic_ns() + seconds * (int64_t)1000000000;
  for (int64_t now; (now = monotonic_ns()) < end;) {
    while (idle_count > 0) ask(now);
    turn(end);
  }
}

static void run_at_rate(unsigned seconds) {
  unsigned total = plan.rate * seconds, asked = 0;
  int64_t start = monotonic_ns(), interval = 1000000000 / plan.rate;
  while (answered < total) {
    int64_t due = start + asked * interval;
    if (asked < total && idle_count > 0 && monotonic_ns() >= due) {
      ask(due);
      asked++;
    } else {
      bool waits = asked < total && idle_count > 0;
      turn(waits ? due : monotonic_ns() + 1000000000);
    }
  }
}

static void run(unsigned seconds) {
  answered = 0;
  if (plan.rate > 0) run_at_rate(seconds);
  else run_at_full_speed(seconds);
}

static int compare_times(const void *left, const void *right) {
  int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
  return (a > b) - (a < b);
}

static void measure(void) {
  run(WARM_SECONDS);
  pid_t service = (pid_t)plan.server, pages = (pid_t)plan.pages;
  int64_t cpu = process_cpu_ns(service), pages_cpu = process_cpu_ns(pages);
  int64_t start = monotonic_ns();
  run(plan.seconds);
  double seconds = (double)(monotonic_ns() - start) / 1e9;
  cpu = process_cpu_ns(service) - cpu;
  pages_cpu = process_cpu_ns(pages) - pages_cpu;
  if (answered == 0 || cpu == 0) fail("no previews");
  qsort(times, answered, sizeof *times, compare_times);
  printf("{\"mode\":\"unfurl\",\"connections\":%u,\"rate\":%u,\"previews\":%u,\"wall_ms\":%.1f,"
         "\"previews_per_second\":%.1f,\"service_cpu_ms\":%.1f,\"previews_per_cpu_second\":%.1f,"
         "\"cpu_us_per_preview\":%.2f,\"pages_cpu_us_per_preview\":%.2f,\"p50_us\":%.1f,"
         "\"p99_us\":%.1f,\"max_us\":%.1f}\n",
         plan.connections, plan.rate, answered, seconds * 1e3, answered / seconds,
         (double)cpu / 1e6, answered / ((double)cpu / 1e9), (double)cpu / 1e3 / answered,
         (double)pages_cpu / 1e3 / answered, (double)times[answered / 2] / 1e3,
         (double)times[(uint64_t)answered * 99 / 100] / 1e3, (double)times[answered - 1] / 1e3);
}

static void read_option(const char *name, const char *value) {
  const struct {
    const char *name;
    unsigned *field;
    unsigned low, high;
  } options[] = {
      {"--port", &plan.port, 1, 65535},
      {"--server", &plan.server, 2, 1u << 30},
      {"--pages", &plan.pages, 2, 1u << 30},
      {"--pages-port", &plan.pages_port, 1, 65535},
      {"--addresses", &plan.addresses, 1, 250},
      {"--connections", &plan.connections, 1, CONNECTIONS_MAX},
      {"--rate", &plan.rate, 0, 20000},
      {"--seconds", &plan.seconds, 1, 100},
  };
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    if (strcmp(name, options[i].name)) continue;
    char *end;
    unsigned long number = strtoul(value, &end, 10);
    if (end == value || *end || number < options[i].low || number > options[i].high)
      fail("%s must be a number from %u to %u, not %s", name, options[i].low, options[i].high,
           value);
    *options[i].field = (unsigned)number;
    return;
  }
  fail("what is %s?", name);
}

int main(int count, char **words) {
  if (count % 2 != 1) fail("expected pairs of option and value");
  for (int i = 1; i < count; i += 2) read_option(words[i], words[i + 1]);
  if (!plan.port || !plan.server || !plan.pages || !plan.pages_port)
    fail("--port, --server, --pages and --pages-port are needed");
  deadline_ns = monotonic_ns() + LONGEST_SECONDS * (int64_t)1000000000;
  askers = calloc(plan.connections, sizeof *askers);
  idle = calloc(plan.connections, sizeof *idle);
  times = calloc(SAMPLES_MAX, sizeof *times);
  poller = epoll_create1(EPOLL_CLOEXEC);
  if (!askers || !idle || !times || poller < 0) fail("out of memory");
  connect_all();
  measure();
  return 0;
}
