// Drives a server through phases that are counted, and prints a line of JSON for each.
//
//   count-client --port N[,N…] --server PID --counters FILE --subscribers LIST [option value]…
//
//   --subscribers LIST  beside the publisher, growing: "200,1000"
//   --in-flight LIST    messages on their way (1); more than one only with most subscribers
//   --rounds N          each sends as many messages as may be on their way (20)
//   --warm N            rounds before the first phase (3)
//   --repetitions N     of each phase (1)
//   --pause MS          one more repetition begins with a pause of this length (0: there is none)
//   --storage ephemeral|durable (ephemeral)
//   --transport plain|deflate|tls (plain; the certificate is not verified)
//   --channel PREFIX    of the channel's URL (count)
//   --groups yes        the channel is a group of the users bench-N, which exists
//   --timeout SECONDS   (120)
//
// There is a phase for each number of subscribers and each of messages on their way. It lies between
// two marks, which the server's preloaded interposer sets (counters.h), with messages of the same
// kind before it, so that what is made once has been made. Each phase is repeated. With --pause, the
// first phase of each size has a repetition that begins with a pause, which shows what the server does in
// that time.
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../Benchmarks/connections.h"
#include "../Benchmarks/measurements.h"
#include "../Benchmarks/server-usage.h"
#include "counters.h"

enum { LIST_MAX = 8, MESSAGE_BYTES = 128 };

struct list {
  unsigned numbers[LIST_MAX];
  unsigned count;
};

struct phases {
  struct load load;
  struct plan plan;
  struct counters *counters;
  struct list subscribers, in_flight;
  unsigned warm, rounds, repetitions, pause_ms;
};

struct mark {
  uint64_t number, allocations, frees, bytes;
  int64_t time_ns;
};

static unsigned number(const char *text) {
  char *end;
  unsigned long value = strtoul(text, &end, 10);
  if (end == text || *end || value < 1 || value > UINT32_MAX) fail("%s is no number", text);
  return (unsigned)value;
}

static struct list numbers(char *text) {
  struct list list = {.count = 0};
  for (char *word = strtok(text, ","); word; word = strtok(NULL, ",")) {
    if (list.count == LIST_MAX) fail("more than %d numbers", LIST_MAX);
    list.numbers[list.count++] = number(word);
  }
  return list;
}

static struct counters *open_counters(const char *path) {
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) fail("%s: %m", path);
  void *page = mmap(NULL, sizeof(struct counters), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (page == MAP_FAILED) fail("%s: %m", path);
  close(file);
  return page;
}

static void read_ports(struct load *load, struct list ports) {
  load->port_count = ports.count;
  for (unsigned i = 0; i < ports.count; i++) load->ports[i] = (uint16_t)ports.numbers[i];
}

static void use_transport(struct load *load, const char *transport) {
  if (!strcmp(transport, "deflate")) {
    load->deflates = true;
  } else if (!strcmp(transport, "tls")) {
    load->tls = SSL_CTX_new(TLS_client_method());
    if (!load->tls) fail("no TLS");
    SSL_CTX_set_mode(load->tls, SSL_MODE_RELEASE_BUFFERS);
  } else if (strcmp(transport, "plain") != 0) {
    fail("there is no transport %s", transport);
  }
}

static void read_option(struct phases *phases, const char *name, char *value) {
  struct load *load = &phases->load;
  if (!strcmp(name, "--port")) read_ports(load, numbers(value));
  else if (!strcmp(name, "--server")) phases->plan.servers = (struct processes){{(pid_t)number(value)}, 1};
  else if (!strcmp(name, "--counters")) phases->counters = open_counters(value);
  else if (!strcmp(name, "--rounds")) phases->rounds = number(value);
  else if (!strcmp(name, "--warm")) phases->warm = number(value);
  else if (!strcmp(name, "--repetitions")) phases->repetitions = number(value);
  else if (!strcmp(name, "--pause")) phases->pause_ms = number(value);
  else if (!strcmp(name, "--subscribers")) phases->subscribers = numbers(value);
  else if (!strcmp(name, "--in-flight")) phases->in_flight = numbers(value);
  else if (!strcmp(name, "--storage")) load->ephemeral = !strcmp(value, "ephemeral");
  else if (!strcmp(name, "--transport")) use_transport(load, value);
  else if (!strcmp(name, "--groups") && !strcmp(value, "yes")) load->groups = true;
  else if (!strcmp(name, "--channel")) load->channel_prefix = value;
  else if (!strcmp(name, "--timeout"))
    load->deadline_ns = monotonic_ns() + number(value) * (int64_t)1000000000;
  else fail("what is %s %s?", name, value);
}

// Everything that was asked of the server has been answered, so it is quiet when this is called.
static struct mark set_mark(struct phases *phases, bool is_paused) {
  struct counters *counters = phases->counters;
  struct mark mark = {.bytes = phases->load.bytes_read, .time_ns = monotonic_ns()};
  uint64_t before = counters->marks;
  counters->is_paused = is_paused;
  counters->wanted++;
  syscall(SYS_futex, &counters->wanted, FUTEX_WAKE, 1, NULL, NULL, 0);
  while (counters->marks == before) load_turn(&phases->load, 1);
  mark.number = counters->marks;
  mark.allocations = counters->marked.allocations;
  mark.frees = counters->marked.frees;
  return mark;
}

