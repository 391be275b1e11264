#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "Sandbox.h"

// What Glibc's module map leaves out, or hides behind _GNU_SOURCE (which must not be defined in a
// header that Swift imports).

/// accept4 with SOCK_NONBLOCK and SOCK_CLOEXEC, without the peer's address.
int clinux_accept(int listener);

/// The object that plays the kernel on the calling thread, in tests; NULL everywhere else.
extern _Thread_local void *clinux_kernel __attribute__((tls_model("initial-exec")));

static inline void *clinux_thread_kernel(void) { return clinux_kernel; }

static inline void clinux_set_thread_kernel(void *kernel) { clinux_kernel = kernel; }

/// `send`, or the function that a test has put in its place for the process. Each delivery sends, so
/// here is no look at the thread: one call through a pointer, as into any shared library.
typedef ssize_t (*clinux_send_function)(int, const void *, size_t, int);
extern clinux_send_function clinux_send_pointer __attribute__((visibility("hidden")));

static inline ssize_t clinux_send(int socket, const void *bytes, size_t count, int flags) {
  return clinux_send_pointer(socket, bytes, count, flags);
}

/// Puts a function in the place of `send`, for good; any thread, any number of times.
void clinux_replace_send(clinux_send_function function);

/// The calling thread's identity, read afresh at each call. (A compiler may keep pthread_self
/// across a suspension that changed threads.)
uint64_t clinux_thread_id(void);

/// Names the calling thread; at most 15 characters are kept.
void clinux_name_thread(const char *name);

/// Sets the calling thread's own nice value, which weighs it against others when processors are
/// scarce. False when the system refuses.
bool clinux_set_thread_nice(int nice);

/// A non-blocking descriptor that is readable once its moment on the monotonic clock has come; -1
/// and errno when there is none to be had.
int clinux_timer_create(void);

/// Sets the moment, in nanoseconds of the monotonic clock, at least 1.
void clinux_timer_set(int timer, int64_t nanoseconds);

/// sendfile from an offset, which the file's own position does not matter to. At most `count`
/// bytes; -1 with errno.
int64_t clinux_send_file(int socket, int file, int64_t offset, size_t count);

/// Has a part of a file written to the disk, without its metadata, and waits for that; -1 with errno.
int clinux_write_back(int file, int64_t offset, int64_t count);

/// The variables of the environment, each as NAME=VALUE, and NULL at the end.
char **clinux_environment(void);

/// The processors that this process may run on; at least 1.
int clinux_processor_count(void);
