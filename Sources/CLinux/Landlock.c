#define _GNU_SOURCE
#include "Sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Written out here, since the system's headers may be older than its kernel. The numbers of the
// calls are the same on all architectures.
enum { create_ruleset = 444, add_rule = 445, restrict_self = 446 };
enum { version_flag = 1, path_beneath = 1 };
enum { execute = 1 << 0, read_file = 1 << 2, read_directory = 1 << 3 };

struct ruleset {
  uint64_t files, net, scopes;
};

struct rule {
  uint64_t allowed;
  int32_t parent;
} __attribute__((packed));

int csandbox_landlock_version(void) {
  long version = syscall(create_ruleset, NULL, 0, version_flag);
  return version < 0 ? 0 : (int)version;
}

bool csandbox_renounce_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0; }

/// All rights that this version knows, so that what is not granted is refused.
static struct ruleset all_rights(int version) {
  struct ruleset rights = {.files = (1 << 13) - 1};
  if (version >= 2) rights.files |= 1 << 13; // linking and renaming across directories
  if (version >= 3) rights.files |= 1 << 14; // truncating
  if (version >= 4) rights.net = 3;          // binding and connecting TCP
  if (version >= 5) rights.files |= 1 << 15; // ioctl on devices
  if (version >= 6) rights.scopes = 3;       // abstract sockets, signals
  return rights;
}

static size_t ruleset_size(int version) { return version < 4 ? 8 : version < 6 ? 16 : 24; }

/// Grants rights to a file, or to a directory with all below.
static void grant(int ruleset, int file, uint64_t rights) {
  struct stat status;
  if (fstat(file, &status) != 0) return;
  if (!S_ISDIR(status.st_mode)) rights &= execute | read_file;
  struct rule rule = {.allowed = rights, .parent = file};
  // Refused for a file in memory, which needs no right.
  syscall(add_rule, ruleset, path_beneath, &rule, 0);
}

bool csandbox_restrict_files(char *const *paths, size_t path_count, size_t program_count,
                             int input) {
  int version = csandbox_landlock_version();
  if (version == 0) {
    errno = ENOSYS;
    return false;
  }
  struct ruleset rights = all_rights(version);
  int ruleset = (int)syscall(create_ruleset, &rights, ruleset_size(version), 0);
  if (ruleset < 0) return false;
  for (size_t index = 0; index < path_count; index++) {
    int file = open(paths[index], O_PATH | O_CLOEXEC);
    if (file < 0) continue;
    grant(ruleset, file, read_file | (index < program_count ? execute : read_directory));
    close(file);
  }
  grant(ruleset, input, read_file);
  long result = syscall(restrict_self, ruleset, 0);
  close(ruleset);
  return result == 0;
}
