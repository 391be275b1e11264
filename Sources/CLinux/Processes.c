#define _GNU_SOURCE
#include "Sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { not_executed = 127, most_descriptors = 32, most_processes = 1024 };

bool csandbox_die_with(pid_t parent) {
  return prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) == 0 && getppid() == parent;
}

void csandbox_close_from(unsigned int first) { close_range(first, ~0u, 0); }

void csandbox_close_others(posix_spawn_file_actions_t *actions, int first) {
  posix_spawn_file_actions_addclosefrom_np(actions, first);
}

int csandbox_memory_file(const char *name) {
  return memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

bool csandbox_seal(int file) {
  return fcntl(file, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) == 0;
}

int csandbox_process_descriptor(pid_t process) {
  return (int)syscall(SYS_pidfd_open, process, 0);
}

static uint64_t smaller(uint64_t one, uint64_t other) { return one < other ? one : other; }

/// Lowers a limit; one that is lower already stays.
static bool limit(int resource, uint64_t soft, uint64_t hard) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0) return false;
  limit.rlim_max = smaller(hard, limit.rlim_max);
  limit.rlim_cur = smaller(soft, limit.rlim_max);
  return setrlimit(resource, &limit) == 0;
}

static bool limit_resources(const struct csandbox_program *program) {
  // The soft limit of time ends with SIGXCPU, which says why; the hard one with SIGKILL.
  return limit(RLIMIT_CPU, program->cpu_seconds, program->cpu_seconds + 1) &&
         limit(RLIMIT_AS, program->memory_bytes, program->memory_bytes) &&
         limit(RLIMIT_FSIZE, program->output_bytes, program->output_bytes) &&
         limit(RLIMIT_NOFILE, most_descriptors, most_descriptors) &&
         limit(RLIMIT_NPROC, most_processes, most_processes) && limit(RLIMIT_CORE, 0, 0);
}

/// Becomes the program; returns only when that fails.
static void become(const struct csandbox_program *program, pid_t parent) {
  if (!csandbox_die_with(parent)) return;
  if (dup2(program->input, STDIN_FILENO) < 0 || dup2(program->output, STDOUT_FILENO) < 0 ||
      dup2(program->log, STDERR_FILENO) < 0)
    return;
  csandbox_close_from(STDERR_FILENO + 1);
  if (!limit_resources(program)) return;
  if (program->filters_calls && !csandbox_filter_calls(csandbox_calls_of_program)) return;
  execve(program->path, program->arguments, program->environment);
}

pid_t csandbox_start(const struct csandbox_program *program) {
  pid_t parent = getpid();
  pid_t child = fork();
  if (child == 0) {
    become(program, parent);
    _exit(not_executed);
  }
  return child;
}
