// Latency beside link previews: what one quiet channel notices of them. See measurements.h.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measurements.h"
#include "server-usage.h"
#include "times.h"

enum {
  PROBES_PER_SECOND = 50,
  WARM_SECONDS = 1,
  // What a phase leaves behind (writes of the cache, say) is not to be measured with the next one.
  REST_MS = 500,
  LONGEST_DRAIN_SECONDS = 10,
  PAGE_DIGITS = 8,
};

enum traffic { QUIET, TEXT, LINKS };

static const char *const traffic_names[] = {"quiet", "text", "links"};

// The same backwards as forwards: a machine that slowly changes its speed divides out.
static const enum traffic cycle[] = {QUIET, TEXT, LINKS, TEXT, QUIET};
enum { PHASES = sizeof cycle / sizeof *cycle };

struct times {
  int64_t *ns;
  unsigned count;
};

// One place in the cycle, all cycles together.
struct phase {
  enum traffic traffic;
  unsigned probes;
  int64_t *sent_ns;  // by probe
  struct times answers, deliveries;
  int64_t server_cpu_ns, unfurler_cpu_ns;
};

// Connection 0 sends to channel 0, where `listener` hears it. The other channels have a sender and
// a subscriber each, in the same order.
struct previews {
  const struct plan *plan;
  unsigned listener;
  struct phase *phase;  // the present one
  int64_t *page_sent_ns;  // by page of the run
  unsigned pages;
  struct times arrivals;  // of previews, all phases
  uint64_t jitter;
};

static void probe_came(struct phase *phase, struct times *times) {
  if (times->count >= phase->probes) fail("a message that nobody sent");
  times->ns[times->count] = monotonic_ns() - phase->sent_ns[times->count];
  times->count++;
}

static void previews_answered(struct load *load, unsigned index) {
  struct previews *previews = load->measurement;
  if (index == 0) probe_came(previews->phase, &previews->phase->answers);
}

static void previews_delivered(struct load *load, unsigned index) {
  struct previews *previews = load->measurement;
  if (index == previews->listener) probe_came(previews->phase, &previews->phase->deliveries);
}

// The number of the page in the message's text.
static unsigned page_of(const char *event, size_t size) {
  static const char start[] = "\"message\":\"page ";
  const char *at = memmem(event, size, start, sizeof start - 1);
  char digits[PAGE_DIGITS + 1] = "";
  if (!at || (size_t)(event + size - at) < sizeof start - 1 + PAGE_DIGITS)
    fail("an update of another message: %.*s", (int)size, event);
  memcpy(digits, at + sizeof start - 1, PAGE_DIGITS);
  return (unsigned)strtoul(digits, NULL, 10);
}

static void previews_updated(struct load *load, unsigned index, const char *event, size_t size) {
  struct previews *previews = load->measurement;
  if (index <= previews->listener) return;
  unsigned page = page_of(event, size);
  char title[64];
  int title_size = snprintf(title, sizeof title, "\"og:title\":\"Page %08u ", page);
  if (page >= previews->pages || !memmem(event, size, title, (size_t)title_size))
    fail("not the preview of page %u: %.*s", page, (int)size, event);
  if (previews->page_sent_ns[page] == 0) fail("a second preview of page %u", page);
  struct times *arrivals = &previews->arrivals;
  arrivals->ns[arrivals->count++] = monotonic_ns() - previews->page_sent_ns[page];
  previews->page_sent_ns[page] = 0;
}

static void send_probe(struct load *load) {
  struct previews *previews = load->measurement;
  struct phase *phase = previews->phase;
  phase->sent_ns[phase->probes++] = monotonic_ns();
  load_send(load, 0, 1, previews->plan->message_bytes);
}

// The same characters with and without a link, but for those that make it one.
static void send_other(struct load *load, unsigned serial, enum traffic traffic) {
  struct previews *previews = load->measurement;
  const struct plan *plan = previews->plan;
  unsigned page = previews->pages;
  char text[160];
  snprintf(text, sizeof text, "page %08u, see http://127.0.0.%u:%u/%08u for what is said there",
           page, 2 + page % plan->addresses, plan->pages_port, page);
  if (traffic == TEXT) {
    for (char *at = text; *at; at++)
      if (strchr(".:/", *at)) *at = '-';
  } else {
    previews->page_sent_ns[page] = monotonic_ns();
    previews->pages++;
  }
  load_send_text(load, 1 + serial % plan->channels, text);
}

static int64_t earlier(int64_t left, int64_t right) { return left < right ? left : right; }

// Probes come at even intervals, but for up to half of one: in step with the other traffic they
// would always meet it in the same way.
static int64_t probe_due(struct previews *previews, int64_t start, unsigned probe) {
  int64_t interval = 1000000000 / PROBES_PER_SECOND;
  previews->jitter = previews->jitter * 6364136223846793005u + 1442695040888963407u;
  return start + probe * interval + (int64_t)((previews->jitter >> 33) % (uint64_t)(interval / 2));
}

static void send_all(struct load *load, unsigned seconds) {
  struct previews *previews = load->measurement;
  enum traffic traffic = previews->phase->traffic;
  int64_t start = monotonic_ns(), end = start + seconds * (int64_t)1000000000;
  int64_t interval = 1000000000 / previews->plan->rate;
  int64_t probe_at = probe_due(previews, start, 0), other_at = traffic == QUIET ? end : start;
  unsigned probes = 0, others = 0;
  for (int64_t now; (now = monotonic_ns()) < end;) {
    if (now >= probe_at) {
      send_probe(load);
      probe_at = probe_due(previews, start, ++probes);
    }
    if (now >= other_at) {
      send_other(load, others++, traffic);
      other_at = start + others * interval;
    }
    load_turn_until(load, earlier(end, earlier(probe_at, other_at)));
  }
}

