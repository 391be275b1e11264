import Glibc
package import ParleyProtocol
import Synchronization
import TestSupport

/// An HTTP server on a loopback port that keeps what it is posted, and answers as it is told to.
package final class HookServer: Sendable {
  /// How requests are answered.
  package enum Manner: Sendable {
    case takes
    /// With a status, so many times; then they are taken.
    case refuses(UInt16, times: Int)
    /// Not at all.
    case silent
  }

  /// A request that came.
  package struct Request: Sendable {
    package let head: String
    package let body: [UInt8]
  }

  private struct State {
    var manner: Manner
    var requests: [Request] = []
    var taken: [Request] = []
  }

  /// Where it listens.
  package let port: UInt16
  private let listener: Int32
  private let state: Mutex<State>

  package init(_ manner: Manner = .takes, port wanted: UInt16 = 0) throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    state = Mutex(State(manner: manner))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let isListening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 64) == 0
          && getsockname(listener, $0, &length) == 0
      }
    }
    self.port = UInt16(bigEndian: address.sin_port)
    guard isListening else { throw TestFailure("a webhook can't listen") }
    TestThread.start { [self] in serve() }
  }

  package var url: String { "http://127.0.0.1:\(port)/hook" }

  /// Answers otherwise from now on.
  package func behave(_ manner: Manner) { state.withLock { $0.manner = manner } }

  /// Everything that came, whatever the answer.
  package var requests: [Request] { state.withLock { $0.requests } }

  /// The events that were taken, in the order of their coming.
  package var events: [JSONNode] {
    get throws {
      try state.withLock { $0.taken }
        .flatMap { try JSONDocument($0.body).root["events"]?.elements.map(\.self) ?? [] }
    }
  }

  /// The texts of the messages of a channel, in the order of their coming.
  package func texts(of channelURL: String) throws -> [String] {
    try events.filter { $0["channel_url"]?.string == channelURL }
      .compactMap { $0["message"]?["message"]?.string }
  }

  /// Ends the service.
  package func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  private func serve() {
    while true {
      let client = accept(listener, nil, nil)
      guard client >= 0 else { break }
      TestThread.start { [self] in
        let socket = StreamSocket(taking: client)
        while (try? answerNext(of: socket)) == true {}
      }
    }
    close(listener)
  }

  /// - Returns: Whether there may be another request.
  private func answerNext(of client: StreamSocket) throws -> Bool {
    guard let request = try read(client) else { return false }
    let status = state.withLock { state -> UInt16? in
      state.requests.append(request)
      switch state.manner {
      case .silent: return nil
      case .refuses(let status, let times) where times > 0:
        state.manner = .refuses(status, times: times - 1)
        return status
      case .takes, .refuses:
        state.taken.append(request)
        return 200
      }
    }
    guard let status else {
      // Until the other side has had enough.
      _ = try client.read(.in(seconds: 600))
      return false
    }
    try client.write(Array("HTTP/1.1 \(status) x\r\nContent-Length: 0\r\n\r\n".utf8), .standard)
    return true
  }

  private func read(_ client: StreamSocket) throws -> Request? {
    var bytes: [UInt8] = []
    let mark = Array("\r\n\r\n".utf8)
    var headEnd: Int?
    while headEnd == nil {
      let piece = try client.read(.in(seconds: 600))
      guard !piece.isEmpty else { return nil }
      bytes += piece
      headEnd = bytes.indices.dropLast(3).first { Array(bytes[$0..<($0 + 4)]) == mark }
    }
    let head = String(decoding: bytes[..<(headEnd ?? 0)], as: UTF8.self)
    var body = Array(bytes[((headEnd ?? 0) + 4)...])
    let field = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
    let length = field?.split(separator: " ").last.flatMap { Int($0) } ?? 0
    while body.count < length {
      let piece = try client.read(.standard)
      guard !piece.isEmpty else { return nil }
      body += piece
    }
    return Request(head: head, body: body)
  }
}
