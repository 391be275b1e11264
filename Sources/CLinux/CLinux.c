#define _GNU_SOURCE
#include "CLinux.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/timerfd.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <unistd.h>

_Thread_local void *clinux_kernel;

clinux_send_function clinux_send_pointer = send;

void clinux_replace_send(clinux_send_function function) {
  __atomic_store_n(&clinux_send_pointer, function, __ATOMIC_RELAXED);
}

int clinux_accept(int listener) {
    return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

uint64_t clinux_thread_id(void) {
    return (uint64_t)pthread_self();
}

void clinux_name_thread(const char *name) {
    char bounded[16];
    strncpy(bounded, name, sizeof bounded - 1);
    bounded[sizeof bounded - 1] = '\0';
    pthread_setname_np(pthread_self(), bounded);
}

bool clinux_set_thread_nice(int nice) {
    // 0 is the caller, which on Linux is the thread and not its process.
    return setpriority(PRIO_PROCESS, 0, nice) == 0;
}

int clinux_timer_create(void) { return timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC); }

void clinux_timer_set(int timer, int64_t nanoseconds) {
  struct itimerspec setting = {.it_value = {.tv_sec = nanoseconds / 1000000000,
                                            .tv_nsec = nanoseconds % 1000000000}};
  timerfd_settime(timer, TFD_TIMER_ABSTIME, &setting, NULL);
}

int64_t clinux_send_file(int socket, int file, int64_t offset, size_t count) {
    off_t position = offset;
    return sendfile(socket, file, &position, count);
}

int clinux_write_back(int file, int64_t offset, int64_t count) {
    return sync_file_range(
        file, offset, count,
        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
}

char **clinux_environment(void) { return environ; }

int clinux_processor_count(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  // More processors than the set has room for.
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 ? (int)count : 1;
}
