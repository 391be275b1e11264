import Glibc
import Synchronization

/// A PostgreSQL of the test's own, in a folder of its own, reached through a socket there.
///
/// It runs with the defaults, `fsync` included: what a test says of durability holds for operators.
package final class PostgreSQLServer: Sendable {
  package struct Failure: Error {
    package let program: String
    package let output: String
  }

  /// The ways to end a server (PostgreSQL, section 19.5).
  package enum Shutdown: Sendable {
    /// Ends the sessions.
    case fast
    /// As a crash does: the next start recovers from the log.
    case immediate

    fileprivate var signal: Int32 {
      switch self {
      case .fast: SIGINT
      case .immediate: SIGQUIT
      }
    }
  }

  private let folder: String
  private let programs: String
  private let process = Mutex<SpawnedProgram?>(nil)

  /// Makes a server and starts it.
  package init() throws {
    var found = glob_t()
    defer { globfree(&found) }
    guard glob("/usr/lib/postgresql/*/bin/postgres", 0, nil, &found) == 0,
      let path = found.gl_pathv[Int(found.gl_pathc) - 1]
    else { throw Failure(program: "postgres", output: "it is not installed") }
    programs = String(cString: path).split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
    var template = Array("/tmp/parley-postgresql-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure(program: "mkdtemp", output: "") }
    folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    if geteuid() == 0, let account = getpwnam("postgres") {
      chown(folder, account.pointee.pw_uid, account.pointee.pw_gid)
    }
    try run("initdb", "-D", data, "-U", "parley", "-A", "trust", "-E", "UTF8", "--locale=C")
    try start()
    try run("createdb", "-h", folder, "-U", "parley", "parley")
  }

  // A test that fails does not come to its own removal.
  deinit { try? remove() }

  /// The address of an empty database, of whose server the test is the only client.
  package var url: String { "postgresql://parley@/parley?host=\(folder)" }

  /// Returns when connections are accepted.
  package func start() throws {
    let program = try spawn(
      "postgres",
      [
        "-D", data, "-c", "listen_addresses=", "-c", "unix_socket_directories=\(folder)",
        "-c", "max_connections=300",
      ])
    process.withLock { $0 = program }
    // A server that recovers from a crash refuses connections for a while.
    try Deadline.standard.wait(for: "PostgreSQL to accept connections") {
      try spawn("pg_isready", ["-q", "-h", folder, "-t", "5"]).wait() == .exited(0)
    }
  }

  package func stop(_ shutdown: Shutdown) throws {
    let program = process.withLock { program in
      defer { program = nil }
      return program
    }
    program?.signal(shutdown.signal)
    _ = try program?.wait()
  }

  /// Ends the server and leaves nothing of it.
  package func remove() throws {
    try stop(.immediate)
    _ = try SpawnedProgram("/bin/rm", arguments: ["-rf", folder]).wait()
  }

  private var data: String { folder + "/data" }

  private func run(_ program: String, _ arguments: String...) throws {
    let process = try spawn(program, arguments)
    let output = try process.readToEnd()
    guard try process.wait() == .exited(0) else {
      throw Failure(program: program, output: String(decoding: output, as: UTF8.self))
    }
  }

  /// PostgreSQL refuses to run as root.
  private func spawn(_ program: String, _ arguments: [String]) throws -> SpawnedProgram {
    let (path, log) = ("\(programs)/\(program)", folder + "/log")
    guard geteuid() == 0 else {
      return try SpawnedProgram(path, arguments: arguments, log: log)
    }
    return try SpawnedProgram(
      "/usr/bin/setpriv",
      arguments: ["--reuid=postgres", "--regid=postgres", "--clear-groups", path] + arguments,
      log: log)
  }
}
