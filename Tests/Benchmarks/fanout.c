// Fan-out: what one delivery costs the server. See measurements.h.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "measurements.h"
#include "server-usage.h"

// The number of participants is told within a second of the last entering: not to be measured.
enum { PRESENCE_MS = 1200 };

struct fanout {
  unsigned subscribers;
  unsigned messages;
  unsigned complete;   // messages that have reached every subscriber
  unsigned first;      // what a subscriber had received when this run began
  unsigned *reached;   // by message of this run: how many subscribers have it
};

static void fanout_delivered(struct load *load, unsigned index) {
  struct fanout *fanout = load->measurement;
  unsigned message = load->connections[index].received - fanout->first - 1;
  if (index == 0 || message >= fanout->messages) fail("a delivery that nobody asked for");
  if (++fanout->reached[message] == fanout->subscribers) fanout->complete++;
}

void fanout_run(struct load *load, const struct plan *plan, unsigned messages) {
  struct connection *publisher = &load->connections[0];
  struct fanout fanout = {.subscribers = plan->connections, .messages = messages};
  fanout.first = load->connections[1].received;
  fanout.reached = calloc(messages, sizeof *fanout.reached);
  if (!fanout.reached) fail("out of memory");
  load->measurement = &fanout;
  load->on_delivery = fanout_delivered;
  uint32_t answers_wanted = publisher->answered + (load->dialect == PARLEY ? messages : 0);
  unsigned sent = 0;
  while (fanout.complete < messages || publisher->answered < answers_wanted) {
    unsigned room = fanout.complete + plan->in_flight - sent;
    unsigned now = room < messages - sent ? room : messages - sent;
    if (now > 0) load_send(load, 0, now, plan->message_bytes);
    sent += now;
    load_turn(load, 1000);
  }
  free(fanout.reached);
}

// Members list their groups once they are ready, as clients do. Without that their sockets would acknowledge in
// another rhythm than those that have entered an open channel, which decides how often the server's writes must
// wake this program.
static void list_groups(struct load *load, unsigned members) {
  for (unsigned i = 0; i < members; i++) {
    uint32_t answered = load->connections[i].answered;
    load_request(load, i, "\"method\":\"group.list\",\"params\":{\"limit\":1}");
    while (load->connections[i].answered == answered) load_turn(load, 1000);
  }
}

void measure_fanout(struct load *load, const struct plan *plan) {
  load->channels = load->dialect == PARLEY ? 1 : 0;
  load->creators = 1;
  load_start(load, plan->connections + 1);
  load_open(load, plan->connections + 1);
  if (load->groups) list_groups(load, plan->connections + 1);
  load_rest(load, PRESENCE_MS);
  fanout_run(load, plan, plan->messages / 5 + plan->in_flight);

  uint64_t bytes = load->bytes_read;
  struct cpu_usage cpu = cpu_since((struct cpu_usage){0}, plan);
  int64_t start = monotonic_ns();
  fanout_run(load, plan, plan->messages);
  int64_t wall = monotonic_ns() - start;
  cpu = cpu_since(cpu, plan);
  bytes = load->bytes_read - bytes;

  double deliveries = (double)plan->messages * plan->connections;
  printf("{\"mode\":\"fanout\",\"dialect\":\"%s\",\"subscribers\":%u,\"messages\":%u,"
         "\"in_flight\":%u,\"deliveries\":%.0f,\"wall_ms\":%.1f,\"deliveries_per_second\":%.0f,"
         "\"server_cpu_ms\":%.1f,\"database_cpu_ms\":%.1f,\"broker_cpu_ms\":%.1f,"
         "\"cpu_ns_per_delivery\":%.1f,\"bytes_per_delivery\":%.1f}\n",
         load_dialect_name(load), plan->connections, plan->messages, plan->in_flight, deliveries,
         (double)wall / 1e6, per(deliveries * 1e9, (double)wall), (double)cpu.servers / 1e6,
         (double)cpu.database / 1e6, (double)cpu.broker / 1e6,
         per((double)cpu.servers, deliveries), per((double)bytes, deliveries));
}
