// Idle connections: what each keeps in the server's memory. See measurements.h.
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "measurements.h"
#include "server-usage.h"

enum {
  SETTLE_TURN_MS = 500,
  SETTLE_MAX_TURNS = 20,
};

// Keeps the connections alive until three readings in a row agree to half a per cent.
static struct memory_usage settled_memory(struct load *load, pid_t server) {
  struct memory_usage last = process_memory(server);
  for (int turn = 0, agreed = 0; turn < SETTLE_MAX_TURNS && agreed < 2; turn++) {
    load_rest(load, SETTLE_TURN_MS);
    struct memory_usage now = process_memory(server);
    bool same = llabs(now.private_dirty - last.private_dirty) <= last.private_dirty / 200;
    agreed = same ? agreed + 1 : 0;
    last = now;
  }
  return last;
}

void measure_idle(struct load *load, const struct plan *plan) {
  load->channels = plan->channels;
  load->creators = plan->channels;
  unsigned warm = plan->channels > plan->warm ? plan->channels : plan->warm;
  load_start(load, warm + plan->connections);
  load_open(load, warm);
  struct memory_usage before = settled_memory(load, plan->servers.ids[0]);
  int64_t start = monotonic_ns(), cpu = processes_cpu_ns(&plan->servers);
  load_open(load, warm + plan->connections);
  int64_t wall = monotonic_ns() - start;
  cpu = processes_cpu_ns(&plan->servers) - cpu;
  struct memory_usage after = settled_memory(load, plan->servers.ids[0]);
  double count = plan->connections;
  printf("{\"mode\":\"idle\",\"dialect\":\"%s\",\"connections\":%u,\"channels\":%u,"
         "\"private_dirty_before\":%" PRId64 ",\"private_dirty_after\":%" PRId64 ","
         "\"private_dirty_per_connection\":%.1f,\"pss_per_connection\":%.1f,"
         "\"opened_per_second\":%.0f,\"cpu_us_per_opening\":%.1f}\n",
         load_dialect_name(load), plan->connections, plan->channels, before.private_dirty,
         after.private_dirty, per((double)(after.private_dirty - before.private_dirty), count),
         per((double)(after.pss - before.pss), count), per(count * 1e9, (double)wall),
         per((double)cpu / 1e3, count));
}
