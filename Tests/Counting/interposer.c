// Counts the allocations of the process that it is preloaded into. See counters.h.
//
//   COUNTERS_FILE=FILE LD_PRELOAD=…/interposer.so PROGRAM
//
// The file must exist and be large enough. Without one it counts all the same, for nobody.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_DUMP_STATS
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_STOP_INSTRUMENTATION
#endif

#include "counters.h"

// glibc's own, under the names that it exports for this purpose: looking them up with dlsym would
// allocate.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

static struct counters unshared;
static struct counters *counters = &unshared;

static void add(_Atomic uint64_t *count) {
  atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
}

static void add_bytes(int64_t amount) {
  atomic_fetch_add_explicit(&counters->now.live_bytes, amount, memory_order_relaxed);
}

static void *allocated(void *block) {
  if (!block) return NULL;
  add(&counters->now.allocations);
  add_bytes((int64_t)malloc_usable_size(block));
  return block;
}

void *malloc(size_t size) { return allocated(__libc_malloc(size)); }

void *calloc(size_t count, size_t size) { return allocated(__libc_calloc(count, size)); }

void *memalign(size_t alignment, size_t size) {
  return allocated(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **block, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0)
    return EINVAL;
  void *made = memalign(alignment, size);
  if (!made) return ENOMEM;
  *block = made;
  return 0;
}

void free(void *block) {
  if (!block) return;
  add(&counters->now.frees);
  add_bytes(-(int64_t)malloc_usable_size(block));
  __libc_free(block);
}

void *realloc(void *block, size_t size) {
  if (!block) return malloc(size);
  int64_t before = (int64_t)malloc_usable_size(block);
  void *moved = __libc_realloc(block, size);
  // With a size of 0, glibc frees.
  if (!moved && size > 0) return NULL;
  add(&counters->now.frees);
  add_bytes(-before);
  return allocated(moved);
}

static void copy_counts(struct allocation_counts *to, struct allocation_counts *from) {
  to->allocations = from->allocations;
  to->frees = from->frees;
  to->live_bytes = from->live_bytes;
}

/// Ends a phase and begins another. Both sides of a dump belong to no phase.
///
/// Callgrind cannot start or stop counting in a signal handler.
void set_mark(void) {
  copy_counts(&counters->marked, &counters->now);
  CALLGRIND_DUMP_STATS;
  if (counters->is_paused) {
    CALLGRIND_STOP_INSTRUMENTATION;
  } else {
    CALLGRIND_START_INSTRUMENTATION;
  }
  atomic_fetch_add(&counters->marks, 1);
}

// The wait is the one system call of a mark that is counted (MARK_CALLS in machine.py).
static void *set_marks(void *unused) {
  for (uint32_t seen = 0;;) {
    while (counters->wanted == seen)
      syscall(SYS_futex, &counters->wanted, FUTEX_WAIT, seen, NULL, NULL, 0);
    seen = counters->wanted;
    set_mark();
  }
  return unused;
}

static void start_thread(void) {
  sigset_t all, old;
  pthread_t thread;
  sigfillset(&all);
  // The program's own threads take its signals.
  pthread_sigmask(SIG_BLOCK, &all, &old);
  if (pthread_create(&thread, NULL, set_marks, NULL) == 0) pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
}

__attribute__((constructor)) static void share_counters(void) {
  const char *path = getenv("COUNTERS_FILE");
  int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *page = mmap(NULL, sizeof *counters, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (page == MAP_FAILED) return;
  counters = page;
  start_thread();
  // Without the blocks of that thread.
  copy_counts(&counters->now, &unshared.now);
}
