// Busy channels of some size: what one delivery costs the servers. See measurements.h.
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "measurements.h"
#include "server-usage.h"

// The number of participants is told within a second of the last entering: not to be measured.
enum { PRESENCE_MS = 1200 };

struct chatter {
  uint64_t delivered, answered;
};

static void chatter_delivered(struct load *load, unsigned index) {
  (void)index;
  ((struct chatter *)load->measurement)->delivered++;
}

static void chatter_answered(struct load *load, unsigned index) {
  (void)index;
  ((struct chatter *)load->measurement)->answered++;
}

// Sends at the plan's rate, and waits for the last delivery and the last answer.
static void chatter_run(struct load *load, const struct plan *plan, unsigned seconds) {
  struct chatter *chatter = load->measurement;
  unsigned messages = plan->rate * seconds;
  uint64_t answers = chatter->answered + messages, deliveries = chatter->delivered;
  int64_t start = monotonic_ns(), interval = 1000000000 / (int64_t)plan->rate;
  for (unsigned sent = 0; sent < messages || chatter->answered < answers ||
                          chatter->delivered < deliveries;) {
    int64_t due = start + (int64_t)sent * interval;
    if (sent == messages) {
      load_turn(load, 1000);
    } else if (monotonic_ns() < due) {
      load_turn_until(load, due);
    } else {
      // Senders of all channels, and so of all servers, take turns.
      unsigned sender = (unsigned)((uint64_t)sent * 7919 % plan->connections);
      unsigned channel = sender % plan->channels;
      deliveries += plan->connections / plan->channels +
                    (channel < plan->connections % plan->channels) - 1;
      load_send(load, sender, 1, plan->message_bytes);
      sent++;
    }
  }
}

void measure_chatter(struct load *load, const struct plan *plan) {
  if (load->dialect == RAW || plan->channels == 0) fail("chatter needs Parley and channels");
  struct chatter chatter = {0};
  load->channels = plan->channels;
  load->creators = plan->channels;
  load_start(load, plan->connections);
  load_open(load, plan->connections);
  load_rest(load, PRESENCE_MS);
  load->measurement = &chatter;
  load->on_delivery = chatter_delivered;
  load->on_answer = chatter_answered;
  chatter_run(load, plan, 1);

  uint64_t delivered = chatter.delivered, messages = chatter.answered;
  struct cpu_usage cpu = cpu_since((struct cpu_usage){0}, plan);
  int64_t start = monotonic_ns();
  chatter_run(load, plan, plan->seconds);
  int64_t wall = monotonic_ns() - start;
  cpu = cpu_since(cpu, plan);
  delivered = chatter.delivered - delivered;
  messages = chatter.answered - messages;
  printf("{\"mode\":\"chatter\",\"dialect\":\"parley\",\"senders\":%u,\"channels\":%u,"
         "\"rate\":%u,\"messages\":%" PRIu64 ",\"deliveries\":%" PRIu64 ",\"wall_ms\":%.1f,"
         "\"server_cpu_ms\":%.1f,\"database_cpu_ms\":%.1f,\"broker_cpu_ms\":%.1f,"
         "\"cpu_ns_per_delivery\":%.1f,\"cpu_us_per_message\":%.2f}\n",
         plan->connections, plan->channels, plan->rate, messages, delivered, (double)wall / 1e6,
         (double)cpu.servers / 1e6, (double)cpu.database / 1e6, (double)cpu.broker / 1e6,
         per((double)cpu.servers, (double)delivered),
         per((double)cpu.servers / 1e3, (double)messages));
}
