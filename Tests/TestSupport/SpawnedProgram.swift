import Glibc

/// A child process whose standard output is read through a socket.
///
/// Foundation's `Process` copies directory entries of `/proc/self/fd` beyond the end of their
/// buffer, which stops the tests when they have more than a thousand files open; this one asks for no
/// such list.
package final class SpawnedProgram: Sendable {
  package struct Failure: Error {
    package let call: String
    package let code: Int32
  }

  private let process: pid_t
  private let output: Int32

  /// Starts the program at a path.
  ///
  /// - Parameter log: The file that takes its standard error; `nil` for that of the tests.
  package init(_ path: String, arguments: [String], log: String? = nil) throws {
    var ends: [Int32] = [0, 0]
    // Closed in other programs from the start: one that another test starts at the same time would keep a
    // pipe open, and its reader waiting.
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
      throw Failure(call: "socketpair", code: errno)
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    if let log {
      posix_spawn_file_actions_addopen(
        &actions, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_APPEND, 0o644)
    }
    var words = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var identifier: pid_t = 0
    let code = posix_spawn(&identifier, path, &actions, nil, &words, environ)
    close(ends[1])
    guard code == 0 else {
      close(ends[0])
      throw Failure(call: "posix_spawn", code: code)
    }
    process = identifier
    output = ends[0]
  }

  deinit {
    close(output)
  }

  /// Waits for more of the output; empty at its end.
  package func read() throws -> [UInt8] {
    let capacity = 65_536
    while true {
      var count = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, used in
        count = Glibc.read(output, buffer.baseAddress, capacity)
        used = max(count, 0)
      }
      if count >= 0 { return bytes }
      guard errno == EINTR else { throw Failure(call: "read", code: errno) }
    }
  }

  /// Waits for all of the output.
  package func readToEnd() throws -> [UInt8] {
    var output: [UInt8] = []
    while case let more = try read(), !more.isEmpty { output += more }
    return output
  }

  package func signal(_ number: Int32) {
    kill(process, number)
  }

  /// Whether the process has ended; ``wait()`` returns how.
  package var hasEnded: Bool {
    var information = siginfo_t()
    let options = WEXITED | WNOHANG | WNOWAIT
    guard waitid(P_PID, id_t(process), &information, options) == 0 else { return true }
    return information.si_signo != 0
  }

  /// Waits until the process is gone.
  package func wait() throws -> End {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else { throw Failure(call: "waitpid", code: errno) }
    }
    return status & 0x7F == 0 ? .exited((status >> 8) & 0xFF) : .signaled(status & 0x7F)
  }

  /// The end of a process.
  package enum End: Hashable, Sendable {
    case exited(Int32)
    case signaled(Int32)
  }
}
