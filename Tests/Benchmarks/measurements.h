// The measurements that load-client makes; each prints one line of JSON.
#ifndef BENCHMARK_MEASUREMENTS_H
#define BENCHMARK_MEASUREMENTS_H

#include <sys/types.h>

#include "connections.h"
#include "server-usage.h"

struct plan {
  struct processes servers;
  struct processes database, broker;  // beside them, of several servers
  unsigned connections;  // subscribers (fanout, ack, latency), idle connections, senders (durable,
                         // chatter), or handshakes under way (openings)
  unsigned messages;
  unsigned warm;  // connections open before the first reading (idle)
  unsigned in_flight;
  unsigned channels;
  unsigned message_bytes;
  unsigned rate;  // messages a second; of all senders (chatter), of the other channels (previews)
  unsigned seconds;
  unsigned cycles;      // of phases (previews), of messages (reading)
  const char *request;  // members of a JSON-RPC request (calls)
  pid_t unfurler;       // 0: the server looks links up itself
  unsigned pages_port;  // of page-server
  unsigned addresses;   // of page-server
};

/// CPU time in nanoseconds.
struct cpu_usage {
  int64_t servers, database, broker;
};

/// What has been used since an earlier reading, which is all zeros for the first.
static inline struct cpu_usage cpu_since(struct cpu_usage start, const struct plan *plan) {
  return (struct cpu_usage){.servers = processes_cpu_ns(&plan->servers) - start.servers,
                            .database = processes_cpu_ns(&plan->database) - start.database,
                            .broker = processes_cpu_ns(&plan->broker) - start.broker};
}

/// `amount` for each of `count`, 0 when there are none.
static inline double per(double amount, double count) { return count > 0 ? amount / count : 0; }

/// One publisher, all others subscribe: the server's CPU time for each delivery. The next message
/// is sent when one of those in flight has reached every subscriber.
void measure_fanout(struct load *load, const struct plan *plan);

/// Publishes `messages` from the first connection with at most the plan's `in_flight` on their way,
/// and waits for the last delivery and, from a server that answers, the last answer. The plan's
/// `connections` are the subscribers beside the publisher.
void fanout_run(struct load *load, const struct plan *plan, unsigned messages);

/// The server's own memory for each connection that does nothing.
void measure_idle(struct load *load, const struct plan *plan);

/// One sender at light load: the time from sending to the answer (Parley), or to the arrival at the
/// first subscriber (bare loop, which answers nothing).
void measure_ack(struct load *load, const struct plan *plan);

/// One sender at a fixed rate: the time from when a message was due to its arrival, for each
/// subscriber.
void measure_latency(struct load *load, const struct plan *plan);

/// Connections that are reset as soon as they are ready: how many in a second, and what each costs
/// the server.
void measure_openings(struct load *load, const struct plan *plan);

/// One call after another, of each connection in turn, at most `rate` a second: the time to the answer.
void measure_calls(struct load *load, const struct plan *plan);

/// One session after another of one user: the time to the answer to `session.open`, and to
/// `group.ready`.
void measure_sessions(struct load *load, const struct plan *plan);

/// After each message in a group, all members but its author mark it as read at once: what each call
/// costs the server, with what the members are told of it.
void measure_reading(struct load *load, const struct plan *plan);

/// Many channels with as many participants each, all of whom send in turn, at a fixed rate: the
/// servers' CPU time for each delivery.
void measure_chatter(struct load *load, const struct plan *plan);

/// Many senders with full windows: answered sends a second, each of them durable.
void measure_durable(struct load *load, const struct plan *plan);

/// One sender at light load beside other channels with nothing, with messages without links, and
/// with messages with links: the time to the answer and to the delivery at the one subscriber.
void measure_previews(struct load *load, const struct plan *plan);

#endif
