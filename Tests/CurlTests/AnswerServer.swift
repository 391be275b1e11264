import Glibc
import Reactor
import Synchronization
import TestPeers
import TestSupport

/// An HTTP server on a loopback port that answers as its handler says, and counts.
final class AnswerServer: Sendable {
  enum Answer: Sendable {
    /// These bytes, as they are.
    case bytes(String)
    /// Nothing, until the client ends the connection.
    case silence
  }

  typealias Handler = @Sendable (_ request: String) -> Answer

  private struct State {
    var requests: [String] = []
    var connectionCount = 0
    var openCount = 0
    var busyCount = 0
    var mostBusyCount = 0
  }

  let port: UInt16
  private let listener: Int32
  private let state = Mutex(State())

  init(_ handler: @escaping Handler) throws {
    guard let any = SocketAddress(host: "127.0.0.1", port: 0) else { throw TestFailure("no host") }
    listener = try Socket.listen(on: any)
    port = try SocketAddress(boundTo: listener).port
    TestThread.start { [self] in serve(handler) }
  }

  /// Answers every request with a status of 200 and this body.
  convenience init(body: String) throws {
    try self.init { _ in .bytes(Self.response(body)) }
  }

  static func response(_ body: String, status: Int = 200) -> String {
    "HTTP/1.1 \(status) x\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  func url(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }

  /// The requests that came, in order, each with its body.
  var requests: [String] { state.withLock { $0.requests } }
  /// The connections that were ever accepted.
  var connectionCount: Int { state.withLock { $0.connectionCount } }
  /// The connections that the client has not ended.
  var openCount: Int { state.withLock { $0.openCount } }
  /// The most requests that were under way at a time.
  var mostBusyCount: Int { state.withLock { $0.mostBusyCount } }

  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  private func serve(_ handler: @escaping Handler) {
    while true {
      var target = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
      _ = poll(&target, 1, -1)
      guard target.revents & Int16(POLLHUP) == 0 else { break }
      guard let client = try? Socket.accept(listener) else { continue }
      state.withLock {
        $0.connectionCount += 1
        $0.openCount += 1
      }
      TestThread.start { [self] in
        converse(StreamSocket(taking: client), handler)
        state.withLock { $0.openCount -= 1 }
      }
    }
    Socket.close(listener)
  }

  private func converse(_ client: StreamSocket, _ handler: Handler) {
    while let request = try? read(client) {
      state.withLock {
        $0.requests.append(request)
        $0.busyCount += 1
        $0.mostBusyCount = max($0.mostBusyCount, $0.busyCount)
      }
      let answer = handler(request)
      state.withLock { $0.busyCount -= 1 }
      switch answer {
      case .bytes(let bytes): try? client.write(Array(bytes.utf8), .standard)
      case .silence:
        _ = try? client.read(.in(seconds: 600))
        return
      }
    }
  }

  /// - Returns: `nil` when the client has ended the connection.
  private func read(_ client: StreamSocket) throws -> String? {
    var text = ""
    while true {
      if let head = text.firstRange(of: "\r\n\r\n") {
        let fields = text[..<head.lowerBound].lowercased().split(separator: "\r\n")
        let length = fields.first { $0.hasPrefix("content-length: ") }
          .flatMap { Int($0.dropFirst(16)) }
        if text[head.upperBound...].utf8.count >= length ?? 0 { return text }
      }
      let piece = try client.read(.in(seconds: 600))
      guard !piece.isEmpty else { return nil }
      text += String(decoding: piece, as: UTF8.self)
    }
  }
}
