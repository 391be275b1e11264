#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

// What Glibc's module map leaves out, or hides behind _GNU_SOURCE (which must not be defined in a
// header that Swift imports).

/// accept4 with SOCK_NONBLOCK and SOCK_CLOEXEC, without the peer's address.
int clinux_accept(int listener);

/// The object that plays the kernel on the calling thread, in tests; NULL everywhere else.
extern _Thread_local void *clinux_kernel __attribute__((tls_model("initial-exec")));

static inline void *clinux_thread_kernel(void) { return clinux_kernel; }

static inline void clinux_set_thread_kernel(void *kernel) { clinux_kernel = kernel; }

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
