// Durable messages: how many are answered in a second. See measurements.h.
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "measurements.h"
#include "server-usage.h"

struct durable {
  unsigned *answered;  // since the last turn of the loop, by sender
  uint64_t total;
};

static void durable_answered(struct load *load, unsigned index) {
  struct durable *durable = load->measurement;
  durable->answered[index]++;
  durable->total++;
}

// Each answer makes room for one more message; all of a turn go out in one write per sender.
static void durable_run(struct load *load, const struct plan *plan, int64_t duration_ns) {
  struct durable *durable = load->measurement;
  int64_t end = monotonic_ns() + duration_ns;
  while (monotonic_ns() < end) {
    load_turn(load, 100);
    for (unsigned i = 0; i < plan->connections; i++) {
      if (durable->answered[i] == 0) continue;
      load_send(load, i, durable->answered[i], plan->message_bytes);
      durable->answered[i] = 0;
    }
  }
}

void measure_durable(struct load *load, const struct plan *plan) {
  if (load->dialect == RAW) fail("the bare loop stores nothing");
  load->channels = plan->channels;
  load->creators = plan->channels;
  load_start(load, plan->connections);
  load_open(load, plan->connections);
  struct durable durable = {0};
  durable.answered = calloc(plan->connections, sizeof *durable.answered);
  if (!durable.answered) fail("out of memory");
  load->measurement = &durable;
  load->on_answer = durable_answered;
  for (unsigned i = 0; i < plan->connections; i++) durable.answered[i] = plan->in_flight;

  durable_run(load, plan, 1000000000);
  uint64_t answers = durable.total;
  struct cpu_usage cpu = cpu_since((struct cpu_usage){0}, plan);
  int64_t start = monotonic_ns();
  durable_run(load, plan, (int64_t)plan->seconds * 1000000000);
  int64_t wall = monotonic_ns() - start;
  cpu = cpu_since(cpu, plan);
  answers = durable.total - answers;
  printf("{\"mode\":\"durable\",\"dialect\":\"parley\",\"senders\":%u,\"channels\":%u,"
         "\"in_flight\":%u,\"answers\":%" PRIu64 ",\"wall_ms\":%.1f,"
         "\"messages_per_second\":%.0f,\"cpu_us_per_message\":%.2f,\"server_cpu_ms\":%.1f,"
         "\"database_cpu_ms\":%.1f,\"broker_cpu_ms\":%.1f}\n",
         plan->connections, plan->channels, plan->in_flight, answers, (double)wall / 1e6,
         per((double)answers * 1e9, (double)wall), per((double)cpu.servers / 1e3, (double)answers),
         (double)cpu.servers / 1e6, (double)cpu.database / 1e6, (double)cpu.broker / 1e6);
  free(durable.answered);
}
