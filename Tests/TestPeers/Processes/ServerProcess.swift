import Foundation
import ParleyProtocol
package import Streams
package import TestSupport

/// A server that has started and listens, in a child process, on a port and a data directory of its
/// own.
package final class ServerProcess: Sendable {
  /// Where its data is; shared by the servers that run in it one after the other.
  package let directory: TemporaryDirectory
  /// The process.
  package let process: Parleyd
  /// The port of its plain listener.
  package let port: UInt16
  /// The port of its TLS listener, if it has one.
  package let tlsPort: UInt16?

  /// Starts one and waits until it listens.
  ///
  /// - Parameters:
  ///   - flags: Settings beside the listener and the directory.
  ///   - directory: That of a server that has ended; `nil` makes a new one.
  package init(
    _ flags: [String] = [], environment: [String: String] = [:],
    in directory: TemporaryDirectory? = nil
  ) throws {
    let directory = try directory ?? TemporaryDirectory()
    // A list ends at its limit alone, however slow the machine is.
    let settings = [
      "--listen", "127.0.0.1:0", "--data-dir", directory.path(of: "data"), "--limits-query-ms", "0",
    ]
    process = try Parleyd(settings + flags, environment: environment)
    self.directory = directory
    port = try Self.port(announcedBy: process, scheme: "ws")
    let hasTLS = flags.contains("--tls-listen")
    tlsPort = hasTLS ? try Self.port(announcedBy: process, scheme: "wss") : nil
  }

  /// A new client without a session.
  package func connect(
    compression: WebSocketClient.Compression = .none, receiveBuffer: Int32? = nil
  ) throws -> WireClient {
    let socket = try StreamSocket(port: port, receiveBuffer: receiveBuffer)
    return WireClient(
      try WebSocketClient(over: socket, host: "127.0.0.1:\(port)", compression: compression))
  }

  /// A new client with a session.
  package func open(
    _ userID: String, compression: WebSocketClient.Compression = .none,
    receiveBuffer: Int32? = nil
  ) throws -> WireClient {
    let client = try connect(compression: compression, receiveBuffer: receiveBuffer)
    try client.call("session.open") {
      $0.member("user_id", userID)
      $0.member("groups", false)
    }
    return client
  }

  /// A new client with a session, over TLS.
  package func open(
    _ userID: String, _ context: TLSClientContext,
    compression: WebSocketClient.Compression = .none
  ) throws -> WireClient {
    let port = tlsPort ?? 0
    let stream = try TLSStream(port: port, context)
    let client = WireClient(
      try WebSocketClient(over: stream, host: "127.0.0.1:\(port)", compression: compression))
    try client.call("session.open") {
      $0.member("user_id", userID)
      $0.member("groups", false)
    }
    return client
  }

  /// Asks for a page over HTTP.
  package func get(_ path: String) throws -> HTTPAnswer {
    try HTTPAnswer(to: path, over: StreamSocket(port: port))
  }

  /// Waits until `/readyz` answers so.
  package func waitForReadiness(_ status: UInt16, _ deadline: Deadline = .standard) throws {
    try deadline.wait(for: "/readyz to say \(status)") { try get("/readyz").status == status }
  }

  /// Kills it without warning.
  package func kill() throws {
    process.send(signal: SIGKILL)
    _ = try process.waitForEnd()
  }

  /// Asks it to stop, and waits until it has.
  @discardableResult
  package func stop() throws -> Parleyd.Ending {
    process.send(signal: SIGTERM)
    return try process.waitForEnd()
  }

  /// The memory that it has in use, in bytes.
  package var residentBytes: Int {
    get throws {
      let status = try String(contentsOfFile: "/proc/\(process.id)/status", encoding: .utf8)
      guard let field = status.firstMatch(of: /VmRSS:\s*(\d+) kB/), let count = Int(field.1) else {
        throw TestFailure("no VmRSS of process \(process.id)")
      }
      return count * 1024
    }
  }

  /// How many descriptors it has open.
  package var descriptorCount: Int {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.id)/fd").count
    }
  }

  private static func port(announcedBy process: Parleyd, scheme: String) throws -> UInt16 {
    let mark = "listening on \(scheme)://127.0.0.1:"
    var port: UInt16?
    try Deadline.standard.wait(for: "'\(mark)' in the log") {
      let line = process.log.lines.first { $0.contains(mark) }
      port = line?.split(separator: mark).last.flatMap { UInt16($0.prefix { $0.isNumber }) }
      guard port != nil || process.isRunning else {
        _ = try process.waitForEnd()
        throw TestFailure("parleyd did not start:\n\(process.log.text)")
      }
      return port != nil
    }
    return port ?? 0
  }
}
