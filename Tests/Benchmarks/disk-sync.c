// The disk's share of a durable message: appends one page to a file and syncs it, again and again.
//
//   disk-sync FOLDER SECONDS [RATE]
//
// With a rate, so many times a second, at even distances. Prints the median time of a write with `fdatasync`, and how many there are in a second, as a line
// of JSON. A server that answers when a message is durable cannot answer faster than this; one that
// commits many messages together can store more of them in a second than there are syncs.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "server-usage.h"

enum { PAGE = 4096, SAMPLES_MAX = 1 << 20 };

static int compare_times(const void *left, const void *right) {
  int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
  return (a > b) - (a < b);
}

int main(int count, char **words) {
  if (count != 3 && count != 4) {
    fprintf(stderr, "usage: disk-sync FOLDER SECONDS [RATE]\n");
    return 2;
  }
  char path[4096];
  static char page[PAGE];
  snprintf(path, sizeof path, "%s/disk-sync-XXXXXX", words[1]);
  int fd = mkstemp(path);
  int64_t *times = calloc(SAMPLES_MAX, sizeof *times);
  if (fd < 0 || !times) {
    perror(path);
    return 1;
  }
  unlink(path);
  int64_t rate = count == 4 ? atoi(words[3]) : 0, pace = rate > 0 ? 1000000000 / rate : 0;
  size_t samples = 0;
  int64_t start = monotonic_ns(), end = start + atoi(words[2]) * (int64_t)1000000000, now = start;
  while (now < end && samples < SAMPLES_MAX) {
    if (write(fd, page, PAGE) != PAGE || fdatasync(fd) < 0) {
      perror(path);
      return 1;
    }
    int64_t done = monotonic_ns();
    times[samples++] = done - now;
    now = done;
    if (pace) {
      int64_t next = start + (done - start + pace) / pace * pace;
      struct timespec moment = {next / 1000000000, next % 1000000000};
      while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, NULL)) continue;
      now = monotonic_ns();
    }
  }
  qsort(times, samples, sizeof *times, compare_times);
  printf("{\"mode\":\"disk\",\"samples\":%zu,\"p50_us\":%.1f,\"p99_us\":%.1f,"
         "\"syncs_per_second\":%.0f}\n",
         samples, samples ? (double)times[samples / 2] / 1e3 : 0,
         samples ? (double)times[samples * 99 / 100] / 1e3 : 0,
         (double)samples * 1e9 / (double)(now - start));
  return 0;
}
