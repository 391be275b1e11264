// Durations in nanoseconds, and their quantiles.
#ifndef BENCHMARK_TIMES_H
#define BENCHMARK_TIMES_H

#include <stdint.h>
#include <stdlib.h>

static inline int compare_times(const void *left, const void *right) {
  int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
  return (a > b) - (a < b);
}

static inline void sort_times(int64_t *times, uint64_t count) {
  qsort(times, count, sizeof *times, compare_times);
}

/// A quantile of sorted times, in microseconds.
static inline double quantile_us(const int64_t *sorted, uint64_t count, unsigned percent) {
  return (double)sorted[(count - 1) * percent / 100] / 1e3;
}

#endif
