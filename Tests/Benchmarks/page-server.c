// The pages that previews are made of: an HTTP server that does nothing else.
//
// Single-threaded, epoll. Every GET is answered with one HTML page of about 8 KB, a head as sites
// write them with Open Graph tags in it and some body; the number at the end of the path is in the
// title, the description and the picture, so each path has a preview of its own. It listens on one
// port of many loopback addresses, so that limits for one host do not rule the figures.
//
//   page-server [--addresses N] [--close]
//
//   --addresses  127.0.0.2 and the addresses after it, 1 to 250; 32 is the default
//   --close      closes each connection after its answer, instead of keeping it
//
// Prints "listening on 127.0.0.2:PORT" at start, and on SIGTERM how many pages and connections
// there were and the CPU time, as a line of JSON. A client that cannot take a whole page at once,
// or asks for anything else, is dropped.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
  ADDRESSES_MAX = 250,
  CLIENTS_MAX = 1 << 15,
  REQUEST_MAX = 4096,
  BODY_BYTES = 8192,
  ANSWER_MAX = BODY_BYTES + 512,
  NUMBER_DIGITS = 8,
  NUMBERS_MAX = 16,
  EVENTS_MAX = 256,
};

static struct client {
  unsigned char *rest;  // the beginning of a request whose end has not come
  size_t rest_size;
} clients[CLIENTS_MAX];  // by descriptor

static char answer[ANSWER_MAX];
static size_t answer_size;
static size_t numbers[NUMBERS_MAX];  // where the page's number stands in `answer`
static unsigned number_count;

static bool closes;
static int poller;
static uint64_t pages, connections;

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\" prefix=\"og: https://ogp.me/ns#\">\n<head>\n"
    "<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>Page ######## &#8211; The Benchmark Gazette</title>\n"
    "<link rel=\"preload\" href=\"/fonts/text.woff2\" as=\"font\" type=\"font/woff2\">\n"
    "<link rel=\"stylesheet\" href=\"/css/site.css?v=81\">\n"
    "<style>body{margin:0;font:16px/1.5 sans-serif}.lead>p{max-width:60ch}</style>\n"
    "<script>window.dataLayer=window.dataLayer||[];if(1<2){dataLayer.push({'page':'x'})}</script>\n"
    "<meta name=\"description\" content=\"What stands on page ########.\">\n"
    "<link rel=\"canonical\" href=\"/########\">\n"
    "<meta property=\"og:locale\" content=\"en_GB\">\n"
    "<meta property=\"og:type\" content=\"article\">\n"
    "<meta property=\"og:title\" content=\"Page ######## &amp; what it says\">\n"
    "<meta property=\"og:description\" content=\"What stands on page ########: a few hundred words"
    " about nothing in particular, so that a preview has something to show.\">\n"
    "<meta property=\"og:url\" content=\"/########\">\n"
    "<meta property=\"og:site_name\" content=\"The Benchmark Gazette\">\n"
    "<meta property=\"article:published_time\" content=\"2024-05-01T08:00:00+00:00\">\n"
    "<meta property=\"og:image\" content=\"/pictures/########.jpg\">\n"
    "<meta property=\"og:image:width\" content=\"1200\">\n"
    "<meta property=\"og:image:height\" content=\"630\">\n"
    "<meta property=\"og:image:type\" content=\"image/jpeg\">\n"
    "<meta property=\"og:image:alt\" content=\"A picture of page ########\">\n"
    "<meta name=\"twitter:card\" content=\"summary_large_image\">\n"
    "<meta name=\"generator\" content=\"page-server\">\n"
    "<link rel=\"icon\" href=\"/icon-32.png\" sizes=\"32x32\">\n"
    "<link rel=\"alternate\" type=\"application/rss+xml\" title=\"Feed\" href=\"/feed/\">\n"
    "<script async src=\"/js/site.js?v=81\"></script>\n"
    "</head>\n<body class=\"post single\">\n<main class=\"lead\">\n<h1>Page ########</h1>\n";

static const char paragraph[] =
    "<p>It had rained all night &amp; the path along the river was <em>soft</em>, so we took the"
    " <a href=\"/roads/upper\">upper road</a>, past the mill and both farms.</p>\n";

static const char tail[] = "</main>\n</body>\n</html>\n";

static void die(const char *what) {
  perror(what);
  exit(1);
}

static void add(const char *text) {
  size_t size = strlen(text);
  if (size > sizeof answer - answer_size) {
    fputs("page-server: the page has no room\n", stderr);
    exit(1);
  }
  memcpy(answer + answer_size, text, size);
  answer_size += size;
}

// Builds the answer once; each page differs in its number only.
static void build_answer(void) {
  size_t room = BODY_BYTES - strlen(head) - strlen(tail);
  size_t paragraphs = room / strlen(paragraph);
  size_t body = strlen(head) + paragraphs * strlen(paragraph) + strlen(tail);
  char fields[256];
  snprintf(fields, sizeof fields,
           "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %zu\r\n"
           "Cache-Control: max-age=3600\r\nConnection: %s\r\n\r\n",
           body, closes ? "close" : "keep-alive");
  add(fields);
  add(head);
  for (size_t i = 0; i < paragraphs; i++) add(paragraph);
  add(tail);
  char *at = answer, *end = answer + answer_size;
  while ((at = memmem(at, (size_t)(end - at), "########", NUMBER_DIGITS)) && at < end) {
    if (number_count == NUMBERS_MAX) break;
    numbers[number_count++] = (size_t)(at - answer);
    at += NUMBER_DIGITS;
  }
}

