// The time until a session is open, and until it hears its groups. See measurements.h.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "measurements.h"
#include "server-usage.h"
#include "times.h"

enum { WARM_SESSIONS = 3 };

struct session_times {
  int64_t steps[3];  // when each step of the present session was taken
};

static void stepped(struct load *load, unsigned index, enum setup_step step) {
  (void)index;
  struct session_times *now = load->measurement;
  now->steps[step] = monotonic_ns();
}

void measure_sessions(struct load *load, const struct plan *plan) {
  struct session_times now;
  int64_t *opened = calloc(plan->messages, sizeof *opened);
  int64_t *hearing = calloc(plan->messages, sizeof *hearing);
  if (!opened || !hearing) fail("out of memory");
  load->groups = true;
  load->measurement = &now;
  load->on_setup = stepped;
  load_start(load, 1);
  int64_t interval = 1000000000 / (int64_t)plan->rate, cpu = 0;
  for (unsigned i = 0; i < plan->messages + WARM_SESSIONS; i++) {
    if (i == WARM_SESSIONS) cpu = processes_cpu_ns(&plan->servers);
    int64_t start = monotonic_ns();
    if (i == 0) load_begin(load, 1);
    else load_replace_ready(load);
    while (load->ready == 0) load_turn(load, 1000);
    if (i >= WARM_SESSIONS) {
      opened[i - WARM_SESSIONS] = now.steps[SESSION_OPENED] - now.steps[SESSION_ASKED];
      hearing[i - WARM_SESSIONS] = now.steps[GROUPS_READY] - now.steps[SESSION_ASKED];
    }
    while (monotonic_ns() < start + interval) load_turn_until(load, start + interval);
  }
  cpu = processes_cpu_ns(&plan->servers) - cpu;
  unsigned count = plan->messages;
  sort_times(opened, count);
  sort_times(hearing, count);
  printf("{\"mode\":\"sessions\",\"sessions\":%u,\"open_p50_us\":%.1f,\"open_p99_us\":%.1f,"
         "\"ready_p50_us\":%.1f,\"ready_p99_us\":%.1f,\"ready_max_us\":%.1f,"
         "\"cpu_us_per_session\":%.1f}\n",
         count, quantile_us(opened, count, 50), quantile_us(opened, count, 99),
         quantile_us(hearing, count, 50), quantile_us(hearing, count, 99),
         quantile_us(hearing, count, 100), per((double)cpu / 1e3, count));
  free(opened);
  free(hearing);
}
