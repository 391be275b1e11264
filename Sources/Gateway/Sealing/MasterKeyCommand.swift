import Glibc
import Reactor

/// A command that prints the master keys, for a vault or a key service.
enum MasterKeyCommand {
  private static let timeLimit: Int64 = 10_000
  private static let byteLimit = 65_536
  /// The polling interval for a command that has closed its output, in microseconds.
  private static let waitingStep: UInt32 = 10_000

  /// Runs a shell command, and returns its output.
  ///
  /// Blocks until the command ends. After the time limit the command is killed with all its processes: a
  /// command that closes its output and keeps running must not block a start or a reload forever.
  ///
  /// - Parameter limit: Milliseconds.
  static func run(
    _ command: String, within limit: Int64 = timeLimit
  ) throws(StartError) -> [UInt8] {
    let end = SystemClock.monotonicMilliseconds + limit
    let (child, output) = try start(command)
    defer { close(output) }
    guard let bytes = read(output, until: end), let status = wait(for: child, until: end) else {
      kill(-child, SIGKILL)
      reap(child)
      throw failure("it prints more than \(byteLimit) bytes, or has not ended within \(limit) ms")
    }
    guard status == 0 else { throw failure("it fails (wait status \(status))") }
    return bytes
  }

  /// Starts a shell, and returns its process id with the read end of a pipe for its output.
  private static func start(_ command: String) throws(StartError) -> (pid_t, output: Int32) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw failure("there is no pipe") }
    defer { close(ends[1]) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // A separate process group, so that all processes of the command can be killed.
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
    var child: pid_t = 0
    var arguments: [UnsafeMutablePointer<CChar>?] = []
    for text in ["/bin/sh", "-c", command] { arguments.append(strdup(text)) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    let result = posix_spawn(&child, "/bin/sh", &actions, &attributes, &arguments, environ)
    guard result == 0 else {
      close(ends[0])
      throw failure("/bin/sh does not start")
    }
    return (child, ends[0])
  }

  /// Reads to the end of a pipe; `nil` when the time limit passes or there are too many bytes.
  private static func read(_ descriptor: Int32, until end: Int64) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while bytes.count <= byteLimit {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let rest = end - SystemClock.monotonicMilliseconds
      guard rest > 0 else { return nil }
      guard poll(&entry, 1, Int32(rest)) > 0 else { continue }
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count == 0 { return bytes }
      if count > 0 { bytes += buffer[..<count] }
    }
    return nil
  }

  /// Waits for a process to end, and returns its wait status; `nil` when the time limit passes.
  private static func wait(for child: pid_t, until end: Int64) -> Int32? {
    var status: Int32 = 0
    while true {
      let found = waitpid(child, &status, WNOHANG)
      // When child processes are ignored, the system discards their status.
      if found == child || (found < 0 && errno != EINTR) { return status }
      guard SystemClock.monotonicMilliseconds < end else { return nil }
      usleep(waitingStep)
    }
  }

  /// Waits for a killed process to end.
  private static func reap(_ child: pid_t) {
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
  }

  private static func failure(_ reason: String) -> StartError {
    StartError("files.master_key_command: \(reason)")
  }
}
