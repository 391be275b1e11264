// Connections a second. See measurements.h.
#define _GNU_SOURCE
#include <stdio.h>

#include "measurements.h"
#include "server-usage.h"

enum { WARM_NS = 500000000 };

static uint64_t openings_run(struct load *load, int64_t duration_ns) {
  uint64_t opened = 0;
  for (int64_t end = monotonic_ns() + duration_ns; monotonic_ns() < end;) {
    load_turn(load, 100);
    opened += load_replace_ready(load);
  }
  return opened;
}

void measure_openings(struct load *load, const struct plan *plan) {
  load_start(load, plan->connections);
  load_begin(load, plan->connections);
  openings_run(load, WARM_NS);
  int64_t cpu = processes_cpu_ns(&plan->servers), start = monotonic_ns();
  uint64_t opened = openings_run(load, (int64_t)plan->seconds * 1000000000);
  int64_t wall = monotonic_ns() - start;
  cpu = processes_cpu_ns(&plan->servers) - cpu;
  printf("{\"mode\":\"openings\",\"dialect\":\"%s\",\"at_once\":%u,\"opened\":%llu,"
         "\"opened_per_second\":%.0f,\"cpu_us_per_opening\":%.2f,\"server_busy\":%.3f}\n",
         load_dialect_name(load), plan->connections, (unsigned long long)opened,
         per((double)opened * 1e9, (double)wall), per((double)cpu / 1e3, (double)opened),
         per((double)cpu, (double)wall));
}
