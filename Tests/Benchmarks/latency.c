// Delivery latency at a fixed rate. See measurements.h.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "measurements.h"
#include "server-usage.h"
#include "times.h"

// The number of participants is told within a second of the last entering: not to be measured.
enum { PRESENCE_MS = 1200 };

struct latency {
  int64_t start, interval;
  unsigned messages;
  unsigned warm;        // messages before the first that counts
  uint64_t delivered;   // of all messages to all subscribers
  int64_t *times;       // of those that count, in order of arrival
  uint64_t samples;
};

static void latency_delivered(struct load *load, unsigned index) {
  struct latency *latency = load->measurement;
  unsigned message = load->connections[index].received - 1;
  if (index == 0 || message >= latency->messages) fail("a delivery that nobody asked for");
  latency->delivered++;
  if (message < latency->warm) return;
  // From when the message was due, not from when it was sent: a client that is late must not make
  // a slow server look fast.
  int64_t due = latency->start + (int64_t)message * latency->interval;
  latency->times[latency->samples++] = monotonic_ns() - due;
}

static void latency_run(struct load *load, const struct plan *plan) {
  struct latency *latency = load->measurement;
  uint64_t wanted = (uint64_t)latency->messages * plan->connections;
  for (unsigned sent = 0; latency->delivered < wanted;) {
    int64_t due = latency->start + (int64_t)sent * latency->interval;
    if (sent == latency->messages) {
      load_turn(load, 1000);
    } else if (monotonic_ns() < due) {
      load_turn_until(load, due);
    } else {
      load_send(load, 0, 1, plan->message_bytes);
      sent++;
    }
  }
}

void measure_latency(struct load *load, const struct plan *plan) {
  struct latency latency = {.interval = 1000000000 / (int64_t)plan->rate, .warm = plan->rate,
                            .messages = plan->rate * (plan->seconds + 1)};
  uint64_t room = (uint64_t)(latency.messages - latency.warm) * plan->connections;
  latency.times = calloc(room, sizeof *latency.times);
  if (!latency.times) fail("out of memory");
  load->channels = load->dialect == PARLEY ? 1 : 0;
  load->creators = 1;
  load_start(load, plan->connections + 1);
  load_open(load, plan->connections + 1);
  load_rest(load, PRESENCE_MS);
  load->measurement = &latency;
  load->on_delivery = latency_delivered;
  latency.start = monotonic_ns();
  struct cpu_usage cpu = cpu_since((struct cpu_usage){0}, plan);
  latency_run(load, plan);
  int64_t wall = monotonic_ns() - latency.start;
  cpu = cpu_since(cpu, plan);

  uint64_t count = latency.samples;
  sort_times(latency.times, count);
  printf("{\"mode\":\"latency\",\"dialect\":\"%s\",\"subscribers\":%u,\"rate\":%u,"
         "\"samples\":%llu,\"p50_us\":%.1f,\"p99_us\":%.1f,\"max_us\":%.1f,"
         "\"server_busy\":%.3f,\"server_cpu_ms\":%.1f,\"database_cpu_ms\":%.1f,"
         "\"broker_cpu_ms\":%.1f}\n",
         load_dialect_name(load), plan->connections, plan->rate, (unsigned long long)count,
         (double)latency.times[count / 2] / 1e3, (double)latency.times[count * 99 / 100] / 1e3,
         (double)latency.times[count - 1] / 1e3, per((double)cpu.servers, (double)wall),
         (double)cpu.servers / 1e6, (double)cpu.database / 1e6, (double)cpu.broker / 1e6);
  free(latency.times);
}
