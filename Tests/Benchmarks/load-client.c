// Loads a WebSocket server on 127.0.0.1 and prints one measurement as a line of JSON.
//
//   load-client MODE --dialect raw|parley --port N[,N…] --server PID[,PID…] [option value]…
//
//   fanout   --connections (subscribers) --messages --in-flight --bytes
//   idle     --connections --channels (0: only the session is opened) --warm (open before)
//   ack      --connections (subscribers) --rate --seconds --bytes
//   latency  --connections (subscribers) --rate --seconds --bytes
//   openings --connections (handshakes under way) --seconds; what is ready depends on the dialect
//   durable  --connections (senders) --channels --in-flight (of each sender) --seconds --bytes
//   chatter  --connections (senders) --channels --rate (of all) --seconds --bytes
//   previews --channels (beside the measured one) --rate (of those) --seconds (of a phase) --cycles
//            --bytes --unfurler (PID) --pages-port --addresses
//   calls    --connections --messages (calls) --rate --request (members of the JSON of each, without id)
//   sessions --messages (sessions, one after another) --rate
//   reading  --connections (members) --cycles --bytes
//   all      --groups yes (channels are groups of the users bench-N, which exist), --first-user N,
//            --users N (who have all connections),
//            --tls yes (1.3, AES-128; the certificate is not verified), --timeout (seconds, 120),
//            --path, --publisher-path (of a server that has another for the connection that
//            publishes), --ephemeral yes (Parley's channels keep no messages),
//            --channel-prefix, --database PID, --broker PID (whose CPU time is printed beside)
//
// One process, one thread, one epoll loop. CPU time and memory are the server process's, read from
// the kernel, so what this program itself costs is in none of the figures but wall time.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "connections.h"
#include "measurements.h"
#include "server-usage.h"

static const struct mode {
  const char *name;
  void (*measure)(struct load *load, const struct plan *plan);
} modes[] = {
    {"fanout", measure_fanout},
    {"idle", measure_idle},
    {"ack", measure_ack},
    {"latency", measure_latency},
    {"openings", measure_openings},
    {"calls", measure_calls},
    {"sessions", measure_sessions},
    {"reading", measure_reading},
    {"durable", measure_durable},
    {"chatter", measure_chatter},
    {"previews", measure_previews},
};

static unsigned number(const char *option, const char *text, unsigned low, unsigned high) {
  char *end;
  unsigned long value = strtoul(text, &end, 10);
  if (end == text || *end || value < low || value > high)
    fail("%s must be a number from %u to %u, not %s", option, low, high, text);
  return (unsigned)value;
}

static SSL_CTX *client_tls(void) {
  SSL_CTX *tls = SSL_CTX_new(TLS_client_method());
  if (!tls) fail("no TLS");
  SSL_CTX_set_min_proto_version(tls, TLS1_3_VERSION);
  // Servers would choose different ones, and it is not these that are to be compared.
  if (SSL_CTX_set_ciphersuites(tls, "TLS_AES_128_GCM_SHA256") != 1) fail("no such cipher suite");
  SSL_CTX_set_verify(tls, SSL_VERIFY_NONE, NULL);
  SSL_CTX_set_mode(tls, SSL_MODE_RELEASE_BUFFERS);
  return tls;
}

// Reads numbers with commas between them; returns how many.
static unsigned numbers(const char *option, const char *text, unsigned low, unsigned high,
                        unsigned into[static 8]) {
  unsigned count = 0;
  char copy[128];
  if (snprintf(copy, sizeof copy, "%s", text) >= (int)sizeof copy) fail("%s is too long", option);
  for (char *word = strtok(copy, ","); word; word = strtok(NULL, ",")) {
    if (count == 8) fail("%s takes 8 numbers at most", option);
    into[count++] = number(option, word, low, high);
  }
  return count;
}

