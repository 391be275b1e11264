// All members of a group mark it as read at once. See measurements.h.
#define _GNU_SOURCE
#include <stdio.h>

#include "measurements.h"
#include "server-usage.h"

// The members learn of the reads at most once a second.
enum { NOTICES_MS = 1200 };

// The events of reads that the first member receives.
struct notices {
  unsigned count;
  int64_t last_ns, least_gap_ns;
};

static void noticed(struct load *load, unsigned index) {
  struct notices *notices = load->measurement;
  if (index != 0) return;
  int64_t now = monotonic_ns(), gap = now - notices->last_ns;
  if (notices->count++ > 0 && (notices->least_gap_ns == 0 || gap < notices->least_gap_ns))
    notices->least_gap_ns = gap;
  notices->last_ns = now;
}

static void await_answers(struct load *load, unsigned members, uint32_t answers) {
  for (unsigned i = 1; i < members; i++)
    while (load->connections[i].answered < answers) load_turn(load, 1000);
}

static void await_message(struct load *load, unsigned members, uint32_t received) {
  for (unsigned i = 1; i < members; i++)
    while (load->connections[i].received < received) load_turn(load, 1000);
}

void measure_reading(struct load *load, const struct plan *plan) {
  struct notices notices = {0};
  char request[256];
  load->groups = true;
  load->channels = 1;
  load->measurement = &notices;
  load->on_notice = noticed;
  load_start(load, plan->connections);
  load_open(load, plan->connections);
  snprintf(request, sizeof request, "\"method\":\"group.mark_read\",\"params\":{\"channel_url\":\"%s-0\"}",
           load->channel_prefix ? load->channel_prefix : "bench");
  int64_t cpu = 0;
  for (unsigned cycle = 1; cycle <= plan->cycles; cycle++) {
    load_send(load, 0, 1, plan->message_bytes);
    await_message(load, plan->connections, cycle);
    cpu -= processes_cpu_ns(&plan->servers);
    for (unsigned i = 1; i < plan->connections; i++) load_request(load, i, request);
    await_answers(load, plan->connections, cycle);
    load_rest(load, NOTICES_MS);
    cpu += processes_cpu_ns(&plan->servers);
  }
  double calls = (double)plan->cycles * (plan->connections - 1);
  printf("{\"mode\":\"reading\",\"members\":%u,\"calls\":%.0f,\"cpu_us_per_call\":%.2f,"
         "\"notices\":%u,\"notices_per_second\":%.3f}\n",
         plan->connections, calls, per((double)cpu / 1e3, calls), notices.count,
         per(1e9, (double)notices.least_gap_ns));
}
