#define _GNU_SOURCE
#include "Sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#endif

/// A system call that is let through: always, or depending on the bits of one argument.
struct call {
  enum { always, when_equal, unless_equal } when;
  uint32_t number;
  uint32_t argument, mask, value;
};

#define CALL(name) {always, SYS_##name, 0, 0, 0}
#define WHEN(name, argument, mask, value) {when_equal, SYS_##name, argument, mask, value}
#define UNLESS(name, argument, mask, value) {unless_equal, SYS_##name, argument, mask, value}

enum {
  changing = O_ACCMODE | O_CREAT | O_TRUNC,
  new_namespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
                   CLONE_NEWPID | CLONE_NEWNET,
  code = PROT_WRITE | PROT_EXEC,
};

/// What libvips and ffmpeg need: no socket, no other process, no change to any file system, no
/// memory that is both written and executed. glibc falls back where a newer call is refused.
static const struct call program_calls[] = {
    CALL(read), CALL(readv), CALL(pread64), CALL(write), CALL(writev), CALL(pwrite64),
    CALL(lseek), CALL(close), CALL(dup), CALL(dup3), CALL(fstat), CALL(newfstatat), CALL(statx),
    CALL(faccessat), CALL(faccessat2), CALL(readlinkat), CALL(getdents64), CALL(getcwd),
    CALL(statfs), CALL(fstatfs), CALL(fadvise64), CALL(ftruncate), CALL(close_range),
    WHEN(openat, 2, changing, O_RDONLY),
    WHEN(fcntl, 1, ~0u, F_DUPFD), WHEN(fcntl, 1, ~0u, F_DUPFD_CLOEXEC),
    WHEN(fcntl, 1, ~0u, F_GETFD), WHEN(fcntl, 1, ~0u, F_SETFD), WHEN(fcntl, 1, ~0u, F_GETFL),
    CALL(brk), CALL(munmap), CALL(mremap), CALL(madvise), CALL(mlock), CALL(munlock),
    UNLESS(mmap, 2, code, code), UNLESS(mprotect, 2, code, code),
    CALL(futex), CALL(set_robust_list), CALL(get_robust_list), CALL(set_tid_address), CALL(rseq),
    CALL(membarrier), CALL(sched_yield), CALL(sched_getaffinity), CALL(sched_getparam),
    CALL(sched_getscheduler), CALL(sched_getattr),
    WHEN(clone, 0, CLONE_THREAD | new_namespaces, CLONE_THREAD),
    WHEN(prctl, 0, ~0u, PR_SET_NAME), WHEN(prlimit64, 0, ~0u, 0),
    CALL(pipe2), CALL(eventfd2), CALL(ppoll), CALL(pselect6),
    CALL(rt_sigaction), CALL(rt_sigprocmask), CALL(rt_sigreturn), CALL(sigaltstack),
    CALL(clock_gettime), CALL(clock_getres), CALL(clock_nanosleep), CALL(nanosleep),
    CALL(gettimeofday), CALL(restart_syscall), CALL(getrandom), CALL(getrusage), CALL(times),
    CALL(sysinfo), CALL(uname), CALL(getpid), CALL(gettid), CALL(getppid), CALL(getuid),
    CALL(geteuid), CALL(getgid), CALL(getegid), CALL(execve), CALL(exit), CALL(exit_group),
#ifdef __x86_64__
    // The same by their older names.
    CALL(arch_prctl), CALL(stat), CALL(lstat), CALL(access), CALL(readlink), CALL(dup2),
    CALL(poll), CALL(select), CALL(time), CALL(getrlimit), WHEN(open, 1, changing, O_RDONLY),
#endif
};

/// The start of a program, which gets a stricter filter before it is executed.
static const struct call starter_calls[] = {
    WHEN(clone, 0, new_namespaces, 0), CALL(wait4), CALL(memfd_create), CALL(prctl),
};

enum { most_instructions = 1024 };

struct program {
  struct sock_filter instructions[most_instructions];
  unsigned short count;
};

static void add(struct program *program, uint16_t operation, uint32_t operand, uint8_t yes,
                uint8_t no) {
  program->instructions[program->count++] =
      (struct sock_filter){.code = operation, .jt = yes, .jf = no, .k = operand};
}

enum {
  load = BPF_LD | BPF_W | BPF_ABS,
  equals = BPF_JMP | BPF_JEQ | BPF_K,
  and = BPF_ALU | BPF_AND | BPF_K,
  answer = BPF_RET | BPF_K,
};

static void add_number(struct program *program) {
  add(program, load, offsetof(struct seccomp_data, nr), 0, 0);
}

/// Lets a call through; falls through to the next rule otherwise, with the number loaded.
static void add_call(struct program *program, struct call call) {
  if (call.when == always) {
    add(program, equals, call.number, 0, 1);
    add(program, answer, SECCOMP_RET_ALLOW, 0, 0);
    return;
  }
  add(program, equals, call.number, 0, 5);
  // The lower half: both architectures are little-endian, and the bits in question lie there.
  add(program, load, offsetof(struct seccomp_data, args) + 8 * call.argument, 0, 0);
  add(program, and, call.mask, 0, 0);
  add(program, equals, call.value, call.when == when_equal ? 0 : 1, call.when == when_equal ? 1 : 0);
  add(program, answer, SECCOMP_RET_ALLOW, 0, 0);
  add_number(program);
}

static void add_calls(struct program *program, const struct call *calls, size_t count) {
  for (size_t index = 0; index < count; index++) add_call(program, calls[index]);
}

bool csandbox_can_filter_calls(void) {
#ifdef NATIVE
  // The kernel looks at the mode first: EFAULT for the missing program means that it has filters.
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL, 0, 0) != 0 && errno == EFAULT;
#else
  return false;
#endif
}

bool csandbox_filter_calls(enum csandbox_calls calls) {
#ifdef NATIVE
  struct program program = {.count = 0};
  // Another architecture's numbers mean other calls.
  add(&program, load, offsetof(struct seccomp_data, arch), 0, 0);
  add(&program, equals, NATIVE, 1, 0);
  add(&program, answer, SECCOMP_RET_KILL_PROCESS, 0, 0);
  add_number(&program);
  add_calls(&program, program_calls, sizeof program_calls / sizeof *program_calls);
  if (calls == csandbox_calls_of_starter)
    add_calls(&program, starter_calls, sizeof starter_calls / sizeof *starter_calls);
  add(&program, answer, SECCOMP_RET_ERRNO | ENOSYS, 0, 0);
  struct sock_fprog filter = {.len = program.count, .filter = program.instructions};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0;
#else
  errno = ENOSYS;
  return false;
#endif
}
