internal import CLinux
internal import Glibc
internal import Thumbnails

/// The walls that this process has set up around itself and its child processes.
struct Walls {
  private static let niceness: Int32 = 10

  /// The libraries of the programs, files for finding them, and system information read by libraries.
  private static let readablePaths = [
    "/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib", "/lib64", "/etc/ld.so.cache",
    "/etc/localtime", "/usr/share/zoneinfo", "/usr/share/locale", "/dev/null", "/dev/urandom",
    "/sys/devices/system/cpu", "/sys/devices/system/node", "/proc/filesystems",
  ]

  /// The programs that start other programs: the dynamic linkers of each architecture.
  private static let linkers = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"]

  let landlock: Int
  let filtersCalls: Bool

  /// Sets up all walls that this kernel supports.
  init(around command: HelperCommand) {
    csandbox_close_from(UInt32(HelperCommand.firstResult) + UInt32(command.resultCount))
    _ = csandbox_die_with(getppid())
    setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Self.niceness)
    guard csandbox_renounce_privileges() else {
      (landlock, filtersCalls) = (0, false)
      return
    }
    landlock = Self.restrictFiles(for: command.programs) ? Int(csandbox_landlock_version()) : 0
    filtersCalls = csandbox_filter_calls(csandbox_calls_of_starter)
  }

  func isSufficient(for command: HelperCommand) -> Bool {
    !command.requiresWalls || (landlock > 0 && filtersCalls)
  }

  var summary: String {
    ThumbnailWalls(landlock: landlock, filtersCalls: filtersCalls, hasNamespaces: false).summary
  }

  private static func restrictFiles(for programs: ThumbnailPrograms) -> Bool {
    let executable = programs.paths + linkers
    let paths = executable + readablePaths
    return withCStrings(paths) {
      csandbox_restrict_files($0, paths.count, executable.count, STDIN_FILENO)
    }
  }
}

extension HelperCommand {
  var resultCount: Int {
    switch task {
    case .probe: 0
    case .thumbnails(let boxes): boxes.count
    }
  }
}
