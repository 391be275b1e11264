// Stands in for vipsthumbnail in the tests of its walls: as if a hostile picture had taken it over.
// Standard input ends with `INTRUDER:` and the name of an attack. Attempts that succeed are named on
// standard error, then the number of all follows. `attack NAME` as arguments does the same without walls.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int attempts;

static void attempt(const char *name, bool succeeded) {
  attempts++;
  if (succeeded) fprintf(stderr, "LEAK %s\n", name);
}

static bool can_open(const char *path, int flags) {
  int file = open(path, flags, 0600);
  if (file >= 0) close(file);
  return file >= 0;
}

static void sockets(void) {
  int pair[2];
  attempt("tcp", socket(AF_INET, SOCK_STREAM, 0) >= 0);
  attempt("tcp6", socket(AF_INET6, SOCK_STREAM, 0) >= 0);
  attempt("udp", socket(AF_INET, SOCK_DGRAM, 0) >= 0);
  attempt("unix", socket(AF_UNIX, SOCK_STREAM, 0) >= 0);
  attempt("netlink", socket(AF_NETLINK, SOCK_RAW, 0) >= 0);
  attempt("socketpair", socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  attempt("io_uring", syscall(SYS_io_uring_setup, 1, NULL) >= 0 || errno == EFAULT);
}

static void files(void) {
  attempt("passwd", can_open("/etc/passwd", O_RDONLY));
  attempt("hostname", can_open("/etc/hostname", O_RDONLY));
  attempt("root", can_open("/", O_RDONLY | O_DIRECTORY));
  attempt("home", can_open("/root", O_RDONLY | O_DIRECTORY));
  attempt("tmp", can_open("/tmp", O_RDONLY | O_DIRECTORY));
  attempt("environment", can_open("/proc/self/environ", O_RDONLY));
  attempt("parent", can_open("/proc/1/environ", O_RDONLY));
  attempt("new", can_open("/tmp/thumbnail-intruder", O_WRONLY | O_CREAT));
  attempt("nameless", can_open("/tmp", O_RDWR | O_TMPFILE));
  attempt("append", can_open("/usr/lib/os-release", O_WRONLY | O_APPEND));
  attempt("null", can_open("/dev/null", O_RDWR));
  attempt("directory", mkdir("/tmp/thumbnail-intruder-directory", 0700) == 0);
  attempt("link", symlink("/etc/passwd", "/tmp/thumbnail-intruder-link") == 0);
  attempt("mode", chmod("/tmp", 01777) == 0);
  attempt("remove", unlink("/tmp/thumbnail-intruder") == 0);
}

static void processes(void) {
  pid_t child = fork();
  if (child == 0) _exit(0);
  attempt("fork", child > 0);
  child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
  if (child == 0) _exit(0);
  attempt("clone", child > 0);
  char *arguments[] = {"sh", NULL};
  execve("/bin/sh", arguments, NULL);
  attempt("sh", false);
  attempt("session", setsid() >= 0);
  attempt("group", setpgid(0, 0) == 0);
  attempt("signal to the parent", kill(getppid(), 0) == 0);
  attempt("signal to all", kill(-1, 0) == 0);
  attempt("owner of a signal", fcntl(STDIN_FILENO, F_SETOWN, getppid()) == 0);
  struct rlimit limit = {.rlim_cur = 1 << 20, .rlim_max = 1 << 20};
  attempt("limit", syscall(SYS_prlimit64, getppid(), RLIMIT_NOFILE, NULL, &limit) == 0);
  attempt("raised limit", setrlimit(RLIMIT_FSIZE, &(struct rlimit){1L << 40, 1L << 40}) == 0);
  attempt("priority", setpriority(PRIO_PROCESS, getppid(), 19) == 0);
}

static void kernel(void) {
  attempt("ptrace", ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0);
  attempt("bpf", syscall(SYS_bpf, 0, NULL, 0) >= 0 || errno == EFAULT || errno == EINVAL);
  attempt("userfaultfd", syscall(SYS_userfaultfd, 1) >= 0);
  attempt("user namespace", unshare(CLONE_NEWUSER) == 0);
  attempt("mount", mount("none", "/tmp", "tmpfs", 0, NULL) == 0);
  attempt("keys", syscall(SYS_keyctl, 0, -3, 1) >= 0);
  attempt("descriptor of a process", syscall(SYS_pidfd_open, getppid(), 0) >= 0);
  attempt("undumpable", prctl(PR_SET_DUMPABLE, 0) == 0);
  attempt("code", mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
  for (int file = 3; file < 64; file++) attempt("descriptor", fcntl(file, F_GETFD) >= 0);
}

static void fill(int file) {
  static char block[1 << 16];
  while (write(file, block, sizeof block) > 0) {
  }
}

static void reserve(void) {
  size_t megabytes = 0;
  while (true) {
    char *block = malloc(1 << 20);
    if (!block) break;
    memset(block, 1, 1 << 20);
    megabytes++;
  }
  attempt("memory", megabytes > 512);
}

static void lie(void) {
  static const unsigned char header[] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n', 0, 0, 0,  13, 'I',
                                         'H',  'D', 'R', 0,   0,    99,   99,   0, 0, 99, 99, 8,   2,
                                         0,    0,   0};
  if (write(STDOUT_FILENO, header, sizeof header) < 0) abort();
  exit(0);
}

static void act(const char *attack) {
  if (strcmp(attack, "sockets") == 0) sockets();
  if (strcmp(attack, "files") == 0) files();
  if (strcmp(attack, "processes") == 0) processes();
  if (strcmp(attack, "kernel") == 0) kernel();
  if (strcmp(attack, "memory") == 0) reserve();
  if (strcmp(attack, "lie") == 0) lie();
  if (strcmp(attack, "silence") == 0) exit(0);
  if (strcmp(attack, "crash") == 0) *(volatile int *)NULL = 1;
  if (strcmp(attack, "fill the result") == 0) fill(STDOUT_FILENO);
  if (strcmp(attack, "fill the log") == 0) fill(STDERR_FILENO);
  if (strcmp(attack, "fill the input") == 0) fill(STDIN_FILENO);
  while (strcmp(attack, "spin") == 0) {
  }
  while (strcmp(attack, "hang") == 0) sleep(1000);
}

int main(int count, char **arguments) {
  static char input[65536];
  bool is_free = count == 3 && strcmp(arguments[1], "attack") == 0;
  char *attack = is_free ? arguments[2] : NULL;
  if (!attack) {
    ssize_t length = read(STDIN_FILENO, input, sizeof input - 1);
    char *found = length > 0 ? memmem(input, (size_t)length, "INTRUDER:", 9) : NULL;
    attack = found ? found + 9 : "";
  }
  act(attack);
  fprintf(stderr, "attempts %d\n", attempts);
  return 1;
}
