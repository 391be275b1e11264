// Latency beside link previews: what one quiet channel notices of them. See measurements.h.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measurements.h"
#include "server-usage.h"

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
static const enum traffic phases[] = {QUIET, TEXT, LINKS, TEXT, QUIET};

struct times {
  int64_t *ns;
  unsigned count;
};

// Connection 0 sends to channel 0, where `listener` hears it. The other channels have a sender and
// a subscriber each, in the same order.
struct previews {
  const struct plan *plan;
  unsigned listener;
  int64_t *sent_ns;  // by probe of this phase
  struct times answers, deliveries;
  int64_t *page_sent_ns;  // by page of the run
  unsigned pages;
  struct times arrivals;  // of previews, all phases
  uint64_t jitter;
};

static void previews_answered(struct load *load, unsigned index) {
  struct previews *previews = load->measurement;
  struct times *answers = &previews->answers;
  if (index != 0) return;
  answers->ns[answers->count] = monotonic_ns() - previews->sent_ns[answers->count];
  answers->count++;
}

static void previews_delivered(struct load *load, unsigned index) {
  struct previews *previews = load->measurement;
  struct times *deliveries = &previews->deliveries;
  if (index != previews->listener) return;
  deliveries->ns[deliveries->count] = monotonic_ns() - previews->sent_ns[deliveries->count];
  deliveries->count++;
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

static void send_probe(struct load *load, unsigned probe) {
  struct previews *previews = load->measurement;
  previews->sent_ns[probe] = monotonic_ns();
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

// Returns how many probes were sent.
static unsigned send_phase(struct load *load, enum traffic traffic, unsigned seconds) {
  struct previews *previews = load->measurement;
  int64_t start = monotonic_ns(), end = start + seconds * (int64_t)1000000000;
  int64_t interval = 1000000000 / previews->plan->rate;
  int64_t probe_at = probe_due(previews, start, 0), other_at = traffic == QUIET ? end : start;
  unsigned probes = 0, others = 0;
  for (int64_t now; (now = monotonic_ns()) < end;) {
    if (now >= probe_at) {
      send_probe(load, probes++);
      probe_at = probe_due(previews, start, probes);
    }
    if (now >= other_at) {
      send_other(load, others++, traffic);
      other_at = start + others * interval;
    }
    load_turn_until(load, earlier(end, earlier(probe_at, other_at)));
  }
  return probes;
}

// Waits for what is still on its way; previews that do not come are counted at the end.
static void drain(struct load *load, unsigned probes) {
  struct previews *previews = load->measurement;
  int64_t end = monotonic_ns() + LONGEST_DRAIN_SECONDS * (int64_t)1000000000;
  while (previews->answers.count < probes || previews->deliveries.count < probes ||
         previews->arrivals.count < previews->pages) {
    if (monotonic_ns() >= end) break;
    load_turn(load, 100);
  }
  if (previews->answers.count < probes || previews->deliveries.count < probes)
    fail("messages without links were not answered or delivered");
}

static int compare_times(const void *left, const void *right) {
  int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
  return (a > b) - (a < b);
}

static void print_times(const char *name, struct times *times) {
  if (times->count == 0) fail("nothing was measured");
  qsort(times->ns, times->count, sizeof *times->ns, compare_times);
  printf("\"%s_p50_us\":%.1f,\"%s_p99_us\":%.1f", name, (double)times->ns[times->count / 2] / 1e3,
         name, (double)times->ns[(uint64_t)times->count * 99 / 100] / 1e3);
}

static int64_t unfurler_cpu_ns(const struct plan *plan) {
  return plan->unfurler > 0 ? process_cpu_ns(plan->unfurler) : 0;
}

static void run_phase(struct load *load, enum traffic traffic, unsigned seconds) {
  struct previews *previews = load->measurement;
  previews->answers.count = previews->deliveries.count = 0;
  drain(load, send_phase(load, traffic, seconds));
}

static void measure_phase(struct load *load, enum traffic traffic) {
  struct previews *previews = load->measurement;
  const struct plan *plan = previews->plan;
  load_rest(load, REST_MS);
  int64_t cpu = process_cpu_ns(plan->server), unfurler = unfurler_cpu_ns(plan);
  run_phase(load, traffic, plan->seconds);
  cpu = process_cpu_ns(plan->server) - cpu;
  unfurler = unfurler_cpu_ns(plan) - unfurler;
  printf("{\"traffic\":\"%s\",\"samples\":%u,", traffic_names[traffic], previews->answers.count);
  print_times("ack", &previews->answers);
  printf(",");
  print_times("delivery", &previews->deliveries);
  printf(",\"server_cpu_ms\":%.1f,\"unfurler_cpu_ms\":%.1f}", (double)cpu / 1e6,
         (double)unfurler / 1e6);
}

static int64_t *room_for(size_t count) {
  int64_t *ns = calloc(count, sizeof *ns);
  if (!ns) fail("out of memory");
  return ns;
}

static void make_room(struct previews *previews, const struct plan *plan) {
  size_t probes = PROBES_PER_SECOND * (plan->seconds + WARM_SECONDS) + 1;
  previews->sent_ns = room_for(probes);
  previews->answers.ns = room_for(probes);
  previews->deliveries.ns = room_for(probes);
  size_t pages = (size_t)plan->rate * (plan->seconds + WARM_SECONDS) + 2;
  previews->page_sent_ns = room_for(pages);
  previews->arrivals.ns = room_for(pages);
}

void measure_previews(struct load *load, const struct plan *plan) {
  if (load->dialect == RAW) fail("the bare loop has no previews");
  if (plan->channels == 0 || plan->pages_port == 0) fail("--channels and --pages-port are needed");
  struct previews previews = {.plan = plan, .listener = plan->channels + 1, .jitter = 1};
  make_room(&previews, plan);
  load->channels = load->creators = plan->channels + 1;
  load_start(load, 2 * load->channels);
  load_open(load, 2 * load->channels);
  load->measurement = &previews;
  load->on_answer = previews_answered;
  load->on_delivery = previews_delivered;
  load->on_update = previews_updated;

  run_phase(load, LINKS, WARM_SECONDS);
  unsigned warm_pages = previews.pages;
  unsigned warm_arrivals = previews.arrivals.count;
  printf("{\"mode\":\"previews\",\"rate\":%u,\"seconds\":%u,\"phases\":[", plan->rate,
         plan->seconds);
  for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
    if (i > 0) printf(",");
    measure_phase(load, phases[i]);
  }
  printf("],\"previews_asked\":%u,\"previews_arrived\":%u,", previews.pages - warm_pages,
         previews.arrivals.count - warm_arrivals);
  print_times("preview", &previews.arrivals);
  printf("}\n");
  free(previews.sent_ns);
  free(previews.answers.ns);
  free(previews.deliveries.ns);
  free(previews.page_sent_ns);
  free(previews.arrivals.ns);
}