static void read_ports(struct load *load, const char *text) {
  unsigned ports[8];
  load->port_count = numbers("--port", text, 1, 65535, ports);
  for (unsigned i = 0; i < load->port_count; i++) load->ports[i] = (uint16_t)ports[i];
}

static struct processes processes(const char *option, const char *text) {
  unsigned ids[8];
  struct processes processes = {.count = numbers(option, text, 2, 1u << 30, ids)};
  for (unsigned i = 0; i < processes.count; i++) processes.ids[i] = (pid_t)ids[i];
  return processes;
}

static void read_option(struct load *load, struct plan *plan, const char *name, const char *value) {
  const struct {
    const char *name;
    unsigned *field;
    unsigned low, high;
  } numbers[] = {
      {"--connections", &plan->connections, 1, 100000},
      {"--messages", &plan->messages, 1, 10000000},
      {"--warm", &plan->warm, 1, 10000},
      {"--in-flight", &plan->in_flight, 1, 1000},
      {"--channels", &plan->channels, 0, 10000},
      {"--bytes", &plan->message_bytes, 16, 4000},
      {"--rate", &plan->rate, 1, 100000},
      {"--seconds", &plan->seconds, 1, 600},
      {"--cycles", &plan->cycles, 1, 100},
      {"--pages-port", &plan->pages_port, 1, 65535},
      {"--addresses", &plan->addresses, 1, 250},
      {"--first-user", &load->first_user, 0, 1000000},
      {"--users", &load->users, 1, 1000000},
  };
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    if (strcmp(name, numbers[i].name)) continue;
    *numbers[i].field = number(name, value, numbers[i].low, numbers[i].high);
    return;
  }
  if (!strcmp(name, "--dialect") && !strcmp(value, "raw")) load->dialect = RAW;
  else if (!strcmp(name, "--dialect") && !strcmp(value, "parley")) load->dialect = PARLEY;
  else if (!strcmp(name, "--port")) read_ports(load, value);
  else if (!strcmp(name, "--server")) plan->servers = processes(name, value);
  else if (!strcmp(name, "--database")) plan->database = processes(name, value);
  else if (!strcmp(name, "--broker")) plan->broker = processes(name, value);
  else if (!strcmp(name, "--channel-prefix")) load->channel_prefix = value;
  else if (!strcmp(name, "--unfurler")) plan->unfurler = (pid_t)number(name, value, 2, 1u << 30);
  else if (!strcmp(name, "--tls") && !strcmp(value, "yes")) load->tls = client_tls();
  else if (!strcmp(name, "--ephemeral") && !strcmp(value, "yes")) load->ephemeral = true;
  else if (!strcmp(name, "--groups") && !strcmp(value, "yes")) load->groups = true;
  else if (!strcmp(name, "--request")) plan->request = value;
  else if (!strcmp(name, "--path")) load->path = value;
  else if (!strcmp(name, "--publisher-path")) load->publisher_path = value;
  else if (!strcmp(name, "--timeout"))
    load->deadline_ns = monotonic_ns() + number(name, value, 1, 86400) * (int64_t)1000000000;
  else fail("what is %s %s?", name, value);
}

int main(int count, char **words) {
  struct load load = {.path = "/v1/ws",
                      .deadline_ns = monotonic_ns() + (int64_t)120 * 1000000000};
  struct plan plan = {.connections = 1000, .messages = 1000, .warm = 64, .in_flight = 1,
                      .message_bytes = 128, .rate = 50, .seconds = 10, .cycles = 1, .addresses = 32};
  if (count < 2 || count % 2 != 0) fail("expected a mode, then pairs of option and value");
  for (int i = 2; i < count; i += 2) read_option(&load, &plan, words[i], words[i + 1]);
  if (load.port_count == 0 || plan.servers.count == 0) fail("--port and --server are needed");
  signal(SIGPIPE, SIG_IGN);
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    if (strcmp(words[1], modes[i].name)) continue;
    modes[i].measure(&load, &plan);
    load_finish(&load);
    return 0;
  }
  fail("there is no mode %s", words[1]);
}
