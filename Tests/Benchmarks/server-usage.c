// See server-usage.h.
#define _GNU_SOURCE
#include "server-usage.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int64_t read_clock(clockid_t id, const char *name) {
  struct timespec time;
  if (clock_gettime(id, &time) < 0) {
    perror(name);
    exit(1);
  }
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int64_t monotonic_ns(void) { return read_clock(CLOCK_MONOTONIC, "CLOCK_MONOTONIC"); }

// Calls `add` with the process and, one level deep, with every child that its main thread has.
static void for_each_process(pid_t process, void (*add)(pid_t, void *), void *sum) {
  add(process, sum);
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)process, (int)process);
  FILE *file = fopen(path, "r");
  if (!file) {
    perror(path);
    exit(1);
  }
  for (int child; fscanf(file, "%d", &child) == 1;) add(child, sum);
  fclose(file);
}

static void add_cpu(pid_t process, void *sum) {
  // The process's CPU clock counts what /proc/PID/task/*/schedstat does, but is exact at the moment
  // of reading and does not forget threads that have ended.
  clockid_t id;
  if (clock_getcpuclockid(process, &id) != 0) {
    fprintf(stderr, "no CPU clock of process %d\n", (int)process);
    exit(1);
  }
  *(int64_t *)sum += read_clock(id, "the server's CPU clock");
}

int64_t process_cpu_ns(pid_t process) {
  int64_t sum = 0;
  for_each_process(process, add_cpu, &sum);
  return sum;
}

int64_t processes_cpu_ns(const struct processes *processes) {
  int64_t sum = 0;
  for (unsigned i = 0; i < processes->count; i++) sum += process_cpu_ns(processes->ids[i]);
  return sum;
}

static void add_memory(pid_t process, void *sum) {
  char path[64], line[256];
  snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)process);
  FILE *file = fopen(path, "r");
  if (!file) {
    perror(path);
    exit(1);
  }
  struct memory_usage *usage = sum;
  long long kilobytes;
  while (fgets(line, sizeof line, file)) {
    if (sscanf(line, "Pss: %lld", &kilobytes) == 1) usage->pss += kilobytes * 1024;
    if (sscanf(line, "Private_Dirty: %lld", &kilobytes) == 1)
      usage->private_dirty += kilobytes * 1024;
  }
  fclose(file);
}

struct memory_usage process_memory(pid_t process) {
  struct memory_usage usage = {0};
  for_each_process(process, add_memory, &usage);
  return usage;
}
