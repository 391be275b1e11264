import Glibc
import Synchronization

/// A Redis of the test's own, with a port and a folder of its own.
package final class RedisServer: Sendable {
  package struct Failure: Error {
    package let description: String
  }

  /// A server's certificate and private key, as paths of PEM files.
  package struct Certificate: Sendable {
    package let certificate: String
    package let key: String

    package init(certificate: String, key: String) {
      self.certificate = certificate
      self.key = key
    }
  }

  package let port: UInt16
  private let folder: String
  private let password: String?
  private let arguments: [String]
  private let process = Mutex<SpawnedProgram?>(nil)

  /// Makes a server and starts it.
  ///
  /// - Parameters:
  ///   - password: That of the default user.
  ///   - settings: Further arguments of `redis-server`.
  package init(
    password: String? = nil, certificate: Certificate? = nil, settings: [String] = []
  ) throws {
    var template = Array("/tmp/parley-redis-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure(description: "no folder") }
    folder = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    port = try FreePort.choose()
    self.password = password
    var arguments = ["--save", "", "--bind", "127.0.0.1", "--dir", folder]
    arguments += ["--unixsocket", folder + "/socket", "--logfile", folder + "/log"]
    if let password { arguments += ["--requirepass", password] }
    if let certificate {
      arguments += ["--port", "0", "--tls-port", "\(port)", "--tls-auth-clients", "no"]
      arguments += ["--tls-cert-file", certificate.certificate, "--tls-key-file", certificate.key]
    } else {
      arguments += ["--port", "\(port)"]
    }
    self.arguments = arguments + settings
    try start()
  }

  // A test that fails does not come to its own removal.
  deinit { try? remove() }

  /// Returns when commands are answered.
  package func start() throws {
    let program = try SpawnedProgram("/usr/bin/redis-server", arguments: arguments)
    process.withLock { $0 = program }
    try Deadline.standard.wait(for: "redis-server to answer commands") {
      guard !program.hasEnded else { throw Failure(description: "redis-server did not start") }
      return try command("PING").hasPrefix("PONG")
    }
  }

  /// Executes a command as the default user; returns what the server answers.
  @discardableResult
  package func command(_ words: String...) throws -> String {
    let credentials = password.map { ["--no-auth-warning", "-a", $0] } ?? []
    let client = try SpawnedProgram(
      "/usr/bin/redis-cli", arguments: ["-s", folder + "/socket"] + credentials + words,
      log: "/dev/null")
    let answer = try client.readToEnd()
    _ = try client.wait()
    return String(decoding: answer, as: UTF8.self)
  }

  /// Ends the server as a crash does.
  package func kill() throws {
    let program = process.withLock { program in
      defer { program = nil }
      return program
    }
    program?.signal(SIGKILL)
    _ = try program?.wait()
  }

  /// Stops the server without ending its connections.
  package func pause() {
    process.withLock { $0?.signal(SIGSTOP) }
  }

  package func resume() {
    process.withLock { $0?.signal(SIGCONT) }
  }

  /// Ends the server and leaves nothing of it.
  package func remove() throws {
    try kill()
    _ = try SpawnedProgram("/bin/rm", arguments: ["-rf", folder]).wait()
  }
}
