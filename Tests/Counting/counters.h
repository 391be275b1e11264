// What is counted of a process, shared with the one that reads it through a file of this size.
#ifndef COUNTING_COUNTERS_H
#define COUNTING_COUNTERS_H

#include <stdatomic.h>
#include <stdint.h>

/// Since the process began.
struct allocation_counts {
  _Atomic uint64_t allocations;  // blocks asked for: malloc, calloc, aligned ones, each realloc
  _Atomic uint64_t frees;
  _Atomic int64_t live_bytes;  // usable size of what is allocated and not freed
};

/// The file that the environment variable `COUNTERS_FILE` names.
struct counters {
  struct allocation_counts now;
  struct allocation_counts marked;  // as of the last mark
  // The number of marks that were set. Under callgrind each writes a dump that holds what happened
  // since the mark before; the n-th mark, from 1, has dump n.
  _Atomic uint64_t marks;
  // The number of marks that the client wants: a futex on which a thread of the process waits.
  _Atomic uint32_t wanted;
  // Written by the client before it wants a mark. Unless it is 0, callgrind counts nothing between
  // that mark and the next, which is several times faster.
  _Atomic uint32_t is_paused;
};

#endif