static void saw_presence(struct load *load, unsigned index, const char *event, size_t size) {
  static const char member[] = "\"participant_count\":";
  if (index != 0) return;
  const char *found = memmem(event, size, member, sizeof member - 1);
  if (found) *(unsigned *)load->measurement = (unsigned)atol(found + sizeof member - 1);
}

// In an open channel, the first connection is told when the others are there; nothing more of it comes
// after that.
static void open_subscribers(struct phases *phases, unsigned count) {
  struct load *load = &phases->load;
  unsigned told = 0;
  load->measurement = &told;
  load->on_presence = saw_presence;
  load_open(load, count + 1);
  while (!load->groups && told < count + 1) load_turn(load, 100);
  load->on_presence = NULL;
  // Those that came later have missed messages: from here on, all count from the same one.
  for (unsigned i = 0; i <= count; i++) load->connections[i].received = 0;
}

// The messages of a round leave in one write, and the next round waits for all of this one, so that
// it does not depend on the machine's speed what the server finds together.
static void run_round(struct phases *phases) {
  fanout_run(&phases->load, &phases->plan, phases->plan.in_flight);
}

// One phase: all rounds, after a pause.
static struct mark run_phase(struct phases *phases, struct mark first, unsigned pause_ms) {
  struct plan *plan = &phases->plan;
  if (pause_ms > 0) load_rest(&phases->load, (int)pause_ms);
  for (unsigned i = 0; i < phases->rounds; i++) run_round(phases);
  struct mark last = set_mark(phases, false);
  printf("{\"subscribers\":%u,\"in_flight\":%u,\"messages\":%u,\"pause_ms\":%u,\"seconds\":%.6f,"
         "\"mark\":%" PRIu64 ",\"allocations\":%" PRIu64 ",\"frees\":%" PRIu64 ",\"bytes\":%" PRIu64
         "}\n",
         plan->connections, plan->in_flight, plan->in_flight * phases->rounds, pause_ms,
         (double)(last.time_ns - first.time_ns) / 1e9, last.number,
         last.allocations - first.allocations, last.frees - first.frees, last.bytes - first.bytes);
  return last;
}

// The numbers of messages on their way that are counted with so many subscribers.
static struct list in_flight_of_size(const struct phases *phases, bool is_largest) {
  struct list list = {.count = 0};
  for (unsigned i = 0; i < phases->in_flight.count; i++) {
    unsigned in_flight = phases->in_flight.numbers[i];
    if (in_flight == 1 || is_largest) list.numbers[list.count++] = in_flight;
  }
  return list;
}

static void warm_up(struct phases *phases, struct list in_flight, unsigned rounds) {
  for (unsigned i = 0; i < in_flight.count; i++) {
    phases->plan.in_flight = in_flight.numbers[i];
    for (unsigned j = 0; j < rounds; j++) run_round(phases);
  }
}

// The repetitions of a phase alternate with those of the others, so that not all of them fall into the
// same moment.
static void run_phases_of_size(struct phases *phases, unsigned subscribers, struct list in_flight) {
  if (in_flight.count == 0) return;
  struct plan *plan = &phases->plan;
  plan->connections = subscribers;
  // Before counting, since it is faster. Another round has the code translated with the counting in it.
  warm_up(phases, in_flight, phases->warm);
  set_mark(phases, false);
  warm_up(phases, in_flight, 1);
  struct mark mark = set_mark(phases, false);
  for (unsigned i = 0; i < phases->repetitions; i++) {
    for (unsigned j = 0; j < in_flight.count; j++) {
      plan->in_flight = in_flight.numbers[j];
      mark = run_phase(phases, mark, 0);
    }
  }
  plan->in_flight = in_flight.numbers[0];
  if (phases->pause_ms > 0) run_phase(phases, mark, phases->pause_ms);
  set_mark(phases, true);
}

static void run_phases(struct phases *phases) {
  struct list *subscribers = &phases->subscribers;
  load_start(&phases->load, subscribers->numbers[subscribers->count - 1] + 1);
  for (unsigned i = 0; i < subscribers->count; i++) {
    open_subscribers(phases, subscribers->numbers[i]);
    run_phases_of_size(
        phases, subscribers->numbers[i], in_flight_of_size(phases, i + 1 == subscribers->count));
  }
  load_finish(&phases->load);
}

int main(int count, char **words) {
  struct phases phases = {
      .load = {.dialect = PARLEY, .channels = 1, .creators = 1, .ephemeral = true,
               .path = "/v1/ws", .channel_prefix = "count",
               .deadline_ns = monotonic_ns() + (int64_t)120 * 1000000000},
      .plan = {.message_bytes = MESSAGE_BYTES},
      .in_flight = {.numbers = {1}, .count = 1},
      .warm = 3,
      .rounds = 20,
      .repetitions = 1};
  if (count % 2 != 1) fail("expected pairs of option and value");
  for (int i = 1; i < count; i += 2) read_option(&phases, words[i], words[i + 1]);
  if (phases.load.port_count == 0 || phases.plan.servers.count == 0 || !phases.counters ||
      phases.subscribers.count == 0)
    fail("--port, --server, --counters and --subscribers are needed");
  signal(SIGPIPE, SIG_IGN);
  run_phases(&phases);
  return 0;
}
