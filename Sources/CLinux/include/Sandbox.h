#pragma once
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// The walls around a program that reads the files of strangers, and what is needed to start one.
// The calls of Linux that Glibc's module map leaves out, or hides behind _GNU_SOURCE.

/// The version of Landlock's interface in this kernel; 0 when it has none or it is switched off.
int csandbox_landlock_version(void);

/// Whether the kernel filters system calls for a program of this architecture.
bool csandbox_can_filter_calls(void);

/// Takes the right to gain privileges from this process and its children, for good. False with
/// errno.
bool csandbox_renounce_privileges(void);

/// Restricts this process and its children to executing the first `program_count` paths, and to
/// reading these, what lies beneath the others, and the open file `input`. TCP, abstract sockets
/// and signals to others are refused as far as the kernel knows how. A path that is missing is
/// left out. False with errno when the kernel refuses.
bool csandbox_restrict_files(char *const *paths, size_t path_count, size_t program_count,
                             int input);

/// The system calls that a filter lets through.
enum csandbox_calls {
  /// Computation on open descriptors, reading of files, threads.
  csandbox_calls_of_program,
  /// Those, and the start of programs.
  csandbox_calls_of_starter,
};

/// Refuses all other system calls to this process and its children, for good, as if the kernel did
/// not have them. False with errno.
bool csandbox_filter_calls(enum csandbox_calls calls);

/// A program to be started.
struct csandbox_program {
  const char *path;
  char *const *arguments;
  char *const *environment;
  int input, output, log;
  uint64_t cpu_seconds, memory_bytes, output_bytes;
  bool filters_calls;
};

/// Starts a program with these descriptors as its standard ones, under these limits; it dies with
/// its parent. The caller must have one thread only. -1 with errno; the exit status is 127 when the
/// program cannot be executed.
pid_t csandbox_start(const struct csandbox_program *program);

/// Has this process killed when its parent's thread ends. False when the parent is gone already.
bool csandbox_die_with(pid_t parent);

/// Closes all descriptors from `first` on.
void csandbox_close_from(unsigned int first);

/// Has a program that is to be spawned begin without the descriptors from `first` on.
void csandbox_close_others(posix_spawn_file_actions_t *actions, int first);

/// An empty file in memory; closed on exec. -1 with errno.
int csandbox_memory_file(const char *name);

/// Makes a file in memory unchangeable. False with errno.
bool csandbox_seal(int file);

/// A descriptor that is readable once a child has ended; closed on exec. -1 with errno.
int csandbox_process_descriptor(pid_t process);
