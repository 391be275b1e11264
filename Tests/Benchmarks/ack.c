// Acknowledgement: how long one sender waits at light load. See measurements.h.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "measurements.h"
#include "server-usage.h"
#include "times.h"

struct ack {
  int64_t *sent;  // by message; replaced by the latency when the answer comes
  unsigned answered;
};

static void ack_answered(struct load *load, unsigned index) {
  struct ack *ack = load->measurement;
  bool is_answer = load->dialect == PARLEY ? index == 0 : index == 1;
  if (!is_answer) return;
  ack->sent[ack->answered] = monotonic_ns() - ack->sent[ack->answered];
  ack->answered++;
}

void measure_ack(struct load *load, const struct plan *plan) {
  unsigned warm = plan->rate, total = warm + plan->rate * plan->seconds;
  struct ack ack = {.sent = calloc(total, sizeof *ack.sent)};
  if (!ack.sent) fail("out of memory");
  load->channels = load->dialect == PARLEY ? 1 : 0;
  load->creators = 1;
  load_start(load, plan->connections + 1);
  load_open(load, plan->connections + 1);
  load->measurement = &ack;
  if (load->dialect == PARLEY) load->on_answer = ack_answered;
  else load->on_delivery = ack_answered;

  int64_t start = monotonic_ns(), interval = 1000000000 / (int64_t)plan->rate;
  for (unsigned sent = 0; ack.answered < total;) {
    int64_t now = monotonic_ns(), due = start + (int64_t)sent * interval;
    if (sent < total && now >= due) {
      ack.sent[sent++] = now;
      load_send(load, 0, 1, plan->message_bytes);
    } else {
      load_turn(load, sent < total ? (int)((due - now) / 1000000) + 1 : 1000);
    }
  }
  unsigned count = total - warm;
  int64_t *times = ack.sent + warm;
  sort_times(times, count);
  printf("{\"mode\":\"ack\",\"dialect\":\"%s\",\"subscribers\":%u,\"rate\":%u,\"samples\":%u,"
         "\"p50_us\":%.1f,\"p99_us\":%.1f,\"max_us\":%.1f}\n",
         load_dialect_name(load), plan->connections, plan->rate, count,
         (double)times[count / 2] / 1e3,
         (double)times[(uint64_t)count * 99 / 100] / 1e3, (double)times[count - 1] / 1e3);
  free(ack.sent);
}