static void drop(int fd) {
  free(clients[fd].rest);
  clients[fd] = (struct client){0};
  close(fd);
}

// The digits before the path's end, as far as there is room for them.
static void number_page(const char *path, size_t size) {
  char digits[NUMBER_DIGITS];
  memset(digits, '0', sizeof digits);
  for (size_t i = 0; i < NUMBER_DIGITS && i < size; i++) {
    char digit = path[size - 1 - i];
    if (digit < '0' || digit > '9') break;
    digits[NUMBER_DIGITS - 1 - i] = digit;
  }
  for (unsigned i = 0; i < number_count; i++) memcpy(answer + numbers[i], digits, NUMBER_DIGITS);
}

// Answers one request; returns its size, 0 when it is not complete, -1 when the client must go.
static long serve(int fd, const char *bytes, size_t count) {
  const char *end = memmem(bytes, count, "\r\n\r\n", 4);
  if (!end) return count < REQUEST_MAX ? 0 : -1;
  if (memcmp(bytes, "GET /", 5) != 0) return -1;
  const char *path = bytes + 4, *path_end = memchr(path, ' ', (size_t)(end - path));
  if (!path_end) return -1;
  number_page(path, (size_t)(path_end - path));
  if (send(fd, answer, answer_size, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)answer_size) return -1;
  pages++;
  return closes ? -1 : end + 4 - bytes;
}

static bool keep_rest(struct client *client, const char *bytes, size_t count) {
  free(client->rest);
  client->rest = NULL;
  client->rest_size = count;
  if (count == 0) return true;
  client->rest = malloc(count);
  if (client->rest) memcpy(client->rest, bytes, count);
  return client->rest != NULL;
}

static void ready_to_read(int fd) {
  static char input[2 * REQUEST_MAX];
  struct client *client = &clients[fd];
  size_t size = client->rest_size;
  if (size > 0) memcpy(input, client->rest, size);
  ssize_t count = recv(fd, input + size, sizeof input - size, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) return drop(fd);
  size += (size_t)count;
  size_t done = 0;
  while (done < size) {
    long taken = serve(fd, &input[done], size - done);
    if (taken < 0) return drop(fd);
    if (taken == 0) break;
    done += (size_t)taken;
  }
  if (!keep_rest(client, input + done, size - done)) drop(fd);
}

static void watch(int fd) {
  struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
  if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event) < 0) die("epoll_ctl");
}

static void accept_all(int listener) {
  for (;;) {
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return;
    if (fd >= CLIENTS_MAX) {
      close(fd);
      continue;
    }
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connections++;
    watch(fd);
  }
}

// Listens on `count` addresses; the kernel picks the port of the first, the others take the same.
static int listen_on(int listeners[], unsigned count) {
  struct sockaddr_in address = {.sin_family = AF_INET};
  for (unsigned i = 0; i < count; i++) {
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1 + i);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), on = 1;
    socklen_t size = sizeof address;
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0 ||
        bind(fd, (struct sockaddr *)&address, size) < 0 || listen(fd, 4096) < 0 ||
        getsockname(fd, (struct sockaddr *)&address, &size) < 0)
      die("listen");
    listeners[i] = fd;
    watch(fd);
  }
  return ntohs(address.sin_port);
}

static void finish(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  double cpu_ms = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
                  (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
  printf("{\"pages\":%llu,\"connections\":%llu,\"pages_cpu_ms\":%.1f}\n",
         (unsigned long long)pages, (unsigned long long)connections, cpu_ms);
}

static unsigned read_options(int count, char **words) {
  unsigned addresses = 32;
  for (int i = 1; i < count; i++) {
    if (!strcmp(words[i], "--close")) {
      closes = true;
    } else if (!strcmp(words[i], "--addresses") && i + 1 < count) {
      addresses = (unsigned)atoi(words[++i]);
    } else {
      addresses = 0;
    }
    if (addresses < 1 || addresses > ADDRESSES_MAX) {
      fprintf(stderr, "usage: page-server [--addresses 1 to %d] [--close]\n", ADDRESSES_MAX);
      exit(2);
    }
  }
  return addresses;
}

int main(int count, char **words) {
  unsigned addresses = read_options(count, words);
  signal(SIGPIPE, SIG_IGN);
  build_answer();
  poller = epoll_create1(EPOLL_CLOEXEC);
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  int signals = sigprocmask(SIG_BLOCK, &ends, NULL) < 0 ? -1 : signalfd(-1, &ends, SFD_CLOEXEC);
  if (poller < 0 || signals < 0) die("epoll");
  watch(signals);
  int listeners[ADDRESSES_MAX];
  int port = listen_on(listeners, addresses);
  printf("listening on 127.0.0.2:%d and %u addresses after it\n", port, addresses - 1);
  fflush(stdout);
  for (;;) {
    struct epoll_event events[EVENTS_MAX];
    int ready = epoll_wait(poller, events, EVENTS_MAX, -1);
    for (int i = 0; i < ready; i++) {
      int fd = events[i].data.fd;
      if (fd == signals) return finish(), 0;
      // The listeners were opened one after the other, before any client.
      if (fd >= listeners[0] && fd <= listeners[addresses - 1]) accept_all(fd);
      else ready_to_read(fd);
    }
  }
}