static bool is_drained(const struct previews *previews) {
  const struct phase *phase = previews->phase;
  return phase->answers.count == phase->probes && phase->deliveries.count == phase->probes &&
         previews->arrivals.count == previews->pages;
}

// Sends, and waits for what is still on its way; previews that do not come are counted at the end.
static void run_phase(struct load *load, unsigned seconds) {
  struct previews *previews = load->measurement;
  const struct phase *phase = previews->phase;
  send_all(load, seconds);
  int64_t end = monotonic_ns() + LONGEST_DRAIN_SECONDS * (int64_t)1000000000;
  while (!is_drained(previews) && monotonic_ns() < end) load_turn(load, 100);
  if (phase->answers.count < phase->probes || phase->deliveries.count < phase->probes)
    fail("messages without links were not answered or delivered");
}

static int64_t unfurler_cpu_ns(const struct plan *plan) {
  return plan->unfurler > 0 ? process_cpu_ns(plan->unfurler) : 0;
}

static void measure_phase(struct load *load, struct phase *phase) {
  struct previews *previews = load->measurement;
  const struct plan *plan = previews->plan;
  previews->phase = phase;
  load_rest(load, REST_MS);
  phase->server_cpu_ns -= processes_cpu_ns(&plan->servers);
  phase->unfurler_cpu_ns -= unfurler_cpu_ns(plan);
  run_phase(load, plan->seconds);
  phase->server_cpu_ns += processes_cpu_ns(&plan->servers);
  phase->unfurler_cpu_ns += unfurler_cpu_ns(plan);
}

static void print_times(const char *name, struct times *times) {
  if (times->count == 0) fail("nothing was measured");
  sort_times(times->ns, times->count);
  printf("\"%s_p50_us\":%.1f,\"%s_p99_us\":%.1f", name, (double)times->ns[times->count / 2] / 1e3,
         name, (double)times->ns[(uint64_t)times->count * 99 / 100] / 1e3);
}

static void print_phase(struct phase *phase) {
  printf("{\"traffic\":\"%s\",\"samples\":%u,", traffic_names[phase->traffic], phase->probes);
  print_times("ack", &phase->answers);
  printf(",");
  print_times("delivery", &phase->deliveries);
  printf(",\"server_cpu_ms\":%.1f,\"unfurler_cpu_ms\":%.1f}", (double)phase->server_cpu_ns / 1e6,
         (double)phase->unfurler_cpu_ns / 1e6);
}

static int64_t *room_for(size_t count) {
  int64_t *ns = calloc(count, sizeof *ns);
  if (!ns) fail("out of memory");
  return ns;
}

static struct phase make_phase(enum traffic traffic, unsigned seconds) {
  size_t probes = PROBES_PER_SECOND * seconds + 1;
  return (struct phase){.traffic = traffic,
                        .sent_ns = room_for(probes),
                        .answers.ns = room_for(probes),
                        .deliveries.ns = room_for(probes)};
}

static void free_phase(struct phase *phase) {
  free(phase->sent_ns);
  free(phase->answers.ns);
  free(phase->deliveries.ns);
}

static void open_channels(struct load *load, const struct plan *plan) {
  load->channels = load->creators = plan->channels + 1;
  load_start(load, 2 * load->channels);
  load_open(load, 2 * load->channels);
  load->on_answer = previews_answered;
  load->on_delivery = previews_delivered;
  load->on_update = previews_updated;
}

static void warm_up(struct load *load) {
  struct previews *previews = load->measurement;
  struct phase warm = make_phase(LINKS, WARM_SECONDS);
  previews->phase = &warm;
  run_phase(load, WARM_SECONDS);
  free_phase(&warm);
}

void measure_previews(struct load *load, const struct plan *plan) {
  if (load->dialect == RAW) fail("the bare loop has no previews");
  if (plan->channels == 0 || plan->pages_port == 0) fail("--channels and --pages-port are needed");
  unsigned seconds = plan->seconds * plan->cycles;
  size_t pages = (size_t)plan->rate * (seconds + WARM_SECONDS) + plan->cycles + 2;
  struct previews previews = {.plan = plan, .listener = plan->channels + 1, .jitter = 1};
  previews.page_sent_ns = room_for(pages);
  previews.arrivals.ns = room_for(pages);
  struct phase phases[PHASES];
  for (unsigned i = 0; i < PHASES; i++) phases[i] = make_phase(cycle[i], seconds);
  load->measurement = &previews;
  open_channels(load, plan);

  warm_up(load);
  unsigned warm_pages = previews.pages, warm_arrivals = previews.arrivals.count;
  for (unsigned i = 0; i < plan->cycles * PHASES; i++) measure_phase(load, &phases[i % PHASES]);

  printf("{\"mode\":\"previews\",\"rate\":%u,\"seconds\":%u,\"phases\":[", plan->rate, seconds);
  for (unsigned i = 0; i < PHASES; i++) {
    if (i > 0) printf(",");
    print_phase(&phases[i]);
    free_phase(&phases[i]);
  }
  printf("],\"previews_asked\":%u,\"previews_arrived\":%u,", previews.pages - warm_pages,
         previews.arrivals.count - warm_arrivals);
  print_times("preview", &previews.arrivals);
  printf("}\n");
  free(previews.page_sent_ns);
  free(previews.arrivals.ns);
}
