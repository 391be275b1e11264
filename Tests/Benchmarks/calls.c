// The time of a call, one after another. See measurements.h.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "measurements.h"
#include "server-usage.h"
#include "times.h"

static void answered(struct load *load, unsigned index) {
  (void)index;
  int64_t *end = load->measurement;
  *end = monotonic_ns();
}

void measure_calls(struct load *load, const struct plan *plan) {
  if (!plan->request) fail("--request is needed");
  int64_t *times = calloc(plan->messages, sizeof *times), end = 0;
  if (!times) fail("out of memory");
  load->channels = load->groups ? 1 : 0;
  load_start(load, plan->connections);
  load_open(load, plan->connections);
  load->measurement = &end;
  load->on_answer = answered;
  int64_t interval = 1000000000 / (int64_t)plan->rate, cpu = 0, bytes = 0;
  for (unsigned i = 0; i < plan->messages + plan->connections; i++) {
    // The first call of each connection warms up.
    if (i == plan->connections) {
      cpu = processes_cpu_ns(&plan->servers);
      bytes = (int64_t)load->bytes_read;
    }
    int64_t start = monotonic_ns();
    end = 0;
    load_request(load, i % plan->connections, plan->request);
    while (end == 0) load_turn(load, 1000);
    if (i >= plan->connections) times[i - plan->connections] = end - start;
    while (monotonic_ns() < start + interval) load_turn_until(load, start + interval);
  }
  cpu = processes_cpu_ns(&plan->servers) - cpu;
  bytes = (int64_t)load->bytes_read - bytes;
  unsigned count = plan->messages;
  sort_times(times, count);
  printf("{\"mode\":\"calls\",\"calls\":%u,\"p50_us\":%.1f,\"p99_us\":%.1f,\"max_us\":%.1f,"
         "\"cpu_us_per_call\":%.1f,\"bytes_per_answer\":%.0f}\n",
         count, quantile_us(times, count, 50), quantile_us(times, count, 99),
         quantile_us(times, count, 100), per((double)cpu / 1e3, count), per((double)bytes, count));
  free(times);
}
