// What a process on this machine has used, as seen from another process.
#ifndef BENCHMARK_SERVER_USAGE_H
#define BENCHMARK_SERVER_USAGE_H

#include <stdint.h>
#include <sys/types.h>

struct memory_usage {
  int64_t private_dirty;  // bytes that no other process shares
  int64_t pss;            // bytes, shared pages divided among those that share them
};

/// Nanoseconds since an arbitrary start.
int64_t monotonic_ns(void);

/// CPU time in nanoseconds, user and system, of all threads that the process and the children it
/// has now (nginx's workers, say) have or ever had.
int64_t process_cpu_ns(pid_t process);

/// Processes that are measured together.
struct processes {
  pid_t ids[8];
  unsigned count;
};

/// The sum of `process_cpu_ns` of them all.
int64_t processes_cpu_ns(const struct processes *processes);

/// From /proc/PID/smaps_rollup, of the process and its children. What the kernel holds for their
/// sockets is not in it.
struct memory_usage process_memory(pid_t process);

#endif
