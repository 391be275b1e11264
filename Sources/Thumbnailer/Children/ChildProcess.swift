internal import CLinux
internal import Glibc
package import Reactor

/// A program that runs as the leader of its own process group.
///
/// The creator must reap it with ``reap()``.
package final class ChildProcess {
  /// The end of a process.
  package enum End: Hashable, Sendable {
    case exited(Int32)
    case signaled(Int32)
  }

  private let process: pid_t
  /// Readable once the process has ended.
  package let descriptor: Int32

  /// Starts a program with an empty environment.
  ///
  /// - Parameter descriptors: The files that become its descriptors 0, 1, 2 and so on; it inherits
  ///   no others.
  package init(
    _ path: String, _ arguments: [String], descriptors: [Int32]
  ) throws(SystemError) {
    process = try Self.spawn(path, arguments, descriptors)
    descriptor = csandbox_process_descriptor(process)
    guard descriptor >= 0 else {
      let error = SystemError.last("pidfd_open")
      _ = Self.reap(process)
      throw error
    }
  }

  deinit { close(descriptor) }

  /// Kills the process and all its descendants.
  package func kill() { Glibc.kill(-process, SIGKILL) }

  /// Waits for the end of the process, and kills any remaining descendants.
  package func reap() -> End { Self.reap(process) }

  /// Waits until the process has ended, up to some milliseconds.
  package func wait(milliseconds: Int32) -> Bool {
    var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return Kernel.uninterrupted { poll(&state, 1, milliseconds) } > 0
  }

  private static func reap(_ process: pid_t) -> End {
    var information = siginfo_t()
    // While the leader is not reaped, the id of its group cannot be reused.
    _ = Kernel.uninterrupted { waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) }
    Glibc.kill(-process, SIGKILL)
    var status: Int32 = 0
    _ = Kernel.uninterrupted { waitpid(process, &status, 0) }
    return status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .signaled(status & 0x7F)
  }

  private static func spawn(
    _ path: String, _ arguments: [String], _ descriptors: [Int32]
  ) throws(SystemError) -> pid_t {
    // Above all targets, so that no source is overwritten before it is duplicated.
    let sources = descriptors.map { fcntl($0, F_DUPFD_CLOEXEC, Int32(64)) }
    defer { for source in sources where source >= 0 { close(source) } }
    guard sources.allSatisfy({ $0 >= 0 }) else { throw .last("fcntl") }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (target, source) in sources.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, source, Int32(target))
    }
    csandbox_close_others(&actions, Int32(sources.count))
    var attributes = Self.attributes()
    defer { posix_spawnattr_destroy(&attributes) }
    var words = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var environment: [UnsafeMutablePointer<CChar>?] = [nil]
    var process: pid_t = 0
    let code = posix_spawn(&process, path, &actions, &attributes, &words, &environment)
    guard code == 0 else { throw SystemError(call: "posix_spawn", code: code, object: path) }
    return process
  }

  /// A separate process group, with no signals blocked or ignored: this process and its threads do both.
  private static func attributes() -> posix_spawnattr_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    posix_spawnattr_setflags(&attributes, Int16(flags))
    return attributes
  }
}
